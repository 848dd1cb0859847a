import EventLog

/// What ran from one event of the app's own to the next, and what ran within what.
///
/// A projection that ran although nothing it read had changed ran because its parent did. The log has each run when it
/// ended, so a child's comes before its parent's; a log in which it comes after is understood too.
struct FlushRuns {
  struct Entry {
    var seq: UInt64
    var name: Int32
    /// -1 where there is none.
    var parent: Int32
    var group: Int32
    /// Where the run is within which this one was; -1 where there is none.
    var within: Int32 = -1
    /// The event that led to it; 0 where there is none.
    var cause: UInt64
    var duration: UInt64
    var changed: Bool?
    /// Whether something that it had read had changed.
    var wasWoken: Bool
    var isFirst: Bool
  }

  private(set) var entries: [Entry] = []
  var lives: LivingProjections
  /// Those that the recorded run has put out of date since the last flush.
  private var woken: [Int32] = []
  /// Those that were seen to wait although a flush was over: they run when time, or a reader, tells them to.
  private var waits: Set<Int32> = []
  /// By name, while runs are nested: where the nearest run is.
  private var nearest = DenseMap<Int, Int32?>(default: nil)
  private var transactions = 0

  /// So many are looked at together at most.
  private static let entriesMax = 1 << 18

  init(_ run: inout Run) {
    lives = LivingProjections(&run)
    transactions = run.log.base?.openTransactions ?? 0
  }

  /// Whether what ran so far ran before this row was made by the app itself.
  @inline(__always)
  func isOver(before row: borrowing EventLog.Row) -> Bool {
    if entries.count >= Self.entriesMax { return true }
    guard row.cause == 0, transactions == 0 else { return false }
    return row.kind.beginsAnew
  }

  /// Takes in the last row of a run; true if it is an evaluation, which is now the last entry.
  @inline(__always)
  mutating func take(_ run: inout Run) -> Bool {
    for hit in run.hits where lives.wake(hit.name) { woken.append(Int32(hit.name)) }
    switch run.row.kind {
    case .evaluate:
      guard let name = run.name else { return false }
      add(name, &run)
      return true
    case .begin: transactions += 1
    case .end: transactions -= 1
    default: if let change = run.row.kind.lifeChange { lives.take(change, &run) }
    }
    return false
  }

  private mutating func add(_ name: Int, _ run: inout Run) {
    let group = lives.group(of: name, run.tables)
    let life = lives[name]
    entries.append(
      Entry(
        seq: run.row.seq, name: Int32(name), parent: life.parent, group: Int32(group),
        cause: run.row.cause > 0 ? run.unit(run.row.cause) : 0, duration: run.row.duration,
        changed: run.row.changed, wasWoken: life.isWoken, isFirst: !life.hasRun))
    lives.noteRun(name)
  }

  /// Finds out which run was within which.
  mutating func nest() {
    var rest = 0
    for place in entries.indices.reversed() {
      entries[place].within = enclosing(entries[place])
      if entries[place].within < 0, entries[place].parent >= 0, !entries[place].wasWoken { rest += 1 }
      nearest[Int(entries[place].name)] = Int32(place)
    }
    for entry in entries { nearest[Int(entry.name)] = nil }
    if rest == 0 { return }
    for place in entries.indices {
      if entries[place].within < 0, !entries[place].wasWoken {
        entries[place].within = enclosing(entries[place])
      }
      nearest[Int(entries[place].name)] = Int32(place)
    }
    for entry in entries { nearest[Int(entry.name)] = nil }
  }

  private func enclosing(_ entry: Entry) -> Int32 {
    var parent = entry.parent
    // More steps than projections lie within one another: the parent chain is a cycle.
    for _ in 0..<64 where parent >= 0 {
      if let place = nearest[Int(parent)] {
        let cause = entries[Int(place)].cause
        return entry.wasWoken || cause == entry.cause || cause == 0 || entry.cause == 0 ? place : -1
      }
      if entry.wasWoken { return -1 }
      parent = lives[Int(parent)].parent
    }
    return -1
  }

  /// Whether what was put out of date has not run yet because the session collects changes.
  var isHeld: Bool {
    entries.isEmpty && woken.contains { lives[Int($0)].isWoken && !waits.contains($0) }
  }

  /// Begins with the next flush.
  mutating func removeAll() {
    if !isHeld {
      for name in woken where lives[Int(name)].isWoken { waits.insert(name) }
      woken.removeAll(keepingCapacity: true)
    }
    entries.removeAll(keepingCapacity: true)
  }
}
