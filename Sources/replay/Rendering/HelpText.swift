/// Help as the argument parser writes it, with what is wide set for a terminal: it breaks examples where they cannot be
/// copied, and usages not at all.
enum HelpText {
  static func fitted(_ message: String, to width: Int?) -> String {
    guard message.hasPrefix("OVERVIEW: ") || message.hasPrefix("Error: ") else { return message }
    var lines: [String] = []
    var example: String?
    func endExample() {
      guard let text = example else { return }
      let words = String(text.dropFirst(exampleTitle.count))
      let broken = words.commandLines(to: width.map { $0 - exampleTitle.count })
      for (place, line) in broken.enumerated() {
        lines.append((place == 0 ? exampleTitle : String(repeating: " ", count: exampleTitle.count)) + line)
      }
      example = nil
    }
    for line in message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let begun = example, !line.isEmpty, !line.hasPrefix(exampleTitle) {
        example = "\(begun) \(line)"
        continue
      }
      endExample()
      if line.hasPrefix(exampleTitle) {
        example = line
      } else if line.lowercased().hasPrefix("usage: ") {
        lines += usage(line, width)
      } else {
        lines.append(line)
      }
    }
    endExample()
    return lines.joined(separator: "\n")
  }

  private static let exampleTitle = "Example: "

  /// A usage in lines of at most so many columns; an option and its value stay together.
  private static func usage(_ line: String, _ width: Int?) -> [String] {
    guard let width, line.columns > width else { return [line] }
    var parts: [String] = []
    var depth = 0
    for word in line.split(separator: " ") {
      if depth > 0 || parts.last?.hasPrefix("--") == true && word.hasPrefix("<") {
        parts[parts.count - 1] += " \(word)"
      } else {
        parts.append(String(word))
      }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    var lines: [String] = []
    for part in parts {
      if let line = lines.last, line.columns + 1 + part.columns <= width {
        lines[lines.count - 1] = "\(line) \(part)"
      } else {
        lines.append(lines.isEmpty ? part : String(repeating: " ", count: "usage: ".count) + part)
      }
    }
    return lines
  }
}
