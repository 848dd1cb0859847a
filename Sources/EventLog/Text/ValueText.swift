// Values as JSON: parsing, printing, and the forms of values that JSON lacks.

extension Value {
  /// The greatest depth of nested values; a scalar has depth 1.
  public static let maximumDepth = 64

  /// Parses a value from JSON: `5` is an integer, `5.0` a double; `{"$ref":"#5"}`, `{"$redacted":true}`,
  /// `{"$bytes":"AQI="}`, `{"$double":"nan"}`, `{"$date":"2026-11-28T08:30:00Z"}` and
  /// `{"$object":"Row#5","count":0}` represent values that JSON lacks.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String) throws(TextError) {
    var naming = FixedNumbers()
    try self.init(parsing: text, naming: &naming)
  }

  /// Parses a value from JSON. `naming` provides the numbers of objects and resolves references.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String, naming: inout some ObjectNaming) throws(TextError) {
    var cursor = ByteCursor(Array(text.utf8))
    cursor.skipSpace()
    self = try cursor.parseValue(naming: &naming)
    cursor.skipSpace()
    try cursor.expectEnd()
  }

  /// The value as JSON on one line, from which the same bits can be parsed.
  public var json: String {
    var output: [UInt8] = []
    output.appendValue(self)
    return String(decoding: output, as: UTF8.self)
  }
}

extension ByteCursor {
  /// Reads the value that starts here.
  mutating func parseValue(naming: inout some ObjectNaming, depth: Int = 1) throws(TextError) -> Value {
    if depth > Value.maximumDepth {
      throw TextError(.depth, column: column, "the value is nested deeper than \(Value.maximumDepth)")
    }
    switch byte {
    case 0x22: return .string(try parseString())
    case 0x7B: return try parseMap(naming: &naming, depth: depth)
    case 0x5B:
      return .array(
        try parseList { cursor throws(TextError) in
          try cursor.parseValue(naming: &naming, depth: depth + 1)
        })
    case 0x74 where consume(word: "true"): return .bool(true)
    case 0x66 where consume(word: "false"): return .bool(false)
    case 0x6E where consume(word: "null"): return .null
    case let first? where first.isDigit || first == 0x2D: return try parseNumber()
    default: throw error("expected a value")
    }
  }

  /// Reads the array that starts here.
  mutating func parseList<Item>(
    _ item: (inout ByteCursor) throws(TextError) -> Item
  ) throws(TextError) -> [Item] {
    try expect(0x5B, "expected an array")
    var items: [Item] = []
    skipSpace()
    if consume(0x5D) { return items }
    repeat {
      skipSpace()
      items.append(try item(&self))
      skipSpace()
    } while consume(0x2C)
    try expect(0x5D, "expected , or ] in an array")
    return items
  }

  private mutating func parseMap(naming: inout some ObjectNaming, depth: Int) throws(TextError) -> Value {
    let start = column
    advance()
    var fields: NamedValues<Value> = [:]
    var special: SpecialValue?
    skipSpace()
    if consume(0x7D) { return .map(fields) }
    while true {
      skipSpace()
      let keyColumn = column
      var key = try parseString()
      skipSpace()
      try expect(0x3A, "expected : after a key")
      skipSpace()
      if key.utf8.starts(with: "$".utf8), !key.utf8.starts(with: "$$".utf8) {
        if special != nil { throw TextError(.field, column: keyColumn, "a value has one key with $ at most") }
        special = try parseSpecial(key, at: keyColumn, naming: &naming)
      } else {
        if key.utf8.starts(with: "$$".utf8) { key = String(key.dropFirst()) }
        let value = try parseValue(naming: &naming, depth: depth + 1)
        if fields.updateValue(value, forKey: key) != nil {
          throw TextError(.field, column: keyColumn, "the key \(Value.string(key).json) is given twice")
        }
      }
      skipSpace()
      if consume(0x7D) { break }
      try expect(0x2C, "expected , or } in an object")
    }
    guard let special else { return .map(fields) }
    return try special.value(with: fields, column: start)
  }
}

// MARK: Objects

/// Assigns numbers to the objects in a text, which a value alone does not determine.
///
/// An import of a log uses the state so far; ``FixedNumbers`` is for texts that must contain every number.
public protocol ObjectNaming {
  /// The object at a path, for `{"$ref":"app.a"}`; nil if there is none.
  mutating func object(at path: Path) -> ObjectID?
  /// The number for a definition without one, such as `{"$object":"Row"}`; nil to refuse it.
  mutating func nextObject() -> ObjectID?
  /// Called with the number of each definition that has one.
  mutating func define(_ object: ObjectID)
}

