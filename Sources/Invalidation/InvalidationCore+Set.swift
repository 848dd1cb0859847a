import EventLog

// Most events set a scalar where another was. Such a set concerns the readers of its slot and of the slots above it up to the
// object's, and those of the whole object; nothing is compared.

extension InvalidationCore {
  /// Finds the nodes that a set of one scalar to another concerns, outside a transaction, and puts them into ``woken``;
  /// false where it may concern others, because something below the scalar is read.
  ///
  /// The slot must be that of no element of an array, nor be called `id`: others may be found by it.
  ///
  /// - Parameter sameValue: Whether the values are equal, which concerns the readers of the whole object alone.
  ///
  /// Cost: two or three steps, and one for each node found.
  @inline(__always)
  package mutating func findReaders(of slot: SlotID, sameValue: Bool = false) -> Bool {
    forgetWoken()
    if graph[slot].isReadBelow { return false }
    addReaders(from: slot, sameValue: sameValue)
    settleWoken()
    return true
  }

  /// The same for a field of an element of an array.
  ///
  /// - Parameters:
  ///   - id: The element's id, if it is the first with it.
  ///   - array: The array's slot.
  package mutating func findReaders(
    of field: String, ofElementAt index: Int, id: Value?, in array: SlotID
  ) -> Bool {
    forgetWoken()
    if graph[array].isReadBelow {
      if graph[array].hasIndexChildren, let element = graph.child(.index(index), of: array),
        !addReaders(of: field, below: element)
      {
        return false
      }
      if graph[array].hasIDChildren, let id, let element = graph.child(.id(id), of: array),
        !addReaders(of: field, below: element)
      {
        return false
      }
    }
    addReaders(from: array, sameValue: false)
    settleWoken()
    return true
  }

  /// The same for a part of a property: an entry of a map, a field of a struct, an element of an array that is a scalar. What
  /// the steps lead to may have no slot yet.
  package mutating func findReaders(at components: [PathComponent], below slot: SlotID) -> Bool {
    forgetWoken()
    var slot = slot
    for component in components where graph[slot].isReadBelow {
      // Whether a change of an element is one of the order is for the core's general way to decide.
      if case .index = component, graph[slot].hasAspectChildren { return false }
      guard let below = graph.child(component.key, of: slot) else {
        addReaders(from: slot, sameValue: false)
        settleWoken()
        return true
      }
      slot = below
    }
    if graph[slot].isReadBelow { return false }
    addReaders(from: slot, sameValue: false)
    settleWoken()
    return true
  }

  /// The value in a cell of the state; see ``State/value(in:)``.
  package mutating func value(in cell: Cell) -> Value? { state.value(in: cell) }

  /// As ``findReaders(of:sameValue:)``; tells whether the next set of the slot will find the same, as long as nothing
  /// begins to be read.
  package mutating func findReaders(of slot: SlotID, sameValue: Bool, isUnread: inout Bool) -> Bool {
    forgetWoken()
    if graph[slot].isReadBelow { return false }
    let isRead = addReaders(from: slot, sameValue: sameValue)
    isUnread = !isRead
    settleWoken()
    return true
  }

  /// Empties ``woken`` if nothing reads a slot, what lies in it, or what it lies in; false if anything does.
  @inline(__always)
  package mutating func findNone(of slot: SlotID) -> Bool {
    forgetWoken()
    return isUnread(slot)
  }

  /// Whether nothing reads a slot, what lies in it, or what it lies in.
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

  /// Empties what ``findReaders(of:sameValue:)`` and its like have found.
  @inline(__always)
  mutating func forgetWoken() {
    woken.removeEach()
    crowds.removeEach()
  }

  /// Adds the readers of a slot to what was found.
  @inline(__always)
  mutating func wakeReaders(of slot: SlotID) {
    // Where paths are followed each is led on when it is woken.
    if givesCrowds, followed.isEmpty, graph.isCrowd(slot) {
      crowds.append(slot)
    } else {
      graph.addReaders(of: slot, to: &woken)
    }
  }

  /// Returns whether there are any, those that equal values do not concern among them.
  @inline(__always) @discardableResult
  private mutating func addReaders(from slot: SlotID, sameValue: Bool) -> Bool {
    var slot = slot
    var isRead = false
    while true {
      if graph.isRead(slot) {
        isRead = true
        if !sameValue { wakeReaders(of: slot) }
      }
      guard let parent = graph[slot].parent else { break }
      slot = parent
    }
    if graph[slot].hasWholeChild, let whole = graph.wholeSlot(below: slot) {
      isRead = true
      wakeReaders(of: whole)
    }
    return isRead
  }

  private mutating func addReaders(of field: String, below element: SlotID) -> Bool {
    wakeReaders(of: element)
    guard let part = graph.child(.name(field), of: element) else { return true }
    wakeReaders(of: part)
    return !graph[part].isReadBelow
  }

  @inline(__always)
  private mutating func settleWoken() {
    if woken.count > 1 { graph.sort(&woken) }
    if !followed.isEmpty { for node in woken { reconnect(node) } }
  }
}
