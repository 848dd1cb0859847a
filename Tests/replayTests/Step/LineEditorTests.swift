import Testing

@testable import ReplayTool

/// A terminal that is played: keys in, and the line that a person would see.
private final class PlayedTerminal: Terminal {
  var width: Int
  var input: [TerminalInput]
  var output = ""
  var isRaw = false
  var readsWhileCooked = 0

  init(_ keys: String, width: Int = 40) {
    self.width = width
    input = keys.utf8.map { .byte($0) }
  }

  func enterRawMode() { isRaw = true }
  func leaveRawMode() { isRaw = false }

  func read(isMore: Bool) -> TerminalInput {
    if !isRaw { readsWhileCooked += 1 }
    if input.isEmpty { return isMore ? .pause : .end }
    return input.removeFirst()
  }

  func write(_ text: String) { output += text }
}

private struct Words: LineCompletion {
  var words = ["forward", "fold", "quit"]
  func completions(of head: String) -> Completions {
    Completions(typed: head.count, candidates: words.filter { $0.hasPrefix(head) })
  }
}

private func lines(_ keys: String, width: Int = 40) throws -> [String] {
  let terminal = PlayedTerminal(keys, width: width)
  let editor = LineEditor(terminal, completing: Words())
  var lines: [String] = []
  while let line = try editor.readLine(prompt: "> ") { lines.append(line) }
  #expect(!terminal.isRaw)
  #expect(terminal.readsWhileCooked == 0)
  return lines
}

private let (up, down, right, left) = ("\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D")

@Suite struct LineEditorTests {
  @Test func keysEditTheLine() throws {
    #expect(try lines("ab\(left)X\r") == ["aXb"])
    #expect(try lines("bc\u{1}a\u{5}d\r") == ["abcd"])
    #expect(try lines("bc\u{1B}[Ha\u{1B}[Fd\r") == ["abcd"])
    #expect(try lines("bc\u{1B}[1~a\u{1B}[4~d\u{1B}OHz\r") == ["zabcd"])
    #expect(try lines("abc\u{7F}\u{8}\r") == ["a"])
    #expect(try lines("abc\u{1}\u{1B}[3~\u{4}\r") == ["c"])
    #expect(try lines("abc\(left)\(left)\u{B}\r") == ["a"])
    #expect(try lines("abc\(left)\u{15}\r") == ["c"])
    #expect(try lines("one two  \u{17}\u{17}x\r") == ["x"])
    #expect(try lines("é\u{7F}日本\(left)\u{7F}\r") == ["本"])
    #expect(try lines("ab\u{1B}[1;5Cc\(right)\(right)\r") == ["abc"])
  }

  @Test func whatNoKeySendsIsPassedOver() throws {
    #expect(try lines("a\u{1B}[99999999999999999999999b\r").count == 1)
    #expect(try lines("a\u{1B}") == [])
    #expect(try lines("a\u{1B}[200~\u{0}\u{1D}b\r") == ["ab"])
    let terminal = PlayedTerminal("")
    terminal.input = [.byte(0xC3), .byte(0x28), .byte(0xFF), .pause, .byte(0x61), .byte(0x0D)]
    #expect(try LineEditor(terminal, completing: Words()).readLine(prompt: "> ") == "a")
  }

  @Test func earlierLinesComeBack() throws {
    #expect(try lines("one\rtwo\r\(up)\(up)\r") == ["one", "two", "one"])
    #expect(try lines("one\rtw\(up)\(down)o\r") == ["one", "two"])
    #expect(try lines("one\rone\r\r\(up)\(up)\(up)!\r") == ["one", "one", "", "one!"])
    #expect(try lines("\(up)\(down)a\r") == ["a"])
  }

  @Test func ctrlCGivesUpTheLineAndCtrlDEndsAnEmptyOne() throws {
    #expect(try lines("abc\u{3}d\r") == ["d"])
    #expect(try lines("a\r\u{4}b\r") == ["a"])
  }

  @Test func tabGoesOnAsFarAsThereIsOneWay() throws {
    #expect(try lines("q\t\r") == ["quit"])
    #expect(try lines("f\t\r") == ["fo"])
    #expect(try lines("x\t\r") == ["x"])
    let terminal = PlayedTerminal("fo\t\r")
    #expect(try LineEditor(terminal, completing: Words()).readLine(prompt: "> ") == "fo")
    #expect(terminal.output.contains("forward  fold"))
  }

  @Test func aLineThatIsTooLongIsScrolled() throws {
    let typed = (0..<10).map { "\($0)........." }.joined()
    let terminal = PlayedTerminal(typed, width: 30)
    let editor = LineEditor(terminal, completing: Words())
    _ = try editor.readLine(prompt: "> ")
    for shown in terminal.output.split(separator: "\r") where !shown.hasPrefix("\u{1B}") {
      #expect(shown.replacing("\u{1B}[K", with: "").count <= 30)
    }
    #expect(terminal.output.contains("> .......8.........9........."))
  }

  @Test func hostileTextIsShownEscaped() throws {
    let terminal = PlayedTerminal("P\t\r")
    let words = Words(words: ["P\u{1B}[2J", "P\u{1B}[3J"])
    _ = try LineEditor(terminal, completing: words).readLine(prompt: "> ")
    #expect(!terminal.output.contains("\u{1B}[2J"))
    #expect(terminal.output.contains("P\\u{1b}["))
  }
}
