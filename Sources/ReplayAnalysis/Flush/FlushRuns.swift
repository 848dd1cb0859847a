import EventLog
import Invalidation

/// What ran from one event of the app's own to the next, and what ran within what.
///
/// A projection that ran although nothing it read had changed ran because its parent did. The log has each run when it
/// ended, so a child's comes before its parent's. Where the host of an app runs the bodies, as SwiftUI does, it comes
/// after. What lives, and whose child each is, is asked of the registry of the run.
struct FlushRuns {
  struct Entry {
    var seq: UInt64
    var projection: ProjectionID
    var parent: ProjectionID?
    var group: GroupID<ProjectionID>
    /// The index of the run within which this one was.
    var within: Int?
    /// The event that led to it; 0 where there is none.
    var cause: UInt64
    var duration: UInt64
    var changed: Bool?
    /// The first event since the last run that had changed something that it had read; 0 where none had.
    var wokenBy: UInt64
    var isFirst: Bool

    /// Whether something that it had read had changed.
    var wasWoken: Bool { wokenBy > 0 }
  }

  private(set) var entries: [Entry] = []
  /// The projections that have run, and of which something that they read has changed since.
  private(set) var woken = ProjectionSet()
  /// For each of these the first event that did that.
  private var wokenBy = ProjectionMap<UInt64>(default: 0)
  /// Those that came to be so since the last flush.
  private var wokenLately: [ProjectionID] = []
  /// Those that were seen to wait although a flush was over: they run when time, or a reader, makes them.
  private var waits: Set<ProjectionID> = []
  /// While runs are nested: the index of the nearest run.
  private var nearest = ProjectionMap<Int32?>(default: nil)
  private var transactions = 0

  /// The most that are looked at together.
  private static let entriesMax = 1 << 18

  /// Begins before the first row of a run.
  mutating func begin(_ run: borrowing LogRun) { transactions = run.log.base?.openTransactions ?? 0 }

  /// Whether what ran so far ran before this row was made by the app itself.
  @inline(__always)
  func isOver(before row: borrowing EventLog.Row) -> Bool {
    if entries.count >= Self.entriesMax { return true }
    guard row.cause == 0, transactions == 0 else { return false }
    return row.kind.beginsAnew
  }

  /// Takes in the last row of a run; true if it is an evaluation, which is now the last entry.
  @inline(__always)
  mutating func take(_ run: inout LogRun) -> Bool {
    for hit in run.hits where run.registry[hit.projection].hasRun && !woken.contains(hit.projection) {
      woken.insert(hit.projection)
      wokenBy[hit.projection] = run.row.seq
      wokenLately.append(hit.projection)
    }
    switch run.row.kind {
    case .evaluate:
      guard let projection = run.projection else { return false }
      add(projection, &run)
      return true
    case .begin: transactions += 1
    case .end: transactions -= 1
    default:
      // It begins anew, or ends: neither waits to run.
      if run.row.kind.lifeChange != nil, let projection = run.projection { woken.remove(projection) }
    }
    return false
  }

  private mutating func add(_ projection: ProjectionID, _ run: inout LogRun) {
    let life = run.registry[projection]
    entries.append(
      Entry(
        seq: run.row.seq, projection: projection, parent: life.parent, group: run.group(of: projection),
        cause: run.row.cause > 0 ? run.unit(run.row.cause) : 0, duration: run.row.duration,
        changed: run.row.changed, wokenBy: woken.contains(projection) ? wokenBy[projection] : 0,
        isFirst: !life.hasRun))
    woken.remove(projection)
  }

  /// Finds out which run was within which.
  mutating func nest(_ registry: borrowing ProjectionRegistry) {
    var isComplete = true
    for index in entries.indices.reversed() {
      let within = enclosing(entries[index], registry)
      entries[index].within = within
      if within == nil, entries[index].parent != nil { isComplete = false }
      nearest[entries[index].projection] = Int32(index)
    }
    for entry in entries { nearest[entry.projection] = nil }
    if isComplete { return }
    for index in entries.indices {
      if entries[index].within == nil {
        let within = enclosing(entries[index], registry)
        // One that was woken ran with its parent only if it had been woken before that ran.
        let isAlone =
          entries[index].wasWoken && within.map { entries[$0].seq < entries[index].wokenBy } ?? true
        if !isAlone { entries[index].within = within }
      }
      nearest[entries[index].projection] = Int32(index)
    }
    for entry in entries { nearest[entry.projection] = nil }
  }

  private func enclosing(_ entry: Entry, _ registry: borrowing ProjectionRegistry) -> Int? {
    var next = entry.parent
    // More steps than projections lie within one another: the parent chain is a cycle.
    for _ in 0..<64 {
      guard let parent = next else { return nil }
      if let index = nearest[parent] {
        let cause = entries[Int(index)].cause
        return entry.wasWoken || cause == entry.cause || cause == 0 || entry.cause == 0 ? Int(index) : nil
      }
      if entry.wasWoken { return nil }
      next = registry[parent].parent
    }
    return nil
  }

  /// Whether what was put out of date has not run yet because the session collects changes.
  var isHeld: Bool { entries.isEmpty && wokenLately.contains { woken.contains($0) && !waits.contains($0) } }

  /// Begins with the next flush.
  mutating func removeAll() {
    if !isHeld {
      for projection in wokenLately where woken.contains(projection) { waits.insert(projection) }
      wokenLately.removeAll(keepingCapacity: true)
    }
    entries.removeAll(keepingCapacity: true)
  }
}
