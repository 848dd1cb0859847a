import ArgumentParser
import EventLog
import Foundation
import ReplayAnalysis

struct FleetPrune: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes the sessions of old days from tables.",
    discussion: """
      Example: replay fleet prune summaries --keep 90d
      Example: replay fleet prune summaries --keep 12w --dry-run

      Removed is what summarize wrote for days before the last 90, of which today is one, in UTC. Sessions that do not say their \
      day stay. Other files are left alone.
      """)

  @Argument(help: ArgumentHelp("A folder of tables.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp("How many days or weeks to keep: 90d, 12w.", valueName: "time"), transform: Self.days)
  var keep: Int

  @Option(
    help: ArgumentHelp("The day to count from, as 2026-11-23, if it is not today.", valueName: "day"),
    transform: Self.day)
  var asOf: String?

  @Flag(help: "Only say what would be removed.")
  var dryRun = false

  private static func days(_ text: String) throws -> Int {
    let count = Int(text.dropLast()) ?? 0
    guard (1...100_000).contains(count), let unit = text.last, let days = ["d": 1, "w": 7][unit] else {
      throw ValidationError("a number of days or weeks is expected, as 90d or 12w")
    }
    return count * days
  }

  private static func day(_ text: String) throws -> String {
    guard number(ofDay: text) != nil else { throw ValidationError("a day is expected, as 2026-11-23") }
    return text
  }

  /// The number of days since 1970; nil if the text is no day.
  private static func number(ofDay text: String) -> Int? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard text.utf8.count == 10, parts.count == 3, text.utf8.allSatisfy({ $0 == 0x2D || 0x30...0x39 ~= $0 }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) else {
      return nil
    }
    let number = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
    // Otherwise it is none, such as February 30.
    return DateText.day(unixMicroseconds: Int64(number) * 86_400_000_000) == text ? number : nil
  }

  func run(on console: Console) throws -> ToolStatus {
    let tables = try SummaryReader(folder)
    let now = asOf ?? DateText.day(unixMicroseconds: Int64(Date().timeIntervalSince1970 * 1e6))
    let first = (Self.number(ofDay: now) ?? 0) - keep + 1
    // A run that was killed may have left days in some tables alone.
    var days: Set<String> = []
    for table in SummaryTable.allCases {
      for name in (try? SystemFileSystem().names(in: "\(tables.folder)/\(table.rawValue)")) ?? [] {
        guard name.hasPrefix("day="), let day = Self.number(ofDay: String(name.dropFirst(4))) else {
          continue
        }
        if day < first { days.insert(name) }
      }
    }
    let sessions = try tables.sessionCount(inDays: days)
    if !dryRun {
      do { try remove(days) } catch { throw ToolError("cannot remove tables in \(tables.folder): \(error)") }
    }
    try console.print(
      "\(tables.folder.shown): \(dryRun ? "would remove" : "removed") \(Units.count(days.count, "day")) with "
        + Units.count(sessions, "session"))
    return .done
  }

  private func remove(_ days: Set<String>) throws {
    try StagingFolder.removeLeftovers(in: folder)
    // Those of sessions come first: what is left of other tables by a run that is killed then belongs to no session, and
    // joins leave it out.
    let staging = try StagingFolder(in: folder)
    try staging.discard(
      SummaryTable.allCases.flatMap { table in days.sorted().map { "\(table.rawValue)/\($0)" } })
  }
}
