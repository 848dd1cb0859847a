import Parquet
import ReplayAnalysis

/// A table of summaries: its columns, and the rows of a session.
///
/// Users' queries depend on the names and their meanings. Changing them requires a new ``schemaVersion``.
enum SummaryTable: String, CaseIterable {
  case sessions, paths, projections, durations, cascades, shapes, actions, findings, failures

  /// The version of the tables, stored in each row.
  static let schemaVersion: Int64 = 2

  var columns: [ParquetColumn] { common + own }

  /// The columns of a file: those of the table, and in `sessions` one for each of these dimensions.
  func columns(with dimensions: [String]) -> [ParquetColumn] {
    self == .sessions ? columns + dimensions.map { .text($0, isOptional: true) } : columns
  }

  /// With what the columns of dimensions begin.
  static let dimensionPrefix = "dim_"

  /// Whether each row is about one session. The rows of `durations` cover all sessions of a file.
  private var isOfSession: Bool { self != .durations }

  var common: [ParquetColumn] {
    let versions: [ParquetColumn] = [.integer("schema_version"), .text("tool_version")]
    if !isOfSession { return versions }
    return [.text("session_id", isOptional: self == .failures)] + versions
  }

  private var own: [ParquetColumn] {
    switch self {
    case .sessions:
      [
        .text("app"), .text("app_version", isOptional: true), .text("device_class", isOptional: true),
        .text("os", isOptional: true), .double("sampling_weight"), .text("trigger", isOptional: true),
        .moment("start"), .integer("duration_ns"), .integer("events"),
        .integer("writes"), .integer("runs"), .integer("wasted_runs"), .integer("total_ns"),
        .integer("wasted_ns"), .integer("max_cascade_ns"), .integer("left_out"), .text("log_state"),
        .text("log_uri"),
      ]
    case .paths:
      [
        .text("path_kind"), .integer("writes"), .integer("same_value"), .integer("woken"), .integer("runs"),
        .integer("wasted_runs"), .integer("wasted_ns"),
      ]
    case .projections:
      [
        .text("kind"), .integer("runs"), .integer("wasted"), .integer("total_ns"), .integer("wasted_ns"),
        .integer("p50_ns"), .integer("p95_ns"), .integer("max_ns"), .integer("exemplar_seq"),
        .moment("exemplar_at"), .text("histogram"),
      ]
    case .durations:
      [
        .text("app"), .text("device_class", isOptional: true), .text("kind"), .integer("bucket"),
        .integer("low_ns"), .integer("high_ns"), .integer("count"), .double("weighted_count"),
      ]
    case .cascades:
      [
        .text("shape_hash", isOptional: true), .text("root_path_kind", isOptional: true), .integer("count"),
        .integer("runs"), .integer("wasted_runs"), .integer("total_ns"), .integer("wasted_ns"),
        .integer("depth"), .integer("exemplar_seq"), .moment("exemplar_at"),
      ]
    case .shapes: [.text("shape_hash"), .text("tree"), .integer("exemplar_seq")]
    case .actions:
      [
        .text("kind"), .integer("count"), .integer("returned"), .integer("threw"), .integer("cancelled"),
        .integer("writes"), .integer("runs"), .integer("wasted_runs"), .integer("total_ns"),
        .integer("wasted_ns"), .integer("p50_ns"), .integer("p95_ns"), .integer("max_ns"),
        .integer("exemplar_seq", isOptional: true), .moment("exemplar_at"),
      ]
    case .findings:
      [
        .text("rule"), .text("subject", isOptional: true), .text("path_kind", isOptional: true),
        .integer("evidence_seq"), .integer("saves_ns"),
      ]
    case .failures:
      [.text("code"), .text("message"), .integer("unread_seq", isOptional: true), .text("log_uri")]
    }
  }

  /// The values of the columns that all tables share.
  func common(_ session: String?) -> [ParquetValue] {
    (isOfSession ? [.text(session)] : []) + [.integer(Self.schemaVersion), .text(ToolVersion.version)]
  }
}

