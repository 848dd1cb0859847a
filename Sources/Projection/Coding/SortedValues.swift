import Algorithms
import EventLog

// Sets, and dictionaries whose keys are no texts, have no order of their own. They are recorded as arrays in an order that
// depends only on the elements, so that two equal ones are recorded alike.
extension [Value] {
  /// These values, which are in order, without those at some indices and with others, in order.
  ///
  /// Cost: linear but for the order of the new ones; the sort of the library merges what is in order. A few changes
  /// compare some values only.
  func sorted(without indices: Set<Int>, with new: [Value]) -> [Value] {
    if indices.count + new.count <= Edit.singlesMax {
      var values = self
      for index in indices.sorted(by: >) { values.remove(at: index) }
      for value in new { values.insert(value, at: values.sortedIndex(of: value)) }
      return values
    }
    let kept = self.indices.filter { !indices.contains($0) }.map { self[$0] }
    return (kept + new.sorted(by: Value.comesFirst)).sorted(by: Value.comesFirst)
  }

  /// The index of a value in a sorted array, or the index at which it would be inserted.
  func sortedIndex(of value: Value) -> Int {
    partitioningIndex { !Value.comesFirst($0, value) }
  }
}
