/// Just enough of JSON for the header of a log.
struct HeaderJSON {
  /// A value: what the header has is text, numbers (as they are written) and objects of these.
  enum Node {
    case text(String)
    case object([String: Node])
    /// Something that a later version may have put there.
    case other

    var text: String? {
      if case .text(let text) = self { text } else { nil }
    }
  }

  private var reader: ByteReader

  init(_ reader: ByteReader) { self.reader = reader }

  /// The one object that is the whole input.
  mutating func object() throws(DecodeFault) -> [String: Node] {
    guard case .object(let members) = try node(depth: 1) else {
      throw reader.fault("the header is not a JSON object")
    }
    try skipSpace()
    try reader.expectEnd("the header")
    return members
  }

  /// A string as JSON writes it.
  static func quote(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  private mutating func peek() throws(DecodeFault) -> UInt8 {
    var copy = reader
    return try copy.byte()
  }

  private mutating func skipSpace() throws(DecodeFault) {
    while !reader.isAtEnd, [0x20, 0x09, 0x0A, 0x0D].contains(try peek()) { _ = try reader.byte() }
  }

  private mutating func expect(_ character: Character) throws(DecodeFault) {
    guard try reader.byte() == character.asciiValue else {
      throw reader.fault("the header lacks a '\(character)'")
    }
  }

  private mutating func node(depth: Int) throws(DecodeFault) -> Node {
    if depth > 16 { throw reader.fault("the header is nested too deep") }
    try skipSpace()
    switch try peek() {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "{"):
      var members: [String: Node] = [:]
      try list(close: "}") { (json) throws(DecodeFault) in
        let name = try json.string()
        try json.skipSpace()
        try json.expect(":")
        members[name] = try json.node(depth: depth + 1)
      }
      return .object(members)
    case UInt8(ascii: "["):
      try list(close: "]") { (json) throws(DecodeFault) in _ = try json.node(depth: depth + 1) }
      return .other
    default: return try literal()
    }
  }

  private mutating func list(
    close: Character, _ element: (inout HeaderJSON) throws(DecodeFault) -> Void
  ) throws(DecodeFault) {
    _ = try reader.byte()
    try skipSpace()
    if try peek() == close.asciiValue {
      _ = try reader.byte()
      return
    }
    while true {
      try skipSpace()
      try element(&self)
      try skipSpace()
      let next = try reader.byte()
      if next == close.asciiValue { return }
      if next != UInt8(ascii: ",") { throw reader.fault("the header lacks a ',' or '\(close)'") }
    }
  }

  private mutating func literal() throws(DecodeFault) -> Node {
    let start = reader
    var text = ""
    while !reader.isAtEnd {
      let byte = try peek()
      let character = Character(Unicode.Scalar(byte))
      guard character.isASCII, character.isLetter || character.isNumber || "+-.".contains(character) else {
        break
      }
      text.append(character)
      _ = try reader.byte()
    }
    if ["true", "false", "null"].contains(text) { return .other }
    var number = ByteCursor(Array(text.utf8))
    do throws(TextError) {
      _ = try number.parseNumber()
      try number.expectEnd()
    } catch {
      // A number may be larger than any of ours, and is JSON all the same.
      if error.code != .range || !number.isAtEnd { throw start.fault("the header is not JSON") }
    }
    return .text(text)
  }

  private mutating func string() throws(DecodeFault) -> String {
    let start = reader.position
    try expect("\"")
    var bytes: [UInt8] = []
    while true {
      let byte = try reader.byte()
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw DecodeFault(reason: "the header is not valid UTF-8", offset: start)
        }
        return text
      case UInt8(ascii: "\\"): try escape(into: &bytes)
      case 0..<0x20: throw reader.fault("the header has a control character that is not escaped")
      default: bytes.append(byte)
      }
    }
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(DecodeFault) {
    switch try reader.byte() {
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "u"):
      var unit = try codeUnit()
      if unit & 0xFC00 == 0xD800 {
        try expect("\\")
        try expect("u")
        let low = try codeUnit()
        guard low & 0xFC00 == 0xDC00 else { throw reader.fault("the header has half a character") }
        unit = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw reader.fault("the header has half a character") }
      bytes.append(contentsOf: Character(scalar).utf8)
    case let same where same == 0x22 || same == 0x5C || same == 0x2F: bytes.append(same)
    default: throw reader.fault("the header has an escape that JSON does not have")
    }
  }

  private mutating func codeUnit() throws(DecodeFault) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(try reader.byte())).hexDigitValue else {
        throw reader.fault("the header has a broken \\u")
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}