/// The rows of one log, in the tables with rows about one session.
struct SummaryRows: Sendable {
  private var rows: [SummaryTable: [[ParquetValue]]] = [:]
  /// The summary that the rows were made of; nil if nothing could be counted, or if the rows are those of a file.
  private(set) var summary: SessionSummary?
  /// The id of the session; nil if it is not known.
  let sessionID: String?
  /// The path of the log.
  let uri: String
  /// The columns of dimensions, which are not in the rows.
  private(set) var dimensions: [String: String] = [:]
  /// How long the runs took, for the rollup of durations; nil if nothing could be counted.
  private(set) var durations: SessionDurations?
  private(set) var hasFailed = false

  /// - Throws: `ParquetError` if a number does not fit its column.
  init(_ summary: SessionSummary, uri: String) throws(ParquetError) {
    self.summary = summary
    sessionID = summary.identity.id
    self.uri = uri
    for (name, value) in summary.identity.dimensions {
      dimensions[SummaryTable.dimensionPrefix + name] = value
    }
    durations = SessionDurations(summary)
    add(.sessions, [Self.session(summary, uri)])
    add(.paths, summary.paths.map(Self.path))
    add(.projections, summary.projections.map { Self.projection($0, summary) })
    add(.cascades, summary.cascades.map { Self.cascade($0, summary) })
    add(
      .shapes,
      summary.cascades.compactMap { line in
        line.shape.map { [.text($0), .text(line.text), .unsigned(line.exemplar)] }
      })
    add(.actions, summary.actions.map { Self.action($0, summary) })
    add(.findings, summary.findings.map(Self.finding))
    // The log of a program that was killed is intact as far as it goes.
    if summary.state == .damaged || summary.state == .torn {
      addFailure(
        SummaryFailure(summary.state == .torn ? .torn : .damaged, unreadSeq: summary.unreadSeq), uri)
    }
    for table in SummaryTable.allCases {
      for row in self[table] { try ParquetColumn.check(row, for: table.columns) }
    }
  }

  /// Creates the rows of a log of which nothing could be counted.
  init(_ failure: SummaryFailure, _ identity: SessionIdentity?, uri: String) {
    sessionID = identity?.id
    self.uri = uri
    addFailure(failure, uri)
  }

  /// Creates the rows of a log from those that a file has.
  ///
  /// - Parameter rows: Whole rows. Those of `sessions` have no dimensions, and there are none of `durations`.
  init(
    _ rows: [SummaryTable: [[ParquetValue]]], sessionID: String?, uri: String, dimensions: [String: String],
    _ durations: SessionDurations?
  ) {
    self.rows = rows
    (self.sessionID, self.uri) = (sessionID, uri)
    (self.dimensions, self.durations) = (dimensions, durations)
    hasFailed = rows[.failures]?.isEmpty == false
  }

  /// The rows in a table. Empty for `durations`, whose rows cover many sessions.
  subscript(table: SummaryTable) -> [[ParquetValue]] { rows[table] ?? [] }

  /// The number of the session's events; nil if nothing could be counted.
  var events: UInt64? {
    rows[.sessions]?.first.map { $0[SummaryTable.sessions.common.count + 8].count }
  }

  /// Whether there are no rows.
  var isEmpty: Bool { rows.allSatisfy { $0.value.isEmpty } }

  mutating func removeAll() {
    rows = [:]
    durations = nil
  }

  /// Removes all rows but those of failures.
  mutating func removeSession() {
    let failures = rows[.failures]
    removeAll()
    rows[.failures] = failures
  }

  mutating func removeFailures() { rows[.failures] = nil }

  /// Whether the session has rows in a table.
  func has(_ table: SummaryTable) -> Bool {
    table == .durations ? durations?.kinds.isEmpty == false : !self[table].isEmpty
  }

  private mutating func addFailure(_ failure: SummaryFailure, _ uri: String) {
    hasFailed = true
    // The column cannot represent a larger seq.
    let seq = failure.unreadSeq.flatMap { $0 <= Int64.max ? $0 : nil }
    add(
      .failures,
      [[.text(failure.code), .text(failure.message), seq.map { .unsigned($0) } ?? .null, .text(uri)]])
  }

