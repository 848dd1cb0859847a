/// A property of an object, as a key of dictionaries.
struct ObjectProperty: Hashable {
  var object: ObjectID
  var property: ExactString

  init(object: ObjectID, property: String) {
    self.object = object
    self.property = ExactString(property)
  }
}

extension State {
  /// Arrays up to this count are scanned instead of indexed.
  static let scannedCount = 16

  /// Up to this many ids are searched for by scans even in a large array.
  package static let scannedIDs = 4

  /// The id of an element: the scalar that its `id` field or property holds.
  package func id(of element: Value) -> Value? {
    let id: Value? =
      switch element {
      case .map(let fields): fields["id"]
      case .reference(let object): value(of: "id", in: object)
      default: nil
      }
    return id?.namesElement == true ? id : nil
  }

  /// What identifies an element in the order of its array: its id, else its object.
  package func identity(of element: Value) -> Value {
    if let id = id(of: element) { return id }
    if case .reference = element { return element }
    return .null
  }

  func index(ofID id: Value, in elements: [Value], at location: NamedLocation) -> Int? {
    if let known = indexedPosition(ofID: id, at: location) { return known }
    return elements.firstIndex { self.id(of: $0) == id }
  }

  /// The id of the element at an index, if it is the first element with that id.
  func firstID(of index: Int, in elements: [Value], at location: NamedLocation) -> Value? {
    guard let id = id(of: elements[index]) else { return nil }
    return self.index(ofID: id, in: elements, at: location) == index ? id : nil
  }

