import ArgumentParser
import ReplayAnalysis

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Shows which write woke what: reads a recorded log and reconstructs its invalidations.",
    discussion: """
      Exit status: 0 done; 1 found what it was asked to look for (a difference, a mismatch); 2 bad usage or \
      unreadable input; 3 done, but part of the log is missing or damaged; 4 done, but there are too few sessions to \
      tell (replay fleet).

      Example: replay cascades SampleLogs/chat-wide.evlog
      """,
    version: ToolVersion.version,
    subcommands: [Manual.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Look",
        subcommands: [
          Info.self, RecordingsCommand.self, OverviewCommand.self, TimelineCommand.self, EventsCommand.self,
          StateCommand.self, Tail.self,
        ]),
      CommandGroup(
        name: "Understand",
        subcommands: [
          Cascades.self, Why.self, WhyNotCommand.self, Hot.self, ReadsCommand.self, Diff.self,
          DriveCommand.self, TestCommand.self, BisectCommand.self, Lint.self, FindingCommand.self,
          WhatIfCommand.self,
          Check.self, Report.self, Serve.self,
        ]),
      CommandGroup(name: "Programs that ask", subcommands: [MCP.self, SkillCommand.self]),
      CommandGroup(name: "Many sessions", subcommands: [Summarize.self, Fleet.self]),
      CommandGroup(
        name: "Keep",
        subcommands: [
          Verify.self, Export.self, Import.self, Compact.self, Cut.self, Merge.self, Recover.self,
        ]),
    ])
}

/// The text that `replay` prints without arguments: the nine commands that most people need.
enum Overview {
  /// In the order in which the README introduces them.
  private static let lines: [(example: String, text: String)] = [
    ("cascades run.evlog", "which writes woke the most work"),
    ("why run.evlog 'Row#42'", "why a projection ran: the writes, old value and new"),
    ("report run.evlog -o run.html", "a page of the run, to look at and to share"),
    ("serve run.evlog", "the same page in the browser, while the app runs"),
    ("diff a.evlog b.evlog", "two runs: where they diverge, what each did more"),
    ("lint run.evlog", "known bad shapes, with evidence"),
    ("what-if run.evlog --tracking element", "the same run under other rules"),
    ("hot run.evlog", "what runs and what is set most often, and how much for nothing"),
    ("check run.evlog --budget FILE", "whether a run keeps to its budget, for CI"),
  ]

  static func print(to console: Console) throws {
    try console.print("Shows which write woke what in a recorded run.")
    try console.print()
    let width = lines.map(\.example.count).max() ?? 0
    let lineWidth = width + (lines.map(\.text.count).max() ?? 0) + 11
    for (example, text) in lines {
      let command = console.style.heading("replay \(example)")
      if let limit = console.width, limit < lineWidth {
        try console.print("  \(command)")
        try console.print("      \(text)")
      } else {
        try console.print("  \(command)\(String(repeating: " ", count: width - example.count))  \(text)")
      }
    }
    try console.print()
    try console.print("replay --help lists all commands.")
    try console.print("replay COMMAND --help explains one, with examples.")
  }
}

extension Replay {
  /// All words that may stand for a command.
  static var commandNames: [String] {
    configuration.subcommands.map { $0._commandName } + ["help"]
  }

  /// Throws if the command does not exist; the error suggests the nearest one.
  static func checkCommand(_ arguments: [String]) throws {
    let named = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let first = named.first, !first.hasPrefix("-"), !commandNames.contains(first) else { return }
    if first.isEmpty { throw ToolError("the command is empty; replay --help lists them") }
    if Platform.exists(first) {
      throw ToolError("the command comes before the log, as in replay info \(first.quotedForShell)")
    }
    let suggestion = Suggestion.text(for: first, among: commandNames)
    throw ToolError(
      "there is no command \(first)" + (suggestion.isEmpty ? "; replay --help lists them" : suggestion))
  }
}
