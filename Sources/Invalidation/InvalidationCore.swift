import EventLog

/// Decides what an event invalidates. It does no I/O, calls no code of the app and reads no clock.
///
/// A live session drives it with mutations as they happen, `replay` with the events of a log. So the timeline
/// that a log yields is the timeline of the session.
///
/// A unit is one event outside a transaction, or a whole outermost transaction. For a transaction, the values
/// at its end are compared with those at its beginning, or at the node's last run within it.
///
/// It is not copyable, so that no call copies its many arrays unseen, whether it changes something or not;
/// ``copy()`` does so on purpose.
@usableFromInline package struct InvalidationCore: ~Copyable, Sendable {
  /// A node that is out of date, and the events that changed what it read.
  package struct Hit: Hashable, Sendable {
    package var node: NodeID
    package var causes: [UInt64]
  }

  /// How what the app called the same value or a change differs from what was recorded.
  package enum Contradiction: Hashable, Sendable {
    /// A change to a value that is recorded like the one before.
    case equal
    /// The same value, though it is recorded differently.
    case different
    /// A change to another object, with the same properties.
    case sameContent
  }

  @usableFromInline package var state = State()
  @usableFromInline var graph = SlotGraph()
  /// The paths of the nodes that track whole properties or objects; see ``changeReads(added:dropped:of:)``.
  var wideReads: [NodeID: BoundReads] = [:]
  @usableFromInline var unit = Unit()
  /// The nodes that the last set invalidated, in order of creation, each once.
  package var invalidated: [NodeID] = []
  /// Slots whose readers the last set invalidated as well, but which have too many readers to list them in
  /// ``invalidated``. Used only if ``givesCrowds`` is set.
  var crowds: [SlotID] = []
  /// Whether readers of slots with many readers may be left out of ``invalidated``.
  var givesCrowds = false
  /// What the last event said of its value that the recorded values do not say; kept until it is reset. Found only if
  /// ``findsContradictions`` is set, since a session knows its values.
  package var contradiction: Contradiction?
  var findsContradictions = false
  /// How many causes the hits of one unit may have in all.
  var causesMax = Int.max

  /// Creates a core with a state: by default the empty state before the first event.
  package init(_ state: State = State()) { self.state = state }

  /// An independent core with the same state, nodes and reads. Cost: its tables are copied when one of the two
  /// changes them.
  func copy() -> InvalidationCore {
    var copy = InvalidationCore(state)
    (copy.graph, copy.wideReads, copy.unit) = (graph, wideReads, unit)
    (copy.contradiction, copy.findsContradictions) = (contradiction, findsContradictions)
    (copy.invalidated, copy.crowds, copy.givesCrowds, copy.causesMax) = (
      invalidated, crowds, givesCrowds, causesMax
    )
    return copy
  }

  /// The recorded value of a property. Cost: two hashes.
  package func value(of property: String, in object: ObjectID) -> Value? {
    state.value(of: property, in: object)
  }

  // What a session asks of the state at each write is asked of the core: to call the state itself, which is
  // copyable, Swift copies it from the object that holds the core.

  /// As ``State/nameVersion(of:)``.
  package func nameVersion(of object: ObjectID) -> State.NameVersion { state.nameVersion(of: object) }

  /// As ``State/location(at:in:)``.
  package func location(at steps: [PathComponent], in property: PropertyLocation) -> Location? {
    state.location(at: steps, in: property)
  }

  /// As ``State/fields(ofElementAt:in:)``.
  package func fields(ofElementAt index: Int, in property: PropertyLocation) -> NamedValues<Value>? {
    state.fields(ofElementAt: index, in: property)
  }

  /// As ``State/hasUniqueIDs(in:)``.
  package func hasUniqueIDs(in property: PropertyLocation) -> Bool { state.hasUniqueIDs(in: property) }

  /// As ``State/firstID(ofElement:in:)``.
  package func firstID(ofElement index: Int, in property: PropertyLocation) -> Value? {
    state.firstID(ofElement: index, in: property)
  }

  /// Whether an object exists and nothing refers to it. Cost: two hashes.
  package func isFree(_ object: ObjectID) -> Bool {
    state.objects.contains(object) && !state.isHeld(object)
  }

  /// As ``State/freeObjectID``.
  package var freeObjectID: ObjectID { state.freeObjectID }

  /// Adds a node that reads nothing yet.
  package mutating func addNode(tracking: Tracking) -> NodeID { graph.addNode(tracking: tracking) }

  /// The same, with an id that no node has.
  mutating func addNode(_ node: NodeID, tracking: Tracking) { graph.addNode(node, tracking: tracking) }

  /// A node's creation number, which is never reused.
  package func order(of node: NodeID) -> UInt64 { graph.order(node) }

  /// Records that a node ran: from now on it has seen the current values.
  package mutating func markEvaluation(of node: NodeID) { rebase(node) }

  /// Removes a node; it is not hit again, not even by the open transaction.
  package mutating func removeNode(_ node: NodeID) {
    guard graph.removeNode(node) else { return }
    if !wideReads.isEmpty { wideReads[node] = nil }
    if unit.isOpen { unit.rebased[node] = nil }
  }

  /// Replaces a node by one with its id that reads nothing yet, and returns the creation number of the new one.
  package mutating func replaceNode(_ node: NodeID, tracking: Tracking) -> UInt64 {
    removeNode(node)
    // The id that was freed last is the first to be used.
    let new = addNode(tracking: tracking)
    precondition(new == node, "the node was not there")
    return order(of: node)
  }

  /// Removes slots that nothing reads, if there are many and no unit refers to them. No caller may keep the
  /// id of a removed slot.
  package mutating func sweep() {
    if !unit.isOpen, unit.isEmpty { graph.sweep() }
  }

  /// Applies an event that changes the state. Returns the hits, or none within a transaction.
  package mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) -> [Hit] {
    let suspects = prepare(body)
    let effect = try state.apply(body, at: suspects.place)
    invalidate(effect, of: body, suspects, seq: seq)
    return unit.isOpen ? [] : try finishUnit()
  }

  /// Opens a transaction; they nest.
  package mutating func begin() { unit.depth += 1 }

  /// Closes the innermost transaction. Closing the outermost one returns the hits of the whole transaction.
  package mutating func end() throws(StateError) -> [Hit] {
    guard unit.depth > 0 else { throw StateError(nil, "there is no open transaction to end") }
    unit.depth -= 1
    return unit.isOpen ? [] : try finishUnit()
  }

  /// The number of open transactions.
  @inlinable package var openTransactions: Int { unit.depth }

  /// Whether the open transaction has changed what a node read.
  package func isOutOfDate(_ node: NodeID) -> Bool { lastChange(of: node) != nil }

  /// The last event of the open transaction that has changed what a node read; nil if none has.
  package func lastChange(of node: NodeID) -> UInt64? {
    graph.contains(node) ? unit.lastChange(of: node, in: graph, of: state) : nil
  }

  mutating func finishUnit() throws(StateError) -> [Hit] {
    // The usual case: nothing that is read has changed, and there is nothing to reset.
    if unit.isEmpty, !unit.isTransaction { return [] }
    defer { unit.reset() }
    for (object, property) in unit.arraysReadByID(in: graph) {
      state.indexIdentities(of: object, property: property)
    }
    return unit.isEmpty ? [] : try unit.hits(in: graph, of: state, causesMax: causesMax)
  }

  mutating func rebase(_ node: NodeID) {
    guard unit.isOpen, graph.contains(node) else { return }
    unit.rebase(node, on: graph.reads(of: node), in: graph, of: state)
  }
}
