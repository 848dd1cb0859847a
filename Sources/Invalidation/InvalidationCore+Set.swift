import EventLog

// Most events replace one scalar by another. Such a set invalidates the readers of its slot, of the slots
// above it up to the object's slot, and of the whole object, so no values need be compared.

extension InvalidationCore {
  /// Finds the nodes that a set of one scalar to another invalidates, outside a transaction, and puts them
  /// into ``invalidated``. Returns false if there may be more, because something below the scalar is read.
  ///
  /// The slot must not be an element of an array nor be named `id`, since the set could then change the id by
  /// which an element is found.
  ///
  /// - Parameter sameValue: Whether the values are equal; the set then invalidates only the readers of the
  ///   whole object.
  ///
  /// Cost: two or three steps, and one for each node found.
  @inline(__always)
  package mutating func findReaders(of slot: SlotID, sameValue: Bool = false) -> Bool {
    forgetInvalidated()
    if graph[slot].isReadBelow { return false }
    addReaders(from: slot, sameValue: sameValue)
    sortInvalidated()
    return true
  }

  /// The same for a part of a property: a field of a struct, an entry of a map, an element of an array or a field
  /// of one. The slots of the steps need not exist.
  ///
  /// - Parameter index: The index of the element that an id among the steps names.
  package mutating func findReaders(
    at steps: [PathComponent], ofElementAt index: Int? = nil, below property: SlotID
  ) -> Bool {
    forgetInvalidated()
    guard addReaders(at: steps[...], ofElementAt: index, below: property) else { return false }
    addReaders(from: property, sameValue: false)
    sortInvalidated()
    return true
  }

  /// As ``State/value(at:)``.
  package func value(at location: PropertyLocation) -> Value? { state.value(at: location) }

  /// As ``findReaders(of:sameValue:)``. Sets `isUnread` to whether it found no readers at all; this holds for
  /// later sets of the slot until something is read anew.
  package mutating func findReaders(of slot: SlotID, sameValue: Bool, isUnread: inout Bool) -> Bool {
    forgetInvalidated()
    if graph[slot].isReadBelow { return false }
    let isRead = addReaders(from: slot, sameValue: sameValue)
    isUnread = !isRead
    sortInvalidated()
    return true
  }

  /// Empties ``invalidated``. Returns whether nothing reads the slot, a slot above it or a slot below it.
  @inline(__always)
  package mutating func findNone(of slot: SlotID) -> Bool {
    forgetInvalidated()
    return isUnread(slot)
  }

  /// Whether nothing reads the slot, a slot above it or a slot below it.
  @inline(__always)
  package func isUnread(_ slot: SlotID) -> Bool {
    if graph[slot].readersWithin > 0 { return false }
    var next = graph[slot].parent
    while let slot = next {
      if !graph[slot].readers.isEmpty || graph[slot].hasWholeChild && graph.wholeSlot(below: slot) != nil {
        return false
      }
      next = graph[slot].parent
    }
    return true
  }

  /// Empties the results of ``findReaders(of:sameValue:)`` and of the similar functions.
  @inline(__always)
  mutating func forgetInvalidated() {
    invalidated.removeEach()
    crowds.removeEach()
  }

  /// Adds the readers of a slot to the results.
  @inline(__always)
  mutating func appendReaders(of slot: SlotID) {
    if givesCrowds, graph.isCrowd(slot) {
      crowds.append(slot)
    } else {
      graph.addReaders(of: slot, to: &invalidated)
    }
  }

  /// Adds the readers of a slot and of all slots above it. Returns whether there are any, including readers
  /// that a set of an equal value does not concern.
  @inline(__always) @discardableResult
  private mutating func addReaders(from slot: SlotID, sameValue: Bool) -> Bool {
    var slot = slot
    var isRead = false
    while true {
      if graph.isRead(slot) {
        isRead = true
        if !sameValue { appendReaders(of: slot) }
      }
      guard let parent = graph[slot].parent else { break }
      slot = parent
    }
    if graph[slot].hasWholeChild, let whole = graph.wholeSlot(below: slot) {
      isRead = true
      appendReaders(of: whole)
    }
    return isRead
  }

  /// Adds the readers of the slots some steps below a slot. Returns false if the set may concern more: if something
  /// below the last step is read, or the order of an array of which it replaces an element.
  private mutating func addReaders(
    at steps: ArraySlice<PathComponent>, ofElementAt index: Int?, below slot: SlotID
  ) -> Bool {
    if !graph[slot].isReadBelow { return true }
    guard let step = steps.first else { return false }
    let rest = steps.dropFirst()
    switch step {
    case .index:
      if rest.isEmpty, graph[slot].hasAspectChildren { return false }
      if !graph[slot].hasIndexChildren { return true }
    case .id:
      // A node may have read the element by its index.
      if let index, graph[slot].hasIndexChildren, let part = graph.child(.index(index), of: slot),
        !addReaders(of: part, rest)
      {
        return false
      }
      if !graph[slot].hasIDChildren { return true }
    default: break
    }
    return graph.child(step.key, of: slot).map { addReaders(of: $0, rest) } ?? true
  }

  private mutating func addReaders(of slot: SlotID, _ rest: ArraySlice<PathComponent>) -> Bool {
    appendReaders(of: slot)
    return addReaders(at: rest, ofElementAt: nil, below: slot)
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
