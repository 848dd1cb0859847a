/// Strings in quotes, with the escapes of JSON.
extension ByteCursor {
  /// Reads a string whose opening quote is here.
  mutating func parseString() throws(TextError) -> String {
    let start = column
    let (bytes, _) = try parseStringBytes()
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw TextError(.encoding, column: start, "the string is not valid UTF-8")
    }
    return string
  }

  /// Reads a string as bytes, and where in them an asterisk stood that was written plainly: in a pattern
  /// that is a wildcard, while `\u002a` is the character.
  mutating func parseStringBytes() throws(TextError) -> (bytes: [UInt8], asterisks: [Int]) {
    let opening = column
    try expect(0x22, "expected a string in double quotes")
    var output: [UInt8] = []
    var asterisks: [Int] = []
    while let byte {
      switch byte {
      case 0x22:
        advance()
        return (output, asterisks)
      case 0x5C:
        try parseEscape(into: &output)
      case 0x00..<0x20:
        throw TextError(.syntax, column: column, "a control character in a string must be escaped")
      default:
        if byte == 0x2A { asterisks.append(output.count) }
        output.append(byte)
        advance()
      }
    }
    throw TextError(.syntax, column: opening, "the string has no closing quote")
  }

  private mutating func parseEscape(into output: inout [UInt8]) throws(TextError) {
    let start = column
    advance()
    let escape = byte
    advance()
    switch escape {
    case 0x22, 0x5C, 0x2F: output.append(escape ?? 0)
    case 0x62: output.append(0x08)
    case 0x66: output.append(0x0C)
    case 0x6E: output.append(0x0A)
    case 0x72: output.append(0x0D)
    case 0x74: output.append(0x09)
    case 0x75: output.append(contentsOf: String(try parseScalar(escapeAt: start)).utf8)
    default: throw TextError(.syntax, column: start, "unknown escape in a string")
    }
  }

  private mutating func parseScalar(escapeAt start: Int) throws(TextError) -> Unicode.Scalar {
    let first = try parseFourDigits(escapeAt: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    let half = TextError(.encoding, column: start, "half of a surrogate pair")
    guard first < 0xDC00, byte == 0x5C, peek(1) == 0x75 else { throw half }
    advance(by: 2)
    let second = try parseFourDigits(escapeAt: column - 2)
    guard second >= 0xDC00, second <= 0xDFFF else { throw half }
    guard let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
      throw half
    }
    return scalar
  }

  private mutating func parseFourDigits(escapeAt start: Int) throws(TextError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = byte?.hexadecimal else {
        throw TextError(.syntax, column: start, "\\u needs four hexadecimal digits")
      }
      unit = unit << 4 | digit
      advance()
    }
    return unit
  }
}

extension Array<UInt8> {
  /// Adds a string in quotes. Escaped is what JSON must have escaped, and what could steer a terminal or turn
  /// the direction of a line.
  package mutating func appendQuoted(_ string: String) {
    append(0x22)
    var string = string
    string.withUTF8 { bytes in
      var position = 0
      while position < bytes.count {
        let byte = bytes[position]
        if byte >= 0x20, byte != 0x22, byte != 0x5C, byte != 0x7F, byte != 0xC2, byte != 0xE2 {
          append(byte)
          position += 1
        } else {
          position += appendSpecialCharacter(bytes, at: position)
        }
      }
    }
    append(0x22)
  }

  /// Adds one character that may need an escape, and returns how many bytes it takes in the string.
  private mutating func appendSpecialCharacter(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
    switch bytes[position] {
    case 0x22, 0x5C:
      append(0x5C)
      append(bytes[position])
    case 0x0A: appendText("\\n")
    case 0x0D: appendText("\\r")
    case 0x09: appendText("\\t")
    case 0x00..<0x20, 0x7F: appendEscape(UInt16(bytes[position]))
    case 0xC2 where position + 1 < bytes.count && bytes[position + 1] < 0xA0:
      appendEscape(UInt16(bytes[position + 1]))
      return 2
    case 0xE2 where position + 2 < bytes.count:
      let unit = 0x2000 | UInt16(bytes[position + 1] & 0x3F) << 6 | UInt16(bytes[position + 2] & 0x3F)
      switch unit {
      case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: appendEscape(unit)
      default: append(contentsOf: bytes[position..<position + 3])
      }
      return 3
    default: append(bytes[position])
    }
    return 1
  }

  private mutating func appendEscape(_ unit: UInt16) {
    let digits = String(unit, radix: 16)
    appendText("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
  }

  /// Adds a number in digits.
  package mutating func appendDecimal(_ number: UInt64) {
    if number >= 10 { appendDecimal(number / 10) }
    append(0x30 + UInt8(truncatingIfNeeded: number % 10))
  }

  /// Adds text as it is.
  package mutating func appendText(_ text: String) { append(contentsOf: text.utf8) }
}
