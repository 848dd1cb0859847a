import EventLog
import Invalidation

/// Groups evaluations into flushes, and finds out which run happened within which.
///
/// A flush lasts from one event of the app's own to the next. A projection that ran although nothing it read
/// had changed ran because its parent did. The log records a run when it ends, so a child's run comes before
/// its parent's; but where a host such as SwiftUI runs the bodies, it comes after. The registry of the run
/// knows which projections live, and their parents.
struct FlushRuns {
  struct Entry {
    var seq: UInt64
    var projection: ProjectionID
    var parent: ProjectionID?
    var group: GroupID<ProjectionID>
    /// The index of the run within which this one happened; nil if there is none.
    var within: Int?
    /// The event that caused the run; 0 if there is none.
    var cause: UInt64
    var duration: UInt64
    var changed: Bool?
    var inputChanged: Bool?
    /// The first event since the projection's last run that changed what it had read; 0 if none did.
    var invalidatedBy: UInt64
    var isFirst: Bool
    /// Whether a child ran with another input, and whether one was made or ended.
    var handsOther = false
    var makesOthers = false
    /// Whether it was for nothing; nil if that cannot be told. Until an account says more, it is whether its output was the
    /// same.
    fileprivate(set) var isForNothing: Bool?

    /// Whether something that the projection had read changed.
    var wasInvalidated: Bool { invalidatedBy > 0 }

    /// Whether the run made a difference to its output, or to what is below it: a parent whose children differ has not drawn
    /// the same. Nil if neither is known.
    var madeDifference: Bool? { changed == false && (handsOther || makesOthers) ? true : changed }
  }

  private(set) var entries: [Entry] = []
  /// The parents of the children that ended, each with the event and the number of runs before.
  private var ended: [(parent: ProjectionID, seq: UInt64, position: Int)] = []
  /// The projections that have run, and were invalidated since.
  private(set) var outOfDate = ProjectionSet()
  private var causation = Causation()
  /// Those that were invalidated since the last flush.
  private var invalidatedLately: [ProjectionID] = []
  /// Those that were still waiting when a flush was over: they run when a timer fires or when they are read.
  private var waits: Set<ProjectionID> = []
  /// The index of the nearest run of each projection; used only by ``nest(_:)``.
  private var nearest = ProjectionMap<Int32?>(default: nil)
  private var bounds = FlushBounds()
  /// Whether recorded invalidations tell what was invalidated, and not the run's ``LogRun/hits``.
  private let takesRecorded: Bool

  init(takingRecorded: Bool = false) { takesRecorded = takingRecorded }

  /// The largest number of runs in one group, which bounds the memory.
  private static let entriesMax = 1 << 18

  /// Must be called before the first row of a run.
  mutating func begin(_ run: borrowing LogRun) { bounds.begin(run) }

  /// Whether the flush ended before this row, because the app itself made the row's event.
  @inline(__always)
  func isOver(before row: borrowing EventLog.Row) -> Bool {
    entries.count >= Self.entriesMax || bounds.isOver(before: row)
  }

