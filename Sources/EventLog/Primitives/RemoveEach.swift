extension Array {
  /// Removes all elements and keeps the storage; for lists that mostly have no or one element.
  ///
  /// `removeAll(keepingCapacity:)` takes some 80 instructions even for an empty list, and several lists are
  /// emptied at each event.
  @inlinable @inline(__always)
  package mutating func removeEach() {
    if isEmpty { return }
    if count > 4 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }
}
