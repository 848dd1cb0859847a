/// A set of projections by the numbers of their names: a bit each, so that what happens to a thousand at once costs some
/// words.
package struct NameSet: Sendable {
  /// The names from 64 times a word's number on, as bits. Names behind the last word are not in the set.
  package var words: [UInt64] = []

  package init() {}

  package mutating func insert(_ name: Int) {
    reserve(name >> 6)
    words[name >> 6] |= 1 << UInt64(name & 63)
  }

  /// Adds those names of another set that are in a third.
  package mutating func insert(_ names: borrowing NameSet, thatAreIn others: borrowing NameSet) {
    let count = min(names.words.count, others.words.count)
    reserve(count - 1)
    for word in 0..<count { words[word] |= names.words[word] & others.words[word] }
  }

  private mutating func reserve(_ word: Int) {
    guard word >= words.count else { return }
    let count = max(word + 1, 2 * words.count)
    words.append(contentsOf: repeatElement(0, count: count - words.count))
  }
}
