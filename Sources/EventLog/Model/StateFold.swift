/// The state and the projections that live, kept up with a log from event to event.
///
/// Sets of scalars wait until something depends on them, so that many sets of one path cost one. After an event that
/// does not fit the state there is none: ``failure`` says which and why. Only transactions and projections are followed on.
package struct StateFold: Sendable {
  /// Why an event could not be applied.
  package struct Failure: Error, Sendable {
    package var seq: UInt64
    package var error: StateError
  }

  private var folded: State
  private var pending = PendingScalars()
  /// The projections that live, and what they read.
  package private(set) var projections = LiveProjections()
  /// How many transactions are open.
  package private(set) var openTransactions = 0
  /// The last event that was taken in; 0 before the first.
  package private(set) var seq: UInt64
  /// Its time.
  package private(set) var time: UInt64 = 0
  /// Why the fold ended before the events did.
  package private(set) var failure: Failure?

  /// The fold before the first event, or behind some event after which the state is known.
  package init(_ state: State = State(), after seq: UInt64 = 0) {
    folded = state
    self.seq = seq
  }

  /// The state after the last event. Cost: a set for each value that waits.
  package var state: State {
    mutating get {
      flush()
      return folded
    }
  }

  /// Takes in the next event. Cost: as ``State/apply(_:)``, or a hash for what does not touch the state.
  package mutating func apply(_ event: Event) {
    note(event.seq, event.time)
    apply(event.body)
  }

  /// Takes in what the next event did; its seq and time were noted.
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
    default: projections.apply(body)
    }
  }

  /// Takes in that a projection is gone, which is the next event; its seq and time were noted.
  mutating func endProjection(_ name: String) { projections.end(name) }

  /// Notes which event comes next.
  @inline(__always)
  package mutating func note(_ seq: UInt64, _ time: UInt64) {
    self.seq = seq
    self.time = time
  }

  /// Takes in a set by a key that ``set(_:to:at:)`` opened; false if it is not open. Cost: a few ns.
  @inline(__always)
  mutating func set(_ key: Int, to value: Value) -> Bool { value.isScalar && pending.put(value, at: key) }

  /// Takes in a set that is the next event, as ``set(_:to:)``.
  @inline(__always)
  package mutating func set(_ key: Int, to value: Value, seq: UInt64, time: UInt64) -> Bool {
    note(seq, time)
    return set(key, to: value)
  }

  /// The value that a key leads to; nil where it is not open.
  package func value(at key: Int) -> Value? { pending.value(at: key, in: folded) }

  /// Takes in a set, and opens a key of the caller for its path if the next set of it may wait.
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

  /// Forgets the keys: they will stand for other paths.
  package mutating func forgetKeys() {
    flush()
    pending.close()
  }

  private mutating func flush() {
    if !pending.isEmpty { pending.flush(into: &folded) }
  }
}

extension StateFold {
  /// The fold as the events of a checkpoint: the state, and the projections that live.
  ///
  /// Transactions that are open begin before it. Nil after a failure. Cost: linear in the state.
  package mutating func checkpoint() -> [Event.Body]? {
    guard failure == nil else { return nil }
    flush()
    return Array(repeating: .begin(label: nil), count: openTransactions) + [.begin(label: Self.label)]
      + folded.asEvents() + projections.asEvents() + [.end]
  }

  /// The fold that a checkpoint holds; nil if the events are no whole checkpoint or do not fit each other.
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

  /// What the transaction of a checkpoint is called.
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

// MARK: Projections

/// The projections that exist after some event, with what each read last.
package struct LiveProjections: Sendable {
  private struct Entry: Sendable {
    /// Its number in the order of creation.
    var number: UInt64
    var parent: String?
    var tracking: Tracking
    var reads: [Path]?
  }

  private var entries: [ExactString: Entry] = [:]
  private var nextNumber: UInt64 = 0

  package init() {}

  /// How many there are.
  package var count: Int { entries.count }

  /// Takes in an event; those of other kinds change nothing. Cost: a hash.
  package mutating func apply(_ body: Event.Body) {
    switch body {
    case .projection(let name, let parent, let tracking): add(name, parent, tracking)
    case .reads(let name, let paths):
      if entries[name] == nil { add(name, nil, .element) }
      entries[name]?.reads = paths
    case .evaluate(let name, _, _):
      if entries[name] == nil { add(name, nil, .element) }
    case .dispose(let name): end(name)
    case .set, .splice, .remove, .invalidate, .begin, .end, .mark: break
    }
  }

  /// Takes in that a projection is gone.
  mutating func end(_ name: String) { entries[name] = nil }

  private mutating func add(_ name: String, _ parent: String?, _ tracking: Tracking) {
    entries[name] = Entry(number: nextNumber, parent: parent, tracking: tracking)
    nextNumber += 1
  }

  /// The events that create them again, in order of creation.
  package func asEvents() -> [Event.Body] {
    var events: [Event.Body] = []
    for (name, entry) in entries.sorted(by: { $0.value.number < $1.value.number }) {
      events.append(.projection(name: name.string, parent: entry.parent, tracking: entry.tracking))
      if let reads = entry.reads { events.append(.reads(projection: name.string, paths: reads)) }
    }
    return events
  }
}
