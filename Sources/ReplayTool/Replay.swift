import ArgumentParser

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Shows which write woke what: reads a recorded log and reconstructs its invalidations.",
    discussion: """
      Exit status: 0 done; 1 found what it was asked to look for (a difference, a mismatch); 2 bad usage or \
      unreadable input; 3 done, but part of the log is missing or damaged.

      Example: replay cascades SampleLogs/chat-wide.evlog
      """,
    version: version,
    subcommands: [Manual.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Look", subcommands: [Info.self, TimelineCommand.self, StateCommand.self, Tail.self]),
      CommandGroup(
        name: "Understand",
        subcommands: [
          Cascades.self, Why.self, Hot.self, Diff.self, Lint.self, WhatIfCommand.self, Check.self, Step.self,
        ]),
      CommandGroup(
        name: "Keep",
        subcommands: [
          Verify.self, Export.self, Import.self, Compact.self, Cut.self, Merge.self, Recover.self,
        ]),
    ])
}