  /// Takes in the run's current row. Returns true if it is an evaluation, which is then the last entry.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) -> Bool {
    if takesRecorded {
      if run.row.kind == .invalidate, let projection = run.projection {
        invalidate(projection, by: run.recordedUnit(), run.registry)
      }
    } else {
      for hit in run.hits { invalidate(hit.projection, by: hit.unit, run.registry) }
    }
    bounds.observe(run.row)
    guard run.row.kind != .evaluate else {
      guard let projection = run.projection else { return false }
      add(projection, &run)
      return true
    }
    if let change = run.row.kind.lifeChange, let projection = run.projection {
      apply(change, of: projection, isMove: run.isMove)
      let life = run.registry[projection]
      if change == .ends, life.isAlive, let parent = life.parent {
        ended.append((parent, run.row.seq, entries.count))
      } else if run.isMove, ended.last?.seq == run.row.cause {
        ended.removeLast()
      }
    }
    return false
  }

  @inline(__always)
  private mutating func invalidate(
    _ projection: ProjectionID, by seq: UInt64, _ registry: borrowing ProjectionRegistry
  ) {
    guard registry[projection].hasRun, !outOfDate.contains(projection) else { return }
    outOfDate.insert(projection)
    causation.invalidate(projection, by: seq)
    invalidatedLately.append(projection)
  }

  /// A projection that ends no longer waits to run, unless it only moves to another parent.
  private mutating func apply(_ change: EventKind.LifeChange, of projection: ProjectionID, isMove: Bool) {
    causation.apply(change, of: projection, isMove: isMove)
    outOfDate.remove(projection)
    if causation.isOutOfDate(projection) { outOfDate.insert(projection) }
  }

  private mutating func add(_ projection: ProjectionID, _ run: inout LogRun) {
    let life = run.registry[projection]
    let cause = run.row.cause > 0 ? run.unit(run.row.cause) : 0
    let before = causation.run(projection, cause: cause, isFirst: !life.hasRun, at: run.row.seq)
    entries.append(
      Entry(
        seq: run.row.seq, projection: projection, parent: life.parent, group: run.group(of: projection),
        cause: cause, duration: run.row.duration, changed: run.row.changed,
        inputChanged: run.row.inputChanged, invalidatedBy: before.first, isFirst: !life.hasRun,
        isForNothing: run.row.changed.map { !$0 }))
    outOfDate.remove(projection)
  }

  /// Sets `within` for all entries.
  mutating func nest(_ registry: borrowing ProjectionRegistry) {
    var isComplete = true
    for index in entries.indices.reversed() {
      let within = enclosing(entries[index], registry)
      entries[index].within = within
      if within == nil, entries[index].parent != nil { isComplete = false }
      nearest[entries[index].projection] = Int32(index)
    }
    forgetNearest()
    if !isComplete { nestLater(registry) }
    markWorkBelow()
  }

  /// Nests the runs that came after those of their parents.
  private mutating func nestLater(_ registry: borrowing ProjectionRegistry) {
    for index in entries.indices {
      if entries[index].within == nil {
        let within = enclosing(entries[index], registry)
        // An invalidated projection ran within its parent's run only if it was invalidated before that run.
        let isAlone =
          entries[index].wasInvalidated
          && within.map { entries[$0].seq < entries[index].invalidatedBy } ?? true
        if !isAlone { entries[index].within = within }
      }
      nearest[entries[index].projection] = Int32(index)
    }
    forgetNearest()
  }

  private mutating func forgetNearest() { for entry in entries { nearest[entry.projection] = nil } }

  /// Marks the runs below which something differed. What ended belongs to the last run of its parent before, or else to the
  /// next.
  private mutating func markWorkBelow() {
    for entry in entries {
      guard let within = entry.within, entries[within].projection == entry.parent else { continue }
      if entry.isFirst { entries[within].makesOthers = true }
      if entry.inputChanged == true { entries[within].handsOther = true }
    }
    if ended.isEmpty { return }
    var rest: [ProjectionID] = []
    var next = ended.startIndex
    for index in 0...entries.count {
      while next < ended.count, ended[next].position == index {
        let parent = ended[next].parent
        if let run = nearest[parent] { entries[Int(run)].makesOthers = true } else { rest.append(parent) }
        next += 1
      }
      if index < entries.count { nearest[entries[index].projection] = Int32(index) }
    }
    for parent in rest { if let run = nearest[parent] { entries[Int(run)].makesOthers = true } }
    forgetNearest()
  }

  /// Takes over which runs were for nothing from an account of them, in their order.
  mutating func judge(by settled: some Collection<(seq: UInt64, isForNothing: Bool?)>) {
    var settled = settled[...]
    for index in entries.indices {
      settled = settled.drop { $0.seq < entries[index].seq }
      guard let next = settled.first else { return }
      if next.seq == entries[index].seq { entries[index].isForNothing = next.isForNothing }
    }
  }

  private func enclosing(_ entry: Entry, _ registry: borrowing ProjectionRegistry) -> Int? {
    var next = entry.parent
    // 64 is more than real trees nest: beyond it the parent chain may be a cycle.
    for _ in 0..<64 {
      guard let parent = next else { return nil }
      if let index = nearest[parent] {
        let cause = entries[Int(index)].cause
        return entry.wasInvalidated || cause == entry.cause || cause == 0 || entry.cause == 0
          ? Int(index) : nil
      }
      if entry.wasInvalidated { return nil }
      next = registry[parent].parent
    }
    return nil
  }

  /// Whether invalidated projections have not run yet because the session is collecting changes.
  var isHeld: Bool {
    entries.isEmpty && invalidatedLately.contains { outOfDate.contains($0) && !waits.contains($0) }
  }

  /// Starts the next flush.
  mutating func removeAll() {
    if !isHeld {
      for projection in invalidatedLately where outOfDate.contains(projection) { waits.insert(projection) }
      invalidatedLately.removeAll(keepingCapacity: true)
      bounds.restart()
    }
    entries.removeAll(keepingCapacity: true)
    ended.removeAll(keepingCapacity: true)
  }
}

/// Tells where a flush ends: before the next event of the app's own outside of transactions. That has no cause, or an action,
/// or one before the flush: what a task does because of a callback comes when the callback's flush is over.
struct FlushBounds {
  private var transactions = OpenTransactions()
  /// The first event of the flush; 0 before it.
  private var start: UInt64 = 0
  /// The actions since.
  private var actions: Set<UInt64> = []

  /// Must be called before the first row of a run.
  mutating func begin(_ run: borrowing LogRun) {
    transactions = OpenTransactions(before: run.log.base?.openTransactions ?? 0)
  }

  /// Whether the flush ended before this row.
  @inline(__always)
  func isOver(before row: borrowing EventLog.Row) -> Bool {
    guard row.kind.beginsAnew, transactions.depth(around: row.origin.strand) == 0 else { return false }
    return row.cause < start || row.cause == 0 || actions.contains(row.cause)
  }

  /// Takes in a row.
  @inline(__always)
  mutating func observe(_ row: borrowing EventLog.Row) {
    if start == 0 { start = row.seq }
    switch row.kind {
    case .begin, .end: transactions.apply(row.kind, on: row.origin.strand)
    case .action: actions.insert(row.seq)
    default: break
    }
  }

  /// Starts the next flush.
  mutating func restart() {
    start = 0
    if !actions.isEmpty { actions.removeAll() }
  }
}
