import EventLog

/// A set of dense keys with one bit for each, so that adding another set of a thousand takes some 16 steps.
@usableFromInline
package struct DenseSet<Member: DenseKey>: Sendable {
  /// The members as bits, 64 to a word. Indices after the last word are not in the set.
  @usableFromInline var words = DenseMap<Int, UInt64>(default: 0)

  /// Creates an empty set.
  @inlinable package init() {}

  /// The number of words; those after it have no bits.
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

  /// The members with indices from 64 times `word` on, as bits.
  @inlinable @inline(__always)
  package subscript(word word: Int) -> UInt64 { words[word] }

  /// Removes the members of a word whose bits are not set in `bits`.
  @inlinable @inline(__always)
  package mutating func keep(_ bits: UInt64, ofWord word: Int) {
    if word < words.values.count { words[word] &= bits }
  }

  /// Adds the members whose indices are in both given sets. Cost: linear in the words of the shorter one.
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
  /// The projections whose bits are set in a word, in order.
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
