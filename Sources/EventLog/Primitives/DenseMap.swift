/// A key that is an index from 0 up without large gaps, so that an array can store its values.
@usableFromInline
package protocol DenseKey {
  /// The index.
  var denseIndex: Int { get }
}

extension Int: DenseKey {
  /// The integer itself.
  @inlinable package var denseIndex: Int { self }
}

/// Values by dense keys, in an array that grows when a key beyond its end gets a value.
///
/// A key without a value has the default.
@usableFromInline
package struct DenseMap<Key: DenseKey, Element> {
  /// The values of the keys from 0 up, as far as the array has grown.
  @usableFromInline package private(set) var values: [Element] = []
  /// The default.
  @usableFromInline package let missing: Element

  /// Creates a map in which every key has the default value.
  @inlinable package init(default missing: Element) { self.missing = missing }

  /// The value of a key.
  @inlinable package subscript(key: Key) -> Element {
    @inline(__always)
    get {
      let index = key.denseIndex
      return index < values.count ? values[index] : missing
    }
    @inline(__always)
    _modify {
      let index = key.denseIndex
      if index >= values.count { grow(beyond: index) }
      yield &values[index]
    }
  }

  /// Resets every key to the default value.
  @inlinable package mutating func removeAll(keepingCapacity: Bool = false) {
    values.removeAll(keepingCapacity: keepingCapacity)
  }

  @inlinable @inline(never)
  mutating func grow(beyond index: Int) {
    let count = max(index + 1, 2 * values.count)
    values.append(contentsOf: repeatElement(missing, count: count - values.count))
  }
}

extension DenseMap: Sendable where Element: Sendable {}

/// Values by dense keys, with a constant-time removal of all values: a value is valid only in the epoch in
/// which it was set.
@usableFromInline
package struct EpochMap<Key: DenseKey, Element> {
  @usableFromInline var entries: [(epoch: UInt32, value: Element)] = []
  /// The epoch starts at 1, so that entries that were never set are not valid.
  @usableFromInline var epoch: UInt32 = 1

  /// Creates a map without values.
  @inlinable package init() {}

  /// The value of a key, if it was set since the last ``removeAll()``.
  @inlinable package subscript(key: Key) -> Element? {
    @inline(__always)
    get {
      let index = key.denseIndex
      guard index < entries.count, entries[index].epoch == epoch else { return nil }
      return entries[index].value
    }
  }

  /// Whether a key was set since the last ``removeAll()``. Does not copy its value.
  @inlinable @inline(__always)
  package func contains(_ key: Key) -> Bool {
    let index = key.denseIndex
    return index < entries.count && entries[index].epoch == epoch
  }

  /// Gives a key a value.
  @inlinable @inline(__always)
  package mutating func set(_ key: Key, _ value: Element) {
    let index = key.denseIndex
    if index >= entries.count { grow(beyond: index, value) }
    entries[index] = (epoch, value)
  }

  /// Removes all values.
  @inlinable package mutating func removeAll() {
    epoch &+= 1
    // After four billion calls the epoch wraps around.
    if epoch == 0 {
      entries.removeAll()
      epoch = 1
    }
  }

  /// Grows the storage, and fills it with a value that is valid in no epoch.
  @inlinable @inline(never)
  mutating func grow(beyond index: Int, _ value: Element) {
    let count = max(index + 1, 2 * entries.count)
    entries.append(contentsOf: repeatElement((epoch: 0, value: value), count: count - entries.count))
  }
}

extension EpochMap: Sendable where Element: Sendable {}
