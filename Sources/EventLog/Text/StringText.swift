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
  /// Adds a string in quotes, escaping only what JSON must have escaped.
  mutating func appendQuoted(_ string: String) {
    append(0x22)
    for byte in string.utf8 {
      switch byte {
      case 0x22, 0x5C:
        append(0x5C)
        append(byte)
      case 0x0A: append(contentsOf: [0x5C, 0x6E])
      case 0x0D: append(contentsOf: [0x5C, 0x72])
      case 0x09: append(contentsOf: [0x5C, 0x74])
      case 0x00..<0x20, 0x7F:
        append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
      default: append(byte)
      }
    }
    append(0x22)
  }

  mutating func appendText(_ text: String) { append(contentsOf: text.utf8) }
}
