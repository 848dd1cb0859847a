import EventLog

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
