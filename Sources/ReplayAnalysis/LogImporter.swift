import EventLog
import Invalidation

/// Makes events of JSON lines: fills in the fields that they leave out, and refuses a line that does not fit
/// the events before it.
package struct LogImporter {
  private var timeline = Timeline()
  private var time: UInt64 = 0
  /// How many events there are so far.
  package private(set) var count = 0

  /// Starts before the first event.
  package init() {}

  /// The event of a line, or nil for an empty one.
  package mutating func event(from line: [UInt8]) throws(TextError) -> Event? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    let parsed = try parse(line)
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
