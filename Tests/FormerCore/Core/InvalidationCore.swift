// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

/// Decides what an event invalidates. It does no I/O, calls no code of the app and reads no clock.
///
/// A live session drives it with mutations as they happen, `replay` with the events of a log, so the
/// timeline that is reconstructed is the timeline that was.
///
/// A session reads ``plansVersion`` and ``openTransactions`` at every set, so these two are inlined into its module.
/// For that the properties that they read, and the types of these, must be `@usableFromInline`.
///
/// A unit is one event outside a transaction, or a whole outermost transaction. Within a transaction the
/// values read are compared from its beginning (or from the projection's last run within it) to its end.
struct InvalidationCore: Sendable {
  typealias ProjectionID = Int

  /// A projection found out of date, and the events that changed what it read.
  struct Hit: Hashable, Sendable {
    var projection: ProjectionID
    var causes: [UInt64]
  }

  var state = State()
  var graph = DependencyGraph()
  var dependents: [ProjectionID: Dependent] = [:]
  var unit = Unit()
  /// The id of the current unit.
  private(set) var unitNumber: UInt64 = 0
  private var nextProjection: ProjectionID = 0

  /// Starts from a state, the empty one before the first event.
  init(_ state: State = State()) { self.state = state }

  /// Adds a projection that depends on nothing yet. Its id gives its position in the order of creation.
  mutating func addProjection(tracking: Tracking) -> ProjectionID {
    defer { nextProjection += 1 }
    dependents[nextProjection] = Dependent(tracking: tracking)
    return nextProjection
  }

  /// Replaces what a projection depends on by paths that are followed: they lead where they lead at any time.
  mutating func setReads(_ paths: [Path], of projection: ProjectionID) {
    guard let dependent = dependents[projection] else { return }
    forgetBound(of: projection)
    // Most runs read what the last one did.
    if dependent.paths != paths || dependent.routeVersion != state.routeVersion {
      dependents[projection]?.paths = paths
      connect(projection)
    }
    rebase(projection)
  }

  /// Notes that a projection reads what it did before.
  mutating func repeatReads(of projection: ProjectionID) {
    reconnect(projection)
    rebase(projection)
  }

  /// Notes that a projection ran: from here on it has seen the present values.
  mutating func noteEvaluation(of projection: ProjectionID) {
    if unit.isOpen { reconnect(projection) }
    rebase(projection)
  }

  /// Removes a projection; it is never hit again, by an open transaction either.
  mutating func removeProjection(_ projection: ProjectionID) {
    guard let dependent = dependents.removeValue(forKey: projection) else { return }
    for node in dependent.allNodes { graph.removeReader(projection, from: node) }
    for object in dependent.objects { graph.removeReader(projection, from: object) }
    if unit.isOpen { unit.rebased[projection] = nil }
    forgetUnreadPlaces()
  }

  /// Removes nodes without readers, if they are many and no open unit refers to them.
  private mutating func forgetUnreadPlaces() {
    guard !unit.isOpen, unit.isEmpty, let numbers = graph.prune() else { return }
    for (projection, dependent) in dependents {
      dependents[projection]?.nodes = Set(dependent.nodes.compactMap { numbers[$0] })
      dependents[projection]?.bound = Set(dependent.bound.compactMap { numbers[$0] })
    }
  }

  /// Applies an event that touches the state. Outside a transaction the hits are final and returned.
  mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) -> [Hit] {
    let suspects = prepare(body)
    let effect = try state.apply(body)
    note(effect, of: body, suspects, seq: seq)
    if body.isSameValue, effect.hasChangedValues || !state.newObjects.isEmpty { unit.hidesChanges = true }
    return unit.isOpen ? [] : finishUnit()
  }

  /// Opens a transaction; they nest.
  mutating func begin() { unit.depth += 1 }

  /// Closes the innermost transaction. Closing the outermost returns the hits of all of it.
  mutating func end() throws(StateError) -> [Hit] {
    guard unit.depth > 0 else { throw StateError(nil, "there is no open transaction to end") }
    unit.depth -= 1
    return unit.isOpen ? [] : finishUnit()
  }

  /// How many transactions are open.
  var openTransactions: Int { unit.depth }

  /// Whether the open transaction has changed what a projection read.
  func isOutOfDate(_ projection: ProjectionID) -> Bool {
    !unit.isEmpty && unit.hits(in: graph, of: state).contains { $0.projection == projection }
  }

  /// Whether a projection depends on every set of an object, whatever property it sets.
  func isReadWhole(_ owner: Place.Owner) -> Bool {
    guard case .object(let object) = owner else { return true }
    return graph.objectReaders[object] != nil
  }

  mutating func finishUnit() -> [Hit] {
    defer {
      unit.reset()
      unitNumber &+= 1
    }
    for (object, property) in unit.arraysReadByID(in: graph) {
      state.indexIdentities(of: object, property: property)
    }
    // The paths of projections may lead into other objects now: those of projections that are hit, or of all if a
    // change was hidden by the app's equality.
    if unit.hidesChanges {
      let hits = unit.hits(in: graph, of: state)
      for projection in dependents.keys { reconnect(projection) }
      return hits
    }
    if unit.isEmpty { return [] }
    let hits = unit.hits(in: graph, of: state)
    for hit in hits { reconnect(hit.projection) }
    return hits
  }

  /// Resolves the paths of a projection again if they may lead elsewhere by now.
  mutating func reconnect(_ projection: ProjectionID) {
    guard let dependent = dependents[projection], !dependent.paths.isEmpty,
      dependent.routeVersion != state.routeVersion
    else { return }
    connect(projection)
  }

  mutating func rebase(_ projection: ProjectionID) {
    guard unit.isOpen, let dependent = dependents[projection] else { return }
    unit.rebase(projection, on: dependent.allNodes, in: graph, of: state)
  }
}
