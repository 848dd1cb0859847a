import ArgumentParser
import ReplayAnalysis

struct PageOptions: ParsableArguments {
  @Flag(help: "Take the values that were recorded into the page.")
  var values = false

  @Option(
    help: """
      Take no values into the page, as without --values; or no paths and other names either: numbers stand for them.
      """)
  var redact: Redaction?

  enum Redaction: String, ExpressibleByArgument, CaseIterable { case values, paths }

  @Option(
    help: ArgumentHelp("The most that the page may take, in MB. (default: 4)", valueName: "MB"),
    transform: Megabytes.read)
  var budget = Megabytes(bytes: 4_000_000)

  @OptionGroup var sources: SourceOptions
  @OptionGroup var replacing: ReplaceOptions

  func validate() throws {
    if sources.source != nil, redact == .paths {
      throw ValidationError("--source and --redact paths contradict each other")
    }
    if values, redact != nil { throw ValidationError("--values and --redact contradict each other") }
  }

  /// What the page contains.
  ///
  /// - Parameter size: The size of the page without data of a log, in bytes.
  func contents(besides size: Int) -> ReportOptions {
    ReportOptions(hasValues: values, hasNames: redact != .paths, budget: budget.bytes - size)
  }

  /// Makes the page of a run. Returns also whether something was left out.
  func page(
    of log: LogSource, _ sources: SourceFolder?, progress: AnalysisProgress
  ) throws -> (bytes: [UInt8], isPartial: Bool) {
    let report = try RunReport(
      log, contents(besides: PageFile.run.size), sources: sources?.chunk, progress: progress,
      pack: PageFile.pack)
    let title = redact == .paths ? "run.evlog" : log.path.lastComponent
    return (PageFile.run.html(report.chunks, title: title), report.isPartial)
  }

  /// Prints that the page was written, and to the standard error if something was left out.
  func report(_ file: OutputFile, _ count: Int, isPartial: Bool, on console: Console) throws {
    // The page itself may go to the standard output.
    if file.isStream { return }
    try console.print("\(file.name.shown): written, \(Units.bytes(UInt64(count)))")
    reportMissing(isPartial, on: console)
  }

  /// Prints to the standard error if something was left out.
  func reportMissing(_ isPartial: Bool, on console: Console) {
    if isPartial { console.report("replay: not all is in the page; a larger --budget takes in more") }
  }
}

/// A size in megabytes, as `4` or `0.5`.
struct Megabytes: FormedArgument {
  static var form: String { "megabytes from 0.2 to 1000, as 4 or 0.5" }

  let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    guard let megabytes = Double(argument), (0.2...1000).contains(megabytes) else { return nil }
    bytes = Int(megabytes * 1_000_000)
  }
}