  private mutating func add(_ table: SummaryTable, _ own: [[ParquetValue]]) {
    let common = table.common(sessionID)
    rows[table] = own.map { common + $0 }
  }

  private static func session(_ summary: SessionSummary, _ uri: String) -> [ParquetValue] {
    let identity = summary.identity
    return [
      .text(identity.app), .text(identity.version), .text(identity.deviceClass), .text(identity.os),
      .double(identity.samplingWeight), .text(identity.trigger), identity.start.map { .integer($0) } ?? .null,
      .unsigned(summary.duration), .count(summary.events), .count(summary.writes),
      .count(summary.evaluations), .count(summary.wasted), .unsigned(summary.time),
      .unsigned(summary.wastedTime), .unsigned(summary.maxCascadeTime), .count(summary.leftOut),
      .text(summary.state.rawValue), .text(uri),
    ]
  }

  /// When an event happened by the clock, in microseconds since 1970.
  private static func moment(_ seq: UInt64, _ summary: SessionSummary) -> ParquetValue {
    guard let start = summary.identity.start, let time = summary.times[seq] else { return .null }
    return .integer(start + Int64(clamping: time / 1_000))
  }

  private static func path(_ line: SessionSummary.PathLine) -> [ParquetValue] {
    [
      .text(line.kind), .count(line.writes), .count(line.sameValue), .count(line.invalidations),
      .count(line.evaluations), .count(line.wasted), .unsigned(line.wastedTime),
    ]
  }

  private static func projection(
    _ line: SessionSummary.ProjectionLine, _ summary: SessionSummary
  ) -> [ParquetValue] {
    [
      .text(line.kind), .count(line.evaluations), .count(line.wasted), .unsigned(line.time),
      .unsigned(line.wastedTime), .unsigned(line.durations.quantile(percent: 50)),
      .unsigned(line.durations.quantile(percent: 95)), .unsigned(line.durations.longest),
      .unsigned(line.exemplar), moment(line.exemplar, summary),
      .text(SessionDurations.text(line.durations.counts)),
    ]
  }

  private static func cascade(_ line: SessionSummary.CascadeLine, _ summary: SessionSummary) -> [ParquetValue]
  {
    [
      .text(line.shape), .text(line.root), .count(line.count), .count(line.evaluations), .count(line.wasted),
      .unsigned(line.time), .unsigned(line.wastedTime), .count(line.depth), .unsigned(line.exemplar),
      moment(line.exemplar, summary),
    ]
  }

  private static func action(_ line: SpanReport.Line, _ summary: SessionSummary) -> [ParquetValue] {
    [
      .text(line.label), .count(line.count), .count(line.returned), .count(line.threw),
      .count(line.cancelled), .count(line.writes), .count(line.evaluations), .count(line.wasted),
      .unsigned(line.time), .unsigned(line.wastedTime), .unsigned(line.settled.p50),
      .unsigned(line.settled.p95), .unsigned(line.settled.longest),
      line.settled.longestSeq == 0 ? .null : .unsigned(line.settled.longestSeq),
      moment(line.settled.longestSeq, summary),
    ]
  }

  private static func finding(_ finding: LintReport.Finding) -> [ParquetValue] {
    let path = finding.path?.clipped(to: SessionSummary.kindBytesMax)
    return [
      .text(finding.rule.rawValue),
      .text(finding.projection?.clipped(to: SessionSummary.kindBytesMax) ?? path), .text(path),
      .unsigned(finding.events.first ?? finding.lastEvent),
      .unsigned(finding.needless?.time ?? finding.evidence.wastedTime),
    ]
  }
}

extension ParquetColumn {
  fileprivate static func text(_ name: String, isOptional: Bool = false) -> ParquetColumn {
    ParquetColumn(name, .text, isOptional: isOptional)
  }

  fileprivate static func integer(_ name: String, isOptional: Bool = false) -> ParquetColumn {
    ParquetColumn(name, .integer, isOptional: isOptional)
  }

