import EventLog

extension Array: PlainCollection {
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard case .array(let recorded) = recorded, recorded.count == old.count else { return nil }
    return withUnsafeBufferPointer { new in
      old.withUnsafeBufferPointer { old in
        // An empty array has no address.
        guard let a = old.baseAddress, let b = new.baseAddress, !old.isEmpty, !new.isEmpty else {
          return ValueDiff.arrayEdits(from: recorded, to: encoder.encodeElements(new, at: [Int](new.indices)))
        }
        var comparison = ArrayComparison(
          StoredBytes.of(Element.self), isScalar: ValueForm.of(Element.self).mayBeScalar,
          old: UnsafeRawPointer(a), new: UnsafeRawPointer(b), count: new.count, recorded
        ) { encoder.encodeElements(new, at: $0) }
        return comparison.edits()
      }
    }
  }
}

/// An array before and after a change, and the recorded form of the one before.
///
/// It is not generic, because generic code that is called from another module looks up types at each step.
private struct ArrayComparison {
  /// The first element before and now.
  private let a: UnsafeRawPointer
  private let b: UnsafeRawPointer
  /// The indices before and now.
  private let before: Range<Int>
  private let now: Range<Int>
  private let bytes: StoredBytes
  private let isScalar: Bool
  private let recorded: [Value]
  private let encode: (_ positions: [Int]) -> [Value]
  /// The elements encoded so far, by index in the new array.
  private var encoded: [Int: Value] = [:]

  init(
    _ bytes: StoredBytes, isScalar: Bool, old a: UnsafeRawPointer, new b: UnsafeRawPointer, count: Int,
    _ recorded: [Value], encode: @escaping ([Int]) -> [Value]
  ) {
    (self.bytes, self.isScalar, self.a, self.b) = (bytes, isScalar, a, b)
    (before, now) = (0..<recorded.count, 0..<count)
    (self.recorded, self.encode) = (recorded, encode)
  }

  mutating func edits() -> [Edit] {
    if before.count == now.count, let edits = editsInPlace() { return edits }
    let limit = min(before.count, now.count)
    let prefix = bytes.firstDifference(a, b, in: 0..<limit)
    let suffix = bytes.commonSuffixCount(
      bytes.address(of: before.count, in: a), bytes.address(of: now.count, in: b), limit: limit - prefix)
    let (before, after) = (prefix..<(before.count - suffix), prefix..<(now.count - suffix))
    if let edits = shift(of: before, to: after) { return edits }
    let positions = Array(after)
    return rearrangement(of: before, to: positions, from: sources(of: positions, among: Array(before)))
  }

  // MARK: In place

  /// The edits if elements were changed but none inserted, removed or moved; nil otherwise.
  private mutating func editsInPlace() -> [Edit]? {
    let different = bytes.differences(a, b, count: now.count)
    // A single change is the most common, and needs no search for where elements have moved.
    if different.count == 1, let value = encode(different).first {
      guard ValueDiff.keepsIdentity(from: recorded[different[0]], to: value) else {
        encoded[different[0]] = value
        return nil
      }
      return ValueDiff.elementEdits(recorded[different[0]], value, at: different[0])
    }
    let areMany = different.count > Edit.singlesMax
    if areMany, let first = different.first, let last = different.last {
      let range = first..<(last + 1)
      if let edits = shift(of: range, to: range) { return edits }
    }
    let values: [Value]
    if areMany, isScalar, bytes.areWhole {
      // Numbers have no identity, and take fewer bytes than the news that they have moved.
      values = encode(different)
    } else {
      let sources = sources(of: different, among: different)
      values = self.values(at: different, from: sources)
      // Many elements without an id that are old ones have rather moved.
      guard !areMany || sources.allSatisfy({ $0 == nil }),
        zip(different, values).allSatisfy({ ValueDiff.keepsIdentity(from: recorded[$0], to: $1) })
      else {
        // An element is encoded only once, because that defines an object.
        encoded = Dictionary(uniqueKeysWithValues: zip(different, values))
        return nil
      }
    }
    return Edit.inPlace(at: different, to: values) { recorded[$0] }
  }

