/// On which lines of a TOML file its tables and keys stand, which the parser does not tell.
struct TOMLPlaces {
  private var lines: [[String]: Int] = [:]

  init(_ text: String) {
    var table: [String] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = String(line).trimmed
      if line.hasPrefix("[") {
        table = Self.keys(of: line.drop { $0 == "[" }, endingAt: "]")
        note(table, number + 1)
      } else if !line.hasPrefix("#"), line.contains("=") {
        note(table + Self.keys(of: line[...], endingAt: "="), number + 1)
      }
    }
  }

  /// The line of a key, or else of the nearest table around it.
  func line(of path: [String]) -> Int {
    for length in stride(from: path.count, to: 0, by: -1) {
      if let line = lines[Array(path.prefix(length))] { return line }
    }
    return 1
  }

  private mutating func note(_ path: [String], _ line: Int) {
    if lines[path] == nil { lines[path] = line }
  }

  /// `a."b.c".d` up to a character outside quotes.
  private static func keys(of text: Substring, endingAt end: Character) -> [String] {
    var keys: [String] = []
    var key = ""
    var quote: Character?
    var rest = text
    while let character = rest.popFirst() {
      if let open = quote {
        if character == "\\", open == "\"" {
          key += escaped(&rest)
        } else if character == open {
          quote = nil
        } else {
          key.append(character)
        }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == end {
        break
      } else if character == "." {
        keys.append(key)
        key = ""
      } else if character != " ", character != "\t" {
        key.append(character)
      }
    }
    return keys + [key]
  }

  /// What an escape stands for, whose backslash was taken.
  private static func escaped(_ rest: inout Substring) -> String {
    guard let kind = rest.popFirst() else { return "" }
    let length = kind == "u" ? 4 : kind == "U" ? 8 : 0
    if length > 0 {
      let digits = rest.prefix(length)
      rest = rest.dropFirst(length)
      return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
    }
    let known: [Character: String] = [
      "n": "\n", "t": "\t", "r": "\r", "b": "\u{8}", "f": "\u{C}", "e": "\u{1B}",
    ]
    return known[kind] ?? String(kind)
  }
}
