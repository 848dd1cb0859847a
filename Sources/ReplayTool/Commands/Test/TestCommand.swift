import ArgumentParser
import EventLog
import ReplayAnalysis

struct TestCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Prints a test that drives a recording, and expects its counts or those of a finding's fix.",
    discussion: """
      Example: replay test SampleLogs/chat-wide.evlog
      Example: replay test SampleLogs/chat-wide.evlog --finding 1
      Example: replay test SampleLogs/chat-wide.evlog --view MessageRow --xctest
      Example: replay test run.evlog -o Tests/AppTests/DrivenTests.swift \\
                 --mount 'ChatScreen(chat).mount(in: drive.session)'

      It is a whole file for Swift Testing, or for XCTest. The test attaches the recorded objects as they were, drives \
      what the user, the server and the timers did, and expects that each view runs as often as it did: exactly as \
      often, or with --finding at most as often as is predicted with the fix. Which views there are is not in a log: \
      one line, in <# and #>, is to be filled in, or given by --mount. Where the program attaches its objects itself, \
      as it mounts its views, --no-attach leaves that to it.

      A log has the name of a class without those around it; --type says the rest. What else a drive may need, as \
      migrations or an actor, is to be added by hand.
      """)

  @Argument(help: "The recording.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: ArgumentHelp("Expect the runs of this projection alone.", valueName: "name"),
    completion: .projections)
  var view: String?

  @Option(
    help: ArgumentHelp(
      "Expect what is predicted for the fix of this finding of replay lint, from 1.", valueName: "number"))
  var finding: Int?

  @Flag(help: "Print a test for XCTest.")
  var xctest = false

  @Option(
    help: ArgumentHelp("The line that mounts the views, as Swift.", valueName: "code"))
  var mount: String?

  @Flag(help: "Attach nothing: what is mounted attaches its objects itself, under the recorded names.")
  var noAttach = false

  @Option(
    help: ArgumentHelp(
      "The class of a root, where its name alone does not do, as store=ListView.Store; may be repeated.",
      valueName: "root=type"), transform: RootType.read)
  var type: [RootType] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the test to this file. It then names the recording by a path from there.", valueName: "file"))
  var output: String?

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let mounts = mount?.split(separator: "\n").map(String.init) ?? []
    if let mount, mounts.contains(where: { $0.shown(most: .max) != $0 }) {
      throw ToolError("--mount: \(mount.shown) is no line of Swift")
    }
    let log = try LogSource(named: log, limits: memory.limits)
    if log.firstSeq > 1 {
      throw ToolError(
        "\(log.path) begins with event \(log.firstSeq); a test drives a recording from its beginning")
    }
    let program = try RecordedProgram(log, progress: console.progress)
    if program.roots.isEmpty {
      throw ToolError("\(log.path): no object is attached, so nothing can be driven")
    }
    for given in type where !program.roots.contains(where: { $0.name == given.root }) {
      let nearest = Suggestion.text(for: given.root, among: program.roots.map(\.name))
      throw ToolError("--type: there is no root \(given.root)\(nearest)")
    }
    if let view { try program.check(view, of: log) }
    let test = DrivenTest(
      program, of: log, at: try recording(log), try expectation(program, of: log, console.progress),
      types: type, attaches: !noAttach, mount: mount, isXCTest: xctest)
    if let output {
      let file = try OutputFile(output, replacing: replacing.replace, madeOf: [log.path])
      try file.write(test.text)
    } else {
      try console.write(Array(test.text.utf8))
    }
    return log.reportDamage(on: console)
  }

  private func expectation(
    _ program: RecordedProgram, of log: LogSource, _ progress: AnalysisProgress
  ) throws -> DrivenTest.Expectation {
    guard let finding else { return .recorded(program.evaluations, view: view) }
    let found = try log.finding(finding, progress: progress)
    if found.changes.isEmpty {
      throw ToolError(
        "nothing is predicted for finding \(finding), \(found.rule.rawValue); without --finding the test expects the "
          + "recorded counts")
    }
    let prediction = try WhatIf(
      log, WhatIfRules(found.changes), counting: Selection(in: log).seqs, progress: progress)
    return .predicted(prediction, finding: found, view: view)
  }

  /// The recording as the test names it: by a path from the folder of the test's file, if that is known.
  private func recording(_ log: LogSource) throws -> String {
    guard let output, !Platform.isStream(output), let path = Platform.realPath(log.path),
      let folder = Platform.realPath(LogPath(output).directory)
    else { return log.path }
    return path.path(from: folder)
  }
}

/// A root and its class, as `store=ListView.Store`.
struct RootType: FormedArgument {
  static var form: String { "a root and its class, as store=ListView.Store" }

  let root: String
  let type: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[1].isSwiftType else { return nil }
    (root, type) = (parts[0], parts[1])
  }
}

extension String {
  /// This absolute path as one from a folder on; as it is where they have no folder in common.
  fileprivate func path(from folder: String) -> String {
    let (steps, others) = (
      utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) },
      folder.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    )
    let common = zip(steps, others).prefix { $0.hasSameBytes(as: $1) }.count
    if common == 0 { return self }
    let up = Array(repeating: "..", count: others.count - common)
    return (up + steps[common...]).joined(separator: "/")
  }
}
