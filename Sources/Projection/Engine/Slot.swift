import EventLog

/// What the engine remembers of a place that scalars are written to again and again.
///
/// Slots are behind pointers: they are touched by every recorded set, where checking an array's bounds and owners costs
/// as much as the rest.
struct Slot {
  /// The core's `plansVersion` at which the rest was found out; good for no other.
  var version = UInt64.max
  /// The state's `routeVersion` then: the place is good as long as it is this.
  var routeVersion = UInt64.max
  /// The version at the last set that found nothing here: two in a row are worth finding out.
  var missedVersion = UInt64.max
  /// Where it is in the core's state.
  var place: Place?
  /// Its name in the log, if there is one.
  var loggedPath: LogWriter.InternedPath?
  /// Who is woken by a change, in order of creation.
  var readers: [Node] = []
  /// The last value, which the core's state lacks while it waits.
  var value = Value.null
  var isWaiting = false
}

extension Engine {
  /// Records that a scalar takes the place of another, and wakes who reads there. Called under the lock, for a slot
  /// whose version is the present one.
  @inline(__always)
  func put(
    _ value: Value, isSame: Bool, in slot: UnsafeMutablePointer<Slot>, of owner: AnyObject, cause: UInt64?
  ) {
    let seq = append { log, time throws(LogError) in
      guard let path = slot.pointee.loggedPath else { return 0 }
      return try log.setUnderLock(path, value, sameValue: isSame, time: time, cause: cause)
    }
    if !slot.pointee.isWaiting {
      // While something is measured no slot waits, so that every set comes by here.
      if measurements.isEmpty {
        slot.pointee.isWaiting = true
        waitingSlots.append((owner, slot))
      } else {
        putMeasured(value, isSame: isSame, in: slot, seq: seq)
      }
    }
    slot.pointee.value = value
    noteMutation(seq)
    if isSame { return }
    for node in slot.pointee.readers { wake(node, by: seq) }
  }

  /// Finds out who is concerned by writes to a place, where nothing but those who read it can be. Called under the lock.
  ///
  /// - Parameter logged: The path by which the log names the place now.
  func open(_ slot: UnsafeMutablePointer<Slot>, at path: Path, logged: @autoclosure () -> Path) {
    settle()
    guard let plan = core.plan(of: path), let value = core.state.value(at: plan.place), value.isScalar else {
      return
    }
    do {
      slot.pointee.loggedPath = try log?.intern(logged())
    } catch {
      return fail(error)
    }
    slot.pointee.place = plan.place
    slot.pointee.readers = plan.readers.compactMap { nodes[$0] }
    slot.pointee.value = value
    slot.pointee.version = core.plansVersion
    slot.pointee.routeVersion = core.state.routeVersion
  }

  /// Puts the scalars that wait into the core's state. Called under the lock.
  @inline(__always)
  func settle() {
    if !waitingSlots.isEmpty { settleAll() }
  }

  @inline(never)
  private func settleAll() {
    for (_, slot) in waitingSlots {
      slot.pointee.isWaiting = false
      if let place = slot.pointee.place { core.put(slot.pointee.value, at: place) }
    }
    waitingSlots.removeAll(keepingCapacity: true)
  }
}
