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

// The way of most sets: a number, a Boolean or a short string takes the place of another, and who reads there is
// known from the set before. Everything else goes the general way, `record(of:property:)`.

extension Engine {
  /// Records a set of a property to a scalar, then runs whatever that made out of date.
  ///
  /// Cost: a lock, the time of day and the log's row, while nobody reads the property; no allocation.
  func set(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    lock.lock()
    guard let slot = attachment.slots.map({ $0 + property }), slot.pointee.version == core.plansVersion,
      isQuick(slot), !isSame || slot.pointee.value == value
    else {
      lock.unlock()
      return setSlowly(value, isSame: isSame, of: attachment, property: property)
    }
    put(value, isSame: isSame, in: slot, of: attachment, cause: nil)
    if isSame || slot.pointee.readers.isEmpty { lock.unlock() } else { flushAndUnlock() }
  }

  /// Whether a set of the slot's property concerns nobody but its readers. Called under the lock.
  @inline(__always)
  private func isQuick(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
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

  /// Opens a property's slot if it is missed for the second time in a row.
  private func openIfRepeated(_ attachment: Attachment, _ property: Int) {
    let slot = attachment.slot(property)
    let version = core.plansVersion
    let descriptor = attachment.properties[property]
    guard slot.pointee.missedVersion == version, runsUnderWay == 0, !descriptor.isRedacted, !isClosed,
      receivers[attachment.places[property]] == nil,
      origins?.wantsAll(at: self.path(of: attachment, property: property)) != true
    else {
      slot.pointee.missedVersion = version
      return
    }
    let path = Path(root: .object(attachment.id), components: [.property(descriptor.name)])
    open(slot, at: path, logged: self.path(of: attachment, property: property))
  }
}
