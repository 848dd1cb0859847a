import ArgumentParser
import EventLog
import Foundation
import ReplayAnalysis

struct FleetReportCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes a page of many sessions: trends, what is worse and better, what costs most.",
    discussion: """
      Example: replay fleet report summaries -o fleet.html
      Example: replay fleet report summaries -o fleet.html --before 1.4 --after 1.5

      The page is one HTML file that needs nothing beside it. It has the time of a session by version and by day, what got worse \
      and better between two versions as replay fleet diff says, what costs most in the later one as replay fleet top says, and \
      for each line the session to open, with the command that makes its page beside this one. Without --before and --after the \
      last two versions that have enough sessions are compared, in the order of their numbers.
      """)

  @Argument(help: ArgumentHelp("A folder of tables.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file())
  var output: String

  @Option(help: ArgumentHelp("The earlier version to compare.", valueName: "version"))
  var before: String?

  @Option(help: ArgumentHelp("The later version to compare.", valueName: "version"))
  var after: String?

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var options: FleetOptions

  func validate() throws {
    if (before == nil) != (after == nil) { throw ValidationError("--before and --after belong together") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let reader = try SummaryReader(folder, app: options.app)
    let file = try OutputFile(output, replacing: replacing.replace, madeOf: [])
    let (versions, days) = try reader.trends()
    let pair = pair(of: versions)
    let last = try pair.map { try SummaryReader("\(folder)@\($0[1])", app: options.app) } ?? reader
    var report = FleetReport(
      title: folder.lastComponent, versions: versions, days: days,
      ranking: FleetRanking(try last.tally(console.progress)), least: options.least)
    if let pair {
      let compared = try options.compare("\(folder)@\(pair[0])", "\(folder)@\(pair[1])", on: console)
      report.add(compared.difference, pair, isUndecided: compared.isUndecided)
      for absence in compared.absences { console.report("replay: \(absence)") }
    }
    let data = try JSONEncoder().encode(report)
    let chunk = ReportChunk(name: "fleet", packed: try PageFile.pack(Array(data)))
    let bytes = PageFile.fleet.html([chunk], title: report.title)
    try file.write(bytes)
    try console.print(
      "\(output.shown): \(Units.count(report.ranking.sessions, "session"))"
        + (pair.map { " of version \($0[1].shown), compared with \($0[0].shown)" } ?? "") + ", "
        + Units.bytes(UInt64(bytes.count)))
    return report.ranking.sessions == 0 ? .undecided : .done
  }

  /// The versions to compare; nil if there are not two.
  private func pair(of versions: [FleetReport.Point]) -> [String]? {
    if let before, let after { return [before, after] }
    let large = versions.filter { $0.sessions >= options.least }.compactMap(\.name)
    return large.count < 2 ? nil : Array(large.suffix(2))
  }
}
