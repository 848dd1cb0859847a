import ArgumentParser
import EventLog
import ReplayAnalysis

struct Recover: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Completes a log that was not closed, or saves what can be read of it.",
    discussion: """
      Example: replay recover SampleLogs/scopes.evlog -o saved.evlog

      A torn end is kept beside the log as run.evlog.torn, and the log is then as if it had been closed. A log that is \
      damaged in the middle is not touched: what can be read goes to run.recovered.evlog, and what lies behind the \
      damage to run.recovered.from-SEQ.evlog. A block with right checksums and impossible content counts as damage too. \
      Behind damage the state is known only from the next checkpoint on, where another log begins. Nothing of the log is \
      ever deleted; recovering again changes nothing. The exit status is 3 when events were lost, or when not one whole \
      event can be read, so that no log is written.
      """)

  @Argument(help: "The log to recover.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write what can be read here, and leave the log as it is.", valueName: "log"))
  var output: String?

  @OptionGroup var replacing: ReplaceOptions

  @OptionGroup var format: OutputOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    if let output { try OutputFile.expectFile(output, for: "a log") }
    let recovery = try LogRecovery.recover(
      log, to: output, replacing: replacing.replace, limits: memory.limits)
    try format.print(RecoveryReport(recovery), on: console) { try print(recovery, to: console) }
    return recovery.lost.isEmpty && recovery.outcome != .nothing ? .done : .damaged
  }

  private func print(_ recovery: LogRecovery, to console: Console) throws {
    let what =
      switch recovery.outcome {
      case .whole: "whole; nothing to do"
      case .completed: "was not closed; completed"
      case .cut: "had a torn end; cut off, and kept"
      case .salvaged where recovery.lost.isEmpty: "untouched; all of it was saved"
      case .nothing: "untouched; no log was written, because not one whole event can be read"
      default: "damaged, and untouched; saved what can be read"
      }
    try console.print("\(log.shown): \(what)")
    if let offset = recovery.offset {
      try console.print("  at byte \(offset): \((recovery.reason ?? "").shown)")
    }
    for saved in recovery.logs {
      let count = saved.nextSeq - saved.firstSeq
      let range = count == 0 ? "no events" : "events \(saved.firstSeq) to \(saved.nextSeq - 1)"
      let limit = saved.hasState ? "" : ", to export only: the state before them is lost"
      try console.print("  \(saved.path.shown): \(range)\(limit)")
    }
    for fault in recovery.faults {
      try console.print(
        "  left out: events \(fault.first) to \(fault.last), at byte \(fault.offset): \(fault.reason.shown)")
    }
    for path in recovery.tornPaths { try console.print("  \(path.shown): what did not belong to the log") }
    for lost in recovery.lost {
      if let last = lost.last {
        try console.print("  lost: events \(lost.first) to \(last)")
      } else {
        try console.print("  lost: whatever came from event \(lost.first) on")
      }
    }
  }
}
