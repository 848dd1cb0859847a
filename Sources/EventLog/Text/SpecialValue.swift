/// What a key with `$` in front says: a value that JSON has no form for.
enum SpecialValue {
  /// Complete in itself; no other key may stand beside it.
  case whole(Value)
  /// Takes the other keys as properties.
  case object(ObjectID, type: String)
  /// Takes one other key, `identity`.
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
  /// Reads the value of a key with `$` in front.
  mutating func parseSpecial(
    _ key: String, at keyColumn: Int, naming: inout some ObjectNaming
  ) throws(TextError) -> SpecialValue {
    if key == "$redacted" {
      if consume(word: "true") { return .whole(.redacted) }
      throw TextError(.field, column: column, "$redacted must be true")
    }
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

/// The doubles that are no JSON numbers, bit for bit.
enum SpecialDouble {
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
    let digits = String(value.bitPattern, radix: 16)
    return "nan:0x" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