  /// A time of the clock, which may not be known.
  fileprivate static func moment(_ name: String) -> ParquetColumn {
    ParquetColumn(name, .timestamp, isOptional: true)
  }

  fileprivate static func double(_ name: String) -> ParquetColumn { ParquetColumn(name, .double) }
}

extension ParquetValue {
  fileprivate static func text(_ text: String?) -> ParquetValue { text.map { .text($0) } ?? .null }

  fileprivate static func count(_ count: Int) -> ParquetValue { .integer(Int64(count)) }
}

/// How long the runs of a session took, by kind: what the rollup of durations adds up. A row of `projections` has its
/// kind's counts as text, so that the rollup of a file can be made anew when a session in it is replaced.
struct SessionDurations: Sendable {
  var app: String
  var deviceClass: String?
  var weight: Double
  /// For each kind, the number of runs by bucket.
  var kinds: [(kind: String, counts: [UInt16: Int])] = []

  init(app: String, deviceClass: String?, weight: Double) {
    (self.app, self.deviceClass, self.weight) = (app, deviceClass, weight)
  }

  init(_ summary: SessionSummary) {
    let identity = summary.identity
    self.init(app: identity.app, deviceClass: identity.deviceClass, weight: identity.samplingWeight)
    kinds = summary.projections.map { ($0.kind, $0.durations.counts) }
  }

  /// Buckets and counts as text: `12:3 13:40`.
  static func text(_ counts: [UInt16: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
  }

  /// The counts of such a text; nil if it is none.
  static func counts(_ text: String) -> [UInt16: Int]? {
    var counts: [UInt16: Int] = [:]
    for pair in text.split(separator: " ") {
      let parts = pair.split(separator: ":", omittingEmptySubsequences: false)
      // No session has as many runs, and the sum of all files is below 2^63.
      guard parts.count == 2, let bucket = UInt16(parts[0]), bucket <= DurationHistogram.bucket(of: .max),
        let count = Int(parts[1]), (1...1 << 40).contains(count),
        counts.updateValue(count, forKey: bucket) == nil
      else { return nil }
    }
    return counts
  }
}

/// The durations of runs in many sessions, added up by app, device class and kind.
struct DurationRollup {
  private struct Key: Hashable {
    var app: String
    var deviceClass: String?
    var kind: String
  }

  private struct Count {
    var count = 0
    var weighted = 0.0
  }

  private var counts: [Key: [UInt16: Count]] = [:]
  /// The approximate memory use, in bytes.
  private(set) var byteCount = 0

  mutating func add(_ session: SessionDurations) {
    for (kind, counts) in session.kinds {
      let key = Key(app: session.app, deviceClass: session.deviceClass, kind: kind)
      var buckets = self.counts.removeValue(forKey: key) ?? [:]
      if buckets.isEmpty { byteCount += 300 + key.app.utf8.count + key.kind.utf8.count }
      byteCount -= 48 * buckets.count
      for (bucket, count) in counts {
        buckets[bucket, default: Count()].count += count
        buckets[bucket]?.weighted += Double(count) * session.weight
      }
      byteCount += 48 * buckets.count
      self.counts[key] = buckets
    }
  }

  /// The rows, sorted by their keys.
  var rows: [[ParquetValue]] {
    let common = SummaryTable.durations.common(nil)
    let keys = counts.keys.sorted {
      [$0.app, $0.deviceClass ?? "", $0.kind].lexicographicallyPrecedes(
        [$1.app, $1.deviceClass ?? "", $1.kind], by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }
    return keys.flatMap { key in
      (counts[key] ?? [:]).sorted { $0.key < $1.key }.map { bucket, count in
        let durations = DurationHistogram.durations(of: bucket)
        return common + [
          .text(key.app), .text(key.deviceClass), .text(key.kind), .integer(Int64(bucket)),
          .unsigned(durations.lowerBound), .unsigned(durations.upperBound), .count(count.count),
          .double(count.weighted),
        ]
      }
    }
  }
}
