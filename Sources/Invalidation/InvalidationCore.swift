import EventLog

/// Decides what an event invalidates. It does no I/O, calls no code of the app and reads no clock.
///
/// A live session drives it with mutations as they happen, `replay` with the events of a log, so the
/// timeline that is reconstructed is the timeline that was.
///
/// A unit is one event outside a transaction, or a whole outermost transaction. Within a transaction the
/// values read are compared from its beginning (or from the node's last run within it) to its end.
@usableFromInline package struct InvalidationCore: Sendable {
  /// A node found out of date, and the events that changed what it read.
  package struct Hit: Hashable, Sendable {
    package var node: NodeID
    package var causes: [UInt64]
  }

  @usableFromInline package var state = State()
  @usableFromInline var graph = SlotGraph()
  /// What the nodes read that depend on more than single slots; see ``changeReads(added:dropped:of:)``.
  var wideReads: [NodeID: BoundReads] = [:]
  /// What the nodes of old logs read, by paths that are followed.
  var followed: [NodeID: FollowedReads] = [:]
  @usableFromInline var unit = Unit()
  /// The nodes that the last set was found to concern, in order of creation, each once.
  package var woken: [NodeID] = []
  /// The slots with readers that it concerned besides, which are not in ``woken`` as there are many: only where
  /// ``givesCrowds`` is set.
  var crowds: [SlotID] = []
  /// Whether readers that are many may be left out of ``woken``.
  var givesCrowds = false

  /// Starts from a state, the empty one before the first event.
  package init(_ state: State = State()) { self.state = state }

  // Questions to the state that a session asks often are mutating, though they change nothing: it would copy the state
  // for each of the others, see InvalidationCore+Reads.swift.

  /// The recorded value of a property. Cost: two hashes.
  package mutating func value(of property: String, in object: ObjectID) -> Value? {
    state.value(of: property, in: object)
  }

  /// Whether an object is there, and nothing holds it. Cost: two hashes.
  package mutating func isFree(_ object: ObjectID) -> Bool {
    state.objects.contains(object) && !state.isHeld(object)
  }

  /// As ``State/freeObjectID``.
  package mutating func freeObjectID() -> ObjectID { state.freeObjectID }

  /// Adds a node that reads nothing yet.
  package mutating func addNode(tracking: Tracking) -> NodeID { graph.addNode(tracking: tracking) }

  /// The same with an id that no node has.
  mutating func addNode(_ node: NodeID, tracking: Tracking) { graph.addNode(node, tracking: tracking) }

  /// A node's position in the order of creation, which no other ever had.
  package mutating func order(of node: NodeID) -> UInt64 { graph.order(node) }

  /// Notes that a node ran: from here on it has seen the present values.
  package mutating func noteEvaluation(of node: NodeID) {
    if unit.isOpen { reconnect(node) }
    rebase(node)
  }

  /// Removes a node; it is never hit again, by an open transaction either.
  package mutating func removeNode(_ node: NodeID) {
    guard graph.removeNode(node) else { return }
    if !wideReads.isEmpty { wideReads[node] = nil }
    if !followed.isEmpty { followed[node] = nil }
    if unit.isOpen { unit.rebased[node] = nil }
  }

  /// Removes slots that nothing reads, if they are many and no open unit refers to them. No caller may keep the id of
  /// such a slot.
  package mutating func sweep() {
    if !unit.isOpen, unit.isEmpty { graph.sweep() }
  }

  /// Applies an event that touches the state. Outside a transaction the hits are final and returned.
  package mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) -> [Hit] {
    let suspects = prepare(body)
    let effect = try state.apply(body, at: suspects.place)
    note(effect, of: body, suspects, seq: seq)
    if body.isSameValue, effect.hasChangedValues || !state.newObjects.isEmpty { unit.hidesChanges = true }
    return unit.isOpen ? [] : finishUnit()
  }

  /// Opens a transaction; they nest.
  package mutating func begin() { unit.depth += 1 }

  /// Closes the innermost transaction. Closing the outermost returns the hits of all of it.
  package mutating func end() throws(StateError) -> [Hit] {
    guard unit.depth > 0 else { throw StateError(nil, "there is no open transaction to end") }
    unit.depth -= 1
    return unit.isOpen ? [] : finishUnit()
  }

  /// How many transactions are open.
  @inlinable package var openTransactions: Int { unit.depth }

  /// Whether the open transaction has changed what a node read.
  package func isOutOfDate(_ node: NodeID) -> Bool { lastChange(of: node) != nil }

  /// The last event of the open transaction that has changed what a node read; nil if none has.
  package func lastChange(of node: NodeID) -> UInt64? {
    graph.contains(node) ? unit.lastChange(of: node, in: graph, of: state) : nil
  }

  mutating func finishUnit() -> [Hit] {
    // The usual case: nothing that is read has changed, and nothing is to be forgotten.
    if unit.isEmpty, !unit.hidesChanges, !unit.isTransaction { return [] }
    defer { unit.reset() }
    for (object, property) in unit.arraysReadByID(in: graph) {
      state.indexIdentities(of: object, property: property)
    }
    if unit.isEmpty, !unit.hidesChanges { return [] }
    let hits = unit.hits(in: graph, of: state)
    // The paths that are followed may lead into other objects now: those of nodes that are hit, or of all if a change was
    // hidden by the app's equality.
    if !followed.isEmpty {
      if unit.hidesChanges {
        for node in Array(followed.keys) { reconnect(node) }
      } else {
        for hit in hits { reconnect(hit.node) }
      }
    }
    return hits
  }

  mutating func rebase(_ node: NodeID) {
    guard unit.isOpen, graph.contains(node) else { return }
    unit.rebase(node, on: graph.reads(of: node), in: graph, of: state)
  }
}
