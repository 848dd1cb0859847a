import EventLog
import Invalidation

/// Makes events of JSON lines: fills in the fields that they leave out, and refuses a line that does not fit
/// the events before it.
package struct LogImporter: ~Copyable {
  private var timeline = Timeline()
  private var time: UInt64 = 0
  /// How many events there are so far.
  package private(set) var count = 0
  /// What the first line says of the run; nil if it is an event.
  package private(set) var header: LogHeader?
  private var isFirst = true

  /// Starts before the first event.
  package init() {}

  /// The event of a line, or nil for an empty one and for a header, which may be the first line.
  package mutating func event(from line: [UInt8]) throws(TextError) -> Event? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    let isFirst = self.isFirst
    self.isFirst = false
    let parsed: ParsedEvent
    do throws(TextError) { parsed = try parse(line) } catch {
      if let header = try LogHeader(jsonLine: line) {
        guard isFirst else { throw TextError(.field, column: 1, "a header can only be the first line") }
        self.header = header
        return nil
      }
      throw isFirst ? Self.explained(error, line) : Self.explainedEnd(error, line)
    }
    let seq = UInt64(count) + 1
    if let given = parsed.seq, given != seq {
      throw TextError(.field, column: 1, "\"seq\" is \(given), but the next event is \(seq)")
    }
    if let cause = parsed.cause, cause == 0 || cause >= seq {
      throw TextError(.field, column: 1, "\"cause\" is \(cause), which is no event before this one")
    }
    let sameValue = parsed.sameValue ?? timeline.state.wouldStaySame(parsed.body)
    let event = parsed.event(seq: seq, time: time, sameValue: sameValue)
    do throws(StateError) {
      _ = try timeline.apply(event)
    } catch {
      throw TextError(.reference, column: 1, error.description)
    }
    time = event.time
    count += 1
    return event
  }

  /// Says what a file is whose first line is no event.
  private static func explained(_ error: TextError, _ line: [UInt8]) -> TextError {
    let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    if line.starts(with: [0xEF, 0xBB, 0xBF]) {
      return TextError(
        .encoding, column: 1, "the file begins with a byte order mark; save it as UTF-8 without one")
    }
    if line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF]) {
      return TextError(.encoding, column: 1, "this is UTF-16; save it as UTF-8 without a byte order mark")
    }
    if line.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      return TextError(.syntax, column: 1, "this is compressed by zstd, as logs are; a log needs no import")
    }
    if text.first == UInt8(ascii: "[") {
      return TextError(
        .syntax, column: error.column,
        "expected an event, as {\"kind\":\"set\",...}, and this is an array: jq -c '.[]' makes a line of each element"
      )
    }
    if error.code == .field,
      ["program", "metadata"].contains(where: { error.reason.hasSuffix("field \"\($0)\"") })
    {
      return TextError(
        .field, column: error.column, error.reason + "; a header has \"kind\":\"header\" besides")
    }
    return explainedEnd(error, line)
  }

  /// Says what is wrong with a line that ends inside an event.
  private static func explainedEnd(_ error: TextError, _ line: [UInt8]) -> TextError {
    guard error.code == .syntax, error.column > line.count, line.contains(UInt8(ascii: "{")) else {
      return error
    }
    var error = error
    error.reason += "; each event is one line: jq -c . joins the lines of an event that is indented"
    return error
  }

  /// The state is held only while parsing: held longer, the next event would copy it.
  private mutating func parse(_ line: [UInt8]) throws(TextError) -> ParsedEvent {
    let state = timeline.state
    var naming = StateNaming(state)
    let parsed = try ParsedEvent(parsing: line, naming: &naming)
    guard naming.hasAssigned, state.makesRoot(parsed.body) else { return parsed }
    // A root that this event creates is an object too, and takes the first free id.
    var rest = StateNaming(state, isFirstTaken: true)
    return try ParsedEvent(parsing: line, naming: &rest)
  }
}

/// Resolves the objects that a line names by the state before it.
private struct StateNaming: ObjectNaming {
  private let state: State
  private var next: ObjectID
  /// Whether a definition without an id was given one.
  private(set) var hasAssigned = false

  init(_ state: State, isFirstTaken: Bool = false) {
    self.state = state
    next = isFirstTaken ? state.freeObjectID.next : state.freeObjectID
  }

  func object(at path: Path) -> ObjectID? {
    // A definition may refer to its own object by id before the state knows it.
    if case .object(let id) = path.root, path.components.isEmpty { return id }
    if case .reference(let id)? = state.value(at: path) { return id }
    return nil
  }

  mutating func nextObject() -> ObjectID? {
    hasAssigned = true
    defer { next = next.next }
    return next
  }

  mutating func define(_ object: ObjectID) {
    if object >= next { next = object.next }
  }
}
