extension RecordedArray: RandomAccessCollection, MutableCollection {
  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element. Depends on the count.
  public var endIndex: Int { count }

  /// The number of elements. Depends on nothing else.
  public var count: Int {
    anchor?.registerRead(.count)
    return storage.count
  }

  /// Whether the array is empty. Depends on the count.
  public var isEmpty: Bool { count == 0 }

  /// The first element, if there is one. Depends on that element, and not on the count.
  public var first: Element? {
    guard let anchor else { return storage.first }
    return anchor.part(storage.first, ifAnyAt: .index(0))
  }

  /// The element at an offset. Reading depends on this element.
  public subscript(index: Int) -> Element {
    get { element(at: index) }
    set { replace(at: index, by: newValue) }
    _modify {
      forgetPositions()
      // This avoids an optional value, whose type would be looked up at each mutation.
      guard mutation != nil, Self.comparesCopies else {
        defer { appendMutation(at: index) }
        yield &storage[index]
        return
      }
      let old = storage[index]
      defer { appendMutation(at: index, from: old) }
      yield &storage[index]
    }
  }

  /// The elements in a range. Reading depends on each of them; setting records the elements that differ.
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
    get {
      var slice = storage[bounds]
      guard let anchor, anchor.isFollowed else { return slice }
      if Anchor.isCollection(Element.self) {
        anchor.placeParts(of: &slice) { .index($0) }
      } else {
        for index in bounds { anchor.registerRead(.index(index)) }
      }
      return slice
    }
    set {
      if newValue.count == bounds.count {
        for (index, element) in zip(bounds, newValue)
        where Self.areEqual(storage[index], element) != true {
          replace(at: index, by: element)
        }
      } else {
        replaceSubrange(bounds, with: newValue)
      }
    }
  }

  /// Iterates over the elements. Depends on all of them. If they are recorded collections, it depends on the
  /// count and on what is read from each.
  public func makeIterator() -> IndexingIterator<[Element]> { parts.makeIterator() }

  /// Exchanges two elements. Cost: constant.
  public mutating func swapAt(_ i: Int, _ j: Int) {
    guard i != j else { return }
    let (first, second) = (storage[i], storage[j])
    appendReplacement(at: i, by: second, isSame: Self.areEqual(first, second))
    storage.swapAt(i, j)
    appendReplacement(at: j, by: first, isSame: Self.areEqual(second, first))
  }

  /// Replaces an element.
  mutating func replace(at index: Int, by element: Element) {
    let old = storage[index]
    appendReplacement(at: index, by: element, isSame: Self.areEqual(old, element))
    storage[index] = element
  }

  /// A copy of an element before a mutation in place, if it will be compared.
  func copyToCompare(at index: Int) -> Element? {
    mutation != nil && Self.comparesCopies ? storage[index] : nil
  }
}

extension RecordedArray {
  /// The element at an offset. Registers the read.
  func element(at index: Int) -> Element {
    guard let anchor else { return storage[index] }
    return anchor.part(storage[index], at: .index(index))
  }

  /// All elements. Registers a read of all, or only of the count if the elements register reads themselves.
  private var parts: [Element] {
    guard let anchor, anchor.isFollowed else { return storage }
    guard Anchor.isCollection(Element.self) else {
      anchor.registerReadOfAll()
      return storage
    }
    anchor.registerRead(.count)
    var parts = storage
    anchor.placeParts(of: &parts) { .index($0) }
    return parts
  }

  /// Calls `body` with all elements in one buffer. Has the dependencies of an iteration.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try parts.withContiguousStorageIfAvailable(body)
  }
}

extension RecordedArray where Element: RecordedCollection {
  /// The recorded collection at an offset. It registers reads of its own elements, and its mutations are
  /// recorded as edits of it.
  public subscript(index: Int) -> Element {
    get { element(at: index) }
    set { replace(at: index, by: newValue) }
    _modify {
      guard let mutation else {
        yield &storage[index]
        return
      }
      settleJournal()
      storage[index]._$beginEdits(mutation)
      defer {
        if let edits = storage[index]._$endEdits(mutation) {
          appendEdits(at: index, edits)
        } else {
          appendReplacement(at: index, by: storage[index], isSame: nil)
        }
      }
      yield &storage[index]
    }
  }
}

// MARK: Replacing elements

