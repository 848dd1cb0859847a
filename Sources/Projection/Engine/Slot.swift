import EventLog

/// What the engine caches of a path that scalars are set at repeatedly.
///
/// Slots are behind pointers, because every recorded set uses one, and checking an array's bounds and uniqueness would
/// double its cost.
struct Slot {
  /// The core's `plansVersion` for which the rest is valid.
  var version = UInt64.max
  /// The state's `routeVersion` at that time, for which `place` is valid.
  var routeVersion = UInt64.max
  /// The version at the last set that this did not cover. It is filled at the second one in a row of the same version.
  var missedVersion = UInt64.max
  /// Where the path leads in the core's state.
  var place: Place?
  /// The path in the log, if there is a log.
  var loggedPath: LogWriter.LoggedPath?
  /// The readers that a change invalidates, in order of creation.
  var readers: [Node] = []
  /// The last value, which the core's state lacks while it waits.
  var value = Value.null
  var isWaiting = false
  /// Whether the value may be one with parts, which no slot but this leads to.
  var isWhole = false
  /// How values of the property are recorded, once one was recorded in another way than as a number.
  var form: ValueForm?
}

extension Engine {
  /// Records a set of one scalar to another, and invalidates the readers. Called under the lock, for a slot whose
  /// version is the present one.
  ///
  /// - Parameter logged: The path by which the log names it.
  @inline(__always)
  func put(
    _ value: Value, isSame: Bool, in slot: UnsafeMutablePointer<Slot>, of owner: AnyObject, cause: UInt64?,
    logged: @autoclosure () -> Path
  ) {
    let seq = append { log, time throws(LogError) in
      guard let path = slot.pointee.loggedPath else { return 0 }
      let seq = try log.setUnderLock(path, value, sameValue: isSame, time: time, cause: cause)
      if let seq { return seq }
      let renewed = try renewPath(of: slot, at: logged(), in: log)
      return try log.setUnderLock(renewed, value, sameValue: isSame, time: time, cause: cause) ?? 0
    }
    if !slot.pointee.isWaiting {
      // During a measurement no scalar waits in its slot, because each set must be noted.
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
    for node in slot.pointee.readers { invalidate(node, by: seq) }
  }

  @inline(never)
  private func renewPath(
    of slot: UnsafeMutablePointer<Slot>, at path: Path, in log: LogWriter
  ) throws(LogError) -> LogWriter.LoggedPath {
    let renewed = try log.logged(path, renewing: slot.pointee.loggedPath)
    slot.pointee.loggedPath = renewed
    return renewed
  }

  /// Fills a slot, if a set of its path can concern none but the readers of that path. Called under the lock.
  ///
  /// - Parameter logged: The path by which the log names it now.
  func open(_ slot: UnsafeMutablePointer<Slot>, at path: Path, logged: @autoclosure () -> Path) {
    settle()
    guard let plan = core.plan(of: path, withElements: true),
      let value = core.state.value(at: plan.place), value.isScalar || slot.pointee.isWhole
    else { return }
    do {
      slot.pointee.loggedPath = try log?.logged(logged(), renewing: slot.pointee.loggedPath)
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
      guard let place = slot.pointee.place else { continue }
      if slot.pointee.isWhole {
        core.putWhole(slot.pointee.value, at: place)
      } else {
        core.put(slot.pointee.value, at: place)
      }
    }
    waitingSlots.removeAll(keepingCapacity: true)
  }
}

// A shortcut for most sets: a number, a Boolean or a short string replaces another, and the readers are those of the
// last set. Everything else goes through `record(of:property:)`.

extension Engine {
  /// Records a set of a property to a scalar, then runs what that made out of date.
  ///
  /// Cost while the property has no readers: a lock, a look at the clock and the log's row; no allocation.
  func set(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    lock.lock()
    guard let slot = attachment.slots.map({ $0 + property }), slot.pointee.version == core.plansVersion,
      isQuick(slot), !isSame || slot.pointee.value == value
    else {
      lock.unlock()
      return setSlowly(value, isSame: isSame, of: attachment, property: property)
    }
    put(
      value, isSame: isSame, in: slot, of: attachment, cause: nil,
      logged: path(of: attachment, property: property))
    if isSame || slot.pointee.readers.isEmpty {
      lock.unlock()
    } else {
      flushAndUnlock(from: momentOfLastEvent)
    }
  }

  /// Whether a set of the slot's property concerns only readers that the slot knows. Called under the lock.
  @inline(__always)
  func isQuick(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
    if runsUnderWay > 0 { return false }
    if origins != nil, origins?.skip() == false { return false }
    // In a transaction the core compares; without readers there is nothing to compare.
    if core.openTransactions > 0 {
      noteCollected()
      return slot.pointee.readers.isEmpty
    }
    return delivery == .immediate
  }

  private func setSlowly(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    guard !isClosed else { return }
    record(of: attachment, property: property) { _ in [Edit(kind: .set(value), isSame: isSame)] }
    lock.withLock { openIfRepeated(attachment, property) }
  }

  /// Fills a property's slot at the second set in a row that it did not cover. Called under the lock.
  func openIfRepeated(_ attachment: Attachment, _ property: Int) {
    let slot = attachment.slot(property)
    let version = core.plansVersion
    let descriptor = attachment.properties[property]
    guard slot.pointee.missedVersion == version, runsUnderWay == 0, !descriptor.isRedacted, !isClosed,
      receivers[attachment.paths[property]] == nil,
      origins?.wantsAll(at: self.path(of: attachment, property: property)) != true
    else {
      slot.pointee.missedVersion = version
      return
    }
    let path = Path(root: .object(attachment.id), components: [.property(descriptor.name)])
    open(slot, at: path, logged: self.path(of: attachment, property: property))
  }
}
