extension RecordedArray {
  /// Sorts the elements and keeps the order of equal ones. Logged as the moves that are needed.
  ///
  /// If the predicate throws, the array is unchanged. Cost: n log n.
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    try rearrange { order, elements in
      try order.sort { try areInIncreasingOrder(elements[$0], elements[$1]) }
    }
  }

  /// Reverses the order.
  public mutating func reverse() { rearrange { order, _ in order.reverse() } }

  /// Puts the elements in a random order.
  public mutating func shuffle() {
    var generator = SystemRandomNumberGenerator()
    shuffle(using: &generator)
  }

  /// Puts the elements in a random order.
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    rearrange { order, _ in order.shuffle(using: &generator) }
  }

  /// Moves the elements that belong to the second part after all others, and returns the offset of the first
  /// of them.
  ///
  /// If the predicate throws, the array is unchanged.
  public mutating func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
    try rearrange { order, elements in
      try order.partition { try belongsInSecondPartition(elements[$0]) }
    }
  }

  /// Moves elements, in their order, before the element that is at `destination` before the move.
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    moveSubranges(RangeSet(offsets: source), to: destination)
  }

  /// Moves elements, in their order, before the element that is at `destination` before the move. Returns
  /// their new range.
  @discardableResult
  public mutating func moveSubranges(_ subranges: RangeSet<Int>, to destination: Int) -> Range<Int> {
    rearrange { order, _ in order.moveSubranges(subranges, to: destination) }
  }

  /// Removes the elements at these offsets. Logged as a splice for each run of them.
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    removeSubranges(RangeSet(offsets: offsets))
  }

  /// Removes the elements in these ranges. Logged as a splice for each.
  public mutating func removeSubranges(_ subranges: RangeSet<Int>) {
    if subranges.isEmpty { return }
    precondition(subranges.ranges.allSatisfy { storage.indices.contains($0) }, "a range is out of bounds")
    let kept = RangeSet(storage.indices).subtracting(subranges)
    become(kept.ranges.flatMap { $0.map { .kept($0) } })
  }

  /// Removes the elements that satisfy a predicate. Logged as a splice for each run of them.
  ///
  /// If the predicate throws, the array is unchanged.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    if mutation == nil {
      forgetPositions()
      try storage.removeAll(where: shouldBeRemoved)
      return
    }
    let kept = try storage.indices.filter { try !shouldBeRemoved(storage[$0]) }
    if kept.count < storage.count { become(kept.map { .kept($0) }) }
  }

  /// The source of an element in a new order.
  enum Source {
    case kept(Int)
    case new(Element)
  }

  /// Replaces the elements by existing ones, each at most once, and new ones. Recorded with few splices.
  private mutating func become(_ sources: [Source]) {
    if mutation != nil {
      let offsets = sources.map { if case .kept(let offset) = $0 { offset } else { nil as Int? } }
      become(sources, by: Rearrangement(offsets, from: storage.count))
    } else {
      forgetPositions()
      storage = sources.map(element)
    }
  }

  /// The same, given a rearrangement with this result.
  mutating func become(_ sources: [Source], by rearrangement: Rearrangement) {
    let steps = rearrangement.simplified()
    defer { storage = sources.map(element) }
    for splice in steps.splices {
      let inserted = sources[splice.inserted].map(element)
      if splice.removed.count == inserted.count {
        appendSplice(splice.removed, inserted)
      } else {
        appendSplice(of: splice.removed, by: inserted, isSame: false)
      }
    }
  }

  private func element(_ source: Source) -> Element {
    switch source {
    case .kept(let offset): storage[offset]
    case .new(let element): element
    }
  }

  /// Rearranges the offsets by `body`, then the elements in the same way.
  private mutating func rearrange<R>(
    _ body: (_ order: inout [Int], _ elements: [Element]) throws -> R
  ) rethrows -> R {
    var order = Array(storage.indices)
    let result = try body(&order, storage)
    become(order.map { .kept($0) })
    return result
  }
}

extension RecordedArray where Element: Comparable {
  /// Sorts the elements and keeps the order of equal ones. Logged as the moves that are needed.
  public mutating func sort() { sort(by: <) }
}

extension RangeSet<Int> {
  fileprivate init(offsets: some Sequence<Int>) {
    self.init()
    for offset in offsets { insert(contentsOf: offset..<(offset + 1)) }
  }
}
