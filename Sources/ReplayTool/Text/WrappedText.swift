extension String {
  /// The text in lines of at most so many columns, broken between words; a word that is longer has a line of its own.
  func wrapped(to width: Int?) -> [String] {
    guard let width else { return [self] }
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: true) {
      if !line.isEmpty, line.columns + 1 + String(word).columns > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension Console {
  /// Prints a paragraph below a heading: `- ` before its first line, its others in line with that.
  func printItem(_ text: String, indent: Int = 2) throws {
    let margin = String(repeating: " ", count: indent)
    for (place, line) in text.shown.wrapped(to: width.map { max(20, $0 - indent - 2) }).enumerated() {
      try print(margin + (place == 0 ? "- " : "  ") + line)
    }
  }
}
