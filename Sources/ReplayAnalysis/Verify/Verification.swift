import EventLog

/// Checks that a log agrees with itself: the recorded timeline with the derived one, and each run with its
/// cause.
package struct Verification {
  package enum Finding {
    /// The core derives this invalidation, but the session did not record it.
    case unrecorded(TimelineComparison.NamedInvalidation)
    /// The session recorded this invalidation, but the core does not derive it.
    case underived(TimelineComparison.NamedInvalidation)
    /// The session recorded this invalidation, but not right after the event that led to it, in the order in which projections
    /// were made.
    case misplaced(seq: UInt64, projection: String, cause: UInt64)
    /// A projection ran for this cause, which does not explain the run.
    case unexplained(seq: UInt64, projection: String, cause: UInt64)
  }

  package let path: String
  /// The result of checking the file's bytes.
  package private(set) var check = LogCheck.none
  package let events: Int
  package private(set) var derived = 0
  package private(set) var recorded = 0
  package private(set) var matched = 0
  /// Invalidations of the last unit that are missing because the log was not closed.
  package private(set) var lost = 0
  package private(set) var evaluations = 0
  package private(set) var explained = 0
  /// The first findings, and the number of all.
  package private(set) var findings: [Finding] = []
  package private(set) var findingCount = 0

  /// More findings than anyone reads; bounds the memory.
  private static let findingsMax = 10_000

  package var isSound: Bool { findingCount == 0 && check.findings.isEmpty }

  /// Checks a log. The log must have been opened by a scan of its blocks.
  package init(_ log: LogSource, progress: AnalysisProgress = .hidden) throws {
    // The check of the file takes about as long as the rest, so it runs concurrently.
    let checkWork = SideWork { [reader = log.reader] in try LogCheck(scanned: reader) }
    // The log must not be in use any more when this returns.
    defer { _ = try? checkWork.value() }
    var verifier = Verifier(log)
    let run = try log.play(to: &verifier, progress: progress)
    self = verifier.feed.sink.verification
    check = try checkWork.value()
    if recorded == 0 {
      // A log without a recorded timeline has nothing to compare with, which is no fault.
      findings = []
      findingCount = 0
      lost = 0
    }
    for (seq, projection, cause) in verifier.misplaced {
      add(.misplaced(seq: seq, projection: run.tables.name(projection), cause: cause))
    }
    findingCount += verifier.misplacedCount - verifier.misplaced.count
    let unexplained = verifier.feed.sink.unexplained
    explained = evaluations - unexplained.count
    for evaluation in unexplained {
      let projection = run.tables.name(evaluation.projection)
      add(.unexplained(seq: evaluation.seq, projection: projection, cause: evaluation.cause))
    }
  }

  fileprivate init(of log: LogSource) {
    path = log.path
    events = log.eventCount
  }

  /// Counts a cascade whose derived invalidations equal the recorded ones.
  fileprivate mutating func count(invalidations: Int, evaluations: Int) {
    self.evaluations += evaluations
    derived += invalidations
    recorded += invalidations
    matched += invalidations
  }

  /// Counts a cascade, and compares its derived invalidations with the recorded ones.
  fileprivate mutating func compare(
    _ cascade: Cascade, _ run: borrowing LogRun, in units: WholeUnits, forgiving lastUnit: UInt64?
  ) {
    func named(_ invalidations: [Cascade.Invalidation]) -> [TimelineComparison.NamedInvalidation] {
      invalidations.lazy.filter { units.contains($0.seq) }.map {
        .init(seq: $0.seq, projection: run.tables.name($0.projection), causes: $0.causes.all)
      }
    }
    let (derived, recorded) = (named(cascade.invalidations), named(cascade.recorded))
    evaluations += cascade.evaluations.count
    self.derived += derived.count
    self.recorded += recorded.count
    let comparison = TimelineComparison(derived: derived, recorded: recorded, forgiving: lastUnit)
    matched += comparison.matched
    lost += comparison.lost
    for finding in comparison.findings { add(finding) }
  }

  private mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < Self.findingsMax { findings.append(finding) }
  }
}

/// The units that a log has as a whole, and that can be derived again. What led to the first events of a part lies
/// before it.
struct WholeUnits {
  private let firstSeq: UInt64
  /// The number of transactions that were open before the log and still are.
  private var open: Int
  /// The end of the outermost one of these.
  private var partial: UInt64?

  init(of log: LogSource) {
    firstSeq = log.firstSeq
    open = log.base?.openTransactions ?? 0
  }

  /// Follows the transactions that were open before the log.
  @inline(__always)
  mutating func apply(_ row: borrowing EventLog.Row) {
    guard open > 0 else { return }
    if row.kind == .begin { open += 1 }
    if row.kind == .end { open -= 1 }
    if open == 0 { partial = row.seq }
  }

  func contains(_ unit: UInt64) -> Bool { unit >= firstSeq && unit != partial }
}

/// Compares the cascades, and records which event may lack some of its invalidations.
private struct Verifier: RowObserver {
  private(set) var feed: CascadeFeed<ComparedCascades>
  /// The first recorded invalidations that are not in their place, and the number of all.
  private(set) var misplaced: [(seq: UInt64, projection: ProjectionID, cause: UInt64)] = []
  private(set) var misplacedCount = 0
  /// The last event that is no invalidation; 0 if there is none.
  private var last: UInt64 = 0
  /// The rank of the projection of the last invalidation that this event led to; 0 if there is none.
  private var lastOrder: UInt64 = 0
  private let firstSeq: UInt64

