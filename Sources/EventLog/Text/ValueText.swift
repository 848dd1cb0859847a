extension Value {
  /// How deep values nest; a scalar has depth 1.
  public static let maximumDepth = 64

  /// Reads a value from JSON: `5` is an integer, `5.0` a double; `{"$ref":"#5"}`, `{"$redacted":true}`,
  /// `{"$bytes":"AQI="}`, `{"$double":"nan"}` and `{"$object":"Row#5","count":0}` stand for what JSON lacks.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String) throws(TextError) {
    var naming = FixedNumbers()
    try self.init(parsing: text, naming: &naming)
  }

  /// Reads a value from JSON, with numbers and references of objects as `naming` knows them.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing text: String, naming: inout some ObjectNaming) throws(TextError) {
    var cursor = ByteCursor(Array(text.utf8))
    cursor.skipSpace()
    self = try cursor.parseValue(naming: &naming)
    cursor.skipSpace()
    try cursor.expectEnd()
  }

  /// The value as JSON on one line, which parses back to the same bits.
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
    case 0x5B: return try parseArray(naming: &naming, depth: depth)
    case 0x74 where consume(word: "true"): return .bool(true)
    case 0x66 where consume(word: "false"): return .bool(false)
    case 0x6E where consume(word: "null"): return .null
    case let first? where first.isDigit || first == 0x2D: return try parseNumber()
    default: throw error("expected a value")
    }
  }

  private mutating func parseArray(naming: inout some ObjectNaming, depth: Int) throws(TextError) -> Value {
    advance()
    var elements: [Value] = []
    skipSpace()
    if consume(0x5D) { return .array(elements) }
    while true {
      skipSpace()
      elements.append(try parseValue(naming: &naming, depth: depth + 1))
      skipSpace()
      if consume(0x5D) { return .array(elements) }
      try expect(0x2C, "expected , or ] in an array")
    }
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
