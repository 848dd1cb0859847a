import EventLog

/// The unit of writes that a rule makes one transaction, because they follow each other closely.
struct JoinedWrites {
  /// Whether a unit has begun, and no write has come too late for it yet.
  private(set) var isOpen = false
  /// The number of units, and of the writes and transactions in them.
  private(set) var units = 0
  private(set) var writes = 0
  private var last: UInt64 = 0
  /// The action that made the first; 0 for none.
  private var action: UInt64 = 0
  /// The number of recorded transactions that are open.
  private var depth = 0
  /// What each projection has read since the unit began, in order.
  private var reads: [ProjectionID: [Reads]] = [:]
  private var readsCount = 0
  /// The projections that began within the unit, and have read nothing yet.
  private var born: Set<ProjectionID> = []
  private static let readsMax = 1 << 16

  /// Adds a write. Returns true if it begins a unit.
  mutating func add(_ row: borrowing EventLog.Row) -> Bool {
    last = row.time
    writes += 1
    if isOpen { return false }
    isOpen = true
    action = row.cause
    units += 1
    return true
  }

  /// Records a run, in which the app writes nothing, so that its time is no pause; as for ``Bursts``.
  mutating func passRun(_ row: borrowing EventLog.Row, _ gap: UInt64) {
    if let end = row.endOfRun(within: gap, of: last) { last = end }
  }

  /// Records that a transaction of the log begins or ends.
  mutating func nest(_ kind: EventKind) { depth = kind == .begin ? depth + 1 : max(0, depth - 1) }

  /// Whether a row begins the next unit: a write of the app itself, more than `gap` nanoseconds after the last write, or of
  /// another action; or any row if too much is kept for the end of the unit. What callbacks write belongs to the unit that they were called for.
  func isOver(before row: borrowing EventLog.Row, isOwn: Bool, _ gap: UInt64) -> Bool {
    if depth > 0 { return false }
    if readsCount >= Self.readsMax { return true }
    switch row.kind {
    case .set, .splice, .remove, .begin:
      return isOwn && (gap == 0 || row.cause != action || row.time.since(last).map { $0 > gap } ?? true)
    default: return false
    }
  }

  /// Records that a projection begins.
  mutating func begin(_ projection: ProjectionID) { if isOpen { born.insert(projection) } }

  /// Keeps what a projection reads until the unit is over, so that it is compared with what it last saw. Returns false for
  /// the first reads of one that began within the unit, which has seen what is there.
  mutating func `defer`(_ reads: Reads, of projection: ProjectionID) -> Bool {
    if born.remove(projection) != nil { return false }
    self.reads[projection, default: []].append(reads)
    readsCount += 1
    return true
  }

  /// Forgets what a projection reads, which has ended.
  mutating func forget(_ projection: ProjectionID) {
    reads[projection] = nil
    born.remove(projection)
  }

  /// Ends the unit. Returns what was kept for its end.
  mutating func close() -> [ProjectionID: [Reads]] {
    isOpen = false
    born.removeAll(keepingCapacity: true)
    readsCount = 0
    defer { reads.removeAll(keepingCapacity: true) }
    return reads
  }
}
