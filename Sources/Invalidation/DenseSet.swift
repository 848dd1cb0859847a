import EventLog

/// A set of dense keys: a bit each, so that what happens to a thousand at once costs some words.
@usableFromInline
package struct DenseSet<Member: DenseKey>: Sendable {
  /// The members from 64 times a word's index on, as bits. Those beyond the last word are not in the set.
  @usableFromInline var words = DenseMap<Int, UInt64>(default: 0)

  /// Creates an empty set.
  @inlinable package init() {}

  /// How many words there are at most that have a bit.
  @inlinable package var wordCount: Int { words.values.count }

  @inlinable package var isEmpty: Bool {
    for word in words.values where word != 0 { return false }
    return true
  }

  @inlinable @inline(__always)
  package func contains(_ member: Member) -> Bool {
    self[word: member.denseIndex >> 6] >> UInt64(member.denseIndex & 63) & 1 == 1
  }

  @inlinable @inline(__always)
  package mutating func insert(_ member: Member) {
    words[member.denseIndex >> 6] |= 1 << UInt64(member.denseIndex & 63)
  }

  @inlinable @inline(__always)
  package mutating func remove(_ member: Member) {
    keep(~(1 << UInt64(member.denseIndex & 63)), ofWord: member.denseIndex >> 6)
  }

  /// The members from 64 times a word's index on, as bits.
  @inlinable @inline(__always)
  package subscript(word word: Int) -> UInt64 { words[word] }

  /// Takes out those of a word that are not among its bits.
  @inlinable @inline(__always)
  package mutating func keep(_ bits: UInt64, ofWord word: Int) {
    if word < words.values.count { words[word] &= bits }
  }

  /// Adds the members with the indices that are in two other sets. Cost: linear in the words of both.
  @inlinable
  package mutating func insert<Other>(_ others: DenseSet<Other>, among known: DenseSet<Member>) {
    for word in 0..<min(others.wordCount, known.wordCount) {
      let bits = others[word: word] & known[word: word]
      if bits != 0 { words[word] |= bits }
    }
  }
}

/// A set of a run's projections.
package typealias ProjectionSet = DenseSet<ProjectionID>

extension ProjectionSet {
  /// The projections of a word's bits, in order.
  @usableFromInline
  package struct Members: Sequence, IteratorProtocol {
    @usableFromInline var bits: UInt64
    @usableFromInline let first: Int

    @inlinable @inline(__always)
    package init(_ bits: UInt64, ofWord word: Int) {
      self.bits = bits
      first = word << 6
    }

    @inlinable @inline(__always)
    package mutating func next() -> ProjectionID? {
      if bits == 0 { return nil }
      defer { bits &= bits - 1 }
      return ProjectionID(first + bits.trailingZeroBitCount)
    }
  }
}
