extension String {
  /// A command for a shell, its options on further lines where it has more than so many columns; copied, the lines are
  /// still the one command.
  func commandLines(to width: Int?) -> [String] {
    guard let width, columns > width else { return [self] }
    var lines: [String] = []
    for part in commandParts {
      // What goes on on the next line ends with a space and a backslash.
      if lines.count > 1, let line = lines.last, line.columns + 1 + part.columns + 2 <= width {
        lines[lines.count - 1] = "\(line) \(part)"
      } else {
        lines.append(lines.isEmpty ? part : "  \(part)")
      }
    }
    return lines.dropLast().map { $0 + " \\" } + lines.suffix(1)
  }

  /// The command and each of its options with what belongs to it.
  private var commandParts: [String] {
    var parts = [""]
    var word = ""
    var (isQuoted, isEscaped) = (false, false)
    func endWord() {
      if word.hasPrefix("-"), word.count > 1 { parts.append("") }
      parts[parts.count - 1] += (parts[parts.count - 1].isEmpty ? "" : " ") + word
      word = ""
    }
    for character in self {
      if character == " ", !isQuoted, !isEscaped {
        endWord()
        continue
      }
      word.append(character)
      if character == "'", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && !isQuoted && !isEscaped
    }
    endWord()
    return parts
  }
}