/// Accepts only numbers that the text itself contains: `{"$object":"Row#5"}` and `{"$ref":"#5"}`.
public struct FixedNumbers: ObjectNaming {
  /// Creates the naming.
  public init() {}
  /// Returns an object only for a path that consists of its number.
  public func object(at path: Path) -> ObjectID? {
    if case .object(let id) = path.root, path.components.isEmpty { return id }
    return nil
  }
  /// Always nil.
  public func nextObject() -> ObjectID? { nil }
  /// Does nothing.
  public func define(_ object: ObjectID) {}
}

// MARK: What JSON lacks

/// The meaning of a key that begins with `$`: a value that JSON lacks.
private enum SpecialValue {
  /// The value is complete; no other key may accompany it.
  case whole(Value)
  /// The other keys are the object's properties.
  case object(ObjectID, type: String)
  /// Exactly one other key follows, `identity`.
  case opaque(type: String)

  func value(with fields: NamedValues<Value>, column: Int) throws(TextError) -> Value {
    switch self {
    case .whole(let value):
      if fields.isEmpty { return value }
      throw TextError(.field, column: column, "no other key may stand beside this one with $")
    case .object(let id, let type):
      return .object(ObjectDefinition(id: id, type: type, fields: fields))
    case .opaque(let type):
      switch fields["identity"] {
      case .int(let identity) where identity >= 0 && fields.count == 1:
        return .opaque(type: type, identity: UInt64(identity))
      case .uint(let identity) where fields.count == 1:
        return .opaque(type: type, identity: identity)
      default:
        throw TextError(.field, column: column, "$opaque needs an \"identity\" from 0 up, and nothing else")
      }
    }
  }
}

extension ByteCursor {
  /// Parses the value of a key that begins with `$`.
  fileprivate mutating func parseSpecial(
    _ key: String, at keyColumn: Int, naming: inout some ObjectNaming
  ) throws(TextError) -> SpecialValue {
    if key == "$redacted" {
      if consume(word: "true") { return .whole(.redacted) }
      throw TextError(.field, column: column, "$redacted must be true")
    }
    if key == "$date" { return .whole(.date(try parseDate())) }
    guard ["$object", "$ref", "$bytes", "$double", "$opaque"].contains(key) else {
      throw TextError(.field, column: keyColumn, "unknown key \(key); a key of your own is written $\(key)")
    }
    let start = column
    guard byte == 0x22 else { throw TextError(.field, column: start, "\(key) must be a string") }
    let text = try parseString()
    switch key {
    case "$object": return try definition(text, column: start, naming: &naming)
    case "$ref": return .whole(.reference(try reference(text, column: start, naming: &naming)))
    case "$opaque": return .opaque(type: text)
    case "$bytes":
      if let bytes = Base64.decode(text) { return .whole(.bytes(bytes)) }
      throw TextError(.syntax, column: start, "$bytes must be base64 with padding")
    default:
      if let value = SpecialDouble.parse(text) { return .whole(.double(value)) }
      throw TextError(.syntax, column: start, "$double must be nan, inf, -inf or nan:0x and 16 digits")
    }
  }

  /// Parses a date: a text with its time zone, or for what that cannot express exactly, the seconds as a number or as a
  /// text like that of `$double`.
  private mutating func parseDate() throws(TextError) -> Double {
    let start = column
    if byte != 0x22 {
      if case .double(let seconds) = try parseNumber() { return seconds }
    } else {
      let text = try parseString()
      if let seconds = DateText.parse(text) ?? SpecialDouble.parse(text) { return seconds }
    }
    throw TextError(.syntax, column: start, "$date must be as 2026-11-28T08:30:00Z")
  }

  private func definition(
    _ text: String, column: Int, naming: inout some ObjectNaming
  ) throws(TextError) -> SpecialValue {
    if let mark = text.utf8.lastIndex(of: 0x23),
      case let digits = text[text.utf8.index(after: mark)...], digits.utf8.allSatisfy(\.isDigit),
      let number = UInt64(digits), number > 0
    {
      naming.define(ObjectID(number))
      return .object(ObjectID(number), type: String(text[..<mark]))
    }
    guard let id = naming.nextObject() else {
      throw TextError(.reference, column: column, "the object needs a number, as \(text)#1")
    }
    return .object(id, type: text)
  }

