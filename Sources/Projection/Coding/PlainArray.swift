import EventLog

extension Array: PlainCollection {
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard case .array(let recorded) = recorded, recorded.count == old.count else { return nil }
    return withUnsafeBufferPointer { new in
      old.withUnsafeBufferPointer { old in
        var comparison = ArrayComparison(old: old, new: new, recorded: recorded, encoder: encoder)
        return comparison.edits()
      }
    }
  }
}

/// An array before and after a change, and the recorded form of the one before.
private struct ArrayComparison<Element, Encoder: ElementEncoding> {
  let old: UnsafeBufferPointer<Element>
  let new: UnsafeBufferPointer<Element>
  let recorded: [Value]
  let encoder: Encoder
  private let bytes = StoredBytes.of(Element.self)
  private let isScalar = ValueForm.of(Element.self).mayBeScalar
  /// The elements encoded so far, by index in the new array.
  private var encoded: [Int: Value] = [:]

  init(
    old: UnsafeBufferPointer<Element>, new: UnsafeBufferPointer<Element>, recorded: [Value], encoder: Encoder
  ) {
    (self.old, self.new, self.recorded, self.encoder) = (old, new, recorded, encoder)
  }

  mutating func edits() -> [Edit] {
    guard let a = UnsafeRawPointer(old.baseAddress), let b = UnsafeRawPointer(new.baseAddress), !old.isEmpty,
      !new.isEmpty
    else { return ValueDiff.arrayEdits(from: recorded, to: encoder.encodeElements(new, at: new.indices)) }
    if old.count == new.count, let edits = editsInPlace(a, b) { return edits }
    let limit = min(old.count, new.count)
    let prefix = bytes.firstDifference(a, b, in: 0..<limit)
    let suffix = bytes.commonSuffixCount(
      a + old.count * stride, b + new.count * stride, limit: limit - prefix)
    let (before, after) = (prefix..<(old.count - suffix), prefix..<(new.count - suffix))
    if let edits = shift(of: before, to: after, a, b) { return edits }
    return rearrangement(of: before, to: after, from: sources(of: after, b, among: before, a))
  }

  private var stride: Int { MemoryLayout<Element>.stride }

  // MARK: In place

