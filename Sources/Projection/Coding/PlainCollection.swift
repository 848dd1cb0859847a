import Algorithms
import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes the elements of collections. A session does so, which assigns ids to objects.
protocol ElementEncoding: AnyObject {
  /// The recorded form of an element, with its `id`, by which paths name the element.
  func encodeElement<T>(_ element: T) -> Value
}

/// A collection that keeps no journal of its mutations. Its elements before and after are compared by their
/// bytes in memory, and only those that differ are encoded.
///
/// Encoding all rows of an array of a thousand to find the one that changed takes milliseconds; comparing
/// their bytes takes microseconds.
protocol PlainCollection: SendableMetatype {
  /// Whether no element changed, found by a comparison that encodes none; false if that is not certain.
  func agrees(with old: Self) -> Bool

  /// The edits from `old` to this collection; nil if all of it must be encoded, in which case no element has
  /// been encoded yet.
  ///
  /// Each element is encoded at most once, because encoding an object defines it.
  ///
  /// - Parameter recorded: The recorded form of `old`.
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]?
}

extension PlainCollection {
  /// The edits between two values; see ``ValueForm/edits(from:to:recorded:isSame:by:)``.
  static func edits(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, recorded: Value, isSame: Bool?,
    by encoder: some ElementEncoding
  ) -> [Edit]? {
    new.assumingMemoryBound(to: Self.self).pointee
      .edits(
        from: old.assumingMemoryBound(to: Self.self).pointee, recorded: recorded, isSame: isSame, by: encoder)
  }

  /// The edits from `old`; see ``ValueForm/edits(from:to:recorded:isSame:by:)``.
  func edits(from old: Self, recorded: Value, isSame: Bool?, by encoder: some ElementEncoding) -> [Edit]? {
    if isSame == true { return agrees(with: old) ? [] : nil }
    return edits(from: old, recorded: recorded, by: encoder)
  }
}

extension Optional: PlainCollection where Wrapped: PlainCollection {
  func agrees(with old: Self) -> Bool {
    switch (self, old) {
    case (let new?, let old?): new.agrees(with: old)
    default: self == nil && old == nil
    }
  }

  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard let new = self, let old else { return nil }
    return new.edits(from: old, recorded: recorded, by: encoder)
  }
}

// MARK: Array

extension Array: PlainCollection {
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard case .array(let recorded) = recorded, recorded.count == old.count else { return nil }
    var known: (index: Int, value: Value)?
    if let index = onlyDifference(from: old) {
      if index == count { return [] }
      let value = encoder.encodeElement(self[index])
      if ValueDiff.keepsIdentity(from: recorded[index], to: value) {
        return ValueDiff.elementEdits(recorded[index], value, at: index)
      }
      known = (index, value)
    }
    return withUnsafeBufferPointer { new in
      old.withUnsafeBufferPointer { old in
        var comparison = ArrayComparison(old: old, new: new, recorded: recorded) { encoder.encodeElement($0) }
        if let known { comparison.encoded[known.index] = known.value }
        return comparison.edits()
      }
    }
  }

  /// The index of the only element that differs between two arrays of the same length; their count if none
  /// differs; nil if more than one does or the lengths differ.
  private func onlyDifference(from old: Self) -> Int? {
    if count != old.count { return nil }
    let bytes = StoredBytes.of(Element.self)
    return withUnsafeBytes { new in
      old.withUnsafeBytes { old in
        guard let new = new.baseAddress, let old = old.baseAddress else { return count }
        let index = bytes.firstDifference(old, new, in: 0..<count)
        if index == count || bytes.firstDifference(old, new, in: (index + 1)..<count) == count {
          return index
        }
        return nil
      }
    }
  }
}

/// An array before and after a change, and the recorded form of the one before.
private struct ArrayComparison<Element> {
  let old: UnsafeBufferPointer<Element>
  let new: UnsafeBufferPointer<Element>
  let recorded: [Value]
  let encode: (Element) -> Value
  private let bytes = StoredBytes.of(Element.self)
  /// The elements encoded so far, by index in the new array.
  fileprivate var encoded: [Int: Value] = [:]

  init(
    old: UnsafeBufferPointer<Element>, new: UnsafeBufferPointer<Element>, recorded: [Value],
    encode: @escaping (Element) -> Value
  ) {
    (self.old, self.new, self.recorded, self.encode) = (old, new, recorded, encode)
  }

  mutating func edits() -> [Edit] {
    guard let a = UnsafeRawPointer(old.baseAddress), let b = UnsafeRawPointer(new.baseAddress), !old.isEmpty,
      !new.isEmpty
    else { return ValueDiff.arrayEdits(from: recorded, to: new.map(encode)) }
    if old.count == new.count {
      let different = differences(a, b)
      let sources = sources(of: different, b, among: different, a)
      let values = zip(different, sources).map { value(at: $0, from: $1) }
      if zip(different, values).allSatisfy({ ValueDiff.keepsIdentity(from: recorded[$0], to: $1) }) {
        return zip(different, values).flatMap { elementEdits(at: $0, to: $1) }
      }
    }
    let limit = min(old.count, new.count)
    let prefix = bytes.firstDifference(a, b, in: 0..<limit)
    let suffix = bytes.commonSuffixCount(
      a + old.count * stride, b + new.count * stride, limit: limit - prefix)
    let (before, after) = (prefix..<(old.count - suffix), prefix..<(new.count - suffix))
    return rearrangement(of: before, to: after, from: sources(of: after, b, among: before, a))
  }

