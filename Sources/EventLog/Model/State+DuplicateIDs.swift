/// An id that several elements of an array have. Paths lead to the first of them.
package struct DuplicateID: Hashable, Sendable {
  package var object: ObjectID
  private var name: ExactString
  package var id: Value

  package init(object: ObjectID, property: String, id: Value) {
    self.object = object
    name = ExactString(property)
    self.id = id
  }

  package var property: String { name.string }
}

extension State {
  /// Returns the duplicate ids found since the last call that still exist. Two sets that swap elements
  /// produce a duplicate for a moment. Cost: linear in the arrays concerned.
  package mutating func popDuplicateIDs() -> [DuplicateID] {
    let found = Dictionary(grouping: duplicateIDs) { suspect in
      ObjectProperty(object: suspect.object, property: suspect.property)
    }
    duplicateIDs.removeAll()
    return found.flatMap { (array, suspects) -> [DuplicateID] in
      guard case .array(let elements)? = value(of: array.property.string, in: array.object) else {
        return []
      }
      var seen: Set<Value> = []
      let repeated = Set(elements.compactMap { id(of: $0) }.filter { !seen.insert($0).inserted })
      return suspects.filter { repeated.contains($0.id) }
    }
  }

  /// Finds duplicate ids in the array that a set changes: the array around the element, or the value itself.
  mutating func findDuplicateIDs(afterSetting location: NamedLocation, to value: Value) {
    guard case .object(let object) = location.owner, case .name(let property)? = location.steps.first else {
      return
    }
    if location.steps.count == 1 { findDuplicateIDs(in: value, of: object, property: property) }
    if location.steps.count == 2 || location.steps.count == 3 && location.isID,
      case .element(let index, _) = location.steps[1]
    {
      let array = NamedLocation(owner: location.owner, steps: [location.steps[0]])
      let element = location.isID ? .map(["id": value]) : value
      findDuplicateIDs(of: [element], replacing: index..<(index + 1), in: array)
    }
    findDuplicateIDsInNewObjects()
  }

  /// Finds duplicate ids in the arrays of the objects that an event defined.
  mutating func findDuplicateIDsInNewObjects() {
    guard findsDuplicateIDs else { return }
    for object in newObjects {
      guard let entry = objects.entry(of: object) else { continue }
      let fields = objects[entry: entry].fields
      for position in fields.indices {
        guard case .array = fields[valueAt: position] else { continue }
        findDuplicateIDs(in: fields[valueAt: position], of: object, property: fields[position].key)
      }
    }
  }

  /// Finds duplicate ids in an array that was assigned to a property. Cost: linear.
  mutating func findDuplicateIDs(in value: Value?, of object: ObjectID, property: String) {
    guard findsDuplicateIDs, case .array(let elements)? = value, elements.count > 1 else { return }
    var seen: Set<Value> = []
    for element in elements where element.mayHaveID {
      guard let id = id(of: element) else { continue }
      if !seen.insert(id).inserted {
        duplicateIDs.insert(DuplicateID(object: object, property: property, id: id))
      }
    }
  }

  /// Finds ids of new elements that elements outside the replaced range have already.
  ///
  /// Cost: linear in the inserted elements if the array is small or its ids are indexed. Otherwise duplicates
  /// are found when the index is built.
  mutating func findDuplicateIDs(of inserted: [Value], replacing range: Range<Int>, in array: NamedLocation) {
    guard findsDuplicateIDs, !inserted.isEmpty, case .object(let object) = array.owner,
      array.steps.count == 1,
      case .name(let property) = array.steps[0], case .array(let elements)? = value(at: array)
    else { return }
    if !inserted.contains(where: { $0.mayHaveID }) { return }
    // Rows that were fetched again have the ids that they had. A single element may be there already.
    if inserted.count > 1, inserted.count == range.count,
      zip(inserted, elements[range]).allSatisfy({ $0.hasID(of: $1) })
    {
      return
    }
    var seen: Set<Value> = []
    for element in inserted where element.mayHaveID {
      guard let id = id(of: element) else { continue }
      let isRepeated = inserted.count > 1 && !seen.insert(id).inserted
      if isRepeated || isElsewhere(id, than: range, in: elements, at: array) {
        duplicateIDs.insert(DuplicateID(object: object, property: property, id: id))
      }
    }
  }

  private func isElsewhere(_ id: Value, than range: Range<Int>, in elements: [Value], at array: NamedLocation)
    -> Bool
  {
    if elements.count <= Self.scannedCount {
      return elements.indices.contains { !range.contains($0) && self.id(of: elements[$0]) == id }
    }
    return (indexedPosition(ofID: id, at: array) ?? nil).map { !range.contains($0) } ?? false
  }
}

extension Value {
  /// Whether an element may have an id. A number costs no call.
  @inline(__always)
  fileprivate var mayHaveID: Bool {
    switch self {
    case .map, .reference: true
    default: false
    }
  }

  /// Whether two elements surely have the same id, or none.
  fileprivate func hasID(of other: Value) -> Bool {
    switch (self, other) {
    case (.map(let fields), .map(let others)): fields["id"] == others["id"]
    case (.reference(let object), .reference(let other)): object == other
    default: false
    }
  }
}
