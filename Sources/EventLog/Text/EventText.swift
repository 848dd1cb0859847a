// Events as JSON Lines: parsing a line, and the fields of each kind.

/// An event as given by a line of JSON, which may leave some fields open.
public struct ParsedEvent: Hashable, Sendable {
  /// The sequence number, if the line has one.
  public var seq: UInt64?
  /// The time in nanoseconds since the session began, if the line has one.
  public var time: UInt64?
  /// The event that caused this one.
  public var cause: UInt64?
  /// The source location that wrote it.
  public var site: String?
  /// The thread, task and stack that wrote it.
  public var origin = Origin()
  /// Whether nothing changed, if the line states it.
  public var sameValue: Bool?
  /// The body of the event; its `sameValue` is false if the line does not state it.
  public var body: Event.Body

  /// Parses one line, in which every object must have its number.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing line: String) throws(TextError) {
    var naming = FixedNumbers()
    try self.init(parsing: Array(line.utf8), naming: &naming)
  }

  /// Parses one line of UTF-8. `naming` provides the numbers of objects and resolves references.
  ///
  /// - Throws: ``TextError`` with the column.
  /// - Complexity: Linear in the line.
  public init(parsing line: [UInt8], naming: inout some ObjectNaming) throws(TextError) {
    var cursor = ByteCursor(line)
    cursor.skipSpace()
    let fields = try EventFields(parsing: &cursor, naming: &naming)
    cursor.skipSpace()
    try cursor.expectEnd()
    self = try fields.event()
  }

  init(body: Event.Body) { self.body = body }

  /// The event, with the given values for fields that the line may leave out.
  public func event(seq: UInt64, time: UInt64, sameValue: Bool) -> Event {
    Event(
      seq: self.seq ?? seq, time: self.time ?? time, cause: cause, site: site, origin: origin,
      body: body.settingSameValue(self.sameValue ?? sameValue))
  }
}

extension Event {
  /// Parses one JSON line that leaves nothing out. Without `same_value`, the value counts as changed.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing line: String) throws(TextError) {
    let parsed = try ParsedEvent(parsing: line)
    guard let seq = parsed.seq, let time = parsed.time else {
      throw TextError(.field, column: 1, "the event needs \"seq\" and \"time_ns\"")
    }
    self = parsed.event(seq: seq, time: time, sameValue: false)
  }
}

// MARK: The fields of a line

/// The fields of a line, each with the right type, but not yet checked against the kind.
private struct EventFields {
  private(set) var kind: (text: String, column: Int)?
  private(set) var columns: [EventField: Int] = [:]
  private(set) var numbers: [EventField: UInt64] = [:]
  private(set) var texts: [EventField: String] = [:]
  private(set) var flags: [EventField: Bool] = [:]
  private(set) var value: Value?
  private(set) var path: Path?
  private(set) var lists: [EventField: [Path]] = [:]
  private(set) var causes: [UInt64] = []
  private(set) var tracking: Tracking?
  private(set) var inputChanged: Bool?
  private(set) var outcome: ActionOutcome?

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
    guard let name = EventField(name: key) else {
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
    case .seq, .time, .cause, .offset, .delete, .duration, .comparing, .strand:
      numbers[name] = try cursor.parseUnsigned("\"\(key)\"")
    case .kind: kind = (try cursor.parseText(of: key), column)
    case .site, .thread, .task, .stack, .projection, .parent, .label:
      texts[name] = try cursor.parseText(of: key)
    case .sameValue, .changed: flags[name] = try cursor.parseFlag(of: key)
    case .value, .insert: value = try cursor.parseValue(naming: &naming)
    case .path: path = try cursor.parseQuotedPath(of: key)
    case .paths, .added, .dropped:
      lists[name] = try cursor.parseList { cursor throws(TextError) in try cursor.parseQuotedPath(of: key) }
    case .causes:
      causes = try cursor.parseList { cursor throws(TextError) in try cursor.parseUnsigned("a cause") }
    case .tracking:
      tracking = Tracking(rawValue: try cursor.parseText(of: key))
      if tracking == nil {
        throw TextError(.field, column: column, "tracking is \"element\", \"property\" or \"object\"")
      }
    case .input:
      let text = try cursor.parseText(of: key)
      guard text == "same" || text == "changed" else {
        throw TextError(.field, column: column, "\"input\" is \"same\" or \"changed\"")
      }
      inputChanged = text == "changed"
    case .outcome:
      outcome = ActionOutcome(rawValue: try cursor.parseText(of: key))
      if outcome == nil {
        throw TextError(.field, column: column, "\"outcome\" is \"returned\", \"threw\" or \"cancelled\"")
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
      // The column is exact if no escape precedes the error; otherwise the error is a little further.
      throw TextError(error.code, column: start + error.column, "in a path: " + error.reason)
    }
  }
}

