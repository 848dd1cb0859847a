/// The state and the living projections, folded from the events of a log.
///
/// Sets of scalars are deferred until the state is needed, so that many sets of one path cost one. After an event that
/// does not fit the state there is no state: ``failure`` has the event and the reason. Transactions and projections
/// are still followed.
package struct StateFold: Sendable {
  /// Why an event could not be applied.
  package struct Failure: Error, Sendable {
    package var seq: UInt64
    package var error: StateError
  }

  private var folded: State
  private var pending = PendingScalars()
  /// The living projections, and what they read.
  private var projections = LiveProjections()
  /// How many transactions are open.
  package private(set) var openTransactions = 0
  /// The last event that was taken in; 0 before the first.
  package private(set) var seq: UInt64
  /// Its time.
  package private(set) var time: UInt64 = 0
  /// Why the fold ended before the events did.
  package private(set) var failure: Failure?

  /// The fold before the first event, or after an event at which the state is known.
  package init(_ state: State = State(), after seq: UInt64 = 0) {
    folded = state
    self.seq = seq
  }

  /// The state after the last event. Cost: a set for each deferred value.
  package var state: State {
    mutating get {
      flush()
      return folded
    }
  }

  /// Applies the next event. Cost: as ``State/apply(_:)``, or a hash for an event that does not touch the state.
  package mutating func apply(_ event: Event) {
    note(event.seq, event.time)
    apply(event.body)
  }

  /// Applies the body of the next event, whose seq and time were noted.
  package mutating func apply(_ body: Event.Body) {
    switch body {
    case .set, .splice, .remove:
      guard failure == nil else { return }
      flush()
      do throws(StateError) {
        if try folded.apply(body).mayLeadElsewhere { pending.close() }
      } catch {
        failure = Failure(seq: seq, error: error)
      }
    case .begin: openTransactions += 1
    case .end: openTransactions = max(0, openTransactions - 1)
    default:
      if case .reads(_, let reads) = body, reads.isChange {
        for path in reads.allPaths { folded.indexIdentities(on: path) }
      }
      projections.apply(body, in: folded)
    }
  }

  /// How many projections live.
  var livingCount: Int { projections.count }

  /// Applies the end of a projection as the next event, whose seq and time were noted.
  mutating func endProjection(_ name: String) { projections.end(name) }

  /// Notes which event comes next.
  @inline(__always)
  package mutating func note(_ seq: UInt64, _ time: UInt64) {
    self.seq = seq
    self.time = time
  }

  /// Whether a set of a scalar by a key may be deferred.
  @inline(__always)
  func isOpen(_ key: Int) -> Bool { pending.isOpen(key) }

  /// Applies a set by a key that ``set(_:to:at:)`` opened; returns false if it is not open. Cost: a few ns.
  @inline(__always)
  mutating func set(_ key: Int, to value: Value) -> Bool { value.isScalar && pending.put(value, at: key) }

  /// Applies a set as the next event, as ``set(_:to:)``.
  @inline(__always)
  package mutating func set(_ key: Int, to value: Value, seq: UInt64, time: UInt64) -> Bool {
    note(seq, time)
    return set(key, to: value)
  }

  /// The value at the path of a key; nil if the key is not open.
  package func value(at key: Int) -> Value? { pending.value(at: key, in: folded) }

  /// Applies a set, and opens a key of the caller for its path if later sets of it may be deferred.
  mutating func set(_ key: Int, to value: Value, at path: Path) {
    guard failure == nil else { return }
    folded.indexIdentities(on: path)
    if case .place(let place, _) = folded.resolve(path), !place.isID, !place.steps.isEmpty,
      folded.value(at: place)?.isScalar == true, path.components.last?.isAspect == false
    {
      pending.open(key, at: place)
      if set(key, to: value) { return }
    }
    apply(.set(path, value, sameValue: false))
  }

  /// Closes all keys, so that the caller can use them for other paths.
  package mutating func forgetKeys() {
    flush()
    pending.close()
  }

  private mutating func flush() {
    if !pending.isEmpty { pending.flush(into: &folded) }
  }
}

extension StateFold {
  /// The fold as the events of a checkpoint: the state, and the living projections.
  ///
  /// Open transactions begin before it. Nil after a failure. Cost: linear in the state.
  package mutating func checkpoint() -> [Event.Body]? {
    guard failure == nil else { return nil }
    flush()
    return Array(repeating: .begin(label: nil), count: openTransactions) + [.begin(label: Self.label)]
      + folded.asEvents() + projectionEvents() + [.end]
  }

  /// Lets what a projection reads take in an event of it, as far as the state goes.
  package func apply(_ reads: Reads, to live: inout LiveReads?) { live.apply(reads, in: folded) }

  /// Finds again the objects that have moved, so that they have names. Cost: linear in the state.
  package mutating func settleNames() {
    flush()
    folded.settleNames()
  }

  /// The events that create the living projections again, in order of creation, with what they read.
  package func projectionEvents() -> [Event.Body] { projections.asEvents(in: folded) }

  /// The fold that a checkpoint holds; nil if the events are not a whole checkpoint or do not fit each other.
  package init?(checkpoint events: [Event.Body], after seq: UInt64, time: UInt64) {
    let outer = events.prefix { $0 == .begin(label: nil) }.count
    guard outer + 1 < events.count, events[outer] == .begin(label: Self.label), events.last == .end
    else { return nil }
    self.init(after: seq)
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

extension Effect {
  /// Whether a path may lead elsewhere afterwards.
  var mayLeadElsewhere: Bool {
    switch self {
    case .none, .missed: false
    case .edited(let place, _, _): place.isID
    case .spliced: true
    case .replaced(let place, let before, let after):
      place.isID || !(before?.isScalar ?? false) || !(after?.isScalar ?? false)
    }
  }
}
