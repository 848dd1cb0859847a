import EventLog

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

  /// The element at an offset. Reading depends on what is there.
  public subscript(index: Int) -> Element {
    get {
      anchor?.noteRead(.index(index))
      return storage[index]
    }
    set {
      note(.replace(index, old: storage[index], new: newValue))
      storage[index] = newValue
    }
    _modify {
      guard let journal else {
        yield &storage[index]
        return
      }
      let old = storage[index]
      editCount += 1
      defer { journal.entries.append(.replace(index, old: old, new: storage[index])) }
      yield &storage[index]
    }
  }

  /// Iterates over the elements. Depends on all of them.
  public func makeIterator() -> IndexingIterator<[Element]> {
    anchor?.noteReadOfAll()
    return storage.makeIterator()
  }

  /// Hands the elements over in one piece. Depends on all of them.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    anchor?.noteReadOfAll()
    return try storage.withContiguousStorageIfAvailable(body)
  }

  /// Exchanges two elements. Cost: constant.
  public mutating func swapAt(_ i: Int, _ j: Int) {
    guard i != j else { return }
    note(.replace(i, old: storage[i], new: storage[j]))
    note(.replace(j, old: storage[j], new: storage[i]))
    storage.swapAt(i, j)
  }

  mutating func note(_ entry: ArrayJournal<Element>.Entry) {
    guard let journal else { return }
    editCount += 1
    journal.entries.append(entry)
  }
}

extension RecordedArray: RangeReplaceableCollection {
  /// Replaces a range of elements. Cost: as for `Array`; logged as one splice.
  public mutating func replaceSubrange<C: Collection>(
    _ subrange: Range<Int>, with newElements: C
  ) where C.Element == Element {
    if journal != nil {
      let removed = Array(storage[subrange])
      note(.splice(offset: subrange.lowerBound, removed: removed, inserted: Array(newElements)))
    }
    storage.replaceSubrange(subrange, with: newElements)
  }

  /// Adds an element at the end. Cost: constant on average.
  public mutating func append(_ newElement: Element) {
    note(.splice(offset: storage.count, removed: [], inserted: [newElement]))
    storage.append(newElement)
  }

  /// Adds elements at the end. Logged as one splice.
  public mutating func append(contentsOf newElements: some Sequence<Element>) {
    replaceSubrange(storage.count..<storage.count, with: Array(newElements))
  }

  /// Makes room for this many elements.
  public mutating func reserveCapacity(_ count: Int) { storage.reserveCapacity(count) }
}

extension RecordedArray where Element: Identifiable {
  /// The first element with an id. Reading depends on that element wherever it is, and on whether there is
  /// one. Setting nil removes it; setting an element where there is none appends it.
  ///
  /// Cost: linear in the count.
  public subscript(id id: Element.ID) -> Element? {
    get {
      anchor?.noteRead(id: id)
      return storage.first { $0.id == id }
    }
    set {
      switch (storage.firstIndex { $0.id == id }, newValue) {
      case (let index?, let element?): self[index] = element
      case (let index?, nil): replaceSubrange(index..<(index + 1), with: [])
      case (nil, let element?): append(element)
      case (nil, nil): break
      }
    }
    _modify {
      let index = storage.firstIndex { $0.id == id }
      var element = index.map { storage[$0] }
      defer { if index != nil || element != nil { self[id: id] = element } }
      yield &element
    }
  }

  /// The first element with an id that is known to be there: `rows[id: 42].count += 1`.
  ///
  /// - Precondition: There is an element with the id. Where that is not sure, ask `rows[id: 42]?`.
  @_disfavoredOverload
  public subscript(id id: Element.ID) -> Element {
    get {
      anchor?.noteRead(id: id)
      return storage[index(of: id)]
    }
    _modify { yield &self[index(of: id)] }
  }

  private func index(of id: Element.ID) -> Int {
    guard let index = storage.firstIndex(where: { $0.id == id }) else {
      preconditionFailure("no element has the id \(id)")
    }
    return index
  }
}

extension RecordedArray: ExpressibleByArrayLiteral {
  /// Creates an array of these elements.
  public init(arrayLiteral elements: Element...) { storage = elements }
}

extension RecordedArray: Equatable where Element: Equatable {
  /// Compares the elements. Depends on all of them.
  public static func == (a: RecordedArray, b: RecordedArray) -> Bool { a.elements == b.elements }
}

extension RecordedArray: Hashable where Element: Hashable {
  /// Hashes the elements. Depends on all of them.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension RecordedArray: @unchecked Sendable where Element: Sendable {}

extension RecordedArray: CustomStringConvertible {
  /// As an `Array` describes itself. Depends on all elements.
  public var description: String { elements.description }
}

extension RecordedArray: Encodable where Element: Encodable {
  /// Encodes as an `Array` does.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension RecordedArray: Decodable where Element: Decodable {
  /// Decodes as an `Array` does.
  public init(from decoder: any Decoder) throws { storage = try [Element](from: decoder) }
}

extension RecordedArray: RecordableValue {
  /// An array of the elements, each with its id.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(storage.map { context.encodeElement($0) })
  }
}

extension Anchor {
  /// Registers a read of the element with an id.
  func noteRead<ID>(id: ID) {
    if isRedacted { return noteReadOfAll() }
    let value = attachment.engine.encode(id)
    switch value {
    case .int, .uint, .string, .bool, .double: noteRead(.id(value))
    default: noteReadOfAll()
    }
  }
}
