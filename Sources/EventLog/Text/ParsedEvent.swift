/// An event as a line of JSON gives it: what the line left out is still open.
public struct ParsedEvent: Hashable, Sendable {
  /// The sequence number, if the line gives one.
  public var seq: UInt64?
  /// Nanoseconds since the session began, if the line gives them.
  public var time: UInt64?
  /// The event that led to this one.
  public var cause: UInt64?
  /// Where in the source it was written.
  public var site: String?
  /// Who wrote it.
  public var origin = Origin()
  /// Whether nothing changed, if the line says so.
  public var sameValue: Bool?
  /// What happened; its `sameValue` is false where the line does not say.
  public var body: Event.Body

  /// Reads one line, with objects numbered by the line itself.
  ///
  /// - Throws: ``TextError`` with the column.
  public init(parsing line: String) throws(TextError) {
    var naming = FixedNumbers()
    try self.init(parsing: Array(line.utf8), naming: &naming)
  }

  /// Reads one line as UTF-8, with numbers and references of objects as `naming` knows them.
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

  /// The event, with what the line left out.
  public func event(seq: UInt64, time: UInt64, sameValue: Bool) -> Event {
    Event(
      seq: self.seq ?? seq, time: self.time ?? time, cause: cause, site: site, origin: origin,
      body: body.settingSameValue(self.sameValue ?? sameValue))
  }
}

extension Event {
  /// Reads one JSON line that leaves nothing out; `same_value` left out means that the value changed.
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

extension Event.Body {
  /// Whether the event says that nothing changed; nil for the kinds that cannot.
  public var sameValue: Bool? {
    switch self {
    case .set(_, _, let sameValue), .splice(_, _, _, _, let sameValue), .remove(_, let sameValue): sameValue
    default: nil
    }
  }

  /// The same with another answer to whether nothing changed, for the kinds that have one.
  public func settingSameValue(_ sameValue: Bool) -> Event.Body {
    switch self {
    case .set(let path, let value, _): .set(path, value, sameValue: sameValue)
    case .splice(let path, let offset, let delete, let insert, _):
      .splice(path, offset: offset, delete: delete, insert: insert, sameValue: sameValue)
    case .remove(let path, _): .remove(path, sameValue: sameValue)
    default: self
    }
  }
}
