import EventLog
import Invalidation

/// Puts each write of a log into the line of the account to which it belongs; see ``WriteLine``.
///
/// A write waits in a ring until what comes after it says nothing of it any more. The projections that an event invalidated
/// for the same writes share one *unit* with these, so that what a thousand of them do is not told to each write a thousand
/// times.
struct WriteTally {
  /// What an event invalidated for the same writes, until all projections have answered.
  private struct Unit {
    var causes = Causes([])
    var open: Int32 = 0
    /// The first event with each outcome, by its number; 0 for none.
    var first = SIMD4<UInt64>.zero
  }

  /// Units by their numbers; nearly always one.
  struct Units {
    fileprivate var first: Int32 = -1
    fileprivate var rest: [Int32] = []
    /// How many there may be before those that say nothing are let go.
    fileprivate var room: Int32 = 64

    fileprivate mutating func append(_ unit: Int32) {
      if first < 0 { first = unit } else { rest.append(unit) }
    }

    fileprivate func forEach(_ body: (Int32) -> Void) {
      if first >= 0 { body(first) }
      for unit in rest { body(unit) }
    }
  }

  private var writes = RecentRing<AccountedWrite>(keeping: Self.window)
  private var units: [Unit] = []
  private var freeUnits: [Int32] = []
  /// What has invalidated each projection since its last run.
  private var pending = ProjectionMap<Units>(default: Units())
  /// That of the projection that ended last, and where it did.
  private var departed = (units: Units(), seq: UInt64(0))
  /// The last change of each path.
  private var changes = PathMap<UInt64>(default: 0)
  /// What was found of the last list of causes: many projections have the same.
  private var lastKind: (causes: Causes, kind: Answered) = (Causes([]), .change)
  private var last: UInt64 = 0

  /// For how many events a write is remembered.
  private static let window = 1 << 18

  /// Takes in the current row of a run. Returns the write that is over by now, if there is one.
  @inline(__always)
  mutating func observe(_ run: borrowing LogRun) -> (seq: UInt64, line: WriteLine)? {
    last = run.row.seq
    let old = last - min(last, UInt64(Self.window))
    let over = writes[old].map { (seq: old, line: WriteLine($0)) }
    if run.row.kind.isWrite { add(run) }
    if !run.hits.isEmpty { addHits(run) }
    return over
  }

  /// The writes that are not over, at the end of a log.
  mutating func finish() -> [(seq: UInt64, line: WriteLine)] {
    settleDeparted()
    let first = last - min(last, UInt64(Self.window - 1))
    return (first...last).compactMap { seq in writes[seq].map { (seq, WriteLine($0)) } }
  }

  private mutating func add(_ run: borrowing LogRun) {
    let seq = run.row.seq
    var kind = Answered.change
    switch run.contradiction {
    case .equal where !run.row.value.holdsRedacted: kind = .equalWrites
    case .sameContent where !run.storesRedacted: kind = .sameContent
    default: break
    }
    writes.append(seq, AccountedWrite(kind: kind, isSameValue: run.row.isSameValue))
    guard let path = run.path, !run.row.isSameValue, kind == .change else { return }
    let before = changes[path]
    changes[path] = seq
    guard run.row.kind != .splice, var write = writes[before] else { return }
    write.overwritten = seq
    writes.append(before, write)
  }

  // MARK: Invalidations

  private mutating func addHits(_ run: borrowing LogRun) {
    var number: Int32 = -1
    for hit in run.hits {
      if number < 0 || units[Int(number)].causes != hit.causes { number = addUnit(hit.causes) }
      units[Int(number)].open += 1
      pending[hit.projection].append(number)
      let count = Int32(clamping: pending[hit.projection].rest.count)
      guard count >= pending[hit.projection].room else { continue }
      removeSettled(of: hit.projection)
      number = -1
    }
  }

  private mutating func addUnit(_ causes: Causes) -> Int32 {
    let number = freeUnits.popLast() ?? Int32(units.count)
    if number == units.count { units.append(Unit()) }
    units[Int(number)] = Unit(causes: causes)
    forEachWrite(of: number) { write in
      write.hasReaders = true
      write.open += 1
    }
    return number
  }

  private mutating func forEachWrite(of unit: Int32, _ change: (inout AccountedWrite) -> Void) {
    let causes = units[Int(unit)].causes
    if let only = causes.only { return update(only, change) }
    for cause in causes.all { update(cause, change) }
  }

  @inline(__always)
  private mutating func update(_ seq: UInt64, _ change: (inout AccountedWrite) -> Void) {
    guard var write = writes[seq] else { return }
    change(&write)
    writes.append(seq, write)
  }

  /// Lets go of what a projection that does not run cannot say anything about any more: writes that were overwritten, and
  /// those that are over.
  private mutating func removeSettled(of projection: ProjectionID) {
    let before = pending[projection]
    var kept = Units()
    before.forEach { unit in
      if units[Int(unit)].causes.all.contains(where: { isOpen($0) }) {
        kept.append(unit)
      } else {
        close(unit)
      }
    }
    kept.room = max(64, 2 * Int32(clamping: kept.rest.count))
    pending[projection] = kept
  }

  private func isOpen(_ seq: UInt64) -> Bool {
    last - seq < Self.window && writes[seq]?.overwritten == 0
  }

  /// How writes of some causes count, taken together.
  mutating func kind(of causes: Causes) -> Answered {
    if let only = causes.only { return writes[only]?.kind ?? .change }
    if lastKind.causes != causes { lastKind = (causes, kind(ofEach: causes.all)) }
    return lastKind.kind
  }

  private func kind(ofEach causes: [UInt64]) -> Answered {
    if causes.isEmpty { return .change }
    return causes.reduce(.equalWrites) { max($0, writes[$1]?.kind ?? .change) }
  }

  // MARK: Answers

  /// A projection ran: what had invalidated it since the last run, for ``settle(_:_:at:)``.
  mutating func answer(_ projection: ProjectionID) -> Units {
    let answered = pending[projection]
    if answered.first >= 0 { pending[projection] = Units() }
    return answered
  }

  /// It is known to which line a run belongs; nil if it does not answer what had invalidated its projection.
  mutating func settle(_ answered: Units, _ line: AccountLine?, at seq: UInt64) {
    answered.forEach { settle($0, line, at: seq) }
  }

  private mutating func settle(_ number: Int32, _ line: AccountLine?, at seq: UInt64) {
    let outcome = AccountedWrite.Outcome(line)
    let known = units[Int(number)].first[outcome.rawValue]
    if known == 0 || seq < known {
      units[Int(number)].first[outcome.rawValue] = seq
      forEachWrite(of: number) { write in
        if write.overwritten == 0 || seq < write.overwritten { write.outcomes |= 1 << outcome.rawValue }
      }
    }
    close(number)
  }

  private mutating func close(_ number: Int32) {
    units[Int(number)].open -= 1
    guard units[Int(number)].open == 0 else { return }
    forEachWrite(of: number) { $0.open -= 1 }
    units[Int(number)] = Unit()
    freeUnits.append(number)
  }

  // MARK: Lives

  /// A projection was made, or moved to another parent.
  mutating func begin(_ projection: ProjectionID, isMove: Bool) {
    guard isMove else { return settleDeparted() }
    pending[projection] = departed.units
    departed.units = Units()
  }

  /// A projection ended, or is about to move.
  mutating func end(_ projection: ProjectionID, at seq: UInt64) {
    settleDeparted()
    departed = (answer(projection), seq)
  }

  private mutating func settleDeparted() {
    settle(departed.units, nil, at: departed.seq)
    departed.units = Units()
  }
}
