/// The state and the living projections, folded from the events of a log.
///
/// After an event that does not fit there is no valid state: ``failure`` holds the event and the reason.
/// Transactions and projections are still tracked.
package struct StateFold: Sendable {
  /// Why an event could not be applied.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    package var seq: UInt64
    package var error: StateError

    package var description: String {
      error.isOverLimit
        ? "at event \(seq), \(error)" : "event \(seq) does not fit the events before it: \(error)"
    }

    package init(seq: UInt64, error: StateError) {
      self.seq = seq
      self.error = error
    }
  }

  /// The state after the last event.
  package private(set) var state: State
  /// The locations of the scalars with open keys; cleared when values move.
  private var locations = EpochMap<Int, Location>()
  /// The living projections, and what they read.
  private var projections = LiveProjections()
  package private(set) var openTransactions = 0
  /// The seq of the last event applied; 0 before the first.
  package private(set) var seq: UInt64
  /// The time of the last event, in nanoseconds since the session began.
  package private(set) var time: UInt64 = 0
  /// The event that did not fit the state, or made it too large, if there was one.
  package private(set) var failure: Failure?
  private var budget: StateBudget

  /// Begins before the first event, or after an event whose state is given.
  ///
  /// - Parameter limits: How much the events may make it hold; nil for any amount.
  package init(_ state: State = State(), after seq: UInt64 = 0, limits: ReadLimits? = nil) {
    self.state = state
    self.seq = seq
    budget = StateBudget(limits)
  }

  /// Applies the next event. Cost: as ``State/apply(_:)``, or a hash for an event that does not write to the
  /// state.
  package mutating func apply(_ event: Event) {
    advance(event.seq, event.time)
    apply(event.body)
  }

  /// Applies the body of the next event, after ``advance(_:_:)`` has set its seq and time.
  package mutating func apply(_ body: Event.Body) {
    switch body {
    case .set, .splice, .remove:
      guard failure == nil else { return }
      let version = state.routeVersion
      do throws(StateError) {
        try state.apply(body)
        budget.add(body)
        if budget.isDue(at: state.work) { try budget.check(state, and: projections.bytesHeld) }
      } catch {
        failure = Failure(seq: seq, error: error)
      }
      if state.routeVersion != version { locations.removeAll() }
    case .begin: openTransactions += 1
    case .end: openTransactions = max(0, openTransactions - 1)
    default:
      let held = projections.bytesHeld
      projections.apply(body, in: &state)
      budget.add(projections.bytesHeld - held)
      if budget.isDue(at: state.work) { checkSize() }
    }
  }

  private mutating func checkSize() {
    do throws(StateError) { try budget.check(state, and: projections.bytesHeld) } catch {
      failure = failure ?? Failure(seq: seq, error: error)
    }
  }

  var livingCount: Int { projections.count }

  /// The number of objects and living projections, which tells what a copy of the state costs.
  package var entryCount: Int { state.objects.count + projections.count }

  /// Applies the end of a projection as the next event, after ``advance(_:_:)`` has set its seq and time.
  mutating func endProjection(_ name: String) { projections.end(name) }

  /// Sets the seq and time of the next event.
  @inline(__always)
  package mutating func advance(_ seq: UInt64, _ time: UInt64) {
    self.seq = seq
    self.time = time
  }

  /// Whether a key is open: the location of its scalar is known, so that of many sets only the last has to be
  /// applied.
  @inline(__always)
  func isOpen(_ key: Int) -> Bool { locations.contains(key) }

  /// Applies a set by a key that ``set(_:to:at:)`` opened; returns false if the key is not open. Cost: some
  /// 10 ns.
  @inline(__always)
  mutating func set(_ key: Int, to value: Value) -> Bool {
    guard value.isScalar, let location = locations[key] else { return false }
    guard state.putScalar(value, at: location) else { return false }
    budget.add(text: value)
    if budget.isDue(at: state.work) { checkSize() }
    return true
  }

  /// Applies a set as the next event, as ``set(_:to:)``.
  @inline(__always)
  package mutating func set(_ key: Int, to value: Value, seq: UInt64, time: UInt64) -> Bool {
    advance(seq, time)
    return set(key, to: value)
  }

  /// The value at the path of a key; nil if the key is not open.
  package func value(at key: Int) -> Value? { locations[key].flatMap { state.value(at: $0) } }

  /// Applies a set, and opens the caller's key for its path if the value there is a scalar.
  mutating func set(_ key: Int, to value: Value, at path: Path) {
    guard failure == nil else { return }
    if path.components.last?.name != "id",
      let location = state.indexedLocation(of: path.root, path.components[...]),
      state.value(at: location)?.isScalar == true
    {
      locations.set(key, location)
      if set(key, to: value) { return }
    }
    apply(.set(path, value, sameValue: false))
  }

  /// Closes all keys, so that the caller can reuse them for other paths.
  package mutating func forgetKeys() { locations.removeAll() }
}

