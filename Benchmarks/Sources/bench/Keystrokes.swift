import Observation
import Projection

@Observable final class ObservableNote {
  var text = ""
  var lines: [String] = []
}

@Recorded final class RecordedNote {
  var text = ""
  var lines: RecordedArray<String> = []
}

/// One action at a keyboard.
struct Keystroke {
  enum Kind {
    case insert(Character)
    case delete
    case newline
  }

  var kind: Kind
  var line: Int
  var column: Int
}

/// Typing that moves from place to place, with some new lines; the same in each run.
struct Keystrokes {
  let lines: [String]
  private let keys: [Keystroke]

  var text: String { lines.joined(separator: "\n") }

  init(count: Int) {
    lines = (0..<2_000).map { "Line \($0) of a text that somebody writes, and writes." }
    var seed: UInt64 = 1
    func random(_ limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((seed >> 33) % UInt64(limit))
    }
    var keys: [Keystroke] = []
    var (line, column) = (0, 0)
    for number in 0..<count {
      if number % 40 == 0 { (line, column) = (random(2_000), random(20)) }
      let dice = random(100)
      let kind: Keystroke.Kind = dice < 2 ? .newline : dice < 12 ? .delete : .insert("e")
      keys.append(Keystroke(kind: kind, line: line, column: column))
      column += dice < 12 ? 0 : 1
    }
    self.keys = keys
  }

  func forEach(_ body: (Keystroke) -> Void) { for key in keys { body(key) } }
}

extension String {
  /// Types into a text whose lines are some 50 bytes long.
  mutating func type(_ key: Keystroke) {
    let offset = Swift.min(key.line * 50 + key.column, utf8.count - 1)
    let index = utf8.index(startIndex, offsetBy: offset)
    switch key.kind {
    case .insert(let character): insert(character, at: index)
    case .delete: remove(at: index)
    case .newline: insert("\n", at: index)
    }
  }

  fileprivate mutating func type(_ key: Keystroke, inLine _: Void) {
    let index = utf8.index(startIndex, offsetBy: Swift.min(key.column, utf8.count))
    switch key.kind {
    case .insert(let character): insert(character, at: index)
    case .delete: if index < endIndex { remove(at: index) }
    case .newline: break
    }
  }
}

extension [String] {
  /// Types into one of the lines.
  mutating func type(_ key: Keystroke) {
    guard case .newline = key.kind else { return self[key.line].type(key, inLine: ()) }
    insert("", at: key.line)
  }
}

extension RecordedArray<String> {
  /// Types into one of the lines.
  mutating func type(_ key: Keystroke) {
    guard case .newline = key.kind else { return self[key.line].type(key, inLine: ()) }
    insert("", at: key.line)
  }
}
