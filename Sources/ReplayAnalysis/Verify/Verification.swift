import EventLog

/// Whether a log agrees with itself: the recorded timeline with the derived one, and every run with a reason.
package struct Verification {
  package enum Finding {
    /// The core finds this invalidation, the session did not record it.
    case unrecorded(TimelineComparison.Entry)
    /// The session recorded this invalidation, the core does not find it.
    case underived(TimelineComparison.Entry)
    /// A projection ran for this cause without having been woken by it.
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
    path = log.path
    var pass = try LogCheckPass(log.reader)
    events = log.eventCount
    var reasons = UnexplainedRuns(log)
    var run = Run(log, progress: progress)
    var feed = CascadeFeed(&run)
    var lastUnit: UInt64?
    var unexplained: [Cascade.Evaluation] = []
    while try run.next() {
      try run.apply(to: &pass)
      feed.add(&run)
      if !run.hits.isEmpty { lastUnit = run.row.seq }
      try feed.complete(at: run.row.seq) { open, place, _ in
        agrees(open, place)
      } _: { cascade, _ in
        if !agrees(cascade) { compare(cascade, run.tables.names, forgiving: nil) }
        unexplained += try reasons.add(cascade, of: &run)
      }
    }
    try feed.complete(at: .max, isEnd: true) { cascade, _ in
      if !agrees(cascade) { compare(cascade, run.tables.names, forgiving: log.isClean ? nil : lastUnit) }
      unexplained += try reasons.add(cascade, of: &run)
    }
    unexplained += try reasons.finish(run)
    check = try run.finish(&pass)
    if recorded == 0 {
      // There is nothing to compare with, which is no fault.
      findings = []
      findingCount = 0
      lost = 0
    }
    explained = evaluations - unexplained.count
    for evaluation in unexplained {
      add(
        .unexplained(
          seq: evaluation.seq, projection: run.tables.names[Int(evaluation.projection)],
          cause: evaluation.cause))
    }
  }

  /// Counts what is in a flat cascade, in which everything that ran has a reason; if what was derived is not what was
  /// recorded, does nothing and returns false.
  private mutating func agrees(_ open: borrowing OpenCascades, _ place: Int) -> Bool {
    guard let counts = open.countIfAsRecorded(place) else { return false }
    evaluations += counts.evaluations
    derived += counts.invalidations
    recorded += counts.invalidations
    matched += counts.invalidations
    return true
  }

  /// Counts what is in a cascade; true if what was derived is what was recorded.
  private mutating func agrees(_ cascade: Cascade) -> Bool {
    evaluations += cascade.evaluations.count
    derived += cascade.invalidations.count
    recorded += cascade.recorded.count
    if !cascade.isAsRecorded { return false }
    matched += cascade.recorded.count
    return true
  }

  private mutating func compare(
    _ cascade: Cascade, _ names: borrowing RunNames, forgiving lastUnit: UInt64?
  ) {
    func entries(_ woken: [Cascade.Woken]) -> [TimelineComparison.Entry] {
      woken.map { .init(seq: $0.seq, projection: names[Int($0.projection)], causes: $0.causes.all) }
    }
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
