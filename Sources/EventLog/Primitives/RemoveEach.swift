extension Array {
  /// Removes all elements and keeps the storage, for lists that mostly have none or one element.
  ///
  /// `removeAll(keepingCapacity:)` does the same in some 80 instructions, even if there is nothing to remove, and several
  /// lists are emptied at each event.
  @inlinable @inline(__always)
  package mutating func removeEach() {
    if isEmpty { return }
    if count > 4 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }
}
