import EventLog
import Invalidation

// A shortcut for most mutations of an array of structs: a field of one element becomes another number, Boolean or short
// string. Everything else goes through `record(of:property:)`.

extension Engine {
  /// Records a mutation in place of an element of an array, if it replaced one scalar by another; otherwise does
  /// nothing and returns false. Runs no projections.
  ///
  /// Cost: comparing the element, some hashes and the log's row.
  func recordElement<Element>(
    _ element: UnsafePointer<Element>, at index: Int, of attachment: Attachment, property: Int
  ) -> Bool {
    let state = lock()
    defer { unlock() }
    return !isClosed && state.putElement(element, at: index, of: attachment, property: property)
  }
}

extension EngineState {
  fileprivate func putElement<Element>(
    _ element: UnsafePointer<Element>, at index: Int, of attachment: Attachment, property: Int
  ) -> Bool {
    guard let layout = elementLayout(of: Element.self), core.openTransactions == 0,
      let setter = quickSetter(of: attachment, property), !recorder.recordsOrigins,
      let change = change(of: element, at: index, layout, attachment, attachment.properties[property].name),
      core.findReaders(of: change.field.name, ofElementAt: index, id: change.id, in: setter.pointee.slot)
    else { return false }
    core.state.replaceScalar(
      at: change.position, ofElementAt: index, of: attachment.id,
      property: attachment.properties[property].name,
      by: change.value)
    let seq = recorder.append { log, time throws(LogError) in
      let array = try name(setter, attachment, property, in: log)
      let steps = [change.id.map { .id($0) } ?? .index(index), change.field.component]
      return try log.setUnderLock(
        steps, under: array, at: path(of: attachment, property: property), change.value, time: time)
    }
    wake(by: seq)
    return true
  }

  /// How the elements of an array are read; nil if they are not structs of plain values.
  private func elementLayout<Element>(of type: Element.Type) -> StructLayout? {
    let id = ObjectIdentifier(type)
    if let known = elementLayouts[id] { return known }
    let layout = StructLayout.ofPlainElement(type)
    elementLayouts[id] = .some(layout)
    return layout
  }

  private struct FieldChange {
    let field: StructLayout.Field
    /// The index of the field among the element's fields.
    let position: Int
    let value: Value
    /// The element's id, if it is the first with it.
    let id: Value?
  }

  /// The one field that has become another scalar since the element was recorded.
  private func change<Element>(
    of element: UnsafePointer<Element>, at index: Int, _ layout: StructLayout, _ attachment: Attachment,
    _ property: String
  ) -> FieldChange? {
    guard let fields = core.state.fields(ofElementAt: index, of: attachment.id, property: property) else {
      return nil
    }
    var context = EncodingContext(objects: engine)
    guard let (position, value) = layout.onlyChange(from: fields, to: element, in: &context),
      position != layout.id, value.isScalar, fields.values[position].isScalar
    else { return nil }
    // A long string is recorded as the edit of it, in the general way.
    if case .string(let text) = value, text.utf8.count >= RecordedScalar.shortString { return nil }
    core.state.indexIdentities(of: attachment.id, property: property)
    return FieldChange(
      field: layout.fields[position], position: position, value: value,
      id: core.state.hasUniqueIDs(in: attachment.id, property: property)
        ? layout.id.map { fields.values[$0] }
        : core.state.firstID(of: index, in: Place(owner: .object(attachment.id), steps: [.name(property)])))
  }
}
