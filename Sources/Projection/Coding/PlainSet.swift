import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Set: PlainCollection {
  func agrees(with old: Self) -> Bool { count == old.count && changes(from: old).added.isEmpty }

  /// A set is recorded as an array of its elements, in an order that depends only on the elements.
  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    guard case .array(let recorded) = recorded, recorded.count == old.count else { return nil }
    let (added, removed) = changes(from: old)
    var gone: Set<Int> = []
    for element in removed {
      let value = encoder.encodeElement(element)
      var index = recorded.sortedIndex(of: value)
      while gone.contains(index) { index += 1 }
      guard index < recorded.count, recorded[index] == value else { return nil }
      gone.insert(index)
    }
    let new = added.map { encoder.encodeElement($0) }
    // A single element is a splice, though others after it have moved.
    if gone.count + new.count == 1 {
      let index = gone.first ?? recorded.sortedIndex(of: new[0])
      let value = new.first ?? recorded[index]
      if !recorded.isMatched(at: index + gone.count, by: value) {
        return [.splice(index..<(index + gone.count), new)]
      }
    }
    let elements = recorded.sorted(without: gone, with: new)
    if Edit.isWhole(Swift.max(gone.count, new.count), of: count) {
      return [Edit(kind: .set(.array(elements)))]
    }
    return ValueDiff.arrayEdits(from: recorded, to: elements)
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
}