  /// The edits if elements were changed but none inserted, removed or moved; nil otherwise.
  private mutating func editsInPlace(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> [Edit]? {
    let different = differences(a, b)
    let areMany = different.count > ArrayEdits.singlesMax
    if areMany, let first = different.first, let last = different.last {
      let range = first..<(last + 1)
      if let edits = shift(of: range, to: range, a, b) { return edits }
    }
    let values: [Value]
    if areMany, isScalar, bytes.areWhole {
      // Numbers have no identity, and take fewer bytes than the news that they have moved.
      values = encoder.encodeElements(new, at: different)
    } else {
      let sources = sources(of: different, b, among: different, a)
      values = self.values(at: different, from: sources)
      // Many elements without an id that are old ones have rather moved.
      guard !areMany || sources.allSatisfy({ $0 == nil }),
        zip(different, values).allSatisfy({ ValueDiff.keepsIdentity(from: recorded[$0], to: $1) })
      else { return nil }
    }
    return ArrayEdits.inPlace(at: different, to: values) { recorded[$0] }
  }

  /// The indices at which two arrays of the same length differ.
  private func differences(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> [Int] {
    var positions: [Int] = []
    var position = bytes.firstDifference(a, b, in: new.indices)
    while position < new.count {
      positions.append(position)
      position = bytes.firstDifference(a, b, in: (position + 1)..<new.count)
    }
    return positions
  }

  // MARK: Moved as a whole

  /// The edits if most elements stay together but begin at another index, as in a window that moves over a series;
  /// nil otherwise.
  ///
  /// Cost: linear, some bytes a nanosecond.
  private mutating func shift(
    of before: Range<Int>, to after: Range<Int>, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer
  ) -> [Edit]? {
    guard bytes.areWhole, min(before.count, after.count) > ArrayEdits.singlesMax else { return nil }
    var (start, target) = (before.lowerBound, after.lowerBound)
    if let found = bytes.find(first: b, after, in: a, before) {
      start = found
    } else if let found = bytes.find(first: a, before, in: b, after) {
      target = found
    } else {
      return nil
    }
    let limit = min(before.upperBound - start, after.upperBound - target)
    let common = bytes.firstDifference(a + start * stride, b + target * stride, in: 0..<limit)
    guard common * 2 > max(before.count, after.count) else { return nil }
    let inserted = (
      head: values(at: after.lowerBound..<target), tail: values(at: (target + common)..<after.upperBound)
    )
    let head = Edit.splice(before.lowerBound..<start, inserted.head)
    let end = (start + common)..<before.upperBound
    // What is removed goes first, so that no element is present twice.
    if start > before.lowerBound {
      return [head, .splice(end.shifted(by: before.lowerBound - start), inserted.tail)]
    }
    return [.splice(end, inserted.tail), head]
  }

  // MARK: Moved one by one

  /// For each of some new elements, the index of an old element with the same bytes, each used at most once;
  /// nil if there is none.
  private func sources(
    of positions: some Collection<Int>, _ b: UnsafeRawPointer,
    among before: some BidirectionalCollection<Int>, _ a: UnsafeRawPointer
  ) -> [Int?] {
    // A single new element, as after an insertion, is rarely an old one, so the search is skipped.
    if positions.count < 2 || before.isEmpty { return positions.map { _ in nil } }
    var firstIndices = [Int: Int](minimumCapacity: before.count)
    var following: [Int: Int] = [:]
    for index in before.reversed() {
      if let next = firstIndices.updateValue(index, forKey: bytes.hash(a + index * stride)) {
        following[index] = next
      }
    }
    return positions.map { position in
      let hash = bytes.hash(b + position * stride)
      guard let index = firstIndices[hash], bytes.agree(a + index * stride, b + position * stride) else {
        return nil
      }
      firstIndices[hash] = following[index]
      return index
    }
  }

  /// The recorded forms of elements of the new array, each of which is encoded at most once.
  ///
  /// - Parameter sources: For each element, the index at which it was before; it has its recorded form from there.
  ///   Nil for other elements, and if there are none at all.
  private mutating func values(at positions: some Collection<Int>, from sources: [Int?]? = nil) -> [Value] {
    let sources = sources ?? Array(repeating: nil, count: positions.count)
    let unknown = zip(positions, sources).filter { $1 == nil && encoded[$0] == nil }.map(\.0)
    for (position, value) in zip(unknown, encoder.encodeElements(new, at: unknown)) {
      encoded[position] = value
    }
    return zip(positions, sources).map { position, source in
      source.map { recorded[$0] } ?? encoded[position] ?? .null
    }
  }

  /// The edits for elements that were inserted, removed or moved. Elements that kept their identity are
  /// edited in place first, unless they are many; then others are removed and inserted.
  private mutating func rearrangement(of before: Range<Int>, to after: Range<Int>, from found: [Int?])
    -> [Edit]
  {
    let values = values(at: after, from: found)
    var changed = changedElements(of: before, among: zip(after, values), besides: found)
    if changed.count > ArrayEdits.singlesMax { changed = [:] }
    let sources = zip(after, found).map { $1 ?? changed[$0] }
    let steps = Rearrangement(sources.map { $0.map { $0 - before.lowerBound } }, from: before.count)
      .simplified()
    let splices = steps.splices.map { splice in
      Edit.splice(splice.removed.shifted(by: before.lowerBound), Array(values[splice.inserted]))
    }
    if changed.isEmpty { return splices }
    let inserted = Set(steps.splices.flatMap(\.inserted).map { after.lowerBound + $0 })
    let edits = changed.sorted { $0.value < $1.value }.filter { !inserted.contains($0.key) }
      .flatMap { ValueDiff.elementEdits(recorded[$0.value], values[$0.key - after.lowerBound], at: $0.value) }
    return edits + splices
  }

  /// The old indices of changed elements that kept their id, by their new indices.
  private func changedElements(
    of before: Range<Int>, among values: Zip2Sequence<Range<Int>, [Value]>, besides found: [Int?]
  ) -> [Int: Int] {
    if isScalar { return [:] }
    let left = Set(before).subtracting(found.compactMap(\.self))
    if left.isEmpty { return [:] }
    var indexByID: [Value: Int] = [:]
    for index in left.sorted(by: >) {
      if let id = ValueDiff.identity(of: recorded[index]) { indexByID[id] = index }
    }
    var changed: [Int: Int] = [:]
    for ((position, value), source) in zip(values, found) where source == nil {
      if let id = ValueDiff.identity(of: value) { changed[position] = indexByID.removeValue(forKey: id) }
    }
    return changed
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Self { (lowerBound + distance)..<(upperBound + distance) }
}
