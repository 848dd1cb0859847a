/// A reason why bytes could not be decoded, and its offset.
///
/// Only functions that read rows throw it; ``LogReader`` converts it to a ``LogError``.
public struct DecodeFault: Error {
  /// The reason, as a clause: `a varint runs over 10 bytes`.
  public var reason: String
  /// The offset of the problem in the payload.
  public var offset: Int
}

/// A cursor over a part of a payload, which checks every step against the end of the part.
struct ByteReader {
  /// The whole payload; `position` and `end` count from its start.
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int
  /// Whether the part is a column that was left out, which is read as zeros.
  let isAbsent: Bool
  /// The offset in the payload of the packed column from which the bytes were unpacked; nil if they are bytes
  /// of the payload itself.
  private let origin: Int?

  /// A cursor over all the bytes.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
    isAbsent = false
    origin = nil
  }

  /// A cursor over bytes that were unpacked from a column at an offset of the payload.
  init(_ bytes: [UInt8], standingFor origin: Int) {
    self.bytes = bytes
    position = 0
    end = bytes.count
    isAbsent = false
    self.origin = origin
  }

  /// A cursor over a part, which must lie within the bytes.
  init(_ bytes: [UInt8], in range: Range<Int>, isAbsent: Bool = false) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    self.isAbsent = isAbsent
    origin = nil
  }

  /// The number of bytes that are left.
  var remaining: Int { end - position }
  /// Whether no bytes are left.
  var isAtEnd: Bool { position == end }

  /// A fault at the current position.
  func fault(_ reason: String) -> DecodeFault {
    DecodeFault(reason: reason, offset: origin ?? position)
  }

  @inline(__always)
  mutating func byte() throws(DecodeFault) -> UInt8 {
    guard position < end else { throw fault("a column ends too early") }
    defer { position += 1 }
    return bytes[position]
  }

  /// A byte; 0 in a column that was left out.
  mutating func varintByte() throws(DecodeFault) -> UInt8 {
    position == end && isAbsent ? 0 : try byte()
  }

  /// An unsigned varint of at most 10 bytes that fits 64 bits; 0 in a column that was left out.
  ///
  /// A varint of up to 8 bytes is taken from one word without a branch for each byte, because lengths are
  /// hard to predict.
  @inline(__always)
  mutating func varint() throws(DecodeFault) -> UInt64 {
    guard end - position >= 8 else {
      if isAbsent, position == end { return 0 }
      return try byteByByte()
    }
    let word = UInt64(
      littleEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    if word & 0x80 == 0 {
      position += 1
      return word & 0x7F
    }
    let stops = ~word & 0x8080_8080_8080_8080
    if stops == 0 { return try byteByByte() }
    position += (stops.trailingZeroBitCount + 1) / 8
    // Keep the bits up to the stop bit, then join the seven bits of each byte in pairs.
    var value = word & (stops ^ (stops &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
    value = (value & 0x007F_007F_007F_007F) | (value & 0x7F00_7F00_7F00_7F00) >> 1
    value = (value & 0x0000_3FFF_0000_3FFF) | (value & 0x3FFF_0000_3FFF_0000) >> 2
    return (value & 0x0FFF_FFFF) | (value >> 32) << 28
  }

  private mutating func byteByByte() throws(DecodeFault) -> UInt64 {
    if position == end { throw fault("a column ends too early") }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard position < end else { throw fault("a column ends in the middle of a varint") }
      let byte = bytes[position]
      position += 1
      // The tenth byte holds only the 64th bit.
      if shift == 63, byte > 1 { throw fault("a varint runs over 10 bytes or 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  /// A signed varint.
  @inline(__always)
  mutating func zigzag() throws(DecodeFault) -> Int64 {
    Zigzag.decode(try varint())
  }

  /// A varint that must be below a limit.
  @inline(__always)
  mutating func varint(below limit: Int, _ what: StaticString) throws(DecodeFault) -> Int {
    let value = try varint()
    guard value < UInt64(limit) else {
      throw fault("\(what) is \(value), and must be below \(limit)")
    }
    return Int(value)
  }

  /// The number of an object, which must not be 0.
  mutating func object() throws(DecodeFault) -> ObjectID {
    let start = position
    let number = try varint()
    if number == 0 { throw DecodeFault(reason: "an object has the number 0", offset: start) }
    return ObjectID(number)
  }

  /// Skips bytes, which must not extend past the end, and returns their range.
  mutating func skip(_ count: UInt64, _ what: StaticString) throws(DecodeFault) -> Range<Int> {
    guard count <= UInt64(remaining) else {
      throw fault("\(what) takes \(count) bytes where \(remaining) are left")
    }
    let range = position..<position + Int(count)
    position = range.upperBound
    return range
  }

  /// The next bytes, `count` of them, as text, which must be valid UTF-8.
  mutating func text(_ count: UInt64, _ what: StaticString) throws(DecodeFault) -> String {
    let range = try skip(count, what)
    if range.isEmpty { return "" }
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw DecodeFault(reason: "\(what) is not valid UTF-8", offset: range.lowerBound)
    }
    return text
  }

  /// Whether all remaining bytes are ASCII. Checks a word at a time.
  var isASCII: Bool {
    let raw = bytes.span.bytes
    var bits: UInt64 = 0
    var at = position
    while end - at >= 8 {
      bits |= raw.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
      at += 8
    }
    while at < end {
      bits |= UInt64(bytes[at]) << 56
      at += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Throws if bytes are left.
  func expectEnd(_ what: String) throws(DecodeFault) {
    if !isAtEnd { throw fault("\(remaining) bytes are left over in \(what)") }
  }
}
