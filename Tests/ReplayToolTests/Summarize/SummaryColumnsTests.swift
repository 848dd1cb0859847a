import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Columns compared with counts of the events made here, or with another report.
@Suite struct SummaryColumnsTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  static let samples = ["catalog-single", "chat-wide", "game-mixed", "list-trap", "mailbox", "scopes"]

  @Test(arguments: samples) func timesOfRunsAreThoseOfTheEvents(sample: String) throws {
    let path = root + "SampleLogs/\(sample).evlog"
    let tables = try summarize([path])
    var runs: [String: [(seq: UInt64, duration: UInt64, isWasted: Bool)]] = [:]
    var last: UInt64 = 0
    var times: [UInt64: UInt64] = [:]
    try LogReader(path: path).forEachEvent { event in
      last = max(last, event.time)
      times[event.seq] = event.time
      guard case .evaluate(let name, let duration, let changed, _, _) = event.body else { return }
      let kind = name.split(separator: "#", maxSplits: 1).first.map(String.init) ?? name
      runs[kind, default: []].append((event.seq, duration, changed == false))
    }
    let rows = tables.rows("projections")
    #expect(Set(rows.map { $0["kind"] }) == Set(runs.keys))
    for row in rows {
      let all = try #require(runs[row["kind"]!])
      let durations = all.map(\.duration).sorted()
      #expect(row.number("runs") == UInt64(all.count))
      #expect(row.number("wasted") == UInt64(all.count(where: \.isWasted)))
      #expect(row.number("total_ns") == durations.reduce(0, +))
      #expect(row.number("wasted_ns") == all.filter(\.isWasted).reduce(0) { $0 + $1.duration })
      #expect(row.number("max_ns") == durations.last)
      #expect(row.number("exemplar_seq") == all.first { $0.duration == durations.last }?.seq)
      for (column, percent) in [("p50_ns", 50), ("p95_ns", 95)] {
        let exact = Double(durations[(durations.count * percent + 99) / 100 - 1])
        #expect(abs(Double(row.number(column)) - exact) <= 0.008 * exact, "\(row["kind"]!) \(column)")
      }
    }
    let session = try #require(tables.rows("sessions").first)
    // By the clock, where the log says when it began.
    for row in ["projections", "cascades", "actions"].flatMap({ tables.rows($0) }) {
      let time = row["exemplar_seq"].flatMap { UInt64($0) }.flatMap { times[$0] }
      let expected = session["start"].flatMap { Int64($0) }.flatMap { start in
        time.map { start + Int64($0 / 1_000) }
      }
      #expect(row["exemplar_at"].flatMap { Int64($0) } == expected, "\(row)")
    }
    let all = runs.values.joined()
    #expect(session.number("duration_ns") == last)
    #expect(session.number("wasted_runs") == UInt64(all.count(where: \.isWasted)))
    #expect(session.number("total_ns") == all.reduce(0) { $0 + $1.duration })
    #expect(session.number("wasted_ns") == all.filter(\.isWasted).reduce(0) { $0 + $1.duration })
    #expect(
      session.text("log_state", "left_out", "schema_version", "tool_version")
        == "clean 0 2 \(ToolVersion.version)")
    // The bounds of each bucket enclose exactly the durations that it counts.
    for row in tables.rows("durations") {
      let bucket = DurationHistogram.durations(of: UInt16(row.number("bucket")))
      #expect(row.number("low_ns") == bucket.lowerBound && row.number("high_ns") == bucket.upperBound)
      let inside = runs[row["kind"]!]!.filter { bucket.contains($0.duration) }.count
      #expect(row.number("count") == UInt64(inside))
      #expect(Double(row["weighted_count"]!) == Double(inside))
    }
  }

  /// The session's own recorded invalidations, which no report reads.
  @Test(arguments: samples) func whatAPathWokeIsWhatTheSessionRecorded(sample: String) throws {
    let path = root + "SampleLogs/\(sample).evlog"
    var written: [UInt64: String] = [:]
    var hasRun: Set<String> = []
    var invalidations: [String: UInt64] = [:]
    try LogReader(path: path).forEachEvent { event in
      switch event.body {
      case .set, .remove, .splice: written[event.seq] = Self.writtenGroup(event)
      case .evaluate(let name, _, _, _, _): hasRun.insert(name)
      case .dispose(let name), .projection(let name, _, _): hasRun.remove(name)
      case .invalidate(let name, let causes) where hasRun.contains(name):
        guard let group = causes.lazy.compactMap({ written[$0] }).first else { return }
        invalidations[group, default: 0] += 1
      default: break
      }
    }
    let rows = try summarize([path]).rows("paths").filter { $0.number("woken") > 0 }
    #expect(
      Dictionary(uniqueKeysWithValues: rows.map { ($0["path_kind"]!, $0.number("woken")) }) == invalidations)
  }

  @Test(arguments: samples) func cascadesAreThoseOfTheReport(sample: String) throws {
    let path = root + "SampleLogs/\(sample).evlog"
    let tables = try summarize([path])
    let log = try LogSource(path: path)
    let report = try CascadeReport(log, Selection(from: nil, to: nil, in: log))
    let rows = tables.rows("cascades")
    // One shape here is several there, which differ only in numbers: their depths and sums agree.
    #expect(Set(rows.map { $0.number("depth") }) == Set(report.lines.map { UInt64($0.depth) }))
    for (column, sum) in [
      ("count", report.lines.reduce(0) { $0 + UInt64($1.count) }),
      ("total_ns", report.lines.reduce(0) { $0 + $1.time }),
    ] { #expect(rows.reduce(0) { $0 + $1.number(column) } == sum, "\(column)") }
    let roots = Dictionary(grouping: report.lines) { Self.kind($0.root) }.mapValues {
      $0.reduce(0) { $0 + $1.count }
    }
    let found = Dictionary(grouping: rows) { $0["root_path_kind"]! }.mapValues {
      $0.reduce(0) { $0 + Int($1.number("count")) }
    }
    #expect(found == roots)
    for row in rows {
      // The root is an event of the log, of its kind, and the longest cascade takes no more time than all
      // together.
      let seq = row.number("exemplar_seq")
      let event = try #require(log.event(seq))
      if row["root_path_kind"]!.hasPrefix("set ") {
        #expect("set \(Self.writtenGroup(event) ?? "")" == row["root_path_kind"])
      }
      #expect(row.number("wasted_ns") <= row.number("total_ns"))
    }
    // The only wasted time is that of the runs, and some cascade has it.
    #expect(rows.reduce(0) { $0 + $1.number("wasted_ns") } <= tables.rows("sessions")[0].number("wasted_ns"))
    #expect(
      tables.rows("sessions")[0].number("max_cascade_ns") <= rows.map { $0.number("total_ns") }.max() ?? 0)
    let trees = Dictionary(
      tables.rows("shapes").map { ($0["shape_hash"]!, $0["tree"]!) }, uniquingKeysWith: { a, _ in a })
    for row in rows {
      let lines = try #require(trees[row["shape_hash"]!]).split(separator: "\n")
      #expect(lines[0].hasPrefix(row["root_path_kind"]!.prefix(256)))
    }
  }

  @Test func aSessionHasWhatItsHeaderSays() throws {
    let metadata = [
      "session_id": "s", "app": "Mail", "version": "1.5", "device_class": "phone", "os": "iOS 26",
      "sampling_weight": "2.5",
      "trigger": "hang",
    ]
    let path = try workspace.record("a", metadata)
    let tables = try summarize([path])
    let row = tables.rows("sessions")[0]
    #expect(
      row.text("session_id", "app", "app_version", "device_class", "os", "sampling_weight", "trigger")
        == "s Mail 1.5 phone iOS 26 2.5 hang")
    #expect(row.number("start") == (try LogReader(path: path).header.created) / 1_000)
    for row in tables.rows("durations") {
      #expect(row.text("app", "device_class") == "Mail phone")
      #expect(Double(row["weighted_count"]!) == 2.5 * Double(row["count"]!)!)
    }
    for table in ["paths", "projections", "cascades", "shapes"] {
      #expect(!tables.rows(table).isEmpty)
      for row in tables.rows(table) { #expect(row.text("session_id", "schema_version") == "s 2") }
    }
  }

  /// Counted by hand: Row#7 and List, Row#7's parent, read the rows; Spinner reads the loading flag.
  @Test func runsAreOfThePathsThatLedToThem() throws {
    let rows = try summarize([workspace.record("a", [:])]).rows("paths")
    let found = rows.map {
      $0.text("path_kind", "writes", "same_value", "woken", "runs", "wasted_runs", "wasted_ns")
    }
    #expect(
      Set(found) == [
        "store 1 0 0 0 0 0",
        // Event 11 invalidated Row#7, which ran.
        "store.rows[*].count 1 0 1 1 0 0",
        // Event 14 in the transaction and 21 invalidated Spinner; 20 is the same value.
        "store.isLoading 3 1 2 2 0 0",
        // Event 15 invalidated List, and Row#7 within it ran too, for 50 ns, to the same output.
        "store.rows 1 0 1 2 1 50",
      ])
  }

  @Test func findingsAreThoseOfLint() throws {
    for sample in Self.samples {
      let path = root + "SampleLogs/\(sample).evlog"
      let log = try LogSource(path: path)
      var tally = LintTally(LintThresholds(), in: 0..<UInt64.max)
      let run = try log.play(to: &tally)
      // Without prices, which take a pass over the log each.
      let lint = tally.report(LintRule.allCases, run)
      #expect(
        try summarize([path]).rows("findings").map {
          $0.text("rule", "subject", "path_kind", "evidence_seq", "saves_ns")
        }
          == lint.findings.map {
            "\($0.rule.rawValue) \($0.projection ?? $0.path ?? "null") \($0.path ?? "null")"
              + " \($0.events.first ?? $0.lastEvent) \($0.evidence.wastedTime)"
          })
    }
  }

  // MARK: Help

  private func summarize(_ logs: [String]) throws -> Tables {
    let folder = workspace.file(UUID().uuidString)
    let run = ToolRun(["summarize"] + logs + ["-o", folder, "--format", "jsonl"])
    try #require(run.status == .done, "\(run.errors)")
    return Tables(folder)
  }

  private static func writtenGroup(_ event: Event) -> String? {
    switch event.body {
    case .set(let path, _, _), .remove(let path, _), .splice(let path, _, _, _, _): path.group
    default: nil
    }
  }

  /// A root without the parts that differ each time.
  private static func kind(_ root: String) -> String {
    guard ["mark ", "transaction ", "event "].contains(where: root.hasPrefix) else { return root }
    return root.replacing(/[0-9]+/, with: "*")
  }
}

extension [String: String] {
  fileprivate func number(_ column: String) -> UInt64 { self[column].flatMap { UInt64($0) } ?? .max }
}

private let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/"
