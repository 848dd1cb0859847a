/// Numbers as bytes: LEB128 varints, with zigzag for signed numbers, and little-endian for fixed widths.
extension [UInt8] {
  /// Appends an unsigned varint: 1 to 10 bytes, seven bits each, low bits first.
  @inline(__always)
  mutating func appendVarint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends a count or an index, which is never negative.
  @inline(__always)
  mutating func appendVarint(_ count: Int) {
    appendVarint(UInt64(count))
  }

  /// Appends a signed number as the varint of its zigzag: 0, -1, 1, -2 become 0, 1, 2, 3.
  @inline(__always)
  mutating func appendZigzag(_ value: Int64) {
    appendVarint(Zigzag.encode(value))
  }

  /// Appends an integer, the lowest byte first.
  mutating func appendLittleEndian<I: FixedWidthInteger & UnsignedInteger>(_ value: I) {
    for shift in stride(from: 0, to: I.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> I(shift)))
    }
  }

  /// The integer whose lowest byte is at an offset; nil if the bytes end before its last byte.
  func littleEndian<I: FixedWidthInteger & UnsignedInteger>(at offset: Int, as: I.Type = I.self) -> I? {
    let size = I.bitWidth / 8
    guard offset >= 0, offset <= count - size else { return nil }
    var value: I = 0
    for index in 0..<size {
      value |= I(self[offset + index]) << I(8 * index)
    }
    return value
  }
}

/// Maps signed numbers to unsigned ones, so that small numbers of either sign become short varints.
enum Zigzag {
  @inline(__always)
  static func encode(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value << 1) ^ (value >> 63))
  }

  @inline(__always)
  static func decode(_ value: UInt64) -> Int64 {
    Int64(bitPattern: (value >> 1)) ^ -Int64(bitPattern: value & 1)
  }
}
