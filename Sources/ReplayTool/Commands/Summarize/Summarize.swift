import ArgumentParser
import EventLog
import Foundation
import Parquet
import ReplayAnalysis

struct Summarize: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes tables of what many sessions cost, for DuckDB, Spark and others to ask.",
    discussion: """
      Example: replay summarize SampleLogs/ -o summaries
      Example: find logs -name '*.evlog' \\
                 | replay summarize --files-from - -o summaries

      In a folder, and in those in it, all files are read that end in .evlog. Each log is gone through once, and becomes a few rows of the tables sessions, paths, projections, durations, \
      cascades, shapes, findings and failures. Each table is a folder, in it day=/version= as Hive has them, and in \
      these the files. Sessions are added to those that are there already. One that comes again replaces itself, unless it has \
      fewer events than before. With --replace, a day and version has the sessions of this run and no others. \
      A session that was given by several names counts once. \
      SUMMARIES.md says what the columns are, and which metadata of a log they come from.

      A log that cannot be read is a row of failures, and stops nothing: the exit status is 3 then.
      """)

  @Argument(
    help: "The logs to read, folders of logs, or patterns of their names.",
    completion: .file(extensions: ["evlog"]))
  var logs: [String] = []

  @Option(
    help: ArgumentHelp("Read the paths of logs from a file, one a line; - for the input.", valueName: "file"),
    completion: .file())
  var filesFrom: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The folder to write to.", valueName: "folder"),
    completion: .directory)
  var output: String

  @Flag(help: "Replace what a day and version of these logs has, instead of adding to it.")
  var replace = false

  @Option(help: "parquet, or jsonl: a row a line.")
  var format: SummaryFormat = .parquet

  @OptionGroup var memory: MemoryOptions

  @Flag(
    help: ArgumentHelp(
      "Also read every row of each log, and print what that took and what each part of this did.",
      visibility: .hidden))
  var timings = false

  func validate() throws {
    if logs.isEmpty, filesFrom == nil { throw ValidationError("give logs, or --files-from") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let logs = try SummaryInput.logs(logs, listedIn: filesFrom)
    if let error = Platform.makePrivateFolder(output) {
      throw ToolError("cannot write the tables in \(output): \(Platform.message(error))")
    }
    do { try StagingFolder.removeLeftovers(in: output) } catch {
      throw ToolError("cannot write the tables in \(output): \(error)")
    }
    // Each log takes a few megabytes, and the next one as many.
    Platform.keepFreedMemory()
    let fileSystem = ListedFileSystem()
    let timings = self.timings ? SummaryTimings() : nil
    let plan = timings.measure(.opening) { SummaryPlan(logs, in: fileSystem, limits: memory.limits) }
    var (done, failed, kept) = (0, 0, 0)
    defer { console.progress.finish() }
    // Work on the logs of the next partition goes on while the files of this one are synced.
    let work = SummaryWork(
      plan.partitions.flatMap(\.logs), in: fileSystem, limits: memory.limits,
      workers: max(1, ProcessInfo.processInfo.activeProcessorCount), timings)
    defer { work.stop() }
    for group in plan.partitions {
      do {
        let files = SummaryFiles(
          try StagingFolder(in: output), group.partition, format, dimensions: group.dimensions)
        for log in group.logs {
          let rows = work.next()
          try timings.measure(.writing) { try files.add(rows, of: log) }
          done += 1
          if rows.hasFailed { failed += 1 }
          console.progress.report(UInt64(done), of: UInt64(plan.logCount), "summarising logs")
        }
        kept += try timings.measure(.writing) { try files.finish(replacing: replace) } ?? 0
      } catch { throw ToolError("cannot write the tables in \(output): \(error)") }
    }
    // A log may have had no day when it was summarised before, and have one now.
    try? Platform.whileLocked(output) {
      let undated = UndatedFiles(in: output)
      for group in plan.partitions where group.partition.isDated { undated.remove(group.logs) }
    }
    let copies = plan.copies > 0 ? ", \(Units.count(plan.copies, "copy", "copies")) left out" : ""
    let failures = failed > 0 ? ", \(Units.count(failed, "failure"))" : ""
    try console.print(
      "\(output.shown): \(Units.count(done, "log")) in \(Units.count(plan.partitions.count, "partition"))"
        + copies + failures + (kept > 0 ? "; \(Units.count(kept, "session")) kept" : ""))
    for line in timings?.lines ?? [] { try console.print(line) }
    return failed > 0 ? .damaged : .done
  }
}

extension SummaryFormat: ExpressibleByArgument {}