extension StateFold {
  /// The fold as the events of a checkpoint: open transactions first, then the state and the living
  /// projections. Nil after a failure. Cost: linear in the state.
  package mutating func checkpoint() -> [Event.Body]? {
    guard failure == nil else { return nil }
    return Array(repeating: .begin(label: nil), count: openTransactions) + [.begin(label: Self.label)]
      + state.asEvents() + projections.asEvents(in: &state) + [.end]
  }

  /// Applies a change of a projection's reads, in the current state.
  package mutating func apply(_ reads: Reads, to live: inout BoundReads?) { live.apply(reads, in: &state) }

  /// The name of a bound path, as ``State/currentName(of:)``.
  package mutating func currentName(of bound: Path) -> Path { state.currentName(of: bound) }

  /// The same, in the ids of a run.
  package mutating func currentName(
    of bound: PathID, _ names: inout ReadNames, _ tables: inout RunTables
  ) -> PathID { names.name(of: bound, in: &state, &tables) }

  /// Finds the objects that have moved, and updates their names. Cost: linear in the state.
  package mutating func settleNames() { state.settleNames() }

  /// The events that create the living projections again, in order of creation, with what they read.
  package func projectionEvents() -> [Event.Body] {
    var state = state
    return projections.asEvents(in: &state)
  }

  /// Creates the fold that a checkpoint holds; nil if the events are not a complete checkpoint or do not fit
  /// each other.
  package init?(
    checkpoint events: [Event.Body], after seq: UInt64, time: UInt64, limits: ReadLimits? = nil
  ) {
    let outer = events.prefix { $0 == .begin(label: nil) }.count
    guard outer + 1 < events.count, events[outer] == .begin(label: Self.label), events.last == .end
    else { return nil }
    self.init(after: seq, limits: limits)
    self.time = time
    for event in events.dropLast() {
      let open = openTransactions
      apply(event)
      if event == .end, open <= outer + 1 { return nil }
    }
    apply(.end)
    guard failure == nil, openTransactions == outer else { return nil }
  }

  /// The label of the transaction of a checkpoint.
  static let label = "checkpoint"
}

extension StateFold {
  /// Applies the rows of a block that follow the last event applied, up to a seq.
  package mutating func apply(_ rows: inout BlockRows, upTo last: UInt64 = .max) throws(DecodeFault) {
    var row = Row()
    // The path ids of the block serve as keys.
    forgetKeys()
    defer { forgetKeys() }
    while try rows.next(&row), row.seq <= last {
      if row.seq > seq { apply(row, of: &rows) }
    }
  }

  @inline(__always)
  private mutating func apply(_ row: borrowing Row, of rows: inout BlockRows) {
    apply(row, of: &rows, key: row.path?.index)
    if row.projection != nil { applyToProjections(row, of: rows) }
  }

  /// Applies the next row of a block to the state. `key` is the caller's key for the path that the row
  /// writes. The rows do not change; they are `inout` only so that they are not copied.
  @inline(__always)
  package mutating func apply(_ row: borrowing Row, of rows: inout BlockRows, key: Int?) {
    advance(row.seq, row.time)
    if row.kind == .set, let key, set(key, to: row.value) { return }
    applyRest(row, of: &rows, key: key)
  }

  private mutating func applyRest(_ row: borrowing Row, of rows: inout BlockRows, key: Int?) {
    switch row.kind {
    case .set: if let key, let path = row.path { set(key, to: row.value, at: rows.path(path)) }
    case .splice, .remove, .begin, .end: apply(rows.body(of: row))
    default: break
    }
  }

  /// Applies the next row of a block to the living projections.
  mutating func applyToProjections(_ row: borrowing Row, of rows: borrowing BlockRows) {
    if row.kind == .invalidate { return }
    do throws(StateError) { try budget.limits?.checkReads(row, of: rows) } catch {
      failure = failure ?? Failure(seq: row.seq, error: error)
      return
    }
    apply(rows.body(of: row))
  }
}
