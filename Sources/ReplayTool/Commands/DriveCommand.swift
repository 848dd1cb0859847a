import ArgumentParser
import EventLog
import Foundation
import ReplayAnalysis

struct DriveCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "drive",
    abstract: "Drives a recording through a program of yours, and shows what it does otherwise.",
    discussion: """
      Example: replay drive run.evlog -- swift test --filter ChatTests
      Example: replay drive SampleLogs/chat-wide.evlog -- \\
                 swift run record-sample chat-isolated | less

      The program is run with REPLAY_DRIVE, the recording, and REPLAY_DRIVE_OUTPUT, the log that it is to write. One \
      that calls Session.driven(), and a test with withDrivenRecording, drives that recording through its own code: \
      the writes that no callback of the recorded app caused happen again, at their times. Then both logs are \
      compared: a is the recording, b what was driven. What the program prints goes to the standard error.

      There is one new log, so one test drives: a second one that the filter matches fails, and names the first.

      The exit status is 1 when the runs differ, when something of the recording could not be driven or when the \
      program failed; with --fail-on only when such a rule is broken, as of replay diff, or the program failed.
      """)

  @Argument(help: "The recording.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments.", valueName: "program"))
  var program: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The new log; by default one among temporary files.", valueName: "log"))
  var output: String?

  @OptionGroup var replacing: ReplaceOptions

  @Option(
    help: ArgumentHelp("Run the program in this folder.", valueName: "folder"), completion: .directory)
  var directory: String?

  @Option(
    help: ArgumentHelp("End with status 1 only if this rule is broken; may be repeated.", valueName: "rule"))
  var failOn: [DiffRule] = []

  @OptionGroup var format: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    guard let name = program.first else {
      throw ToolError(
        "the program to run comes after --, as in replay drive \(log.quotedForShell) -- swift test")
    }
    let recorded = try LogSource(named: log, limits: memory.limits)
    let place = try place(for: recorded)
    let output = output ?? place.path
    let status = try perform(on: recorded, to: place.path)
    if status != 0 { console.report("replay: \(name.shown) ended with status \(status)") }
    guard Platform.exists(place.path) else {
      throw ToolError(
        "\(name.shown) drove nothing: it is to call Session.driven(), or to run a test with withDrivenRecording"
      )
    }
    try place.file?.finish()
    let driven = try LogSource(path: output, limits: memory.limits)
    let comparison = try DriveComparison(recorded, driven, rules: failOn, progress: console.progress)
    try format.print(comparison, on: console) { try comparison.print(to: console, limit: limit) }
    console.report("replay: the new log is \(output)")
    let damage = recorded.reportDamage(on: console).and(driven.reportDamage(on: console))
    let isFound = failOn.isEmpty ? !comparison.isIdentical : !comparison.diff.failures.isEmpty
    return damage.and(isFound || status != 0 ? .found : .done)
  }

  /// The path for the new log: a temporary one, or the unfinished form of the requested file. So a program
  /// that drives nothing leaves an existing file as it is.
  private func place(for recorded: LogSource) throws -> (path: String, file: OutputFile?) {
    guard let output else {
      let name = URL(filePath: recorded.path).deletingPathExtension().lastPathComponent
      let free = "\(name)-driven-\(UUID().uuidString).evlog"
      return (FileManager.default.temporaryDirectory.appending(path: free).path, nil)
    }
    try OutputFile.expectFile(output, for: "a log")
    let file = try OutputFile(output, replacing: replacing.replace, madeOf: [recorded.path])
    return (URL(filePath: file.path).standardizedFileURL.path, file)
  }

  /// Runs the program, and returns its exit status. Its standard output goes to the standard error.
  private func perform(on recorded: LogSource, to output: String) throws -> Int32 {
    let recording = URL(filePath: recorded.path).standardizedFileURL.path
    return try ChildProgram(
      words: program, directory: directory,
      environment: [DriveNames.recording: recording, DriveNames.output: output]
    ).run(while: Demand.isWanted)
  }
}

extension DriveComparison {
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    try diff.print(to: console, limit: limit)
    let style = console.style
    if !reactions.isEmpty {
      try console.print(style.heading("writes of callbacks"))
      let cut = limit.cut(reactions)
      for reaction in cut.shown {
        let (a, b) = (reaction.events.recorded, reaction.events.driven)
        if let a { try console.print("  \(style.bad("a"))  \(console.fit(a.line(beside: b), beside: 5))") }
        if let b { try console.print("  \(style.good("b"))  \(console.fit(b.line(beside: a), beside: 5))") }
      }
      try console.printHidden(reactionCount - cut.shown.count, "write")
    }
    if !problems.isEmpty {
      try console.print(style.heading("not driven"))
      let cut = limit.cut(problems)
      for problem in cut.shown { try console.print("  \(console.fit(problem.shown, beside: 2))") }
      try console.printHidden(cut.hidden, "problem")
    }
  }
}
