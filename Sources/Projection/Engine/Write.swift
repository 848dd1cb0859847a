import EventLog
import Invalidation

/// What is known of the value that a write replaces by another scalar: where the state has it, which slots in the core it
/// concerns, and its path in the log. With these, a write costs no search. Guarded by the session's lock.
struct Write {
  /// Where the core's state has the value; nil if that is not known.
  var location: PropertyLocation?
  /// Its slot, and the slots with readers; valid if the location is known.
  var slot = SlotID(0)
  var slots = WrittenSlots()
  /// Its path in the log, if there is a log.
  var loggedPath: LogWriter.LoggedPath?
}

/// The same of the part of a property that was replaced last: a field of a struct, an element or a field of one. The progress
/// of one row, or a setting that is dragged, is set again and again.
final class PartWrite {
  /// Where the part is, at a version of the state's routes; a location is not valid for longer.
  @exclusivity(unchecked) private var location: Location
  @exclusivity(unchecked) private var routeVersion: UInt64
  /// The steps to it as they were written, since a recording that is driven may write a field as a key; none for a field of
  /// an element, which is written in one way.
  @exclusivity(unchecked) private var steps: [PathComponent]
  @exclusivity(unchecked) var slots = WrittenSlots()
  /// Its path in the log, and that of the property below which it was found.
  @exclusivity(unchecked) private var logged: (path: LogWriter.LoggedPath, property: LogWriter.LoggedPath)?

  init(at location: Location, _ routeVersion: UInt64, _ steps: [PathComponent]) {
    (self.location, self.routeVersion, self.steps) = (location, routeVersion, steps)
  }

  /// Begins a write of a part; forgets what is known if that was another part.
  func begin(at location: Location, _ routeVersion: UInt64, _ steps: [PathComponent]) {
    if self.routeVersion == routeVersion, self.location == location, self.steps == steps { return }
    (self.location, self.routeVersion, self.steps, logged) = (location, routeVersion, steps, nil)
    slots.forget()
  }

  /// Its path in the log, if it is known, below that of the property.
  func loggedPath(below property: LogWriter.LoggedPath?) -> LogWriter.LoggedPath? {
    logged?.property == property ? logged?.path : nil
  }

  func setLoggedPath(_ path: LogWriter.LoggedPath, below property: LogWriter.LoggedPath) {
    logged = (path, property)
  }
}

extension EngineState {
  /// Finds the nodes that the write of a scalar invalidates, and replaces the scalar there. Returns false and
  /// does nothing if there is none, or if more than these nodes may be affected.
  ///
  /// - Parameter isCase: Whether the value is another case of an enum, with its payload. Neither may hold objects.
  @inline(__always)
  func replace(_ write: inout Write, by value: Value, isSame: Bool, isCase: Bool = false) -> Bool {
    guard let location = write.location, findReaders(of: &write, isSame: isSame) else { return false }
    if isCase {
      if core.state.replaceWhole(at: location, by: value) { return true }
    } else if !isSame || core.value(at: location) == value, core.state.putScalar(value, at: location) {
      return true
    }
    forgetLost(&write)
    return false
  }

  /// Forgets a location that is no longer valid, because the object may have new fields or another name.
  func forgetLost(_ write: inout Write) {
    if let location = write.location, core.value(at: location) == nil { write.location = nil }
  }

  /// Finds the nodes that a write invalidates; false if others may be affected.
  @inline(__always)
  func findReaders(of write: inout Write, isSame: Bool) -> Bool {
    if write.slots.unreadVersion == core.readersVersion {
      core.invalidated.removeEach()
      return true
    }
    // Default arguments of another module would be calls.
    return core.findReaders(
      of: &write.slots, at: nil, below: write.slot, elementID: nil, sameValue: isSame)
  }

  /// Records that a value was replaced, and invalidates the nodes that were found.
  ///
  /// - Parameters:
  ///   - known: Its path in the log, if it is known.
  ///   - name: Returns the path otherwise.
  @inline(__always)
  func append(
    _ value: Value, isSame: Bool, cause: UInt64?, at known: @autoclosure () -> LogWriter.LoggedPath?,
    _ name: (LogWriter) throws(LogError) -> LogWriter.LoggedPath
  ) {
    let seq = recorder.append { log, time throws(LogError) in
      if let path = known(), log.setQuickly(path, value, sameValue: isSame, time: time, cause: cause) {
        return
      }
      _ = try log.setUnderLock(name(log), value, sameValue: isSame, time: time, cause: cause)
    }
    invalidateFound(by: seq, cause: cause)
  }

  /// Invalidates the nodes that were found, by an event that has no origin.
  @inline(__always)
  func invalidateFound(by seq: UInt64, cause: UInt64?) {
    countMutation(seq, cause: cause)
    if recorder.recordsOrigins { recorder.countSkippedOrigin() }
    // Iterates by index, because the list belongs to the core, and copying it would cost more than reading
    // it.
    for position in 0..<core.invalidated.count {
      if let node = nodes[core.invalidated[position]] { invalidate(node, by: seq) }
    }
  }
}
