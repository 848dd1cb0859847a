// Values that are read and written in place by their position, without a search.

/// The position of a property's value: the entry of its object, and the index among the object's properties.
///
/// A cell is valid for the state it was taken from, and for later copies of that. It becomes invalid when the
/// object is removed or defined anew, when one of its properties is removed, or when the object loses the
/// place that names it. Ask for a new cell then.
package struct Cell: Hashable, Sendable {
  /// The object's number.
  let number: UInt64
  /// The object's layout when the cell was taken.
  package let layout: UInt64
  let entry: UInt32
  var field: UInt32

  /// The object that has the property.
  package var object: ObjectID { ObjectID(number) }
}

extension State {
  /// The cell of a property; nil if the object or the property does not exist. Cost: two hashes.
  package func cell(of object: ObjectID, property: String) -> Cell? {
    guard let entry = objects.entry(of: object),
      let field = objects[entry: entry].fields.index(forKey: property)
    else { return nil }
    return Cell(
      number: object.number, layout: objects[entry: entry].layout, entry: UInt32(entry), field: UInt32(field))
  }

  /// Whether a cell is still valid. Cost: no hash.
  @inline(__always)
  package func holds(_ cell: Cell) -> Bool {
    objects.holds(cell.number, laidOut: cell.layout, at: Int(cell.entry))
  }

  /// The name of the property of a valid cell.
  func property(of cell: Cell) -> String { objects[entry: Int(cell.entry)].fields[Int(cell.field)].key }

  /// The value in a cell; nil if the cell is invalid. Cost: no hash.
  package func value(in cell: Cell) -> Value? {
    holds(cell) ? objects[entry: Int(cell.entry)].fields[valueAt: Int(cell.field)] : nil
  }

  /// Replaces a scalar in a cell by another and returns the old one. Returns nil and does nothing if the
  /// value is not a scalar, or if the cell is invalid.
  ///
  /// Paths lead where they did, as long as the property is not an `id`. Cost: no hash, some 10 ns.
  package mutating func replaceScalar(in cell: Cell, by value: Value) -> Value? {
    holds(cell) ? change(in: cell) { $0.exchangeScalar(value) } : nil
  }

  /// Does the same as ``replaceScalar(in:by:)``, and returns only whether it replaced the value.
  package mutating func putScalar(_ value: Value, in cell: Cell) -> Bool {
    guard holds(cell) else { return false }
    let isDone = objects[entry: Int(cell.entry)].putScalar(value, at: Int(cell.field))
    if isDone { forgetLastEvent() }
    return isDone
  }

  /// Replaces the value in a cell, of any kind. Returns false if the cell is invalid.
  ///
  /// Neither the old value nor the new one may hold objects, and no path in use may lead into the old value.
  /// Cost: no hash.
  package mutating func replaceWhole(in cell: Cell, by value: Value) -> Bool {
    holds(cell)
      && change(in: cell) {
        $0 = value
        return true
      } != nil
  }

  /// Changes the value in a valid cell, as the next event. `body` returns nil if it changed nothing.
  @inline(__always)
  mutating func change<R>(in cell: Cell, _ body: (inout Value) -> R?) -> R? {
    let result = objects[entry: Int(cell.entry)].change(at: Int(cell.field), body)
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
  /// The fields of a struct that is an element of the array in a cell; nil also if the cell is invalid. Cost:
  /// no hash.
  package func fields(ofElementAt index: Int, in cell: Cell) -> NamedValues<Value>? {
    guard case .array(let elements)? = value(in: cell), elements.indices.contains(index),
      case .map(let fields) = elements[index]
    else { return nil }
    return fields
  }

  /// Whether each element of the array in a cell is known to have an id that no other element has. It does
  /// not search the array.
  package func hasUniqueIDs(in cell: Cell) -> Bool {
    guard case .array(let elements)? = value(in: cell),
      let known = objects[entry: Int(cell.entry)].identityCount(at: Int(cell.field))
    else { return false }
    return known == elements.count
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
