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

/// How a command prints its result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// The log, and how to print: what most commands take.
struct InputOptions: ParsableArguments {
  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @OptionGroup var output: OutputOptions
}

struct OutputOptions: ParsableArguments {
  @Option(help: "text for people, json for programs.")
  var format: OutputFormat = .text
}

/// Whether the file that a command writes may take the place of another.
struct ReplaceOptions: ParsableArguments {
  @Flag(help: "Replace the file if there is one; never one that is read, or a log that is being written.")
  var replace = false
}

/// How many lines of a ranking to print as text.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Print at most this many lines of text; 0 for all.", valueName: "count"))
  var limit = 20

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit must be 0 or more") }
  }

  /// The first of these, and how many are left out.
  func cut<T>(_ items: [T]) -> (shown: ArraySlice<T>, hidden: Int) {
    if limit == 0 || items.count <= limit { return (items[...], 0) }
    return (items[..<limit], items.count - limit)
  }
}
