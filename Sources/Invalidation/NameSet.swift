import EventLog

/// A set of projections by the numbers of their names: a bit each, so that what happens to a thousand at once costs some
/// words.
package struct NameSet: Sendable {
  /// The names from 64 times a word's index on, as bits. Names beyond the last word are not in the set.
  package var words = DenseMap<Int, UInt64>(default: 0)

  package init() {}

  package mutating func insert(_ name: Int) {
    words[name >> 6] |= 1 << UInt64(name & 63)
  }

  /// Adds those names of another set that are in a third.
  package mutating func insert(_ names: borrowing NameSet, thatAreIn others: borrowing NameSet) {
    let count = min(names.words.values.count, others.words.values.count)
    for word in 0..<count { words[word] |= names.words[word] & others.words[word] }
  }
}
