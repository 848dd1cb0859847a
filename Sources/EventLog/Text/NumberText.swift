/// Numbers as JSON writes them. Digits alone are an integer; a point or an exponent makes a double.
extension ByteCursor {
  /// Reads a number that starts here.
  mutating func parseNumber() throws(TextError) -> Value {
    let start = position
    let isNegative = consume(0x2D)
    guard let first = byte, first.isDigit else { throw error("expected a digit") }
    skipDigits()
    if first == 0x30, position - start > (isNegative ? 2 : 1) {
      throw TextError(.syntax, column: start + 1, "a number cannot start with 0 and more digits")
    }
    var isDouble = false
    if consume(0x2E) {
      isDouble = true
      if byte?.isDigit != true { throw error("expected a digit after the point") }
      skipDigits()
    }
    if consume(0x65) || consume(0x45) {
      isDouble = true
      if !consume(0x2B) { _ = consume(0x2D) }
      if byte?.isDigit != true { throw error("expected a digit in the exponent") }
      skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    return try number(text, isDouble: isDouble, column: start + 1)
  }

  private func number(_ text: String, isDouble: Bool, column: Int) throws(TextError) -> Value {
    if isDouble {
      guard let value = Double(text), value.isFinite else {
        throw TextError(.range, column: column, "the number is too large for a double")
      }
      return .double(value)
    }
    if let value = Int64(text) { return .int(value) }
    if let value = UInt64(text) { return .uint(value) }
    throw TextError(.range, column: column, "the integer does not fit 64 bits; write 1.0e30 for a double")
  }

  /// Reads digits as a number that is not negative, with no sign, point or exponent.
  mutating func parseUnsigned(_ what: String) throws(TextError) -> UInt64 {
    let start = column
    guard let byte, byte.isDigit || byte == 0x2D else {
      throw TextError(.field, column: start, "\(what) must be an integer")
    }
    switch try parseNumber() {
    case .int(let value) where value >= 0: return UInt64(value)
    case .uint(let value): return value
    default: throw TextError(.field, column: start, "\(what) must be an integer from 0 up")
    }
  }

  private mutating func skipDigits() {
    while byte?.isDigit == true { advance() }
  }
}

extension Array<UInt8> {
  /// Adds the shortest text that reads back as the same finite double, always with a point or an exponent.
  mutating func appendFinite(_ value: Double) { appendText(value.description) }
}
