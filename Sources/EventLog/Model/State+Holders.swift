// Which objects and roots hold each object. This is updated with every change of a value that contains
// references, so that no search is needed to find out.
//
//     Object.holders        the objects and roots that refer to it, each with how often
//     Container.heldCount   for a property with an array or a map: the number of references anywhere in it
//
// An update costs a step for each reference that is added or removed, one hash for a container that is
// replaced, and nothing for scalars.

/// The objects that refer to an object, each with the number of its references, and the table of roots.
struct Holders: Hashable, Sendable {
  /// The number that stands for the table of roots; no object has the number 0.
  private static let roots: UInt64 = 0

  private enum Content: Hashable, Sendable {
    case none
    /// One holder only, as most objects have.
    case one(UInt64, times: Int)
    case many([UInt64: Int])
  }

  private var content = Content.none

  /// Whether there are no holders.
  var isEmpty: Bool {
    if case .none = content { true } else { false }
  }

  /// Whether a root refers to the object.
  var containsRoots: Bool { contains(Self.roots) }

  /// Whether an object, or the table of roots, refers to it.
  func contains(_ owner: NamedLocation.Owner) -> Bool { contains(Self.number(of: owner)) }

  private func contains(_ number: UInt64) -> Bool {
    switch content {
    case .none: false
    case .one(let holder, _): holder == number
    case .many(let table): table[number] != nil
    }
  }

  /// Calls a function with each object among the holders, in no particular order.
  func forEachObject(_ body: (ObjectID) -> Void) {
    switch content {
    case .none: break
    case .one(let holder, _): if holder != Self.roots { body(ObjectID(holder)) }
    case .many(let table): for holder in table.keys where holder != Self.roots { body(ObjectID(holder)) }
    }
  }

  /// Adds a reference.
  mutating func add(_ owner: NamedLocation.Owner) {
    let number = Self.number(of: owner)
    switch content {
    case .none: content = .one(number, times: 1)
    case .one(number, let times): content = .one(number, times: times + 1)
    case .one(let other, let times): content = .many([other: times, number: 1])
    case .many: change(number, by: 1)
    }
  }

  /// Removes a reference that was added.
  mutating func remove(_ owner: NamedLocation.Owner) {
    let number = Self.number(of: owner)
    switch content {
    case .none: break
    case .one(let holder, let times):
      if holder == number { content = times == 1 ? .none : .one(holder, times: times - 1) }
    case .many: change(number, by: -1)
    }
  }

  private mutating func change(_ number: UInt64, by difference: Int) {
    guard case .many(var table) = content else { return }
    // The table must be uniquely referenced, or the change would copy it.
    content = .none
    let times = (table[number] ?? 0) + difference
    table[number] = times > 0 ? times : nil
    if table.count == 1, let (only, times) = table.first {
      content = .one(only, times: times)
    } else {
      content = .many(table)
    }
  }

  private static func number(of owner: NamedLocation.Owner) -> UInt64 {
    switch owner {
    case .roots: roots
    case .object(let id): id.number
    }
  }
}

// MARK: Counting

extension State {
  /// Whether a root or an object refers to an object; false if it is not defined. Cost: a hash.
  package func isHeld(_ id: ObjectID) -> Bool {
    objects.entry(of: id).map { !objects[entry: $0].holders.isEmpty } ?? false
  }

  /// Counts the references that are added and removed when a value, or elements of an array, at a location are
  /// replaced. Invalidates the names of objects that led through the location.
  ///
  /// Cost: linear in those values that are containers with references.
  ///
  /// - Parameter mayHold: Whether the new value may contain references.
  mutating func countReferences(
    from before: Value?, to after: Value?, mayHold: Bool = true, at location: NamedLocation
  ) {
    guard case .name(let property)? = location.steps.first else { return }
    if before?.isScalar ?? true, after?.isScalar ?? true { return }
    if case .reference(let a)? = before, case .reference(let b)? = after, a == b { return }
    let isInside = location.steps.count > 1
    let counted = before?.isContainer ?? false || isInside || (mayHold && after?.isContainer ?? false)
    let container = counted ? propertyLocation(around: location) : nil
    let known = container.map { heldCount(in: $0) } ?? 0
    var inside = known
    // New references are counted first, so that an object that is in both values counts as held all the time.
    if let after, mayHold {
      let count = hold(after, by: location.owner)
      if isInside || after.isContainer { inside += count }
    }
    if let before, !before.isContainer || known > 0 {
      let count = release(before, by: location.owner, property)
      if isInside || before.isContainer { inside -= count }
    }
    if let container, inside != known {
      objects[entry: Int(container.entry)].changeContainer(at: Int(container.field)) {
        $0.heldCount = max(inside, 0)
      }
    }
  }

