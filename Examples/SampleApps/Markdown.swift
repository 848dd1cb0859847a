/// The part of Markdown that people use in chats, as HTML: headings, lists, quotes, code, emphasis, links.
enum Markdown {
  static func html(_ text: String) -> String {
    var html = ""
    var isCode = false
    var isList = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isCode.toggle()
        html += isCode ? "<pre>" : "</pre>\n"
        continue
      }
      if isCode {
        html += escaped(line) + "\n"
        continue
      }
      if isList != line.hasPrefix("- ") {
        isList.toggle()
        html += isList ? "<ul>\n" : "</ul>\n"
      }
      html += block(line)
    }
    return html + (isList ? "</ul>" : "")
  }

  private static func block(_ line: Substring) -> String {
    let level = line.prefix { $0 == "#" }.count
    if level > 0, line.dropFirst(level).first == " " {
      return "<h\(level)>\(inline(line.dropFirst(level + 1)))</h\(level)>\n"
    }
    if line.hasPrefix("- ") { return "<li>\(inline(line.dropFirst(2)))</li>\n" }
    if line.hasPrefix("> ") { return "<blockquote>\(inline(line.dropFirst(2)))</blockquote>\n" }
    return line.isEmpty ? "" : "<p>\(inline(line))</p>\n"
  }

  /// Replaces each pair of markers, the longer marker first; a marker without a partner stays.
  private static func inline(_ text: Substring) -> String {
    let marks = [("`", "code"), ("**", "strong"), ("*", "em")]
    var html = ""
    var rest = text
    scan: while !rest.isEmpty {
      for (mark, tag) in marks where rest.hasPrefix(mark) {
        let inner = rest.dropFirst(mark.count)
        guard let end = inner.firstRange(of: mark) else { continue }
        let content = inner[..<end.lowerBound]
        html += "<\(tag)>\(tag == "code" ? escaped(content) : inline(content))</\(tag)>"
        rest = inner[end.upperBound...]
        continue scan
      }
      if let link = link(&rest) {
        html += link
      } else {
        html += escaped(rest.prefix(1))
        rest = rest.dropFirst()
      }
    }
    return html
  }

  private static func link(_ rest: inout Substring) -> String? {
    guard rest.first == "[", let middle = rest.firstRange(of: "]("),
      let end = rest[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let title = rest[rest.index(after: rest.startIndex)..<middle.lowerBound]
    defer { rest = rest[rest.index(after: end)...] }
    return "<a href=\"\(escaped(rest[middle.upperBound..<end]))\">\(inline(title))</a>"
  }

  private static func escaped(_ text: Substring) -> String {
    var html = ""
    for character in text {
      switch character {
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "&": html += "&amp;"
      case "\"": html += "&quot;"
      default: html.append(character)
      }
    }
    return html
  }
}
