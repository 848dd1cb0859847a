extension RecordedArray: RangeReplaceableCollection {
  /// Replaces a range of elements. Cost: as for `Array`; logged as one splice.
  public mutating func replaceSubrange<C: Collection>(
    _ subrange: Range<Int>, with newElements: C
  ) where C.Element == Element {
    if mutation == nil {
      if positions?.isUsed == true { noteSplice(subrange, Array(newElements)) }
      storage.replaceSubrange(subrange, with: newElements)
    } else {
      splice(subrange, Array(newElements))
    }
  }

  /// Adds an element at the end. Cost: constant on average.
  public mutating func append(_ newElement: Element) {
    note { .spliced($0.count, removed: 0, inserted: [newElement], isSame: false) }
    storage.append(newElement)
  }

  /// Adds elements at the end. Logged as one splice.
  public mutating func append(contentsOf newElements: some Sequence<Element>) {
    replaceSubrange(storage.count..<storage.count, with: Array(newElements))
  }

  /// Puts an element in before an offset. Cost: linear in the elements behind it.
  public mutating func insert(_ newElement: Element, at index: Int) {
    note { _ in .spliced(index, removed: 0, inserted: [newElement], isSame: false) }
    storage.insert(newElement, at: index)
  }

  /// Takes an element out. Cost: linear in the elements behind it.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    note { _ in .spliced(index, removed: 1, inserted: [], isSame: false) }
    return storage.remove(at: index)
  }

  /// Takes the first element out.
  ///
  /// - Precondition: There is one.
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: 0) }

  /// Takes the last element out.
  ///
  /// - Precondition: There is one.
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: storage.count - 1) }

  /// Takes the last element out, if there is one.
  public mutating func popLast() -> Element? { storage.isEmpty ? nil : removeLast() }

  /// Removes all elements. Logged as one splice.
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    note { .spliced(0, removed: $0.count, inserted: [], isSame: $0.isEmpty) }
    storage.removeAll(keepingCapacity: keepCapacity)
  }

  /// Makes room for this many elements.
  public mutating func reserveCapacity(_ count: Int) { storage.reserveCapacity(count) }

  /// How many elements there is room for.
  public var capacity: Int { storage.capacity }

  /// Replaces a range, and notes it as one splice; as one to equal elements if it is.
  mutating func splice(_ subrange: Range<Int>, _ elements: [Element]) {
    noteSplice(subrange, elements)
    storage.replaceSubrange(subrange, with: elements)
  }

  /// Notes that elements are about to take the place of others: nothing changes if each equals the one before it.
  mutating func noteSplice(_ subrange: Range<Int>, _ elements: [Element]) {
    note {
      let same =
        subrange.count == elements.count
        && zip($0[subrange], elements).allSatisfy { Self.isSameElement($0, $1) == true }
      return .spliced(subrange.lowerBound, removed: subrange.count, inserted: elements, isSame: same)
    }
  }
}