  /// Counts the references in a value that an owner received. Returns their number.
  private mutating func hold(_ value: Value, by owner: NamedLocation.Owner) -> Int {
    switch value {
    case .reference(let id):
      guard let entry = objects.entry(of: id) else { return 0 }
      objects[entry: entry].holders.add(owner)
      return 1
    case .array(let elements): return elements.reduce(0) { $0 + hold($1, by: owner) }
    case .map(let fields): return fields.values.reduce(0) { $0 + hold($1, by: owner) }
    default: return 0
    }
  }

  /// Counts the references in a value that was removed from a property. Returns their number.
  private mutating func release(_ value: Value, by owner: NamedLocation.Owner, _ property: String) -> Int {
    switch value {
    case .reference(let id):
      guard let entry = objects.entry(of: id) else { return 0 }
      objects[entry: entry].holders.remove(owner)
      if objects[entry: entry].holders.isEmpty { releasedObjects.append(id) }
      if objects[entry: entry].compactHome.isInside(owner, property) { loseHome(at: entry) }
      return 1
    case .array(let elements): return elements.reduce(0) { $0 + release($1, by: owner, property) }
    case .map(let fields): return fields.values.reduce(0) { $0 + release($1, by: owner, property) }
    default: return 0
    }
  }

  /// Records that the location which names an object no longer holds it.
  ///
  /// The name of an object leads only through the homes of the objects on the way. If the object refers to no
  /// others, only its own name is outdated, so objects that come and go leave the names of others valid.
  private mutating func loseHome(at entry: Int) {
    if objects[entry: entry].holdsObjects {
      shapeVersion += 1
    } else {
      objects[entry: entry].loseHome()
      routeVersion &+= 1
    }
  }

  /// Whether the array or map that contains a location has references in it.
  func holdsObjects(around location: NamedLocation) -> Bool {
    propertyLocation(around: location).map { heldCount(in: $0) } ?? 0 > 0
  }
}

extension Value {
  /// Whether it is an array or a map.
  var isContainer: Bool {
    switch self {
    case .array, .map: true
    default: false
    }
  }
}

// MARK: Removing objects

extension State {
  /// Removes an object that nothing holds. The objects that it holds remain, with one holder fewer.
  mutating func forget(_ id: ObjectID, _ path: Path) throws(StateError) -> Effect {
    guard let object = objects[id] else {
      throw StateError(path, "the object \(id) is not there, so it cannot be removed")
    }
    guard object.holders.isEmpty else {
      throw StateError(path, "the object \(id) is still referred to; remove the references first")
    }
    for (property, value) in object.fields {
      let location = NamedLocation(owner: .object(id), steps: [.name(property)])
      countReferences(from: value, to: nil, at: location)
    }
    objects.remove(id)
    // Paths that begin with its number lead nowhere now.
    routeVersion &+= 1
    return .replaced(NamedLocation(owner: .object(id), steps: []), before: .map(object.fields), after: nil)
  }

  /// The candidates that only other such candidates hold, directly or indirectly: once the references among
  /// them are removed, nothing holds them. Cost: linear in the candidates and their holders.
  package func onlyHeld(among candidates: Set<ObjectID>) -> Set<ObjectID> {
    var rest = candidates.filter { objects.contains($0) }
    // An object that leaves the set stays held, so the candidates that it holds leave, too.
    var leaving = rest.filter { isHeld($0, outside: rest) }
    while !leaving.isEmpty {
      rest.subtract(leaving)
      var next: Set<ObjectID> = []
      for id in leaving {
        for (_, value) in objects[id]?.fields ?? [:] {
          value.forEachReference { if rest.contains($0) { next.insert($0) } }
        }
      }
      leaving = next
    }
    return rest
  }

  private func isHeld(_ id: ObjectID, outside candidates: Set<ObjectID>) -> Bool {
    guard let holders = objects[id]?.holders else { return false }
    if holders.containsRoots { return true }
    var isOutside = false
    holders.forEachObject { if !candidates.contains($0) { isOutside = true } }
    return isOutside
  }

  /// The properties of an object that refer to objects.
  package func propertiesWithReferences(of id: ObjectID) -> [String] {
    (objects[id]?.fields ?? [:]).filter { $0.value.mayHoldObjects }.map(\.key)
  }
}

extension Value {
  /// Calls a function with each reference in the value.
  func forEachReference(_ body: (ObjectID) -> Void) {
    switch self {
    case .reference(let id): body(id)
    case .array(let elements): for element in elements { element.forEachReference(body) }
    case .map(let fields): for field in fields.values { field.forEachReference(body) }
    default: break
    }
  }
}
