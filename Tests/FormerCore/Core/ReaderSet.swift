// As of d547314, on the state of b942364. An oracle: not to be mended.

/// The projections that read one slot: mostly one, which takes no table.
enum ReaderSet: Sendable {
  typealias Element = DependencyGraph.ProjectionID

  case none
  case one(Element)
  /// Two at least.
  case many(Set<Element>)

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let readers): readers.count
    }
  }

  /// Adds a reader; returns false if it is there already.
  mutating func insert(_ reader: Element) -> Bool {
    switch self {
    case .none: self = .one(reader)
    case .one(reader): return false
    case .one(let other): self = .many([other, reader])
    case .many(var readers):
      self = .none
      defer { self = .many(readers) }
      return readers.insert(reader).inserted
    }
    return true
  }

  /// Removes a reader; returns false if it is not there.
  mutating func remove(_ reader: Element) -> Bool {
    switch self {
    case .none: return false
    case .one(let other):
      guard other == reader else { return false }
      self = .none
      return true
    case .many(var readers):
      self = .none
      let isRemoved = readers.remove(reader) != nil
      self = readers.count == 1 ? .one(readers[readers.startIndex]) : .many(readers)
      return isRemoved
    }
  }
}

extension ReaderSet: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate var one: Element?
    fileprivate var many: Set<Element>.Iterator?

    mutating func next() -> Element? { one.take() ?? many?.next() }
  }

  func makeIterator() -> Iterator {
    switch self {
    case .none: Iterator()
    case .one(let reader): Iterator(one: reader)
    case .many(let readers): Iterator(many: readers.makeIterator())
    }
  }

  var underestimatedCount: Int { count }
}
