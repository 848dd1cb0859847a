import ArgumentParser
import Foundation

/// What the help of a command says, as a manual page.
struct ManualPage {
  /// As in `man replay-why`.
  let name: String
  let text: String

  /// The tool's own page, and one for each command that help shows.
  static var all: [ManualPage] {
    let commands = Replay.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let pages = commands.map {
      ManualPage(
        "replay-\($0._commandName)", $0.configuration, help: Replay.helpMessage(for: $0, columns: 10_000))
    }
    return [ManualPage("replay", Replay.configuration, help: Replay.helpMessage(columns: 10_000))] + pages
  }

  private init(_ name: String, _ configuration: CommandConfiguration, help: String) {
    self.name = name
    // Ragged and with no word divided: names and examples are there to be copied.
    var lines = [
      #".TH "\#(name.uppercased())" "1" "" "swift-replay" """#, ".ad l", ".nh", ".SH NAME",
      "\(Self.escaped(name)) \\- \(Self.escaped(configuration.abstract))", ".SH SYNOPSIS",
    ]
    let sections = Self.sections(of: help)
    lines.append(Self.escaped(sections.first { $0.title == "USAGE" }?.lines.first ?? name))
    let discussion = configuration.discussion.split(separator: "\n").map(String.init)
    lines += Self.description(discussion.filter { !$0.hasPrefix(Self.example) })
    for section in sections where section.title != "OVERVIEW" && section.title != "USAGE" {
      lines.append(".SH \(Self.escaped(section.title))")
      for line in section.lines where !line.isEmpty { lines += Self.item(line) }
    }
    let examples = discussion.filter { $0.hasPrefix(Self.example) }.map {
      String($0.dropFirst(Self.example.count))
    }
    lines += [".SH EXAMPLES", ".nf"] + examples.map(Self.escaped) + [".fi"]
    let others = name == "replay" ? Replay.commandNames.filter { $0 != "help" && $0 != "manual" } : []
    let pages = name == "replay" ? others.map { "replay-\($0)" } : ["replay"]
    lines += [".SH SEE ALSO", pages.map { ".BR \(Self.escaped($0)) (1)" }.joined(separator: " ,\n")]
    text = lines.joined(separator: "\n") + "\n"
  }

  private static let example = "Example: "

  /// Each line is a paragraph, but for one above lines that are set in: that is a term, and they say what it means. Lines
  /// that are set in further go on with the one above.
  private static func description(_ discussion: [String]) -> [String] {
    if discussion.isEmpty { return [] }
    var lines = [".SH DESCRIPTION"]
    for (index, line) in discussion.enumerated() {
      let next = index + 1 < discussion.count ? discussion[index + 1] : ""
      if line.hasPrefix("  ") {
        let isRest = line.hasPrefix("    ")
        if !isRest, discussion[max(0, index - 1)].hasPrefix("  ") { lines.append(".br") }
        lines.append(escaped(trimmed(line)))
      } else if next.hasPrefix("  ") {
        lines += [".TP", ".B \(escaped(line))"]
      } else {
        lines += (index > 0 ? [".PP"] : []) + [escaped(line)]
      }
    }
    return lines
  }

  /// `--limit <count>         Print at most so many` as a term and what it means.
  private static func item(_ line: String) -> [String] {
    guard let gap = line.dropFirst(2).firstRange(of: "  ") else {
      return [".TP", ".B \(escaped(trimmed(line)))"]
    }
    let meaning = trimmed(String(line[gap.upperBound...]))
    let term = trimmed(String(line[..<gap.lowerBound]))
    return term.isEmpty ? [escaped(meaning)] : [".TP", ".B \(escaped(term))", escaped(meaning)]
  }

  private static func sections(of help: String) -> [(title: String, lines: [String])] {
    var sections: [(title: String, lines: [String])] = []
    for line in help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let colon = line.firstIndex(of: ":"), !line.hasPrefix(" "),
        line[..<colon].allSatisfy({ $0.isUppercase || $0 == " " })
      {
        let rest = trimmed(String(line[line.index(after: colon)...]))
        sections.append((String(line[..<colon]), rest.isEmpty ? [] : [rest]))
      } else if !sections.isEmpty {
        sections[sections.count - 1].lines.append(line)
      }
    }
    return sections
  }

  private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }

  private static func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
