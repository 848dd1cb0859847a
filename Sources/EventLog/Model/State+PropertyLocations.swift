// Values of properties that are read and written where they are, without a search.

/// The position of a property's value: the entry of its object, and the index among the object's properties.
///
/// It is valid for the state it was taken from, and for later copies of that. It becomes invalid when the
/// object is removed or defined anew, when one of its properties is removed, or when the object loses the
/// place that names it. Ask for a new one then.
package struct PropertyLocation: Hashable, Sendable {
  /// The object's number.
  let number: UInt64
  /// The object's layout when the location was taken.
  package let layout: UInt64
  let entry: UInt32
  var field: UInt32

  /// The object that has the property.
  package var object: ObjectID { ObjectID(number) }
}

extension State {
  /// The location of a property; nil if the object or the property does not exist. Cost: two hashes.
  package func propertyLocation(of object: ObjectID, property: String) -> PropertyLocation? {
    guard let entry = objects.entry(of: object),
      let field = objects[entry: entry].fields.index(forKey: property)
    else { return nil }
    return PropertyLocation(
      number: object.number, layout: objects[entry: entry].layout, entry: UInt32(entry), field: UInt32(field))
  }

  /// Whether a location is still valid. Cost: no hash.
  @inline(__always)
  package func holds(_ location: PropertyLocation) -> Bool {
    objects.holds(location.number, laidOut: location.layout, at: Int(location.entry))
  }

  /// The name of the property of a valid location.
  func property(of location: PropertyLocation) -> String {
    invariant(holds(location), "the location of a property is used while the state holds it")
    return objects[entry: Int(location.entry)].fields[Int(location.field)].key
  }

  /// The value at a location; nil if the location is invalid. Cost: no hash.
  package func value(at location: PropertyLocation) -> Value? {
    holds(location) ? objects[entry: Int(location.entry)].fields[valueAt: Int(location.field)] : nil
  }

  /// Replaces a scalar by another and returns the old one. Returns nil and does nothing if the
  /// value is not a scalar, or if the location is invalid.
  ///
  /// Paths lead where they did, as long as the property is not an `id`. Cost: no hash, some 10 ns.
  package mutating func replaceScalar(at location: PropertyLocation, by value: Value) -> Value? {
    holds(location) ? change(at: location) { $0.exchangeScalar(value) } : nil
  }

  /// Does the same as ``replaceScalar(at:by:)``, and returns only whether it replaced the value.
  package mutating func putScalar(_ value: Value, at location: PropertyLocation) -> Bool {
    guard holds(location) else { return false }
    let isDone = objects[entry: Int(location.entry)].putScalar(value, at: Int(location.field))
    if isDone { forgetLastEvent() }
    return isDone
  }

  /// Replaces the value at a location, of any kind. Returns false if the location is invalid.
  ///
  /// Neither the old value nor the new one may hold objects, and no path in use may lead into the old value.
  /// Cost: no hash.
  package mutating func replaceWhole(at location: PropertyLocation, by value: Value) -> Bool {
    holds(location)
      && change(at: location) {
        $0 = value
        return true
      } != nil
  }

  /// Changes the value at a valid location, as the next event. `body` returns nil if it changed nothing.
  @inline(__always)
  mutating func change<R>(at location: PropertyLocation, _ body: (inout Value) -> R?) -> R? {
    invariant(holds(location), "the location of a property is used while the state holds it")
    let result = objects[entry: Int(location.entry)].change(at: Int(location.field), body)
    if result != nil { forgetLastEvent() }
    return result
  }

  @inline(__always)
  private mutating func forgetLastEvent() {
    if !newObjects.isEmpty { newObjects.removeEach() }
    if !releasedObjects.isEmpty { releasedObjects.removeEach() }
  }
}

// MARK: Elements of arrays

extension State {
  /// The fields of a struct that is an element of the array at a location; nil also if the location is invalid. Cost:
  /// no hash.
  package func fields(ofElementAt index: Int, in array: PropertyLocation) -> NamedValues<Value>? {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index),
      case .map(let fields) = elements[index]
    else { return nil }
    return fields
  }
}

/// Functions that move a container out of a value. It is then uniquely referenced, and so is changed without
/// a copy. Each is a function of its own, so that no second reference outlives it.
extension Value {
  mutating func takeMap() -> NamedValues<Value>? {
    guard case .map(let fields) = self else { return nil }
    self = .null
    return fields
  }

  mutating func takeText() -> String? {
    guard case .string(let text) = self else { return nil }
    self = .null
    return text
  }

  mutating func takeArray() -> [Value]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }

  /// Replaces a scalar by another value, and returns the scalar.
  @inline(__always)
  mutating func exchangeScalar(_ value: Value) -> Value? {
    guard isScalar else { return nil }
    var before = value
    swap(&self, &before)
    return before
  }
}
