/// What has a number of its own, from 0 up and without large holes, by which arrays find what belongs to it.
@usableFromInline
package protocol DenseKey {
  /// The number.
  var denseIndex: Int { get }
}

extension Int: DenseKey {
  /// The number itself.
  @inlinable package var denseIndex: Int { self }
}

/// Values by dense keys: an array that grows by itself when a key beyond its end gets a value.
///
/// A key that got none has the default.
@usableFromInline
package struct DenseMap<Key: DenseKey, Element> {
  /// The values of the keys from 0 up, as far as the map has grown.
  @usableFromInline package private(set) var values: [Element] = []
  /// The default.
  @usableFromInline package let missing: Element

  /// Creates a map in which every key has the default.
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

  /// Gives every key the default again.
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

/// Values by dense keys, all of which are forgotten at once and at no cost: each counts in the epoch that it was set in.
@usableFromInline
package struct EpochMap<Key: DenseKey, Element> {
  @usableFromInline var entries: [(epoch: UInt32, value: Element)] = []
  /// From 1, so that no entry in which nothing was set counts.
  @usableFromInline var epoch: UInt32 = 1

  /// Creates a map without values.
  @inlinable package init() {}

  /// The value of a key, if it was set since everything was forgotten.
  @inlinable package subscript(key: Key) -> Element? {
    @inline(__always)
    get {
      let index = key.denseIndex
      guard index < entries.count, entries[index].epoch == epoch else { return nil }
      return entries[index].value
    }
  }

  /// Gives a key a value.
  @inlinable @inline(__always)
  package mutating func set(_ key: Key, _ value: Element) {
    let index = key.denseIndex
    if index >= entries.count { grow(beyond: index, value) }
    entries[index] = (epoch, value)
  }

  /// Forgets all values.
  @inlinable package mutating func removeAll() {
    epoch &+= 1
    // Once in four billion times the epochs start over.
    if epoch == 0 {
      entries.removeAll()
      epoch = 1
    }
  }

  /// Fills the room with a value that is at hand; it counts in no epoch.
  @inlinable @inline(never)
  mutating func grow(beyond index: Int, _ value: Element) {
    let count = max(index + 1, 2 * entries.count)
    entries.append(contentsOf: repeatElement((epoch: 0, value: value), count: count - entries.count))
  }
}

extension EpochMap: Sendable where Element: Sendable {}
