import ArgumentParser

struct Verify: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Derives the timeline of a log again and compares it with the recorded one.",
    discussion: """
      Example: replay verify run.evlog other.evlog

      Also checked: the numbers of events have no holes, and every evaluation that names a cause has a reason. The \
      exit status is 1 when something does not agree.
      """)

  @Argument(help: "The logs to check.", completion: .file(extensions: ["evlog"]))
  var logs: [String]

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    var status = ToolStatus.done
    for path in logs {
      let log = try LogSource(path: path)
      let verification = try Verification(log, progress: console.progress)
      switch output.format {
      case .json: try console.print(verification.json)
      case .text: try verification.print(to: console, limit: limit)
      }
      status = status.and(log.reportDamage(on: console)).and(verification.isSound ? .done : .found)
    }
    return status
  }
}
