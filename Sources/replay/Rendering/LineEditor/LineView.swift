/// Draws a line that is being edited, on one row of the terminal; what does not fit is scrolled out of sight.
struct LineView {
  private let terminal: any Terminal
  private static let listedMax = 60

  init(_ terminal: any Terminal) { self.terminal = terminal }

  func show(_ line: LineBuffer, prompt: String) {
    let room = max(8, terminal.width - prompt.columns - 1)
    let shown = line.characters.map { String($0).shown }
    let columns = shown.map(\.columns)
    var start = 0
    // As much before the cursor as fits, then what follows.
    var used = columns[..<line.cursor].reduce(0, +)
    while used > room {
      used -= columns[start]
      start += 1
    }
    var end = line.cursor
    var filled = used
    while end < shown.count, filled + columns[end] <= room {
      filled += columns[end]
      end += 1
    }
    let text = shown[start..<end].joined()
    let column = prompt.columns + used
    terminal.write("\r\(prompt)\(text)\u{1B}[K\r\(column > 0 ? "\u{1B}[\(column)C" : "")")
  }

  /// Lists words below the line, in columns.
  func list(_ words: [String]) {
    let shown = words.prefix(Self.listedMax).map { $0.shown.cut(to: max(8, terminal.width - 1)) }
    let width = (shown.map(\.columns).max() ?? 0) + 2
    let perRow = max(1, terminal.width / width)
    var output = "\r\n"
    for start in stride(from: 0, to: shown.count, by: perRow) {
      let row = shown[start..<min(start + perRow, shown.count)]
      for (place, word) in row.enumerated() {
        let isLast = place == row.count - 1
        output += word + (isLast ? "" : String(repeating: " ", count: width - word.columns))
      }
      output += "\r\n"
    }
    if words.count > shown.count { output += "and \((words.count - shown.count).grouped) more\r\n" }
    terminal.write(output)
  }
}
