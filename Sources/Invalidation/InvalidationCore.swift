import EventLog

/// Decides what an event invalidates. It does no I/O, calls no code of the app and reads no clock.
///
/// A live session drives it with mutations as they happen, `replay` with the events of a log. So the timeline
/// that a log yields is the timeline of the session.
///
/// A unit is one event outside a transaction, or a whole outermost transaction. For a transaction, the values
/// at its end are compared with those at its beginning, or at the node's last run within it. Several strands of
/// code may have a transaction open at once, each with a unit of its own.
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
    /// A change to as many other elements, so many of which differ from those before in nothing but their ids.
    case otherIDs(Int)
  }

  @usableFromInline package var state = State()
  @usableFromInline var graph = SlotGraph()
  /// The paths of the nodes that track whole properties or objects; see ``changeReads(added:dropped:of:)``.
  var wideReads: [NodeID: BoundReads] = [:]
  /// The slots that such nodes read, if they were given as slots. The nodes are linked to others.
  var keptSlots: [NodeID: Set<SlotID>] = [:]
  /// What the events of the present strand have changed so far: those of its transaction, of the session's, or one event.
  @usableFromInline var unit = Unit()
  /// The strand of the next events, and that which opened `unit`.
  private var strand = 0
  private var unitStrand = 0
  /// The open units to which the events of the present strand do not belong, by the strands that opened them.
  private var otherUnits: [Int: Unit] = [:]
  private var transactions = OpenTransactions()
  /// The number of open transactions of all strands.
  package private(set) var openTransactions = 0
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
    (copy.graph, copy.wideReads, copy.keptSlots, copy.unit) = (graph, wideReads, keptSlots, unit)
    (copy.strand, copy.unitStrand, copy.otherUnits) = (strand, unitStrand, otherUnits)
    (copy.transactions, copy.openTransactions) = (transactions, openTransactions)
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

  /// As ``State/firstID(ofElement:in:)``, after the index of a large array was built.
  package mutating func indexedID(ofElement index: Int, in property: PropertyLocation) -> Value? {
    state.indexIdentities(in: property)
    return state.firstID(ofElement: index, in: property)
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
    if !keptSlots.isEmpty {
      for slot in keptSlots.removeValue(forKey: node) ?? [] { graph.keep(slot, by: -1) }
    }
    if openTransactions == 0 { return }
    unit.rebased[node] = nil
    for strand in otherUnits.keys { otherUnits[strand]?.rebased[node] = nil }
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
    if openTransactions == 0, unit.isEmpty { graph.sweep() }
  }

  /// Applies an event that changes the state. Returns the hits, or none within a transaction.
  package mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) -> [Hit] {
    let suspects = prepare(body)
    let effect = try state.apply(body, at: suspects.location)
    invalidate(effect, of: body, suspects, seq: seq)
    return unit.isOpen ? [] : try finishUnit()
  }

  /// Sets the strand of the next events. They belong to the transactions that are open on it, and to those of the session.
  @inline(__always)
  package mutating func select(_ strand: Int) {
    if strand == self.strand { return }
    self.strand = strand
    switchUnit()
  }

  /// Opens a transaction of the present strand; they nest. Within one of the session's it is no unit of its own.
  package mutating func begin() {
    let isOutermost = transactions.depth(of: strand) == 0
    transactions.begin(on: strand)
    openTransactions = transactions.count
    guard isOutermost, strand == OpenTransactions.session || !hasUnit(OpenTransactions.session) else {
      return
    }
    unit.open()
  }

  /// Closes the innermost transaction of the present strand. Closing the outermost one returns the hits of the whole transaction.
  package mutating func end() throws(StateError) -> [Hit] {
    guard let closed = transactions.end(on: strand) else {
      throw StateError(nil, "there is no open transaction to end")
    }
    openTransactions = transactions.count
    guard transactions.depth(of: closed) == 0, hasUnit(closed) else { return [] }
    switchUnit(to: closed)
    unit.close()
    defer {
      // What was within the session's transaction and is still open is a unit of its own from here on.
      if closed == OpenTransactions.session {
        for strand in transactions.strands where !hasUnit(strand) {
          otherUnits[strand, default: Unit()].open()
        }
      }
      switchUnit()
    }
    return try finishUnit()
  }

  /// Whether the next event belongs to a transaction.
  package var isInTransaction: Bool { unit.isOpen }

  /// Whether a strand has an open unit of its own.
  private func hasUnit(_ strand: Int) -> Bool {
    strand == unitStrand ? unit.isOpen : otherUnits[strand] != nil
  }

  /// Records in the other open units that a slot changed.
  mutating func markForOthers(_ slot: SlotID, _ seq: UInt64) {
    for strand in otherUnits.keys { otherUnits[strand]?.markByOthers(slot, seq) }
  }

  /// Makes the unit to which the events of the present strand belong the present one.
  private mutating func switchUnit() {
    switchUnit(to: !hasUnit(strand) && hasUnit(OpenTransactions.session) ? OpenTransactions.session : strand)
  }

  private mutating func switchUnit(to strand: Int) {
    if strand == unitStrand { return }
    if unit.isOpen { otherUnits[unitStrand] = unit }
    unit = otherUnits.removeValue(forKey: strand) ?? Unit()
    unitStrand = strand
  }

  /// Whether an open transaction has changed what a node read.
  package func isOutOfDate(_ node: NodeID) -> Bool { lastChange(of: node) != nil }

  /// The last event of an open transaction that has changed what a node read; nil if none has.
  package func lastChange(of node: NodeID) -> UInt64? {
    guard graph.contains(node) else { return nil }
    var last = unit.lastChange(of: node, in: graph, of: state)
    for unit in otherUnits.values {
      if let seq = unit.lastChange(of: node, in: graph, of: state) { last = max(last ?? 0, seq) }
    }
    return last
  }

  mutating func finishUnit() throws(StateError) -> [Hit] {
    // The usual case: nothing that is read has changed, and there is nothing to reset.
    if unit.isEmpty, !unit.isTransaction { return [] }
    defer { unit.reset() }
    for (object, property) in unit.arraysReadByID(in: graph) {
      state.indexIdentities(of: object, property: property)
    }
    if unit.isEmpty { return [] }
    let hits = try unit.hits(in: graph, of: state, causesMax: causesMax)
    invariant(
      zip(hits, hits.dropFirst()).allSatisfy { graph.order($0.node) < graph.order($1.node) },
      "what is out of date is in the order in which it was made")
    return hits
  }

  mutating func rebase(_ node: NodeID) {
    guard openTransactions > 0, graph.contains(node) else { return }
    let reads = graph.reads(of: node)
    if unit.isOpen { unit.rebase(node, on: reads, in: graph, of: state) }
    for strand in otherUnits.keys { otherUnits[strand]?.rebase(node, on: reads, in: graph, of: state) }
  }
}
