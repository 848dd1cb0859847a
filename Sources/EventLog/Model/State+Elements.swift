// Access to a part of one element of an array whose index is known.

extension State {
  /// The fields of a struct that is an element of the array in a property. Cost: two hashes.
  package func fields(
    ofElementAt index: Int, of object: ObjectID, property: String
  ) -> NamedValues<Value>? {
    guard case .array(let elements)? = objects[object]?.fields[property], elements.indices.contains(index),
      case .map(let fields) = elements[index]
    else { return nil }
    return fields
  }

  /// Replaces a scalar by another, which is a field of such a struct and not its id.
  ///
  /// - Parameter position: The index of the field.
  package mutating func replaceScalar(
    at position: Int, ofElementAt index: Int, of object: ObjectID, property: String, by value: Value
  ) {
    guard let owner = objects.index(forKey: object) else { return }
    Self.replaceScalar(
      at: position, ofElementAt: index, in: &objects.values[owner].fields[property], by: value)
  }

  private static func replaceScalar(
    at position: Int, ofElementAt index: Int, in slot: inout Value?, by value: Value
  ) {
    guard var elements = slot.takeArray() else { return }
    defer { slot = .array(elements) }
    elements[index].replaceField(at: position, by: value)
  }

  /// Whether each element of the array in a property is known to have an id that no other has. Searches nothing.
  package func hasUniqueIDs(in object: ObjectID, property: String) -> Bool {
    guard let index = identityIndexes[ObjectProperty(object: object, property: property)],
      case .array(let elements)? = objects[object]?.fields[property]
    else { return false }
    return index.count == elements.count
  }
}

extension Value {
  fileprivate mutating func replaceField(at position: Int, by value: Value) {
    guard var fields = takeFields() else { return }
    fields.values[position] = value
    self = .map(fields)
  }

  private mutating func takeFields() -> NamedValues<Value>? {
    guard case .map(let fields) = self else { return nil }
    self = .null
    return fields
  }
}
