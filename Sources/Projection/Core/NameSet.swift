/// A set of projections by the numbers of their names: a bit each, so that what happens to a thousand at once costs some
/// words.
package struct NameSet: Sendable {
  package private(set) var words: [UInt64] = []

  package init() {}

  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  @inline(__always)
  package func contains(_ name: Int) -> Bool {
    name >> 6 < words.count && words[name >> 6] >> UInt64(name & 63) & 1 == 1
  }

  @inline(__always)
  package mutating func insert(_ name: Int) {
    if name >> 6 >= words.count { reserve(name >> 6) }
    words[name >> 6] |= 1 << UInt64(name & 63)
  }

  @inline(__always)
  package mutating func remove(_ name: Int) {
    if name >> 6 < words.count { words[name >> 6] &= ~(1 << UInt64(name & 63)) }
  }

  /// The names from 64 times a word's number on, as bits.
  @inline(__always)
  package subscript(word word: Int) -> UInt64 {
    get { word < words.count ? words[word] : 0 }
    set {
      if word >= words.count {
        if newValue == 0 { return }
        reserve(word)
      }
      words[word] = newValue
    }
  }

  /// The names of a word's bits, in order.
  @inline(__always)
  package static func forEach(_ bits: UInt64, ofWord word: Int, _ body: (Int) -> Void) {
    var bits = bits
    while bits != 0 {
      body(word << 6 + bits.trailingZeroBitCount)
      bits &= bits - 1
    }
  }

  private mutating func reserve(_ word: Int) {
    let count = max(word + 1, 2 * words.count)
    words.append(contentsOf: repeatElement(0, count: count - words.count))
  }
}
