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

  private var cursor: ByteCursor
  /// Where the text begins in the payload.
  private let start: Int

  init(_ body: ByteReader) {
    start = body.position
    cursor = ByteCursor(Array(body.bytes[body.position..<body.end]))
  }

  /// The one object that is the whole input.
  mutating func object() throws(DecodeFault) -> [String: Node] {
    do throws(TextError) {
      guard case .object(let members) = try node(depth: 1) else {
        throw TextError(.syntax, column: 1, "it is no object")
      }
      cursor.skipSpace()
      try cursor.expectEnd()
      return members
    } catch {
      throw DecodeFault(reason: "the header is not JSON: \(error.reason)", offset: start + error.column - 1)
    }
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

  private mutating func node(depth: Int) throws(TextError) -> Node {
    if depth > 16 { throw cursor.error("it is nested over 16 deep") }
    cursor.skipSpace()
    switch cursor.byte {
    case 0x22: return .text(try cursor.parseString())
    case 0x7B:
      var members: [String: Node] = [:]
      try list(closing: 0x7D) { (json) throws(TextError) in
        let name = try json.cursor.parseString()
        json.cursor.skipSpace()
        try json.cursor.expect(0x3A, "expected : after a name")
        members[name] = try json.node(depth: depth + 1)
      }
      return .object(members)
    case 0x5B:
      try list(closing: 0x5D) { (json) throws(TextError) in _ = try json.node(depth: depth + 1) }
      return .other
    case 0x74 where cursor.consume(word: "true"), 0x66 where cursor.consume(word: "false"),
      0x6E where cursor.consume(word: "null"):
      return .other
    default: return .text(try number())
    }
  }

  /// A number as it is written. What a later version puts there may be of any size.
  private mutating func number() throws(TextError) -> String {
    let first = cursor.position
    do throws(TextError) { _ = try cursor.parseNumber() } catch {
      if error.code != .range { throw error }
    }
    return String(decoding: cursor.bytes[first..<cursor.position], as: UTF8.self)
  }

  private mutating func list(
    closing close: UInt8, _ element: (inout HeaderJSON) throws(TextError) -> Void
  ) throws(TextError) {
    cursor.advance()
    cursor.skipSpace()
    if cursor.consume(close) { return }
    repeat {
      cursor.skipSpace()
      try element(&self)
      cursor.skipSpace()
    } while cursor.consume(0x2C)
    try cursor.expect(close, "expected , or the end of a list")
  }
}
