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

  func index(ofID id: Value, in elements: [Value], at place: Place) -> Int? {
    if let known = indexedPosition(ofID: id, at: place) { return known }
    return elements.firstIndex { self.id(of: $0) == id }
  }

  /// The id of the element at an index, if it is the first element with that id.
  func firstID(of index: Int, in elements: [Value], at place: Place) -> Value? {
    guard let id = id(of: elements[index]) else { return nil }
    return self.index(ofID: id, in: elements, at: place) == index ? id : nil
  }

  /// The id of the element at an index of the array in a cell, if it is the first element with that id.
  package func firstID(ofElement index: Int, in cell: Cell) -> Value? {
    guard case .array(let elements)? = value(in: cell), elements.indices.contains(index),
      let id = id(of: elements[index])
    else { return nil }
    let first = indexedPosition(ofID: id, in: cell) ?? elements.firstIndex { self.id(of: $0) == id }
    return first == index ? id : nil
  }

  /// The id of the element at an index of the array at a place, if it is the first element with that id.
  package func firstID(of index: Int, in array: Place) -> Value? {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index) else { return nil }
    return firstID(of: index, in: elements, at: array)
  }

  /// The index of the first element with an id of the array at a place, as ``indexedPosition(ofID:in:)``.
  func indexedPosition(ofID id: Value, at place: Place) -> Int?? {
    cell(at: place).flatMap { indexedPosition(ofID: id, in: $0) }
  }

  /// The index of the first element with an id, of the array in a valid cell; `.some(nil)` if there is no
  /// such element, nil if the array has no index of ids.
  func indexedPosition(ofID id: Value, in cell: Cell) -> Int?? {
    objects[entry: Int(cell.entry)].indexedPosition(ofID: id, at: Int(cell.field))
  }

  /// Whether the array in a valid cell has an index of ids.
  func hasIdentities(in cell: Cell) -> Bool {
    objects[entry: Int(cell.entry)].hasIdentities(at: Int(cell.field))
  }

  /// The number of references within the array or map in a valid cell.
  func heldCount(in cell: Cell) -> Int { objects[entry: Int(cell.entry)].heldCount(at: Int(cell.field)) }

  /// Changes the index of ids of the array in a valid cell.
  private mutating func changeIdentities<R>(
    in cell: Cell, _ body: (inout IdentityIndex<Value>?) -> R
  ) -> R {
    objects[entry: Int(cell.entry)].changeContainer(at: Int(cell.field)) { body(&$0.ids) }
  }

  /// The cell of a place that is a property; nil for other places.
  private func cell(at place: Place) -> Cell? {
    guard place.steps.count == 1 else { return nil }
    return cell(around: place)
  }

  /// The cell of the property that a place lies in.
  func cell(around place: Place) -> Cell? {
    guard case .object(let object) = place.owner, case .name(let property)? = place.steps.first else {
      return nil
    }
    return cell(of: object, property: property)
  }

  /// The first element with an id of the array in a property; `.some(nil)` if there is no such element, nil
  /// if the array has no index. Cost: constant.
  package func indexedElement(id: Value, of object: ObjectID, property: String) -> Value?? {
    guard let cell = cell(of: object, property: property), let index = indexedPosition(ofID: id, in: cell),
      case .array(let elements)? = value(in: cell)
    else { return nil }
    return .some(index.map { elements[$0] })
  }

  /// Builds the index of a large array before it is searched by id.
  package mutating func indexIdentities(of object: ObjectID, property: String) {
    if let cell = cell(of: object, property: property) { indexIdentities(in: cell) }
  }

  /// Builds the index of a large array in a cell before it is searched by id.
  package mutating func indexIdentities(in cell: Cell) {
    guard case .array(let elements)? = value(in: cell), elements.count > Self.scannedCount,
      !hasIdentities(in: cell)
    else { return }
    var repeated: [Value] = []
    let index = IdentityIndex(elements.map { id(of: $0) }) { repeated.append($0) }
    changeIdentities(in: cell) { $0 = index }
    guard findsDuplicateIDs, !repeated.isEmpty else { return }
    let property = property(of: cell)
    for id in repeated { duplicateIDs.insert(DuplicateID(object: cell.object, property: property, id: id)) }
  }

  /// Updates the index of ids, if there is one, after a splice of the array at a place.
  mutating func reindexIdentities(
    at place: Place, offset: Int, removed: [Value], inserted: [Value], of count: Int
  ) {
    guard let cell = cell(at: place), hasIdentities(in: cell) else {
      var element = place
      element.steps.append(.element(index: offset, id: nil))
      return forgetIdentities(around: element)
    }
    let (gone, new) = (removed.map { id(of: $0) }, inserted.map { id(of: $0) })
    changeIdentities(in: cell) { index in
      if index?.splice(at: offset, removed: gone, inserted: new, of: count) != true { index = nil }
    }
  }

  /// Updates the index of ids of the array around a place after a value was replaced or removed.
  mutating func reindexIdentities(at place: Place, from before: Value?, to after: Value?) {
    // An entry of a map has no id.
    if place.steps.count > 1, case .name = place.steps[1] { return }
    guard let cell = cell(around: place), hasIdentities(in: cell) else { return }
    guard place.steps.count == 2, case .element(let index, _) = place.steps[1], let before, let after
    else { return forgetIdentities(around: place) }
    let (gone, new) = (id(of: before), id(of: after))
    if gone == new { return }
    guard case .array(let elements)? = value(in: cell) else { return }
    changeIdentities(in: cell) { ids in
      if ids?.splice(at: index, removed: [gone], inserted: [new], of: elements.count) != true { ids = nil }
    }
  }

  /// Drops the index of the array around a place, because elements may have been inserted, removed or moved,
  /// or have other ids.
  mutating func forgetIdentities(around place: Place) {
    if place.steps.count > 2, place.steps[2] != .name("id") { return }
    if case .object(let object) = place.owner, place.steps == [.name("id")] {
      forgetIdentities(ofArraysWith: object)
    } else if let cell = cell(around: place), hasIdentities(in: cell) {
      changeIdentities(in: cell) { $0 = nil }
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
    case .int, .uint, .bool, .double: true
    case .string(let text): text.isRecordable
    default: false
    }
  }
}