  private var stride: Int { MemoryLayout<Element>.stride }

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

  /// The encoded element at a new index. If it was at index `source` before, this is its recorded form from
  /// there.
  private mutating func value(at position: Int, from source: Int?) -> Value {
    if let source { return recorded[source] }
    if let value = encoded[position] { return value }
    let value = encode(new[position])
    encoded[position] = value
    return value
  }

  private func elementEdits(at index: Int, to value: Value) -> [Edit] {
    ValueDiff.edits(from: recorded[index], to: value, prefersEdits: false).map { $0.within(.index(index)) }
  }

  /// The edits for elements that were inserted, removed or moved. Elements that kept their identity are
  /// edited in place first; then others are removed and inserted.
  private mutating func rearrangement(of before: Range<Int>, to after: Range<Int>, from found: [Int?])
    -> [Edit]
  {
    let changed = changedElements(of: before, in: after, besides: found)
    let sources = zip(after, found).map { $1 ?? changed[$0] }
    let steps = Rearrangement(sources.map { $0.map { $0 - before.lowerBound } }, from: before.count)
      .simplified()
    let splices = steps.splices.map { splice in
      let values = splice.inserted.map { value(at: after.lowerBound + $0, from: found[$0]) }
      return Edit(
        kind: .splice(
          offset: before.lowerBound + splice.removed.lowerBound, delete: splice.removed.count,
          insert: .array(values)))
    }
    let inserted = Set(steps.splices.flatMap(\.inserted).map { after.lowerBound + $0 })
    let edits = changed.sorted { $0.value < $1.value }.filter { !inserted.contains($0.key) }
      .flatMap { elementEdits(at: $0.value, to: encoded[$0.key] ?? .null) }
    return edits + splices
  }

  /// The old indices of changed elements that kept their id, by their new indices.
  private mutating func changedElements(
    of before: Range<Int>, in after: Range<Int>, besides found: [Int?]
  ) -> [Int: Int] {
    let left = Set(before).subtracting(found.compactMap(\.self))
    if left.isEmpty { return [:] }
    var indexByID: [Value: Int] = [:]
    for index in left.sorted(by: >) {
      if let id = ValueDiff.identity(of: recorded[index]) { indexByID[id] = index }
    }
    var changed: [Int: Int] = [:]
    for (position, source) in zip(after, found) where source == nil {
      guard let id = ValueDiff.identity(of: value(at: position, from: nil)) else { continue }
      changed[position] = indexByID.removeValue(forKey: id)
    }
    return changed
  }
}

// MARK: Dictionary

extension Dictionary: PlainCollection {
  func agrees(with old: Self) -> Bool {
    if count != old.count { return false }
    let changes = changes(from: old) { MapKey.text(of: $0) }
    return changes.set.isEmpty && changes.removed.isEmpty
  }

  func edits(from old: Self, recorded: EventLog.Value, by encoder: some ElementEncoding) -> [Edit]? {
    edits(from: old, recorded: recorded, by: encoder) { MapKey.text(of: $0) }
  }

  /// - Parameter text: Returns the text of a key in the log; nil if it has none.
  func edits(
    from old: Self, recorded: EventLog.Value, by encoder: some ElementEncoding, text: (Key) -> String?
  ) -> [Edit]? {
    guard case .map(let recorded) = recorded, recorded.count == old.count else { return nil }
    let changes = changes(from: old, text: text)
    // If two keys have the same text, the whole dictionary is encoded in another way, so this is checked
    // before any value is encoded.
    var removed: [ExactString] = []
    for key in changes.removed {
      guard let text = text(key), recorded[text] != nil else { return nil }
      removed.append(ExactString(text))
    }
    var set: [ExactString: Value] = [:]
    for (entry, isNew) in changes.set {
      guard let text = text(entry.key), (recorded[text] == nil) == isNew,
        set.updateValue(entry.value, forKey: ExactString(text)) == nil
      else { return nil }
    }
    let removals = removed.sorted().map { Edit(components: [.key($0.string)], kind: .remove) }
    return set.sorted { $0.key < $1.key }.reduce(into: removals) { edits, entry in
      let (text, value) = (entry.key.string, encoder.encodeElement(entry.value))
      if let before = recorded[text] {
        edits += ValueDiff.edits(from: before, to: value, prefersEdits: false).map { $0.within(.key(text)) }
      } else {
        edits.append(Edit(components: [.key(text)], kind: .set(value)))
      }
    }
  }

