import EventLog
import Invalidation

// A shortcut for most mutations of an array of structs: a field of one element becomes another number, Boolean or
// short string, and the readers are those of the last mutation. Everything else goes through `record(of:property:)`.

/// What the engine remembers of the array in a property. Guarded by the session's lock.
final class ElementsSlot {
  /// The core's `plansVersion` for which the rest is valid.
  fileprivate(set) var version = UInt64.max
  /// The version at the last mutation that this did not cover. It is filled at the second one in a row of the same
  /// version.
  fileprivate var missedVersion = UInt64.max
  fileprivate var plan: InvalidationCore.ElementsPlan?
  /// The array's path in the log, if there is a log.
  fileprivate var loggedPath: LogWriter.LoggedPath?
  /// How elements are read; nil if they are not structs of plain values.
  fileprivate let layout: StructLayout?

  fileprivate init(_ layout: StructLayout?) { self.layout = layout }
}

extension Engine {
  /// Records a mutation in place of an element of an array, if it replaced one scalar by another; otherwise does
  /// nothing and returns false. Runs no projections.
  ///
  /// Cost: comparing the element, some hashes and the log's row.
  func recordElement<Element>(
    _ element: UnsafePointer<Element>, at index: Int, of attachment: Attachment, property: Int
  ) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    let slot = elementsSlot(of: attachment, property, Element.self)
    guard let layout = slot.layout, isQuick(slot, attachment, property), let plan = slot.plan,
      let change = change(of: element, at: index, layout, plan),
      let readers = core.readers(of: change.field.name, ofElementAt: index, id: change.id, plan)
    else { return false }
    let seq = append { log, time throws(LogError) in
      let path = try loggedPath(of: change, ofElementAt: index, of: attachment, property, slot, in: log)
      guard let path else { return 0 }
      return try log.setUnderLock(path, change.value, sameValue: false, time: time) ?? 0
    }
    core.put(change.value, at: change.position, ofElementAt: index, plan)
    noteMutation(seq)
    for reader in readers {
      if let node = nodes[reader] { invalidate(node, by: seq, causes: [seq]) }
    }
    return true
  }

  private struct FieldChange {
    let field: StructLayout.Field
    /// The index of the field among the element's fields.
    let position: Int
    let value: Value
    /// The element's id, if it is the first with it.
    let id: Value?
  }

  /// The one field that has become another scalar since the element was recorded. Called under the lock.
  private func change<Element>(
    of element: UnsafePointer<Element>, at index: Int, _ layout: StructLayout,
    _ plan: InvalidationCore.ElementsPlan
  ) -> FieldChange? {
    guard let fields = core.state.fields(ofElementAt: index, of: plan.object, property: plan.property) else {
      return nil
    }
    var context = EncodingContext(objects: self)
    guard let (position, value) = layout.onlyChange(from: fields, to: element, in: &context),
      position != layout.id, value.isScalar, fields.values[position].isScalar
    else { return nil }
    // A long string is recorded as the edit of it, in the general way.
    if case .string(let text) = value, text.utf8.count >= RecordedScalar.shortString { return nil }
    return FieldChange(
      field: layout.fields[position], position: position, value: value,
      id: plan.hasUniqueIDs
        ? layout.id.map { fields.values[$0] }
        : core.state.firstID(of: index, in: Place(owner: .object(plan.object), steps: [.name(plan.property)]))
    )
  }

  private func loggedPath(
    of change: FieldChange, ofElementAt index: Int, of attachment: Attachment, _ property: Int,
    _ slot: ElementsSlot, in log: LogWriter
  ) throws(LogError) -> LogWriter.LoggedPath? {
    guard let array = slot.loggedPath else { return nil }
    let component = change.id.map { PathComponent.id($0) } ?? .index(index)
    var element = try log.logged(component, under: array)
    if element == nil {
      let renewed = try log.logged(path(of: attachment, property: property), renewing: array)
      slot.loggedPath = renewed
      element = try log.logged(component, under: renewed)
    }
    guard let element else { return nil }
    return try log.logged(change.field.component, under: element)
  }

  private func elementsSlot<Element>(
    of attachment: Attachment, _ property: Int, _ type: Element.Type
  ) -> ElementsSlot {
    if let slot = attachment.elements[property] { return slot }
    let slot = ElementsSlot(StructLayout.ofPlainElement(type))
    attachment.elements[property] = slot
    return slot
  }

  /// Whether a change within the array concerns only readers that the slot knows. Called under the lock.
  private func isQuick(_ slot: ElementsSlot, _ attachment: Attachment, _ property: Int) -> Bool {
    guard runsUnderWay == 0, core.openTransactions == 0, delivery == .immediate, origins == nil,
      measurements.isEmpty, !isClosed,
      receivers.isEmpty || receivers[attachment.paths[property]] == nil
    else { return false }
    if slot.version == core.plansVersion { return true }
    guard slot.missedVersion == core.plansVersion else {
      slot.missedVersion = core.plansVersion
      return false
    }
    open(slot, of: attachment, property)
    return slot.version == core.plansVersion
  }

  private func open(_ slot: ElementsSlot, of attachment: Attachment, _ property: Int) {
    settle()
    slot.plan = core.elementsPlan(of: attachment.id, property: attachment.properties[property].name)
    do {
      slot.loggedPath = try log?.logged(
        path(of: attachment, property: property), renewing: slot.loggedPath)
    } catch {
      return fail(error)
    }
    slot.version = core.plansVersion
  }
}
