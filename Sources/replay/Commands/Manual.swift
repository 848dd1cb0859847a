import ArgumentParser
import Foundation

struct Manual: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a manual page for each command.",
    discussion: "Example: replay manual --into man",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The folder to write them to, made if need be.", valueName: "folder"))
  var into: String

  func run(on console: Console) throws -> ToolStatus {
    let pages = ManualPage.all
    do {
      try FileManager.default.createDirectory(atPath: into, withIntermediateDirectories: true)
      for page in pages {
        try page.text.write(toFile: "\(into)/\(page.name).1", atomically: true, encoding: .utf8)
      }
    } catch { throw ToolError("cannot write to \(into): \(error.localizedDescription)") }
    try console.print("\(into.shown): \(Units.count(pages.count, "page"))")
    return .done
  }
}

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
    var lines = [
      #".TH "\#(name.uppercased())" "1" "" "swift-replay" """#, ".SH NAME",
      "\(Self.escaped(name)) \\- \(Self.escaped(configuration.abstract))", ".SH SYNOPSIS",
    ]
    let sections = Self.sections(of: help)
    lines.append(Self.escaped(sections.first { $0.title == "USAGE" }?.lines.first ?? name))
    lines.append(".SH DESCRIPTION")
    for line in configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      // An example is a paragraph of its own, as it is typed.
      let isExample = line.hasPrefix("Example: ")
      lines += line.isEmpty || isExample ? [".PP"] : []
      if !line.isEmpty { lines.append((isExample ? ".B " : "") + Self.escaped(String(line))) }
    }
    for section in sections where section.title != "OVERVIEW" && section.title != "USAGE" {
      lines.append(".SH \(Self.escaped(section.title))")
      for line in section.lines where !line.isEmpty { lines += Self.item(line) }
    }
    text = lines.joined(separator: "\n") + "\n"
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