  // MARK: Moved as a whole

  /// The edits if most elements stay together but begin at another index, as in a window that moves over a series;
  /// nil otherwise.
  ///
  /// Cost: linear, some bytes a nanosecond.
  private func shift(of before: Range<Int>, to after: Range<Int>) -> [Edit]? {
    guard bytes.areWhole, min(before.count, after.count) > Edit.singlesMax else { return nil }
    var (start, target) = (before.lowerBound, after.lowerBound)
    if let found = bytes.find(first: b, after, in: a, before) {
      start = found
    } else if let found = bytes.find(first: a, before, in: b, after) {
      target = found
    } else {
      return nil
    }
    let limit = min(before.upperBound - start, after.upperBound - target)
    let common = bytes.firstDifference(
      bytes.address(of: start, in: a), bytes.address(of: target, in: b), in: 0..<limit)
    guard common * 2 > max(before.count, after.count) else { return nil }
    let inserted = (
      head: values(at: Array(after.lowerBound..<target)),
      tail: values(at: Array((target + common)..<after.upperBound))
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
  private func sources(of positions: [Int], among before: [Int]) -> [Int?] {
    // A single new element, as after an insertion, is rarely an old one, so the search is skipped.
    if positions.count < 2 || before.isEmpty { return Array(repeating: nil, count: positions.count) }
    var firstIndices = [Int: Int](minimumCapacity: before.count)
    var following: [Int: Int] = [:]
    for index in before.reversed() {
      if let next = firstIndices.updateValue(index, forKey: bytes.hash(bytes.address(of: index, in: a))) {
        following[index] = next
      }
    }
    return positions.map { position in
      let new = bytes.address(of: position, in: b)
      let hash = bytes.hash(new)
      guard let index = firstIndices[hash], bytes.agree(bytes.address(of: index, in: a), new) else {
        return nil
      }
      firstIndices[hash] = following[index]
      return index
    }
  }

  /// The recorded forms of elements of the new array. What is among ``encoded`` is not encoded again.
  ///
  /// - Parameter sources: For each element, the index at which it was before; it has its recorded form from there.
  ///   Nil for other elements, and if there are none at all.
  private func values(at positions: [Int], from sources: [Int?]? = nil) -> [Value] {
    if sources == nil, encoded.isEmpty { return encode(positions) }
    var known = positions.indices.map { index in
      sources?[index].map { recorded[$0] } ?? encoded[positions[index]]
    }
    let unknown = positions.indices.filter { known[$0] == nil }
    for (index, value) in zip(unknown, encode(unknown.map { positions[$0] })) { known[index] = value }
    return known.map { $0 ?? .null }
  }

  /// The edits for elements that were inserted, removed or moved. Elements that kept their identity are
  /// edited in place first, unless they are many; then others are removed and inserted.
  private func rearrangement(of before: Range<Int>, to after: [Int], from found: [Int?]) -> [Edit] {
    let values = values(at: after, from: found)
    var changed = changedElements(of: before, among: zip(after, values), besides: found)
    if changed.count > Edit.singlesMax { changed = [:] }
    let sources = zip(after, found).map { $1 ?? changed[$0] }
    let steps = Rearrangement(sources.map { $0.map { $0 - before.lowerBound } }, from: before.count)
      .simplified()
    let splices = steps.splices.map { splice in
      Edit.splice(splice.removed.shifted(by: before.lowerBound), Array(values[splice.inserted]))
    }
    if changed.isEmpty { return splices }
    let inserted = Set(steps.splices.flatMap { after[$0.inserted] })
    let edits = changed.sorted { $0.value < $1.value }.filter { !inserted.contains($0.key) }
      .flatMap { ValueDiff.elementEdits(recorded[$0.value], values[$0.key - after[0]], at: $0.value) }
    return edits + splices
  }

  /// The old indices of changed elements that kept their id, by their new indices.
  private func changedElements(
    of before: Range<Int>, among values: Zip2Sequence<[Int], [Value]>, besides found: [Int?]
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
