// One step of a path, for those who go on from what the path above it leads to.

extension State {
  /// The index of the first element with an id in the array of a property; an index of the ids is made if the array is
  /// long. Nil if there is none, or no array.
  ///
  /// Cost: a hash or two for a long array, else a look at each element.
  package mutating func elementIndex(ofID id: Value, of object: ObjectID, property: String) -> Int? {
    let key = ObjectProperty(object: object, property: property)
    if let index = identityIndexes[key] { return index[id] }
    guard case .array(let elements)? = value(of: property, in: object) else { return nil }
    if elements.count > Self.scannedCount {
      indexIdentities(of: object, property: property)
      if let index = identityIndexes[key] { return index[id] }
    }
    return elements.firstIndex { self.id(of: $0) == id }
  }
}
