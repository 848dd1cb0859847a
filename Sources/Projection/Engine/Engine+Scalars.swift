import EventLog

// The way of most sets: a number, a Boolean or a short string takes the place of another, and who reads there is
// known from the set before. Everything else goes the general way, `record(of:property:)`.

extension Engine {
  /// Records a set of a property to a scalar, then runs whatever that made out of date.
  ///
  /// Cost: a lock, the time of day and the log's row, while nobody reads the property; no allocation.
  func set(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    lock.lock()
    let slot = attachment.slots + property
    guard slot.pointee.version == core.plansVersion, isQuick(slot), !isSame || slot.pointee.value == value
    else {
      lock.unlock()
      return setSlowly(value, isSame: isSame, of: attachment, property: property)
    }
    let seq = append { log, time throws(LogError) in
      guard let path = slot.pointee.loggedPath else { return 0 }
      return try log.setUnderLock(path, value, sameValue: isSame, time: time)
    }
    slot.pointee.value = value
    if !slot.pointee.isWaiting {
      slot.pointee.isWaiting = true
      waitingSlots.append((attachment, property))
    }
    noteMutation(seq)
    if isSame || slot.pointee.readers.isEmpty { return lock.unlock() }
    for node in slot.pointee.readers { wake(node, by: seq, causes: [seq]) }
    lock.unlock()
    flush()
  }

  /// Whether a set of the slot's property concerns nobody but its readers. Called under the lock.
  @inline(__always)
  private func isQuick(_ slot: UnsafeMutablePointer<PropertySlot>) -> Bool {
    if runsUnderWay > 0 { return false }
    // In a transaction the core compares; without readers there is nothing to compare.
    if core.openTransactions > 0 { return slot.pointee.readers.isEmpty }
    return delivery == .immediate
  }

  private func setSlowly(_ value: Value, isSame: Bool, of attachment: Attachment, property: Int) {
    guard !isClosed else { return }
    record(of: attachment, property: property) { _ in [Edit(kind: .set(value), isSame: isSame)] }
    lock.withLock { open(attachment, property) }
  }

  /// Finds out who is concerned by sets of a property, if it is for the second time that it was asked.
  private func open(_ attachment: Attachment, _ property: Int) {
    let slot = attachment.slots + property
    let version = core.plansVersion
    let descriptor = attachment.properties[property]
    guard slot.pointee.missedVersion == version, runsUnderWay == 0, !descriptor.isRedacted, !isClosed,
      receivers[attachment.places[property]] == nil
    else {
      slot.pointee.missedVersion = version
      return
    }
    settle()
    let path = Path(root: .object(attachment.id), components: [.property(descriptor.name)])
    guard let plan = core.plan(of: path), let value = core.state.value(at: plan.place), value.isScalar else {
      return
    }
    do {
      slot.pointee.loggedPath = try log?.intern(self.path(of: attachment, property: property))
    } catch {
      return fail(error)
    }
    slot.pointee.readers = plan.readers.compactMap { nodes[$0] }
    slot.pointee.value = value
    slot.pointee.version = core.plansVersion
  }

  /// Puts the scalars that wait into the core's state. Called under the lock.
  @inline(__always)
  func settle() {
    if !waitingSlots.isEmpty { settleAll() }
  }

  @inline(never)
  private func settleAll() {
    for (attachment, property) in waitingSlots {
      let slot = attachment.slots + property
      slot.pointee.isWaiting = false
      core.put(
        slot.pointee.value, inProperty: attachment.properties[property].name, of: attachment.id)
    }
    waitingSlots.removeAll(keepingCapacity: true)
  }
}
