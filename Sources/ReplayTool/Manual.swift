import ArgumentParser
import Foundation
import ReplayAnalysis

struct Manual: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a manual page for each command.",
    discussion: "Example: replay manual --into man",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The folder to write them to, made if need be.", valueName: "folder"))
  var into: String

  @OptionGroup var replacing: ReplaceOptions

  func run(on console: Console) throws -> ToolStatus {
    let pages = try ManualPage.all()
    do {
      try FileManager.default.createDirectory(atPath: into, withIntermediateDirectories: true)
    } catch { throw ToolError("cannot write to \(into): \(error.localizedDescription)") }
    // All pages are checked before the first is written.
    let files = try pages.map {
      try OutputFile("\(into)/\($0.name).1", replacing: replacing.replace, madeOf: [])
    }
    for (page, file) in zip(pages, files) { try file.write(page.text) }
    try console.print("\(into.shown): \(Units.count(pages.count, "page"))")
    return .done
  }
}

/// A manual page, made from the help of a command.
///
/// The argument parser's own generator, `swift package generate-manual`, sets examples as running text,
/// leaves out the values and defaults of options, and states a wrong exit status. So pages are made here,
/// from the same source: the command's `--experimental-dump-help`.
struct ManualPage {
  /// The name of the page, for example `replay-why`.
  let name: String
  let text: String

  /// The page of the tool itself, and one for each command that help lists.
  static func all() throws -> [ManualPage] {
    let commands = Replay.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let pages = try commands.flatMap { command in
      let (name, parts) = ("replay-\(command._commandName)", command.configuration.subcommands)
      let groups = parts.isEmpty ? [] : [CommandGroup(name: "Its", subcommands: parts)]
      return try [ManualPage(command, name, groups, seeAlso: ["replay"])]
        + parts.map { try ManualPage($0, "\(name)-\($0._commandName)", seeAlso: [name]) }
    }
    let tool = try ManualPage(
      Replay.self, "replay", Replay.configuration.groupedSubcommands, seeAlso: pages.map(\.name))
    return [tool] + pages
  }

  private init(
    _ command: any ParsableCommand.Type, _ name: String, _ groups: [CommandGroup] = [], seeAlso: [String]
  ) throws {
    self.name = name
    let configuration = command.configuration
    let dump = try JSONDecoder().decode(DumpedHelp.self, from: Data(command._dumpHelp().utf8))
    let arguments = dump.command.arguments ?? []
    let (description, examples) = Self.parts(of: configuration.discussion)
    // No justification and no hyphenation, since names and examples are to be copied.
    var lines = [
      #".TH "\#(name.uppercased())" "1" "" "swift-replay" """#, ".ad l", ".nh",
      ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(configuration.abstract))",
      ".SH SYNOPSIS", Self.escaped(Replay.usageString(for: command)),
      ".SH DESCRIPTION",
    ]
    // Each line is a paragraph of its own, except indented ones. The first needs no paragraph break.
    let paragraphs = description.flatMap { ($0.hasPrefix(" ") ? [] : [".PP"]) + [Self.escaped($0)] }
    lines += paragraphs.drop { $0 == ".PP" }
    lines += Self.section("ARGUMENTS", arguments.filter { $0.kind == "positional" }.map(\.item))
    lines += Self.section("OPTIONS", arguments.filter { $0.kind != "positional" }.map(\.item))
    for group in groups {
      let commands = group.subcommands.map { ($0._commandName, $0.configuration.abstract) }
      lines += Self.section("\(group.name.uppercased()) SUBCOMMANDS", commands)
    }
    lines += [".SH EXAMPLES", ".nf"] + examples.map(Self.escaped) + [".fi"]
    lines += [".SH SEE ALSO", seeAlso.map { ".BR \(Self.escaped($0)) (1)" }.joined(separator: " ,\n")]
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Splits a discussion into its description and its examples, whose lines may continue after a backslash.
  private static func parts(of discussion: String) -> (description: [String], examples: [String]) {
    let title = "Example: "
    var (description, examples): ([String], [String]) = ([], [])
    for line in discussion.split(separator: "\n").map(String.init) {
      if line.hasPrefix(title) || examples.last?.hasSuffix("\\") == true {
        examples.append(String(line.dropFirst(title.count)))
      } else {
        description.append(line)
      }
    }
    return (description, examples)
  }

  private static func section(_ title: String, _ items: [(term: String, meaning: String)]) -> [String] {
    if items.isEmpty { return [] }
    return [".SH \(title)"] + items.flatMap { [".TP", ".B \(escaped($0))", escaped($1)] }
  }

  private static func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}

/// The part of the argument parser's dump that pages show.
private struct DumpedHelp: Decodable {
  struct Command: Decodable {
    var arguments: [Parameter]?
  }

  struct Parameter: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    /// The argument's kind: `positional`, `option` or `flag`.
    var kind: String
    var names: [Name]?
    var valueName: String?
    var allValues: [String]?
    var defaultValue: String?
    var abstract: String?

    /// The argument's term and meaning: `--format <format>`, and `How to print. (values: text, json; default:
    /// text)`.
    var item: (term: String, meaning: String) {
      let names = (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.joined(separator: ", ")
      let value = kind == "flag" ? "" : "<\(valueName ?? "value")>"
      let values = allValues.map { "values: \($0.joined(separator: ", "))" }
      let facts = [values, defaultValue.map { "default: \($0)" }].compactMap(\.self)
      return (
        [names, value].filter { !$0.isEmpty }.joined(separator: " "),
        (abstract ?? "") + (facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))")
      )
    }
  }

  var command: Command
}
