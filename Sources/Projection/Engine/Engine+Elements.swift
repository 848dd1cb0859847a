import EventLog
import Invalidation

// A fast path for the most common mutations of an array of structs, where one field of an element becomes
// another number, Boolean or short string. All others go through `record(of:property:)`.

extension Engine {
  /// Records a mutation of an array element in place, if it replaced one scalar by another. Otherwise does
  /// nothing and returns false. It runs no projections.
  ///
  /// Cost: comparing the element, some hashes and the log's row.
  func recordElement(
    _ element: UnsafeRawPointer, as type: Any.Type, at index: Int, of attachment: Attachment, property: Int
  ) -> Bool {
    let state = lock()
    defer { unlock() }
    return !isClosed && state.putElement(element, as: type, at: index, of: attachment, property: property)
  }
}

extension EngineState {
  fileprivate func putElement(
    _ element: UnsafeRawPointer, as type: Any.Type, at index: Int, of attachment: Attachment, property: Int
  ) -> Bool {
    guard let setter = quickSetter(of: attachment, property), let array = setter.pointee.write.location,
      let layout = elementLayout(of: type, setter)
    else { return false }
    guard let change = change(of: element, at: index, layout, in: array),
      let location = Location(ofField: change.position, ofElementAt: index, in: array)
    else {
      forgetLost(&setter.pointee.write)
      return false
    }
    let field = layout.fields[change.position].component
    setter.pointee.addMutation(ofField: change.position, at: [field])
    let part = setter.pointee.part(at: location, core.state.routeVersion, [])
    return put(
      change.value, at: location, elementID: change.id, [change.id.map { .id($0) } ?? .index(index), field],
      part, by: setter, of: attachment, property)
  }

  /// The memory layout of the elements of the array in a property; nil if they are not structs of plain
  /// values.
  private func elementLayout(of type: Any.Type, _ setter: UnsafeMutablePointer<Setter>) -> StructLayout? {
    if let known = setter.pointee.elementLayout { return known }
    let layout = StructLayout.ofPlainElement(type)
    setter.pointee.elementLayout = .some(layout)
    return layout
  }

  private struct FieldChange {
    /// The position of the field among the element's fields.
    let position: Int
    let value: Value
    /// The element's id, if it is the first element with that id.
    let id: Value?
  }

  /// The field that has become another scalar since the element was recorded; nil unless there is exactly
  /// one.
  private func change(
    of element: UnsafeRawPointer, at index: Int, _ layout: StructLayout, in array: PropertyLocation
  ) -> FieldChange? {
    guard let fields = core.fields(ofElementAt: index, in: array) else { return nil }
    var context = EncodingContext(objects: engine)
    guard let (position, value) = layout.onlyChange(from: fields, to: element, in: &context),
      position != layout.id, value.isScalar, value.sharesBlock, fields.values[position].isScalar
    else { return nil }
    // A change of a long string is recorded as an edit in the general way.
    if case .string(let text) = value, text.utf8.count >= RecordedScalar.shortString { return nil }
    return FieldChange(position: position, value: value, id: core.indexedID(ofElement: index, in: array))
  }
}
