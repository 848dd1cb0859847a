/// Where each id is in one array that a property holds.
///
/// Finding `[id: 7]` among many elements would otherwise cost a scan an event.
struct IdentityIndex: Sendable {
  struct Key: Hashable {
    var object: ObjectID
    var property: ExactString

    init(object: ObjectID, property: String) {
      self.object = object
      self.property = ExactString(property)
    }
  }

  var positions: [Value: Int]
}

extension State {
  /// Arrays up to this count are scanned instead of indexed.
  static let scannedCount = 16

  /// Up to so many ids are looked for by scans, although an array is large.
  package static let scannedIDs = 4

  /// The id of an element: the scalar that its `id` field or property holds.
  package func id(of element: Value) -> Value? {
    let id: Value? =
      switch element {
      case .map(let fields): fields["id"]
      case .reference(let object): objects[object]?.fields["id"]
      default: nil
      }
    return switch id {
    case .int, .uint, .string, .bool, .double: id
    default: nil
    }
  }

  /// What tells an element from another in the order of its array: its id, else which object it is.
  package func identity(of element: Value) -> Value {
    if let id = id(of: element) { return id }
    if case .reference = element { return element }
    return .null
  }

  func index(ofID id: Value, in elements: [Value], at place: Place) -> Int? {
    if let index = identityIndex(at: place) {
      return index.positions[id]
    }
    return elements.firstIndex { self.id(of: $0) == id }
  }

  /// The id of the element at an index, if no earlier element has the same.
  func firstID(of index: Int, in elements: [Value], at place: Place) -> Value? {
    guard let id = id(of: elements[index]) else { return nil }
    return self.index(ofID: id, in: elements, at: place) == index ? id : nil
  }

  /// The id of the element at an index of the array at a place, if no earlier element has the same.
  package func firstID(of index: Int, in array: Place) -> Value? {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index) else { return nil }
    return firstID(of: index, in: elements, at: array)
  }

  func identityIndex(at place: Place) -> IdentityIndex? {
    guard case .object(let object) = place.owner, place.steps.count == 1,
      case .name(let property) = place.steps[0]
    else { return nil }
    return identityIndexes[IdentityIndex.Key(object: object, property: property)]
  }

  /// The first element with an id of the array in a property, `.some(nil)` where there is none; nil where the array has
  /// no index. Cost: constant.
  package func indexedElement(id: Value, of object: ObjectID, property: String) -> Value?? {
    guard let index = identityIndexes[IdentityIndex.Key(object: object, property: property)],
      case .array(let elements)? = objects[object]?.fields[property]
    else { return nil }
    return .some(index.positions[id].map { elements[$0] })
  }

  /// Builds the index of a large array before it is searched by id.
  package mutating func indexIdentities(of object: ObjectID, property: String) {
    let key = IdentityIndex.Key(object: object, property: property)
    guard identityIndexes[key] == nil, case .array(let elements)? = objects[object]?.fields[property],
      elements.count > Self.scannedCount
    else { return }
    var positions: [Value: Int] = [:]
    positions.reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
      guard let id = id(of: element) else { continue }
      if positions[id] == nil {
        positions[id] = position
      } else if findsDuplicateIDs {
        duplicateIDs.insert(DuplicateID(object: object, property: property, id: id))
      }
    }
    identityIndexes[key] = IdentityIndex(positions: positions)
  }

  /// Adds the elements from a position on, which were put at the end of the array at a place, to its index.
  mutating func indexIdentities(from position: Int, at place: Place) {
    guard case .object(let object) = place.owner, case .name(let property)? = place.steps.first,
      place.steps.count == 1, case .array(let elements)? = objects[object]?.fields[property]
    else { return }
    let key = IdentityIndex.Key(object: object, property: property)
    for index in position..<elements.count {
      guard let id = id(of: elements[index]) else { continue }
      if identityIndexes[key]?.positions[id] == nil { identityIndexes[key]?.positions[id] = index }
    }
  }

  /// Forgets the index of the array around a place whose elements may have come, gone, moved or changed id.
  mutating func forgetIdentities(around place: Place) {
    guard !identityIndexes.isEmpty else { return }
    guard case .object(let object) = place.owner, case .name(let property)? = place.steps.first else {
      identityIndexes.removeAll()
      return
    }
    if place.steps.count > 2, place.steps[2] != .name("id") { return }
    if place.steps == [.name("id")] {
      // The object may be an element of any array.
      identityIndexes.removeAll()
    } else {
      identityIndexes[IdentityIndex.Key(object: object, property: property)] = nil
    }
  }
}