  init(_ log: LogSource) {
    feed = CascadeFeed(ComparedCascades(log))
    firstSeq = log.firstSeq
  }

  var needs: RunNeeds { feed.needs }

  mutating func begin(_ run: inout LogRun) { feed.begin(&run) }

  mutating func observe(_ run: inout LogRun) throws {
    if !run.hits.isEmpty { feed.sink.lastUnit = run.row.seq }
    feed.sink.units.apply(run.row)
    if run.row.kind != .invalidate {
      (last, lastOrder) = (run.row.seq, 0)
    } else if isMisplaced(run.row.cause) || isBeforeLast(run.orderOfProjection) {
      apply(&run)
    }
    try feed.observe(&run)
  }

  /// Whether the current row, an invalidation with this cause, does not follow its cause. A log that begins late may
  /// begin with invalidations by an event before it.
  private func isMisplaced(_ cause: UInt64) -> Bool {
    cause > 0 && cause != last && (last > 0 || cause >= firstSeq)
  }

  /// Whether a projection of this rank comes before that of the invalidation before it.
  private mutating func isBeforeLast(_ order: UInt64?) -> Bool {
    guard let order else { return false }
    defer { lastOrder = max(lastOrder, order) }
    return order < lastOrder
  }

  private mutating func apply(_ run: inout LogRun) {
    misplacedCount += 1
    guard let projection = run.projection, misplaced.count < 100 else { return }
    misplaced.append((run.row.seq, projection, run.row.cause))
  }

  mutating func finish(_ run: inout LogRun) throws {
    feed.sink.isAtEnd = true
    try feed.finish(&run)
  }
}

/// Compares the derived invalidations of each cascade with the recorded ones.
private struct ComparedCascades: CascadeSink {
  private(set) var verification: Verification
  /// The evaluations that no cause explains.
  private(set) var unexplained: [Cascade.Evaluation] = []
  /// The last event that invalidated a projection. If the log was not closed, some of its invalidations may
  /// be missing.
  var lastUnit: UInt64?
  /// Whether all rows were read.
  var isAtEnd = false
  var units: WholeUnits
  private let log: LogSource
  private let reasons: UnexplainedRuns

  @inline(__always) var asksForSuperseded: Bool { false }

  init(_ log: LogSource) {
    self.log = log
    units = WholeUnits(of: log)
    verification = Verification(of: log)
    reasons = UnexplainedRuns(log)
  }

  mutating func receiveFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool {
    // In a flat cascade the root invalidated everything that ran, so every run has a reason.
    guard let counts = open.countIfAsRecorded(slot) else { return false }
    verification.count(invalidations: counts.invalidations, evaluations: counts.evaluations)
    return true
  }

  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) throws {
    if cascade.isAsRecorded {
      verification.count(
        invalidations: cascade.invalidations.count, evaluations: cascade.evaluations.count)
    } else {
      verification.compare(cascade, run, in: units, forgiving: isAtEnd && !log.isClean ? lastUnit : nil)
    }
    unexplained += try reasons.add(cascade, in: units, of: &run)
  }

  mutating func finish(_ run: inout LogRun) throws { unexplained += try reasons.finish(run) }
}

extension Cascade {
  /// Whether the derived invalidations equal the recorded ones, in the same order.
  fileprivate var isAsRecorded: Bool {
    invalidations.elementsEqual(recorded) {
      $0.seq == $1.seq && $0.projection == $1.projection && $0.causes == $1.causes
    }
  }
}

/// Compares a derived timeline with the recorded one, unit by unit, in the order within each unit.
package struct TimelineComparison {
  /// An invalidation as far as a log records it, with the name of its projection.
  package struct NamedInvalidation: Hashable, Sendable {
    package var seq: UInt64
    package var projection: String
    package var causes: [UInt64]

    package static func == (a: NamedInvalidation, b: NamedInvalidation) -> Bool {
      a.seq == b.seq && a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
    }
  }

  /// The number of invalidations that agree.
  private(set) var matched = 0
  /// Invalidations of the last unit that are missing because the log was not closed.
  private(set) var lost = 0
  private(set) var findings: [Verification.Finding] = []

  /// Compares two timelines. The recorded invalidations of `lastUnit` may end early, as in a log that was not
  /// closed.
  init(derived: [NamedInvalidation], recorded: [NamedInvalidation], forgiving lastUnit: UInt64?) {
    let derived = Dictionary(grouping: derived, by: \.seq)
    let recorded = Dictionary(grouping: recorded, by: \.seq)
    for seq in Set(derived.keys).union(recorded.keys).sorted() {
      let a = derived[seq] ?? []
      let b = recorded[seq] ?? []
      matched += zip(a, b).count { $0 == $1 }
      if a == b { continue }
      if seq == lastUnit, a.starts(with: b) {
        lost = a.count - b.count
        continue
      }
      // If the order differs, each invalidation after the first difference is missing on one side and extra on the
      // other.
      let common = zip(a, b).prefix { $0 == $1 }.count
      findings += a[common...].map { .unrecorded($0) }
      findings += b[common...].map { .underived($0) }
    }
  }
}
