/// Reads lines at a terminal: with the arrows, ctrl-a, -e, -k, -u, -w and -l, a history and completion by Tab.
///
/// The terminal gives its keys one by one only while a line is being typed.
final class LineEditor {
  private let terminal: any Terminal
  private let keys: KeyReader
  private let completion: any LineCompletion
  private var view: LineView
  private var history = LineHistory()
  private var line = LineBuffer()

  init(_ terminal: any Terminal, completing completion: any LineCompletion) {
    self.terminal = terminal
    self.completion = completion
    keys = KeyReader(terminal)
    view = LineView(terminal)
  }

  /// Reads a line; nil at the end of the input, as by ctrl-d on an empty line. Ctrl-c gives up the line and begins anew.
  func readLine(prompt: String) throws -> String? {
    try terminal.enterRawMode()
    defer { terminal.leaveRawMode() }
    history.begin()
    line = LineBuffer()
    view.show(line, prompt: prompt)
    while true {
      let key = keys.next()
      switch key {
      case .enter:
        terminal.write("\r\n")
        history.add(line.text)
        return line.text
      case .endOfInput: return end()
      case .control("d") where line.characters.isEmpty: return end()
      case .control("c"):
        terminal.write("^C\r\n")
        history.begin()
        line = LineBuffer()
      case .tab: complete()
      case .control("l"): terminal.write("\u{1B}[H\u{1B}[2J")
      default: edit(key)
      }
      view.show(line, prompt: prompt)
    }
  }

  private func end() -> String? {
    terminal.write("\r\n")
    return nil
  }

  private func edit(_ key: Key) {
    switch key {
    case .character(let character): line.insert(String(character))
    case .left, .control("b"): line.move(by: -1)
    case .right, .control("f"): line.move(by: 1)
    case .home, .control("a"): line.moveToStart()
    case .end, .control("e"): line.moveToEnd()
    case .backspace: line.deleteBackward()
    case .delete, .control("d"): line.deleteForward()
    case .control("k"): line.deleteToEnd()
    case .control("u"): line.deleteToStart()
    case .control("w"): line.deleteWord()
    case .up, .control("p"): if let older = history.older(than: line.text) { line = LineBuffer(older) }
    case .down, .control("n"): if let newer = history.newer() { line = LineBuffer(newer) }
    default: break
    }
  }

  /// Goes on as far as there is only one way to; shows the ways where there are several.
  private func complete() {
    let completions = completion.completions(of: line.head)
    let common = completions.commonStart
    if common.count > completions.typed {
      line.replace(last: completions.typed, with: common)
    } else if completions.candidates.count > 1 {
      view.list(completions.candidates)
    } else {
      terminal.write("\u{7}")
    }
  }
}
