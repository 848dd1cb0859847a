import EventLog

// Most events replace one scalar by another. Such a set invalidates the readers of its slot, of the slots
// above it up to the object's slot, and of the whole object, so no values need be compared.
//
//     #1 ─┬─ whole ●                   a set of #1.rows[3].n, whose element has the id "a":
//         └─ rows ●─┬─ index 3 ── n ●    ● each of these slots that has readers is concerned,
//                   ├─ id "a" ── n ●     below n there must be none, and
//                   └─ index 4           nothing else can have changed

/// The slots with readers that a set of one scalar to another concerns. They are found once, and hold until a node
/// starts or stops reading something, as long as the value is where it was.
package struct WrittenSlots: Sendable {
  /// The graph's `readersVersion` when they were found.
  fileprivate(set) var version = UInt64.max
  /// The same if there are none; else no version.
  package private(set) var unreadVersion = UInt64.max
  /// On the way from the object to the value, in no order.
  fileprivate var slots: [SlotID] = []
  /// That of the object as a whole, whose readers a set of an equal value concerns, too.
  fileprivate var whole: SlotID?
  /// Whether something below the value is read. The scalar cannot have it; what its readers depend on is left to the
  /// general way.
  fileprivate var isReadBelow = false

  /// Of a value of which nothing is known yet.
  package init() {}

  /// Forgets what was found, because another value is to be set.
  package mutating func forget() { (version, unreadVersion) = (.max, .max) }

  /// Whether there are no readers at all.
  fileprivate var isEmpty: Bool { slots.isEmpty && whole == nil && !isReadBelow }

  fileprivate mutating func begin() {
    version = .max
    slots.removeEach()
    (whole, isReadBelow) = (nil, false)
  }

  fileprivate mutating func end(at version: UInt64) {
    self.version = version
    unreadVersion = isEmpty ? version : .max
  }
}

extension InvalidationCore {
  /// Finds the nodes that a set of one scalar to another invalidates, and puts them into ``invalidated``. Returns false
  /// if the general way is needed: if something below the scalar is read, or if an open transaction must compare values
  /// that are read.
  ///
  /// The value must not be named `id`, since the set could then change the id by which an element is found.
  ///
  /// - Parameters:
  ///   - slots: What was found for the value before.
  ///   - location: Where the value is; nil for the property itself.
  ///   - property: The slot of the property.
  ///   - id: The id of the element of the property that contains the value, if the caller knows it.
  ///   - sameValue: Whether the values are equal; the set then invalidates only the readers of the whole object.
  ///
  /// Cost: a step for each node found. The first time after a node started or stopped reading something, also one for
  /// each slot up to the object, and a hash or two for each step below the property of which something is read.
  package mutating func findReaders(
    of slots: inout WrittenSlots, at location: Location?, below property: SlotID, elementID id: Value?,
    sameValue: Bool
  ) -> Bool {
    if slots.version != graph.readersVersion { find(&slots, location, property, id) }
    invariant(
      isFound(slots, location, property, id),
      "the slots of a value hold until somebody starts or stops reading")
    forgetInvalidated()
    if openTransactions > 0 { return slots.isEmpty }
    if slots.isReadBelow { return false }
    if !sameValue {
      for position in 0..<slots.slots.count { appendReaders(of: slots.slots[position]) }
    }
    if let whole = slots.whole { appendReaders(of: whole) }
    sortInvalidated()
    return true
  }

  /// As ``State/value(at:)``.
  package func value(at location: PropertyLocation) -> Value? { state.value(at: location) }

  /// Empties what ``findReaders(of:at:below:elementID:sameValue:)`` found.
  @inline(__always)
  mutating func forgetInvalidated() {
    invalidated.removeEach()
    crowds.removeEach()
  }

  /// Adds the readers of a slot to the results.
  @inline(__always)
  private mutating func appendReaders(of slot: SlotID) {
    if givesCrowds, graph.isCrowd(slot) {
      crowds.append(slot)
    } else {
      graph.addReaders(of: slot, to: &invalidated)
    }
  }

  @inline(__always)
  private mutating func sortInvalidated() {
    if invalidated.count > 1 { graph.sort(&invalidated) }
    invariant(
      invalidated.allSatisfy { graph.contains($0) }
        && zip(invalidated, invalidated.dropFirst()).allSatisfy { graph.order($0) < graph.order($1) },
      "what is out of date is there, and in the order in which it was made")
  }
}

// MARK: The slots

extension InvalidationCore {
  private func find(_ slots: inout WrittenSlots, _ location: Location?, _ property: SlotID, _ id: Value?) {
    slots.begin()
    if graph[property].isReadBelow {
      if let location, location.depth > 1, let whole = state.value(at: location.whole) {
        find(&slots, below: property, whole, location, 2, id)
      } else {
        slots.isReadBelow = true
      }
    }
    var slot = property
    while true {
      if graph.isRead(slot) { slots.slots.append(slot) }
      guard let parent = graph[slot].parent else { break }
      slot = parent
    }
    if graph[slot].hasWholeChild { slots.whole = graph.wholeSlot(below: slot) }
    slots.end(at: graph.readersVersion)
  }

  /// Finds the slots from a depth on, below the slot of a container in which something is read.
  private func find(
    _ slots: inout WrittenSlots, below slot: SlotID, _ container: Value, _ location: Location, _ depth: Int,
    _ id: Value?
  ) {
    let position = location.position(at: depth)
    switch container {
    case .map(let fields) where position < fields.count:
      let child = graph.child(.name(fields.name(at: position)), of: slot)
      if let child { find(&slots, from: child, fields.values[position], location, depth) }
    case .array(let elements) where position < elements.count:
      // A node may have read the element by its index, and another by its id.
      if graph[slot].hasIndexChildren, let child = graph.child(.index(position), of: slot) {
        find(&slots, from: child, elements[position], location, depth)
      }
      if graph[slot].hasIDChildren, let id = id ?? firstID(of: position, in: elements, location, depth),
        let child = graph.child(.id(id), of: slot)
      {
        find(&slots, from: child, elements[position], location, depth)
      }
    default: slots.isReadBelow = true
    }
  }

  private func find(
    _ slots: inout WrittenSlots, from slot: SlotID, _ value: Value, _ location: Location, _ depth: Int
  ) {
    if graph.isRead(slot) { slots.slots.append(slot) }
    guard graph[slot].isReadBelow else { return }
    if depth < location.depth {
      find(&slots, below: slot, value, location, depth + 1, nil)
    } else {
      slots.isReadBelow = true
    }
  }

  /// The id of an element, if it is the first with that id.
  private func firstID(of position: Int, in elements: [Value], _ location: Location, _ depth: Int) -> Value? {
    // Only arrays that are the value of a property have an index of ids.
    if depth == 2 { return state.firstID(ofElement: position, in: location.whole) }
    guard let id = state.id(of: elements[position]),
      elements.firstIndex(where: { state.id(of: $0) == id }) == position
    else { return nil }
    return id
  }

  private func isFound(_ slots: WrittenSlots, _ location: Location?, _ property: SlotID, _ id: Value?) -> Bool
  {
    var found = WrittenSlots()
    find(&found, location, property, id)
    return found.slots == slots.slots && found.whole == slots.whole && found.isReadBelow == slots.isReadBelow
  }
}