  /// The entries that are new or do not agree with those before, and the removed keys.
  ///
  /// A dictionary that was copied and then changed mostly keeps the order of its entries, so the two are
  /// compared as arrays, many entries at a time. Keys are looked up only where the orders differ.
  private func changes(
    from old: Self, text: (Key) -> String?
  ) -> (set: [(entry: Element, isNew: Bool)], removed: [Key]) {
    let (entryBytes, valueBytes) = (StoredBytes.of(Element.self), StoredBytes.of(Value.self))
    let (newEntries, oldEntries) = (Array(self), Array(old))
    var set: [(entry: Element, isNew: Bool)] = []
    var removed: [Key] = []
    var (found, next, nextOld) = (0, 0, 0)
    // Whether the entry at `nextOld` may also be the next new one, and the index of an old entry that is
    // known to come later.
    var (isInStep, later) = (true, -1)
    while next < newEntries.count {
      if isInStep {
        let agreeing = entryBytes.commonCount(oldEntries[nextOld...], newEntries[next...])
        (found, next, nextOld) = (found + agreeing, next + agreeing, nextOld + agreeing)
        if next == newEntries.count { break }
      }
      let entry = newEntries[next]
      next += 1
      guard let index = old.index(forKey: entry.key) else {
        set.append((entry, isNew: true))
        continue
      }
      found += 1
      let before = old[index]
      if !text(before.key).hasSameBytes(as: text(entry.key)) {
        // Two spellings of an accented letter are the same key for the app, but two keys for the log.
        removed.append(before.key)
        set.append((entry, isNew: true))
      } else if !valueBytes.agree(before.value, entry.value) {
        set.append((entry, isNew: false))
      }
      isInStep = false
      while nextOld < oldEntries.count {
        let key = oldEntries[nextOld].key
        guard key == entry.key || nextOld != later && self.index(forKey: key) == nil else { break }
        nextOld += 1
        isInStep = true
      }
      if !isInStep { later = nextOld }
    }
    if found < old.count { removed += old.keys.filter { self[$0] == nil } }
    return (set, removed)
  }
}

// MARK: Set

extension Set: PlainCollection {
  func agrees(with old: Self) -> Bool { count == old.count && changes(from: old).added.isEmpty }

  /// A set is recorded as an array of its elements, in an order that depends only on the elements.
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard case .array(let recorded) = recorded, recorded.count == old.count else { return nil }
    let (added, removed) = changes(from: old)
    var values = recorded
    for element in removed {
      let value = encoder.encodeElement(element)
      let index = values.sortedIndex(of: value)
      guard index < values.count, values[index] == value else { return nil }
      if removed.count == 1, added.isEmpty, !values.isMatched(at: index + 1, by: value) {
        return [Edit(kind: .splice(offset: index, delete: 1, insert: .array([])))]
      }
      values.remove(at: index)
    }
    for element in added {
      let value = encoder.encodeElement(element)
      let index = values.sortedIndex(of: value)
      if added.count == 1, removed.isEmpty, !values.isMatched(at: index, by: value) {
        return [Edit(kind: .splice(offset: index, delete: 0, insert: .array([value])))]
      }
      values.insert(value, at: index)
    }
    return ValueDiff.arrayEdits(from: recorded, to: values)
  }

  /// The elements that are not in the old set, and the elements of the old set that are not in this one. An
  /// equal element that is recorded differently counts as both added and removed.
  ///
  /// A set that was copied and then changed mostly keeps the order of its elements, so the two are compared
  /// as arrays, many elements at a time. Elements are looked up only where the orders differ.
  @_specialize(where Element == Int)
  @_specialize(where Element == String)
  @_specialize(where Element == UUID)
  private func changes(from old: Self) -> (added: [Element], removed: [Element]) {
    let bytes = StoredBytes.of(Element.self)
    let (new, before) = (Array(self), Array(old))
    var (added, removed): ([Element], [Element]) = ([], [])
    var (next, nextOld) = (0, 0)
    while next < new.count {
      let agreeing = bytes.commonCount(before[nextOld...], new[next...])
      (next, nextOld) = (next + agreeing, nextOld + agreeing)
      if next == new.count { break }
      let element = new[next]
      guard let index = old.firstIndex(of: element) else {
        added.append(element)
        next += 1
        continue
      }
      if nextOld < before.count, !contains(before[nextOld]) {
        removed.append(before[nextOld])
        nextOld += 1
        continue
      }
      if !bytes.agree(old[index], element) {
        added.append(element)
        removed.append(old[index])
      }
      next += 1
      if nextOld < before.count { nextOld += 1 }
    }
    for element in before[nextOld...] where !contains(element) { removed.append(element) }
    return (added, removed)
  }
}

extension [Value] {
  /// Whether there is a value at an index that could be mistaken for another.
  fileprivate func isMatched(at index: Int, by value: Value) -> Bool {
    index < count && ValueDiff.isMatch(self[index], value)
  }

  /// The index of a value in a sorted array, or the index at which it would be inserted.
  fileprivate func sortedIndex(of value: Value) -> Int {
    partitioningIndex { !Value.comesFirst($0, value) }
  }
}
