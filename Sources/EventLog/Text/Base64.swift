/// Bytes as text, by RFC 4648 with padding. Only the canonical text is accepted.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = Swift.min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
      for place in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * place)) & 63
        output.append(place <= count ? alphabet[digit] : 0x3D)
      }
    }
    return output
  }

  /// The bytes, or nil when the text is not base64 as `encode` writes it.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    if digits.count % 4 != 0 { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let padding = isLast ? (digits[start + 3] != 0x3D ? 0 : digits[start + 2] != 0x3D ? 1 : 2) : 0
      var group: UInt32 = 0
      for place in 0..<(4 - padding) {
        guard let value = value(of: digits[start + place]) else { return nil }
        group = group << 6 | value
      }
      group <<= UInt32(6 * padding)
      for place in 0..<3 {
        let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))
        if place < 3 - padding {
          output.append(byte)
        } else if byte != 0 {
          return nil
        }
      }
    }
    return output
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case 0x41...0x5A: UInt32(digit) - 0x41
    case 0x61...0x7A: UInt32(digit) - 0x61 + 26
    case 0x30...0x39: UInt32(digit) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
