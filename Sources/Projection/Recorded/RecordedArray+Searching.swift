// Searches from the front depend on what they have looked at: a change behind the element that was found wakes nobody.
// Those from the back, `last(where:)` and the like, are the standard library's, and read the count and then elements.

extension RecordedArray {
  /// The offset of the first element that satisfies a predicate. Depends on that element and those before it; if there
  /// is none, on all elements. Of recorded collections it depends on what the predicate reads of them, and on
  /// whether the one that is found is there; if there is none, on how many there are.
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    guard let anchor, anchor.isFollowed, !storage.isEmpty else {
      return try parts.firstIndex(where: predicate)
    }
    let isNested = Anchor.isCollection(Element.self)
    var last = 0
    var isOver = false
    defer {
      switch (isOver, isNested) {
      case (true, true): anchor.noteRead(.count)
      case (true, false): anchor.noteReadOfAll()
      case (false, true): anchor.notePresence(of: .index(last), isThere: true)
      case (false, false): for index in 0...last { anchor.noteRead(.index(index)) }
      }
    }
    for index in storage.indices {
      last = index
      if try predicate(isNested ? element(at: index) : storage[index]) { return index }
    }
    isOver = true
    return nil
  }

  /// The first element that satisfies a predicate. Depends on what ``firstIndex(where:)`` depends on.
  public func first(where predicate: (Element) throws -> Bool) rethrows -> Element? {
    try firstIndex(where: predicate).map { element(at: $0) }
  }

  /// Whether an element satisfies a predicate. Depends on what ``firstIndex(where:)`` depends on.
  public func contains(where predicate: (Element) throws -> Bool) rethrows -> Bool {
    try firstIndex(where: predicate) != nil
  }

  /// Whether all elements satisfy a predicate. Depends on the first that does not and those before it; if there is none,
  /// on all elements.
  public func allSatisfy(_ predicate: (Element) throws -> Bool) rethrows -> Bool {
    try !contains { try !predicate($0) }
  }
}

extension RecordedArray where Element: Equatable {
  /// The offset of the first element that is equal to a value. Depends on what ``firstIndex(where:)`` depends on.
  public func firstIndex(of element: Element) -> Int? { firstIndex { $0 == element } }

  /// Whether an element is equal to a value. Depends on what ``firstIndex(where:)`` depends on.
  public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }
}