  private func reference(
    _ text: String, column: Int, naming: inout some ObjectNaming
  ) throws(TextError) -> ObjectID {
    let path: Path
    do throws(TextError) {
      path = try Path(parsing: text)
    } catch {
      throw TextError(error.code, column: column + error.column, error.reason)
    }
    if let id = naming.object(at: path) { return id }
    throw TextError(.reference, column: column, "no object at \(path)")
  }
}

/// The doubles that cannot be JSON numbers, exact to the bit.
private enum SpecialDouble {
  static func parse(_ text: String) -> Double? {
    switch text {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default:
      let digits = text.utf8.dropFirst(6)
      guard text.utf8.starts(with: "nan:0x".utf8), digits.count == 16,
        digits.allSatisfy({ $0.hexadecimal != nil }),
        let bits = UInt64(Substring(digits), radix: 16)
      else { return nil }
      let value = Double(bitPattern: bits)
      return value.isNaN ? value : nil
    }
  }

  static func text(_ value: Double) -> String {
    if !value.isNaN { return value < 0 ? "-inf" : "inf" }
    if value.bitPattern == Double.nan.bitPattern { return "nan" }
    return "nan:0x" + value.bitPattern.padded(to: 16, radix: 16)
  }
}

/// Base64 by RFC 4648 with padding. Only the canonical text is accepted.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text of the bytes, in ASCII.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = Swift.min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
      for digitIndex in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * digitIndex)) & 63
        output.append(digitIndex <= count ? alphabet[digit] : 0x3D)
      }
    }
    return output
  }

  /// The bytes; nil if the text is not base64 as written by `encode`.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    if digits.count % 4 != 0 { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let padding = isLast ? (digits[start + 3] != 0x3D ? 0 : digits[start + 2] != 0x3D ? 1 : 2) : 0
      var group: UInt32 = 0
      for digitIndex in 0..<(4 - padding) {
        guard let value = value(of: digits[start + digitIndex]) else { return nil }
        group = group << 6 | value
      }
      group <<= UInt32(6 * padding)
      for byteIndex in 0..<3 {
        let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * byteIndex))
        if byteIndex < 3 - padding {
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

// MARK: Printing

extension Array<UInt8> {
  /// Appends a value as JSON on one line.
  package mutating func appendValue(_ value: Value) {
    switch value {
    case .null: appendText("null")
    case .bool(let value): appendText(value ? "true" : "false")
    case .int(let value): appendText(String(value))
    case .uint(let value): appendText(String(value))
    case .double(let value) where value.isFinite: appendFinite(value)
    case .double(let value): appendSpecial("$double", SpecialDouble.text(value))
    case .date(let seconds): appendDate(seconds)
    case .string(let value): appendQuoted(value)
    case .bytes(let bytes):
      appendSpecial("$bytes", String(decoding: Base64.encode(bytes), as: UTF8.self))
    case .array(let elements): appendArray(elements) { $0.appendValue($1) }
    case .map(let fields):
      append(0x7B)
      appendFields(fields, isFirst: true)
      append(0x7D)
    case .object(let definition):
      appendText("{\"$object\":")
      appendQuoted("\(definition.type)\(definition.id)")
      appendFields(definition.fields, isFirst: false)
      append(0x7D)
    case .reference(let id): appendSpecial("$ref", id.description)
    case .redacted: appendText("{\"$redacted\":true}")
    case .opaque(let type, let identity):
      appendText("{\"$opaque\":")
      appendQuoted(type)
      appendText(",\"identity\":\(identity)}")
    }
  }

  /// Appends a list in brackets.
  package mutating func appendArray<Item>(_ elements: [Item], _ body: (inout [UInt8], Item) -> Void) {
    append(0x5B)
    for (position, element) in elements.enumerated() {
      if position > 0 { append(0x2C) }
      body(&self, element)
    }
    append(0x5D)
  }

  private mutating func appendFields(_ fields: NamedValues<Value>, isFirst: Bool) {
    var isFirst = isFirst
    for (key, value) in fields {
      if !isFirst { append(0x2C) }
      isFirst = false
      appendQuoted(key.utf8.starts(with: "$".utf8) ? "$" + key : key)
      append(0x3A)
      appendValue(value)
    }
  }

  private mutating func appendDate(_ seconds: Double) {
    if let text = DateText.text(seconds) {
      appendSpecial("$date", text)
    } else if seconds.isFinite {
      appendText("{\"$date\":")
      appendFinite(seconds)
      append(0x7D)
    } else {
      appendSpecial("$date", SpecialDouble.text(seconds))
    }
  }

  private mutating func appendSpecial(_ key: String, _ text: String) {
    appendText("{\"\(key)\":")
    appendQuoted(text)
    append(0x7D)
  }
}