// MARK: The fields of a kind

// The fields that each kind requires, and those that it allows.
extension EventFields {
  private static let common: Set<EventField> = [
    .seq, .time, .kind, .cause, .site, .thread, .task, .stack, .strand,
  ]

  func event() throws(TextError) -> ParsedEvent {
    guard let kind else { throw TextError(.field, column: 1, "the event has no \"kind\"") }
    var parsed = ParsedEvent(body: try body(kind: kind.text, column: kind.column))
    parsed.seq = numbers[.seq]
    parsed.time = numbers[.time]
    parsed.cause = numbers[.cause]
    parsed.site = texts[.site]
    parsed.origin = Origin(
      thread: texts[.thread], task: texts[.task], stack: texts[.stack],
      strand: Int(clamping: numbers[.strand] ?? 0))
    parsed.sameValue = flags[.sameValue]
    return parsed
  }

  private func body(kind: String, column: Int) throws(TextError) -> Event.Body {
    let sameValue = flags[.sameValue] ?? false
    guard let known = EventKind(name: kind) else {
      let kinds = EventKind.allCases.map(\.name).joined(separator: ", ")
      throw TextError(
        .field, column: column, "unknown kind \(Value.string(kind).json); the kinds are \(kinds)")
    }
    switch known {
    case .set:
      try check(needs: [.path, .value], allows: [.sameValue])
      return .set(try written(), value ?? .null, sameValue: sameValue)
    case .splice:
      try check(needs: [.path, .offset, .delete, .insert], allows: [.sameValue])
      return .splice(
        try written(), offset: try extent(.offset), delete: try extent(.delete), insert: try inserted(),
        sameValue: sameValue)
    case .remove:
      try check(needs: [.path], allows: [.sameValue])
      return .remove(try written(), sameValue: sameValue)
    case .projection:
      try check(needs: [.projection], allows: [.parent, .tracking])
      return .projection(name: projection, parent: texts[.parent], tracking: tracking ?? .element)
    case .reads:
      let isChange = columns[.added] != nil || columns[.dropped] != nil
      try check(
        needs: isChange ? [.projection] : [.projection, .paths], allows: isChange ? [.added, .dropped] : [])
      return .reads(projection: projection, isChange ? change : .paths(lists[.paths] ?? []))
    case .invalidate:
      try check(needs: [.projection, .causes])
      return .invalidate(projection: projection, causes: causes)
    case .evaluate:
      try check(needs: [.projection, .duration], allows: [.changed, .input, .comparing])
      return .evaluate(
        projection: projection, duration: numbers[.duration] ?? 0, changed: flags[.changed],
        inputChanged: inputChanged, comparing: numbers[.comparing] ?? 0)
    case .dispose:
      try check(needs: [.projection])
      return .dispose(projection: projection)
    case .begin:
      try check(allows: [.label])
      return .begin(label: texts[.label])
    case .end:
      try check()
      return .end
    case .mark:
      try check(needs: [.label])
      return .mark(label: texts[.label] ?? "")
    case .action:
      try check(needs: [.label])
      return .action(label: texts[.label] ?? "")
    case .finish:
      try check(needs: [.outcome])
      return .finish(outcome ?? .returned)
    }
  }

  private func check(needs: Set<EventField> = [], allows: Set<EventField> = []) throws(TextError) {
    let extra = columns.filter { name, _ in
      !needs.contains(name) && !allows.contains(name) && !Self.common.contains(name)
    }
    if let (name, column) = extra.min(by: { $0.value < $1.value }) {
      throw TextError(
        .field, column: column, "\"\(name.name)\" does not belong to the kind \"\(kind?.text ?? "")\"")
    }
    if let missing = needs.filter({ columns[$0] == nil }).map(\.name).min() {
      throw TextError(
        .field, column: kind?.column ?? 1, "the kind \"\(kind?.text ?? "")\" needs \"\(missing)\"")
    }
  }

  private var change: Reads { .change(added: lists[.added] ?? [], dropped: lists[.dropped] ?? []) }

  private var projection: String { texts[.projection] ?? "" }

  private func written() throws(TextError) -> Path {
    let path = path ?? Path(root: .named(""))
    if path.components.contains(where: \.isAspect) {
      throw TextError(.field, column: columns[.path] ?? 1, "an aspect such as [#count] can only be read")
    }
    return path
  }

  private func extent(_ name: EventField) throws(TextError) -> Int {
    if let extent = Int(exactly: numbers[name] ?? 0) { return extent }
    throw TextError(.range, column: columns[name] ?? 1, "\"\(name.name)\" is too large")
  }

  private func inserted() throws(TextError) -> Value {
    switch value {
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements)
    default:
      throw TextError(.field, column: columns[.insert] ?? 1, "\"insert\" must be a string or an array")
    }
  }
}
