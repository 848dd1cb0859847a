import EventLog

/// Whether a log agrees with itself: the recorded timeline with the derived one, and every run with a reason.
package struct Verification {
  package enum Finding {
    /// The core finds this invalidation, the session did not record it.
    case unrecorded(TimelineComparison.Entry)
    /// The session recorded this invalidation, the core does not find it.
    case underived(TimelineComparison.Entry)
    /// A projection ran for this cause, which did not invalidate it.
    case unexplained(seq: UInt64, projection: String, cause: UInt64)
  }

  package let path: String
  /// Whether the bytes are what was written.
  package private(set) var check = LogCheck.none
  package let events: Int
  package private(set) var derived = 0
  package private(set) var recorded = 0
  package private(set) var matched = 0
  /// Entries of the last unit that a log which was not closed never got.
  package private(set) var lost = 0
  package private(set) var evaluations = 0
  package private(set) var explained = 0
  /// The first findings, and how many there are in all.
  package private(set) var findings: [Finding] = []
  package private(set) var findingCount = 0

  /// More findings than anybody reads; memory stays bounded by them.
  private static let findingsMax = 10_000

  package var isSound: Bool { findingCount == 0 && check.findings.isEmpty }

  /// Checks a log that was scanned.
  package init(_ log: LogSource, progress: AnalysisProgress = .hidden) throws {
    var verifier = try Verifier(log)
    let run = try log.play(to: &verifier, progress: progress)
    self = verifier.feed.sink.verification
    check = verifier.check
    if recorded == 0 {
      // There is nothing to compare with, which is no fault.
      findings = []
      findingCount = 0
      lost = 0
    }
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

  /// Counts what is in a cascade in which what was derived is what was recorded.
  fileprivate mutating func count(invalidations: Int, evaluations: Int) {
    self.evaluations += evaluations
    derived += invalidations
    recorded += invalidations
    matched += invalidations
  }

  /// Counts what is in a cascade, and compares what was derived with what was recorded.
  fileprivate mutating func compare(
    _ cascade: Cascade, _ run: borrowing LogRun, forgiving lastUnit: UInt64?
  ) {
    func entries(_ invalidations: [Cascade.Invalidation]) -> [TimelineComparison.Entry] {
      invalidations.map {
        .init(seq: $0.seq, projection: run.tables.name($0.projection), causes: $0.causes.all)
      }
    }
    evaluations += cascade.evaluations.count
    derived += cascade.invalidations.count
    recorded += cascade.recorded.count
    let comparison = TimelineComparison(
      derived: entries(cascade.invalidations), recorded: entries(cascade.recorded), forgiving: lastUnit)
    matched += comparison.matched
    lost += comparison.lost
    for finding in comparison.findings { add(finding) }
  }

  private mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < Self.findingsMax { findings.append(finding) }
  }
}

/// Checks the rows, and the cascades that they make up, in one pass.
private struct Verifier: RowObserver {
  private(set) var check = LogCheck.none
  private(set) var feed: CascadeFeed<ComparedCascades>
  private var pass: LogCheckPass

  init(_ log: LogSource) throws {
    pass = try LogCheckPass(log.reader)
    feed = CascadeFeed(ComparedCascades(log))
  }

  var needs: RunNeeds { feed.needs }

  mutating func begin(_ run: inout LogRun) { feed.begin(&run) }

  mutating func take(_ run: inout LogRun) throws {
    try run.apply(to: &pass)
    if !run.hits.isEmpty { feed.sink.lastUnit = run.row.seq }
    try feed.take(&run)
  }

  mutating func finish(_ run: inout LogRun) throws {
    feed.sink.isAtEnd = true
    try feed.finish(&run)
    check = try run.finish(&pass)
  }
}

/// Compares the cascades that were derived with those that were recorded.
private struct ComparedCascades: CascadeSink {
  private(set) var verification: Verification
  /// The evaluations without a reason.
  private(set) var unexplained: [Cascade.Evaluation] = []
  /// The last event that invalidated a projection. In a log that was not closed, what was recorded of it may end early.
  var lastUnit: UInt64?
  /// Whether there are no more rows.
  var isAtEnd = false
  private let log: LogSource
  private let reasons: UnexplainedRuns

  init(_ log: LogSource) {
    self.log = log
    verification = Verification(of: log)
    reasons = UnexplainedRuns(log)
  }

  mutating func takeFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool {
    // Everything that ran in it has a reason.
    guard let counts = open.countIfAsRecorded(slot) else { return false }
    verification.count(invalidations: counts.invalidations, evaluations: counts.evaluations)
    return true
  }

  mutating func take(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) throws {
    if cascade.isAsRecorded {
      verification.count(
        invalidations: cascade.invalidations.count, evaluations: cascade.evaluations.count)
    } else {
      verification.compare(cascade, run, forgiving: isAtEnd && !log.isClean ? lastUnit : nil)
    }
    unexplained += try reasons.add(cascade, of: &run)
  }

  mutating func finish(_ run: inout LogRun) throws { unexplained += try reasons.finish(run) }
}

extension Cascade {
  /// Whether what was derived is what was recorded, in the same order.
  fileprivate var isAsRecorded: Bool {
    invalidations.elementsEqual(recorded) {
      $0.seq == $1.seq && $0.projection == $1.projection && $0.causes == $1.causes
    }
  }
}

/// The derived timeline of some cascade beside the recorded one, unit by unit and in order within each.
package struct TimelineComparison {
  /// An entry of the timeline, as far as a log records it.
  package struct Entry: Hashable, Sendable {
    package var seq: UInt64
    package var projection: String
    package var causes: [UInt64]

    package static func == (a: Entry, b: Entry) -> Bool {
      a.seq == b.seq && a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
    }
  }

  /// How many entries agree.
  private(set) var matched = 0
  /// Entries of a unit at the end that a log which was not closed never got.
  private(set) var lost = 0
  private(set) var findings: [Verification.Finding] = []

  /// Compares. The unit `lastUnit` may end early, as in a log whose end is lost.
  init(derived: [Entry], recorded: [Entry], forgiving lastUnit: UInt64?) {
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
      // In another order, each is missing where the other has it.
      let common = zip(a, b).prefix { $0 == $1 }.count
      findings += a[common...].map { .unrecorded($0) }
      findings += b[common...].map { .underived($0) }
    }
  }
}
