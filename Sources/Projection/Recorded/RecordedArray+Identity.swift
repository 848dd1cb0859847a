import EventLog

extension RecordedArray where Element: Identifiable {
  /// The element at an offset. Reading depends on this element.
  public subscript(index: Int) -> Element {
    get { element(at: index) }
    set { replace(at: index, by: newValue) }
    _modify {
      if !Self.comparesCopies, positions?.isUsed != true {
        // The usual case. The element is not compared here, which would double the cost.
        defer {
          appendMutation(at: index)
          if positions?.isUsed == true { forgetPositions() }
        }
        yield &storage[index]
      } else {
        let old = copyToCompare(at: index)
        let id = positions == nil ? nil : idWithoutReading(at: index)
        defer {
          appendMutation(at: index, from: old)
          if let id, id != idWithoutReading(at: index) { forgetPositions() }
        }
        yield &storage[index]
      }
    }
  }

  /// The first element with an id. Reading depends on that element, at any index, and on its presence.
  /// Setting nil removes it; setting a new element appends it.
  ///
  /// Cost: constant on average in a recorded array, otherwise linear in the count.
  public subscript(id id: Element.ID) -> Element? {
    get {
      let index = offset(ofID: id)
      let element = index.map { storage[$0] }
      guard let anchor else { return element }
      return anchor.part(element, ifAnyAt: component(ofID: id, at: index, anchor))
    }
    set {
      switch (offset(ofID: id), newValue) {
      case (let index?, let element?): replace(at: index, by: element)
      case (let index?, nil): remove(at: index)
      case (nil, let element?): append(element)
      case (nil, nil): break
      }
    }
    _modify {
      if let index = offset(ofID: id) {
        let old = copyToCompare(at: index)
        settleJournal()
        // The element is removed from the array during its mutation, so that it is uniquely referenced.
        var element: Element? = storage.swapRemove(at: index)
        defer {
          if let element {
            storage.putBack(element, at: index)
            appendMutation(at: index, from: old)
            if id != idWithoutReading(at: index) { forgetPositions() }
          } else {
            // The last element is at this index at present.
            forgetPositions()
            appendRemoval(of: index..<(index + 1))
            storage.closeGap(at: index)
          }
        }
        yield &element
      } else {
        var element: Element?
        defer { if let element { append(element) } }
        yield &element
      }
    }
  }

  /// The first element with an id that must be present: `rows[id: 42].count += 1`.
  ///
  /// - Precondition: There is an element with the id. If that is not certain, use `rows[id: 42]?`.
  @_disfavoredOverload
  public subscript(id id: Element.ID) -> Element {
    get {
      let index = knownOffset(ofID: id)
      guard let anchor else { return storage[index] }
      return anchor.part(storage[index], at: component(ofID: id, at: index, anchor))
    }
    _modify { yield &self[knownOffset(ofID: id)] }
  }

  /// Whether there is an element with an id. Depends only on that, not on the element's value or on other
  /// elements.
  ///
  /// Cost: constant on average in a recorded array, otherwise linear in the count.
  public func contains(id: Element.ID) -> Bool {
    let index = offset(ofID: id)
    if let anchor {
      anchor.registerPresence(of: component(ofID: id, at: index, anchor), isThere: index != nil)
    }
    return index != nil
  }

  /// The offset of the first element with an id, if there is one. Depends on the order of the elements.
  public func firstIndex(id: Element.ID) -> Int? {
    anchor?.registerRead(.order)
    return offset(ofID: id)
  }

  /// The ids, in order. Depends on the ids and their order only.
  public var ids: [Element.ID] {
    anchor?.registerRead(.order)
    return Frame.untracked { storage.map(\.id) }
  }

  /// The index of the first element with an id. Registers no read: a search among objects would depend on the
  /// ids of all objects before the one found.
  func offset(ofID id: Element.ID) -> Int? {
    Frame.untracked {
      guard let positions, storage.count > ElementPositions<Element>.scannedCount else {
        return storage.firstIndex { $0.id == id }
      }
      return positions.position(of: id, in: storage)
    }
  }

  /// The path component of an element by its own id, because an equal id given by the app may have another
  /// text.
  private func component(ofID id: Element.ID, at index: Int?, _ anchor: Anchor) -> PathComponent? {
    anchor.component(ofID: index.map { idWithoutReading(at: $0) } ?? id)
  }

  private func knownOffset(ofID id: Element.ID) -> Int {
    guard let index = offset(ofID: id) else { preconditionFailure("no element has the id \(id)") }
    return index
  }

  private func idWithoutReading(at index: Int) -> Element.ID { Frame.untracked { storage[index].id } }
}

extension Array {
  /// Removes an element without moving those after it: the last element takes its index.
  fileprivate mutating func swapRemove(at index: Int) -> Element {
    swapAt(index, count - 1)
    return removeLast()
  }

  /// Undoes ``swapRemove(at:)``.
  fileprivate mutating func putBack(_ element: Element, at index: Int) {
    append(element)
    swapAt(index, count - 1)
  }

  /// Restores the order of the elements after one that ``swapRemove(at:)`` removed.
  fileprivate mutating func closeGap(at index: Int) {
    guard index < count else { return }
    append(remove(at: index))
  }
}
