/// The fields of a line, each of its type but not yet held against the kind.
struct EventFields {
  /// Every field that any kind has.
  enum Name: String {
    case seq, time = "time_ns", kind, cause, site, thread, task, stack, sameValue = "same_value"
    case path, value, offset, delete, insert, projection, parent, tracking, paths, causes
    case duration = "duration_ns", changed, label
  }

  private(set) var kind: (text: String, column: Int)?
  private(set) var columns: [Name: Int] = [:]
  private(set) var numbers: [Name: UInt64] = [:]
  private(set) var texts: [Name: String] = [:]
  private(set) var flags: [Name: Bool] = [:]
  private(set) var value: Value?
  private(set) var path: Path?
  private(set) var paths: [Path] = []
  private(set) var causes: [UInt64] = []
  private(set) var tracking: Tracking?

  init(parsing cursor: inout ByteCursor, naming: inout some ObjectNaming) throws(TextError) {
    try cursor.expect(0x7B, "expected an event, as {\"kind\":\"set\",...}")
    cursor.skipSpace()
    if !cursor.consume(0x7D) {
      repeat {
        cursor.skipSpace()
        try parseField(&cursor, &naming)
        cursor.skipSpace()
      } while cursor.consume(0x2C)
      try cursor.expect(0x7D, "expected , or } after a field")
    }
    if kind == nil { throw TextError(.field, column: 1, "the event has no \"kind\"") }
  }

  private mutating func parseField(
    _ cursor: inout ByteCursor, _ naming: inout some ObjectNaming
  ) throws(TextError) {
    let keyColumn = cursor.column
    let key = try cursor.parseString()
    guard let name = Name(rawValue: key) else {
      throw TextError(.field, column: keyColumn, "unknown field \(Value.string(key).json)")
    }
    if columns.updateValue(keyColumn, forKey: name) != nil {
      throw TextError(.field, column: keyColumn, "the field \"\(key)\" is given twice")
    }
    cursor.skipSpace()
    try cursor.expect(0x3A, "expected : after the name of a field")
    cursor.skipSpace()
    let column = cursor.column
    switch name {
    case .seq, .time, .cause, .offset, .delete, .duration:
      numbers[name] = try cursor.parseUnsigned("\"\(key)\"")
    case .kind: kind = (try cursor.parseText(of: key), column)
    case .site, .thread, .task, .stack, .projection, .parent, .label:
      texts[name] = try cursor.parseText(of: key)
    case .sameValue, .changed: flags[name] = try cursor.parseFlag(of: key)
    case .value, .insert: value = try cursor.parseValue(naming: &naming)
    case .path: path = try cursor.parseQuotedPath(of: key)
    case .paths:
      paths = try cursor.parseList { cursor throws(TextError) in try cursor.parseQuotedPath(of: key) }
    case .causes:
      causes = try cursor.parseList { cursor throws(TextError) in try cursor.parseUnsigned("a cause") }
    case .tracking:
      tracking = Tracking(rawValue: try cursor.parseText(of: key))
      if tracking == nil {
        throw TextError(.field, column: column, "tracking is \"element\", \"property\" or \"object\"")
      }
    }
  }
}

extension ByteCursor {
  fileprivate mutating func parseText(of field: String) throws(TextError) -> String {
    if byte != 0x22 { throw TextError(.field, column: column, "\"\(field)\" must be a string") }
    return try parseString()
  }

  fileprivate mutating func parseFlag(of field: String) throws(TextError) -> Bool {
    if consume(word: "true") { return true }
    if consume(word: "false") { return false }
    throw TextError(.field, column: column, "\"\(field)\" must be true or false")
  }

  fileprivate mutating func parseQuotedPath(of field: String) throws(TextError) -> Path {
    let start = column
    let text = try parseText(of: field)
    do throws(TextError) {
      return try Path(parsing: text)
    } catch {
      // Without escapes before it the mistake is that far into the line; with some, a little further.
      throw TextError(error.code, column: start + error.column, "in a path: " + error.reason)
    }
  }

  fileprivate mutating func parseList<Item>(
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
}