extension RecordedArray: RangeReplaceableCollection {
  /// Replaces a range of elements. Cost: as for `Array`; logged as one splice.
  public mutating func replaceSubrange<C: Collection>(
    _ subrange: Range<Int>, with newElements: C
  ) where C.Element == Element {
    if mutation == nil {
      if positions?.isUsed == true { appendSplice(subrange, Array(newElements)) }
      storage.replaceSubrange(subrange, with: newElements)
    } else {
      let elements = Array(newElements)
      appendSplice(subrange, elements)
      storage.replaceSubrange(subrange, with: elements)
    }
  }

  /// Adds an element at the end. Cost: constant on average.
  public mutating func append(_ newElement: Element) {
    appendInsertion(of: newElement, at: storage.count)
    storage.append(newElement)
  }

  /// Adds elements at the end. Logged as one splice.
  public mutating func append(contentsOf newElements: some Sequence<Element>) {
    replaceSubrange(storage.count..<storage.count, with: Array(newElements))
  }

  /// Inserts an element before an offset. Cost: linear in the elements after it.
  public mutating func insert(_ newElement: Element, at index: Int) {
    appendInsertion(of: newElement, at: index)
    storage.insert(newElement, at: index)
  }

  /// Removes an element. Cost: linear in the elements after it.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    appendRemoval(of: index..<(index + 1))
    return storage.remove(at: index)
  }

  /// Removes the first element. Cost: linear in the count.
  ///
  /// - Precondition: The array is not empty.
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: 0) }

  /// Removes the last element.
  ///
  /// - Precondition: The array is not empty.
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: storage.count - 1) }

  /// Removes the last element, if there is one.
  public mutating func popLast() -> Element? { storage.isEmpty ? nil : removeLast() }

  /// Removes all elements. Logged as one splice.
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    appendRemoval(of: 0..<storage.count, isSame: storage.isEmpty)
    storage.removeAll(keepingCapacity: keepCapacity)
  }

  /// Reserves room for this many elements.
  public mutating func reserveCapacity(_ count: Int) { storage.reserveCapacity(count) }

  /// The number of elements that fit without another allocation.
  public var capacity: Int { storage.capacity }

  /// Adds a splice to the journal. It counts as no change if each element equals the one that it replaces.
  mutating func appendSplice(_ subrange: Range<Int>, _ elements: [Element]) {
    let storage = storage
    appendSplice(
      of: subrange, by: elements,
      isSame: subrange.count == elements.count
        && zip(storage[subrange], elements).allSatisfy { Self.areEqual($0, $1) == true })
  }
}

// MARK: Searching

// A search from the front depends on the elements that it has examined, so a change after the element found
// does not invalidate the reader. Searches from the back, such as `last(where:)`, are the standard library's:
// they read the count and then elements.

extension RecordedArray {
  /// The offset of the first element that satisfies a predicate. Depends on that element and those before it;
  /// if there is none, on all elements. If the elements are recorded collections, it depends on what the
  /// predicate reads from them, and on the presence of the element found; if there is none, on the count.
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    guard let anchor, anchor.isFollowed, !storage.isEmpty else {
      return try parts.firstIndex(where: predicate)
    }
    let isNested = Anchor.isCollection(Element.self)
    var last = 0
    var isOver = false
    defer {
      switch (isOver, isNested) {
      case (true, true): anchor.registerRead(.count)
      case (true, false): anchor.registerReadOfAll()
      case (false, true): anchor.registerPresence(of: .index(last), isThere: true)
      case (false, false): for index in 0...last { anchor.registerRead(.index(index)) }
      }
    }
    for index in storage.indices {
      last = index
      if try predicate(isNested ? element(at: index) : storage[index]) { return index }
    }
    isOver = true
    return nil
  }

  /// The first element that satisfies a predicate. Has the dependencies of ``firstIndex(where:)``.
  public func first(where predicate: (Element) throws -> Bool) rethrows -> Element? {
    try firstIndex(where: predicate).map { element(at: $0) }
  }

  /// Whether an element satisfies a predicate. Has the dependencies of ``firstIndex(where:)``.
  public func contains(where predicate: (Element) throws -> Bool) rethrows -> Bool {
    try firstIndex(where: predicate) != nil
  }

  /// Whether all elements satisfy a predicate. Depends on the first element that does not and on those before
  /// it; if all do, on all elements.
  public func allSatisfy(_ predicate: (Element) throws -> Bool) rethrows -> Bool {
    try !contains { try !predicate($0) }
  }
}

extension RecordedArray where Element: Equatable {
  /// The offset of the first element that is equal to a value. Has the dependencies of
  /// ``firstIndex(where:)``.
  public func firstIndex(of element: Element) -> Int? { firstIndex { $0 == element } }

  /// Whether an element is equal to a value. Has the dependencies of ``firstIndex(where:)``.
  public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }
}
