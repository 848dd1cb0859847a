/// A place in a text as UTF-8 bytes: what every parser here reads from. Never traps, whatever the bytes.
struct ByteCursor {
  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The byte here, or nil at the end.
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The byte some way ahead, or nil past the end.
  func peek(_ offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// The column of the byte here, from 1.
  var column: Int { position + 1 }

  mutating func advance(by count: Int = 1) { position = min(position + count, bytes.count) }

  /// Steps over a byte if it is the one here.
  mutating func consume(_ expected: UInt8) -> Bool {
    if byte != expected { return false }
    position += 1
    return true
  }

  /// Steps over a word if it is what follows.
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

  /// Steps over the bytes JSON calls white space.
  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  /// A syntax error at this place.
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
