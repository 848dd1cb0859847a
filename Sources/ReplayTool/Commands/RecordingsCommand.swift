import ArgumentParser
import EventLog
import ReplayAnalysis

struct RecordingsCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "recordings",
    abstract: "Lists the logs in a folder: program, time, events, state, findings.",
    discussion: """
      Example: replay recordings SampleLogs/

      Logs in its subfolders are listed too, but not those that links lead to outside of it. FINDINGS is how many lint has that are worth a change; of a log of more than \
      4 MB it is not known, since that takes longer: replay overview tells them.
      """)

  /// Lint of this many bytes takes about a second.
  private static let judgedMost: UInt64 = 4 << 20

  @Argument(help: "The folder.", completion: .directory)
  var folder = "."

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    guard Platform.isFolder(folder) else {
      throw ToolError(
        "\(folder): there is no such folder"
          + Suggestion.text(forFile: folder, among: Platform.neighbours(of: folder)))
    }
    let paths = LogFolder.logs(in: folder, followsLinksOut: false)
    let cut = limit.cut(paths)
    let recordings = try cut.shown.map { try recording($0) }
    try output.print(recordings, on: console) {
      if recordings.isEmpty { return try console.print("there is no log in \(folder.shown)") }
      let table = Table(
        .text("LOG"), .text("PROGRAM"), .number("TIME"), .number("EVENTS"), .text("STATE"),
        .number("FINDINGS"))
      try table.print(recordings, "log", limit, besides: cut.hidden, to: console) { $0.cells }
    }
    return .done
  }

  private func recording(_ path: String) throws -> ListedRecording {
    var line = ListedRecording(log: name(of: path))
    do {
      let log = try LogSource(path: path, limits: memory.limits)
      let summary = LogSummary(log)
      line.program = summary.program
      line.duration = summary.duration
      line.events = summary.events
      line.bytes = summary.bytes
      line.state = summary.state.rawValue
      guard summary.bytes <= Self.judgedMost else { return line }
      let report = try LintReport(
        log, LintRule.allCases, LintThresholds(), in: Selection(in: log).seqs)
      line.findings = report.findings.count { !$0.isNote }
    } catch let error where error is LogError || error is AnalysisError {
      line.state = "unreadable"
    }
    return line
  }

  /// The path from the folder on.
  private func name(of path: String) -> String {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }
}

/// A line of the list.
private struct ListedRecording: Encodable {
  var log: String
  var program = ""
  /// In nanoseconds.
  var duration: UInt64?
  var events: Int?
  var bytes: UInt64?
  var state = ""
  /// Nil if it was not looked for any.
  var findings: Int?

  enum CodingKeys: String, CodingKey {
    case log, program, events, bytes, state, findings
    case duration = "duration_ns"
  }

  var cells: [String] {
    [
      log, program, duration.map { Units.duration($0) } ?? "", events?.grouped ?? "", state,
      findings?.grouped ?? "-",
    ]
  }
}
