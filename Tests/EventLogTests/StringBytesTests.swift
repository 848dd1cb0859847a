import Testing

@testable import EventLog

@Suite struct StringBytesTests {
  /// Every pair of short strings over two letters, at every alignment of the compared words.
  @Test func commonEndsAreThoseOfAByteByByteComparison() {
    let tails = (0..<64).map { bits in String((0..<6).map { bits >> $0 & 1 == 0 ? "a" : "b" }) }
    for padding in [0, 1, 2, 7, 8, 9, 25, 26, 27, 31, 32, 33, 65, 506, 511, 512, 513, 1_030] {
      let pad = String(repeating: "x", count: padding)
      for a in tails {
        for b in [tails[0], tails[21], tails[63], String(a.dropLast()), a] {
          expectCommonEnds(pad + a, pad + b)
          expectCommonEnds(a + pad, b + pad)
        }
      }
    }
  }

  private func expectCommonEnds(_ a: String, _ b: String) {
    let (first, second) = (Array(a.utf8), Array(b.utf8))
    let limit = min(first.count, second.count)
    let prefix = zip(first, second).prefix { $0 == $1 }.count
    let suffix = zip(first.reversed(), second.reversed()).prefix { $0 == $1 }.count
    first.withUnsafeBufferPointer { a in
      second.withUnsafeBufferPointer { b in
        #expect(a.commonPrefixCount(with: b, limit: limit) == prefix)
        #expect(a.commonSuffixCount(with: b, limit: limit) == suffix)
        if limit > 0 {
          #expect(a.commonSuffixCount(with: b, limit: limit - 1) == min(suffix, limit - 1))
        }
      }
    }
    #expect(a.hasSameBytes(as: b) == (first == second))
  }

  @Test func twoSpellingsOfOneCharacterAreNotTheSameBytes() {
    #expect("\u{e9}" == "e\u{301}")
    #expect(!"\u{e9}".hasSameBytes(as: "e\u{301}"))
    // Equally long, and canonically equal.
    let (a, b) = ("a\u{323}\u{307}", "a\u{307}\u{323}")
    #expect(a == b && a.utf8.count == b.utf8.count)
    #expect(!a.hasSameBytes(as: b))
  }
}
