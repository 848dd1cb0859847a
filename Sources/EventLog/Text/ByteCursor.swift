// Reading and writing text: a cursor over bytes, and the strings and numbers of JSON.

/// A position in a text as UTF-8 bytes, used by every parser. It never traps, for any bytes.
struct ByteCursor {
  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The byte here, or nil at the end.
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The byte at an offset from here, or nil past the end.
  func peek(_ offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// The column of the byte here, from 1.
  var column: Int { position + 1 }

  mutating func advance(by count: Int = 1) { position = min(position + count, bytes.count) }

  /// Skips a byte if it is the expected one; returns whether it did.
  mutating func consume(_ expected: UInt8) -> Bool {
    if byte != expected { return false }
    position += 1
    return true
  }

  /// Skips a word if it follows; returns whether it did.
  mutating func consume(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    if position + length > bytes.count { return false }
    for offset in 0..<length where bytes[position + offset] != word.utf8Start[offset] { return false }
    position += length
    return true
  }

  mutating func expect(_ expected: UInt8, _ reason: @autoclosure () -> String) throws(TextError) {
    if !consume(expected) { throw error(reason()) }
  }

  mutating func expectEnd() throws(TextError) {
    if !isAtEnd { throw error("unexpected text after the end") }
  }

  /// Skips the bytes that JSON defines as white space.
  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  /// A syntax error at this column.
  func error(_ reason: String) -> TextError {
    if isAtEnd { return TextError(.syntax, column: column, reason + ", but the text ends here") }
    return TextError(.syntax, column: column, reason)
  }
}

extension UInt8 {
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// The value of a hexadecimal digit.
  var hexadecimal: UInt32? {
    switch self {
    case 0x30...0x39: UInt32(self - 0x30)
    case 0x41...0x46: UInt32(self - 0x41 + 10)
    case 0x61...0x66: UInt32(self - 0x61 + 10)
    default: nil
    }
  }
}

/// An error in a text, and its position.
public struct TextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors that a program may want to handle differently.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// A stable name.
    public let rawValue: String
    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text does not follow the grammar.
    public static let syntax = Code(rawValue: "syntax")
    /// A string contains bytes that are not UTF-8, or half of a surrogate pair.
    public static let encoding = Code(rawValue: "encoding")
    /// A number is out of range.
    public static let range = Code(rawValue: "range")
    /// A path or a value is nested too deeply.
    public static let depth = Code(rawValue: "depth")
    /// A field is unknown, missing, misplaced, given twice, or of the wrong type.
    public static let field = Code(rawValue: "field")
    /// A `$ref` refers to an object that the log does not know.
    public static let reference = Code(rawValue: "reference")
  }

  /// The kind of the error.
  public var code: Code
  /// The column of the error, in UTF-8 bytes from 1.
  public var column: Int
  /// The reason, for people: what was expected or found.
  public var reason: String

  /// Creates an error.
  public init(_ code: Code, column: Int, _ reason: String) {
    self.code = code
    self.column = column
    self.reason = reason
  }

  /// `12: expected a name`.
  public var description: String { "\(column): \(reason)" }
}

// MARK: Numbers

/// Numbers in JSON. A number of digits only is an integer; a point or an exponent makes it a double.
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

  /// Reads digits as a number without sign, point or exponent.
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
  /// Appends the shortest text that reads back as the same finite double, always with a point or an exponent.
  mutating func appendFinite(_ value: Double) { appendText(value.description) }
}

extension BinaryInteger {
  /// The digits of a number that is not negative, with zeros before them up to this width.
  package func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

// MARK: Strings

/// Quoted strings with JSON's escapes.
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

  /// Reads a string as bytes, and the offsets of the asterisks that were written without an escape: in a
  /// pattern these are wildcards, while `\u002a` is the character.
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
  /// Appends a string in quotes. Escapes the characters that JSON requires, and those that could control a
  /// terminal or change the direction of a line.
  package mutating func appendQuoted(_ string: String) {
    append(0x22)
    var string = string
    string.withUTF8 { bytes in
      var position = 0
      while position < bytes.count {
        let start = position
        while position < bytes.count, bytes[position].isPlainInQuotes { position += 1 }
        append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<position]))
        if position < bytes.count { position += appendSpecialCharacter(bytes, at: position) }
      }
    }
    append(0x22)
  }

  /// Appends a character that may need an escape, and returns its number of bytes in the string.
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
    appendText("\\u" + unit.padded(to: 4, radix: 16))
  }

  package mutating func appendDecimal(_ number: UInt64) {
    if number >= 10 { appendDecimal(number / 10) }
    append(0x30 + UInt8(truncatingIfNeeded: number % 10))
  }

  /// Appends text without changes.
  package mutating func appendText(_ text: String) { append(contentsOf: text.utf8) }
}

extension UInt8 {
  /// Whether it begins no character that may need an escape.
  fileprivate var isPlainInQuotes: Bool {
    self >= 0x20 && self != 0x22 && self != 0x5C && self != 0x7F && self != 0xC2 && self != 0xE2
  }
}
