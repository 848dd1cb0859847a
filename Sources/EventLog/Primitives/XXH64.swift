/// XXH64, the hash that zstd also uses, by default with seed 0. It detects accidental changes, not attacks.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The hash of the bytes in a range, which must lie within them. Cost: linear, about a byte per 0.1 ns.
  package static func hash(_ bytes: [UInt8], in range: Range<Int>? = nil, seed: UInt64 = 0) -> UInt64 {
    hash(bytes.span.bytes.extracting(range ?? 0..<bytes.count), seed: seed)
  }

  /// The hash of all the bytes.
  static func hash(_ raw: RawSpan, seed: UInt64) -> UInt64 {
    var at = 0
    let end = raw.byteCount
    var hash: UInt64
    if end >= 32 {
      var a = seed &+ prime1 &+ prime2
      var b = seed &+ prime2
      var c = seed
      var d = seed &- prime1
      while end - at >= 32 {
        a = round(a, word(raw, at))
        b = round(b, word(raw, at + 8))
        c = round(c, word(raw, at + 16))
        d = round(d, word(raw, at + 24))
        at += 32
      }
      hash = rotl(a, 1) &+ rotl(b, 7) &+ rotl(c, 12) &+ rotl(d, 18)
      hash = merge(merge(merge(merge(hash, a), b), c), d)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(end)
    while end - at >= 8 {
      hash = rotl(hash ^ round(0, word(raw, at)), 27) &* prime1 &+ prime4
      at += 8
    }
    if end - at >= 4 {
      let half = UInt64(UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self)))
      hash = rotl(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      at += 4
    }
    while at < end {
      let byte = raw.unsafeLoad(fromByteOffset: at, as: UInt8.self)
      hash = rotl(hash ^ (UInt64(byte) &* prime5), 11) &* prime1
      at += 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  // The loops above stay eight bytes from the end. Checking the bounds of every word again would take a third
  // of the time.
  @inline(__always)
  private static func word(_ raw: borrowing RawSpan, _ at: Int) -> UInt64 {
    UInt64(littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self))
  }

  @inline(__always)
  private static func rotl(_ x: UInt64, _ by: UInt64) -> UInt64 { (x << by) | (x >> (64 - by)) }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotl(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }
}