  /// The id of the element at an index of an array, if it is the first element with that id.
  package func firstID(ofElement index: Int, in array: PropertyLocation) -> Value? {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index),
      let id = id(of: elements[index])
    else { return nil }
    // Mostly each element has an id of its own, and then none need be looked up.
    if objects[entry: Int(array.entry)].identityCount(at: Int(array.field)) == elements.count { return id }
    let first = indexedPosition(ofID: id, in: array) ?? elements.firstIndex { self.id(of: $0) == id }
    return first == index ? id : nil
  }

  /// The id of the element at an index of the array at a location, if it is the first element with that id.
  package func firstID(of index: Int, in array: NamedLocation) -> Value? {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index) else { return nil }
    return firstID(of: index, in: elements, at: array)
  }

  /// The index of the first element with an id of the array at a location, as ``indexedPosition(ofID:in:)``.
  func indexedPosition(ofID id: Value, at location: NamedLocation) -> Int?? {
    propertyLocation(at: location).flatMap { indexedPosition(ofID: id, in: $0) }
  }

  /// The index of the first element with an id, of the array at a valid location; `.some(nil)` if there is no
  /// such element, nil if the array has no index of ids.
  func indexedPosition(ofID id: Value, in array: PropertyLocation) -> Int?? {
    objects[entry: Int(array.entry)].indexedPosition(ofID: id, at: Int(array.field))
  }

  /// Whether the array at a valid location has an index of ids.
  func hasIdentities(in array: PropertyLocation) -> Bool {
    objects[entry: Int(array.entry)].hasIdentities(at: Int(array.field))
  }

  /// The number of references within the array or map at a valid location.
  func heldCount(in array: PropertyLocation) -> Int {
    objects[entry: Int(array.entry)].heldCount(at: Int(array.field))
  }

  /// Changes the index of ids of the array at a valid location.
  private mutating func changeIdentities<R>(
    in array: PropertyLocation, _ body: (inout IdentityIndex<Value>?) -> R
  ) -> R {
    objects[entry: Int(array.entry)].changeContainer(at: Int(array.field)) { body(&$0.ids) }
  }

  /// The location, by indices, of a property; nil for any other location.
  private func propertyLocation(at location: NamedLocation) -> PropertyLocation? {
    guard location.steps.count == 1 else { return nil }
    return propertyLocation(around: location)
  }

  /// The location, by indices, of the property that a location lies in.
  func propertyLocation(around location: NamedLocation) -> PropertyLocation? {
    guard case .object(let object) = location.owner, case .name(let property)? = location.steps.first else {
      return nil
    }
    return propertyLocation(of: object, property: property)
  }

  /// The first element with an id of the array in a property; `.some(nil)` if there is no such element, nil
  /// if the array has no index. Cost: constant.
  package func indexedElement(id: Value, of object: ObjectID, property: String) -> Value?? {
    guard let array = propertyLocation(of: object, property: property),
      let index = indexedPosition(ofID: id, in: array),
      case .array(let elements)? = value(at: array)
    else { return nil }
    return .some(index.map { elements[$0] })
  }

  /// Builds the index of a large array before it is searched by id.
  package mutating func indexIdentities(of object: ObjectID, property: String) {
    if let array = propertyLocation(of: object, property: property) { indexIdentities(in: array) }
  }

  /// Builds the index of a large array before it is searched by id.
  package mutating func indexIdentities(in array: PropertyLocation) {
    guard case .array(let elements)? = value(at: array), elements.count > Self.scannedCount,
      !hasIdentities(in: array)
    else { return }
    var repeated: [Value] = []
    let index = IdentityIndex(elements.map { id(of: $0) }) { repeated.append($0) }
    changeIdentities(in: array) { $0 = index }
    guard findsDuplicateIDs, !repeated.isEmpty else { return }
    let property = property(of: array)
    for id in repeated { duplicateIDs.insert(DuplicateID(object: array.object, property: property, id: id)) }
  }

  /// Updates the index of ids, if there is one, after a splice of the array at a location.
  mutating func reindexIdentities(
    at location: NamedLocation, offset: Int, removed: [Value], inserted: [Value], of count: Int
  ) {
    guard let array = propertyLocation(at: location), hasIdentities(in: array) else {
      var element = location
      element.steps.append(.element(index: offset, id: nil))
      return forgetIdentities(around: element)
    }
    let (gone, new) = (removed.map { id(of: $0) }, inserted.map { id(of: $0) })
    changeIdentities(in: array) { index in
      if index?.splice(at: offset, removed: gone, inserted: new, of: count) != true { index = nil }
    }
  }

  /// Updates the index of ids of the array around a location after a value was replaced or removed.
  mutating func reindexIdentities(at location: NamedLocation, from before: Value?, to after: Value?) {
    // An entry of a map has no id.
    if location.steps.count > 1, case .name = location.steps[1] { return }
    guard let array = propertyLocation(around: location), hasIdentities(in: array) else { return }
    guard location.steps.count == 2, case .element(let index, _) = location.steps[1], let before, let after
    else { return forgetIdentities(around: location) }
    let (gone, new) = (id(of: before), id(of: after))
    if gone == new { return }
    guard case .array(let elements)? = value(at: array) else { return }
    changeIdentities(in: array) { ids in
      if ids?.splice(at: index, removed: [gone], inserted: [new], of: elements.count) != true { ids = nil }
    }
  }

  /// Drops the index of the array around a location, because elements may have been inserted, removed or moved,
  /// or have other ids.
  mutating func forgetIdentities(around location: NamedLocation) {
    if location.steps.count > 2, location.steps[2] != .name("id") { return }
    if case .object(let object) = location.owner, location.steps == [.name("id")] {
      forgetIdentities(ofArraysWith: object)
    } else if let array = propertyLocation(around: location), hasIdentities(in: array) {
      changeIdentities(in: array) { $0 = nil }
    }
  }

  /// Drops the indexes of the arrays that contain an object. Cost: linear in the objects that hold it.
  mutating func forgetIdentities(ofArraysWith object: ObjectID) {
    var holders: [Int] = []
    objects[object]?.holders.forEachObject { holder in
      if let entry = objects.entry(of: holder), !objects[entry: entry].containers.isEmpty {
        holders.append(entry)
      }
    }
    for holder in holders { objects[entry: holder].forgetIdentities() }
  }
}

extension Value {
  /// Whether a path can name an element by this id. A text must be as short as a name.
  package var namesElement: Bool {
    switch self {
    case .int, .uint, .bool, .double, .date: true
    case .string(let text): text.isRecordable
    default: false
    }
  }
}
