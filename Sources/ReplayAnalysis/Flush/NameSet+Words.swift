import Invalidation

// What is asked for every event: in the module that asks, so that it is inlined.
extension NameSet {
  var isEmpty: Bool {
    for word in words.values where word != 0 { return false }
    return true
  }

  @inline(__always)
  func contains(_ name: Int) -> Bool { self[word: name >> 6] >> UInt64(name & 63) & 1 == 1 }

  @inline(__always)
  mutating func remove(_ name: Int) { keep(~(1 << UInt64(name & 63)), ofWord: name >> 6) }

  /// The names from 64 times a word's index on, as bits.
  @inline(__always)
  subscript(word word: Int) -> UInt64 { words[word] }

  /// Takes out those names of a word that are not among its bits.
  @inline(__always)
  mutating func keep(_ bits: UInt64, ofWord word: Int) {
    if word < words.values.count { words[word] &= bits }
  }

  /// The names of a word's bits, in order.
  struct Names: Sequence, IteratorProtocol {
    private var bits: UInt64
    private let first: Int

    @inline(__always)
    init(_ bits: UInt64, ofWord word: Int) {
      self.bits = bits
      first = word << 6
    }

    @inline(__always)
    mutating func next() -> Int? {
      if bits == 0 { return nil }
      defer { bits &= bits - 1 }
      return first + bits.trailingZeroBitCount
    }
  }
}
