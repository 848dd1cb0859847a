import Algorithms
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
