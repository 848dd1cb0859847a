import ArgumentParser
import ReplayAnalysis

struct Verify: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Checks every block of a log, and derives its timeline again to compare it with the recorded one.",
    discussion: """
      Example: replay verify SampleLogs/chat-wide.evlog SampleLogs/scopes.evlog

      Checked are the checksums and hashes of all blocks, that indexes and checkpoints say what the events do, that the \
      numbers of events have no holes, and that every evaluation that names a cause has a reason. --blocks lists the \
      blocks. The exit status is 1 when something does not agree.
      """)

  @Argument(help: "The logs to check.", completion: .file(extensions: ["evlog"]))
  var logs: [String]

  @Flag(help: "List every block: where it is, how large, and what it holds.")
  var blocks = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    var status = ToolStatus.done
    for path in logs {
      let log = try LogSource(named: path, isScanned: true)
      let verification = try Verification(log, progress: console.progress)
      switch output.format {
      case .json:
        try console.print(json: VerificationReport(verification, listsBlocks: blocks))
      case .text:
        try verification.print(to: console, limit: limit)
        if blocks { try verification.printBlocks(to: console) }
      }
      status = status.and(log.reportDamage(on: console)).and(verification.isSound ? .done : .found)
    }
    return status
  }
}
