extension RecordedArray: RandomAccessCollection, MutableCollection {
  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element. Depends on the count.
  public var endIndex: Int { count }

  /// How many elements there are. Depends on nothing else.
  public var count: Int {
    anchor?.noteRead(.count)
    return storage.count
  }

  /// Whether there are none. Depends on the count.
  public var isEmpty: Bool { count == 0 }

  /// The first element, if there is one. Depends on that element, and not on the count.
  public var first: Element? {
    guard let anchor else { return storage.first }
    return anchor.part(storage.first, ifAnyAt: .index(0))
  }

  /// The element at an offset. Reading depends on what is there.
  public subscript(index: Int) -> Element {
    get { element(at: index) }
    set { replace(at: index, by: newValue) }
    _modify {
      forgetPositions()
      let old = copyToCompare(at: index)
      defer { noteMutation(at: index, from: old) }
      yield &storage[index]
    }
  }

  /// The elements in a range. Reading depends on each of them; setting is recorded as what differs.
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
    get {
      var slice = storage[bounds]
      guard let anchor, anchor.isFollowed else { return slice }
      if Anchor.isCollection(Element.self) {
        anchor.placeParts(of: &slice) { .index($0) }
      } else {
        for index in bounds { anchor.noteRead(.index(index)) }
      }
      return slice
    }
    set {
      if newValue.count == bounds.count {
        for (index, element) in zip(bounds, newValue)
        where Self.isSameElement(storage[index], element) != true {
          replace(at: index, by: element)
        }
      } else {
        replaceSubrange(bounds, with: newValue)
      }
    }
  }

  /// Iterates over the elements. Depends on all of them; where they are recorded collections, on how many there are and
  /// on what is read of each.
  public func makeIterator() -> IndexingIterator<[Element]> { parts.makeIterator() }

  /// Exchanges two elements. Cost: constant.
  public mutating func swapAt(_ i: Int, _ j: Int) {
    guard i != j else { return }
    note {
      .replaced(i, by: $0[j], isSame: Self.isSameElement($0[i], $0[j]))
    }
    storage.swapAt(i, j)
    note {
      .replaced(j, by: $0[j], isSame: Self.isSameElement($0[i], $0[j]))
    }
  }

  /// Puts another element in the place of one.
  mutating func replace(at index: Int, by element: Element) {
    note {
      .replaced(index, by: element, isSame: Self.isSameElement($0[index], element))
    }
    storage[index] = element
  }

  /// The element before a mutation in place, if it is to be compared.
  func copyToCompare(at index: Int) -> Element? {
    mutation != nil && Self.comparesCopies ? storage[index] : nil
  }
}

extension RecordedArray {
  /// The element at an offset, for who reads it.
  func element(at index: Int) -> Element {
    guard let anchor else { return storage[index] }
    return anchor.part(storage[index], at: .index(index))
  }

  /// The elements, for who looks at all of them one by one.
  var parts: [Element] {
    guard let anchor, anchor.isFollowed else { return storage }
    guard Anchor.isCollection(Element.self) else {
      anchor.noteReadOfAll()
      return storage
    }
    anchor.noteRead(.count)
    var parts = storage
    anchor.placeParts(of: &parts) { .index($0) }
    return parts
  }

  /// Hands the elements over in one piece. Depends on what an iteration depends on.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try parts.withContiguousStorageIfAvailable(body)
  }
}

extension RecordedArray where Element: RecordedCollection {
  /// The collection at an offset. What is read of it is registered by its own elements, and what is done to it is
  /// recorded as edits of it.
  public subscript(index: Int) -> Element {
    get { element(at: index) }
    set { replace(at: index, by: newValue) }
    _modify {
      guard let mutation else {
        yield &storage[index]
        return
      }
      journal?.settle(storage)
      storage[index]._$beginEdits(mutation)
      defer {
        let edits = storage[index]._$endEdits(mutation)
        noteEdits(at: index, edits)
      }
      yield &storage[index]
    }
  }

  /// Notes what was done to an element that keeps a journal of its own, or that it is another one.
  private mutating func noteEdits(at index: Int, _ edits: [CollectionEdit]?) {
    if let edits {
      note { _ in .edited(index, edits.map(\.edit)) }
    } else {
      note { .replaced(index, by: $0[index], isSame: nil) }
    }
  }
}
