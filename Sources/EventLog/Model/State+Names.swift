extension State {
  /// A version that changes whenever the name that ``path(of:)`` gave one object may be outdated.
  package struct NameVersion: Hashable, Sendable {
    /// The ``State/shapeVersion``.
    package let shape: UInt64
    package let layout: UInt64
  }

  /// The version of an object's name. Cost: a hash.
  package func nameVersion(of id: ObjectID) -> NameVersion {
    NameVersion(shape: shapeVersion, layout: objects.layout(of: id) ?? .max)
  }

  /// The path by which an object is named: the location where it was first put, while that still holds it;
  /// otherwise a location that holds it now; otherwise its number.
  ///
  /// The path is guaranteed to lead to the object. An object is named by its number only if no root reaches
  /// it, or if its path would be too long. If its first location no longer holds it, it gets its name from the
  /// nearest object above it that has one, counted in objects on the way; of several such objects, from the
  /// one with the shortest name, and then the lowest number. The location found becomes its home.
  ///
  /// Cost: the depth of the path; constant for an object that nothing holds. If its home no longer holds it,
  /// also the objects that hold it, upwards to the first that has a name, and the values of the objects on
  /// the way down. An element of an array that has moved is searched for from its last index.
  package mutating func path(of id: ObjectID) -> Path {
    // An object that is not defined yet, or that nothing holds, is named by its number.
    guard isHeld(id) else { return Path(root: .object(id)) }
    if let path = homePath(of: id) { return path }
    guard let above = nearestNamed(above: id) else { return Path(root: .object(id)) }
    var current = above.object
    if homePath(of: current) == nil, let root = roots.first(where: { $0.value == current }) {
      objects.change(current) { $0.home = NamedLocation(owner: .roots, steps: [.name(root.key)]) }
    }
    while let child = above.below[current] {
      let location = firstLocation(of: child, in: current)
      objects.change(child) { $0.home = location }
      current = child
    }
    return homePath(of: id) ?? Path(root: .object(id))
  }

  /// The nearest object above the given one, in the order of references, whose name is a path from a root.
  /// `below` maps each object on the way down to the next one.
  private mutating func nearestNamed(
    above id: ObjectID
  ) -> (object: ObjectID, below: [ObjectID: ObjectID])? {
    var below: [ObjectID: ObjectID] = [:]
    var nameless: Set<ObjectID> = []
    var level = [id]
    for _ in 0...Self.namedDepthMax {
      var best: (length: Int, object: ObjectID)?
      for object in level {
        let path = homePath(of: object, avoiding: nameless)
        guard let length = path?.components.count ?? (isRoot(object) ? 0 : nil) else {
          nameless.insert(object)
          continue
        }
        if best.map({ (length, object) < $0 }) ?? true { best = (length, object) }
      }
      if let best { return (best.object, below) }
      var next: [ObjectID: ObjectID] = [:]
      for object in level {
        objects[object]?.holders.forEachObject { holder in
          if !nameless.contains(holder) { next[holder] = min(next[holder] ?? object, object) }
        }
      }
      if next.isEmpty { return nil }
      below.merge(next) { known, _ in known }
      level = Array(next.keys)
    }
    return nil
  }

  private func isRoot(_ id: ObjectID) -> Bool {
    objects.entry(of: id).map { objects[entry: $0].holders.containsRoots } ?? false
  }

  /// Whether the location that names the object still holds it.
  func isHome(of id: ObjectID) -> Bool {
    objects.entry(of: id).map { isHome(of: id, at: $0) } ?? false
  }

  /// The same for an object whose entry is known.
  private func isHome(of id: ObjectID, at entry: Int) -> Bool {
    switch objects[entry: entry].compactHome {
    case .property(let owner, let name):
      return value(of: name, in: owner).isReference(to: id)
    case .element(let owner, let name, let index):
      guard case .array(let elements)? = value(of: name, in: owner) else { return false }
      return elements.element(at: index).isReference(to: id)
    case .entry(let owner, let name, let key):
      guard case .map(let fields)? = value(of: name, in: owner) else { return false }
      return fields[key].isReference(to: id)
    case .other(let location): return value(at: location).isReference(to: id)
    case .nowhere: return false
    }
  }

  /// Finds an object in the array of the property that contained it: by its id if the array has an index of
  /// ids, otherwise by a search in both directions from its last index. Returns whether it was found.
  private mutating func refind(_ id: ObjectID, at entry: Int, from before: Int, in array: PropertyLocation)
    -> Bool
  {
    guard case .array(let elements)? = value(at: array) else { return false }
    if elements.element(at: before).isReference(to: id) { return true }
    guard objects[entry: entry].holders.contains(.object(array.object)) else { return false }
    var index: Int?
    if elements.count > Self.scannedCount, let known = self.id(of: .reference(id)) {
      indexIdentities(in: array)
      index = indexedPosition(ofID: known, in: array) ?? nil
    }
    if !(index.map { elements.element(at: $0).isReference(to: id) } ?? false) {
      index = Self.position(of: id, in: elements, from: before)
    }
    guard let index else { return false }
    objects[entry: entry].compactHome = .element(of: array.object, property(of: array), index: index)
    return true
  }

  /// The same for an array nested within the value of a property.
  private mutating func refindInside(_ id: ObjectID, at entry: Int) {
    guard var home = objects[entry: entry].home, case .element(let before, _)? = home.steps.popLast(),
      objects[entry: entry].holders.contains(home.owner), case .array(let elements)? = value(at: home),
      let index = Self.position(of: id, in: elements, from: before)
    else { return }
    objects[entry: entry].home = home.below(.element(index: index, id: nil))
  }

  /// The index, nearest to a given one, of an element that refers to an object.
  private static func position(of id: ObjectID, in elements: [Value], from before: Int) -> Int? {
    let start = min(before, elements.count - 1)
    for distance in elements.indices {
      let (low, high) = (start - distance, start + distance)
      if elements.element(at: low).isReference(to: id) { return low }
      if elements.element(at: high).isReference(to: id) { return high }
    }
    return nil
  }

  /// The first location within an object that refers to another object.
  private func firstLocation(of id: ObjectID, in owner: ObjectID) -> NamedLocation? {
    for (name, value) in objects[owner]?.fields ?? [:] {
      let location = NamedLocation(owner: .object(owner), steps: [.name(name)])
      if value.isContainer, !holdsObjects(around: location) { continue }
      if let found = Self.firstLocation(of: id, in: value, at: location) { return found }
    }
    return nil
  }

  private static func firstLocation(of id: ObjectID, in value: Value, at location: NamedLocation)
    -> NamedLocation?
  {
    switch value {
    case .reference(id): return location
    case .array(let elements):
      for (index, element) in elements.enumerated() where element.mayHoldObjects {
        var below = location
        below.steps.append(.element(index: index, id: nil))
        if let found = firstLocation(of: id, in: element, at: below) { return found }
      }
    case .map(let fields):
      for (name, field) in fields where field.mayHoldObjects {
        var below = location
        below.steps.append(.name(name))
        if let found = firstLocation(of: id, in: field, at: below) { return found }
      }
    default: break
    }
    return nil
  }

  /// The greatest depth of a name. An object further from its root is named by its number, so that paths into
  /// it have steps left.
  static let namedDepthMax = Path.maximumDepth - 16

  /// The path from a root through the homes of the objects on the way; nil if the home of one of them no
  /// longer holds it. Objects that have moved within their array are found again.
  ///
  /// - Parameter nameless: Objects that are known to have no such path.
  private mutating func homePath(of id: ObjectID, avoiding nameless: Set<ObjectID> = []) -> Path? {
    var components: [PathComponent] = []
    var current = id
    // More homes than a path has steps means that the objects are a cycle that no root reaches.
    for _ in 0...Self.namedDepthMax {
      if nameless.contains(current) { return nil }
      switch climb(from: current, &components) {
      case .object(let owner)?: current = owner
      case .roots?: return Self.path(climbing: components)
      case nil: return nil
      }
    }
    return nil
  }

  /// Adds the steps that lead to an object from the owner of its home, the last step first, and returns the
  /// owner; nil if the home no longer holds the object, also after a search of its array.
  mutating func climb(from id: ObjectID, _ components: inout [PathComponent]) -> NamedLocation.Owner? {
    guard let entry = objects.entry(of: id) else { return nil }
    if let (owner, property, index) = objects[entry: entry].compactHome.element {
      guard let array = propertyLocation(of: owner, property: property),
        refind(id, at: entry, from: index, in: array)
      else { return nil }
      indexIdentities(in: array)
    } else if !isHome(of: id, at: entry) {
      refindInside(id, at: entry)
      guard isHome(of: id, at: entry) else { return nil }
    }
    return climb(from: entry, &components)
  }

  /// The path from a root through the homes of the objects on the way; nil if the home of one of them no
  /// longer holds it.
  private func presentPath(of id: ObjectID) -> Path? {
    var components: [PathComponent] = []
    var current = id
    for _ in 0...Self.namedDepthMax {
      guard let entry = objects.entry(of: current), isHome(of: current, at: entry) else { return nil }
      switch climb(from: entry, &components) {
      case .object(let owner)?: current = owner
      case .roots?: return Self.path(climbing: components)
      case nil: return nil
      }
    }
    return nil
  }

  /// Builds a path from its steps and its root, given last first; nil if it is too long.
  private static func path(climbing components: consuming [PathComponent]) -> Path? {
    guard components.count <= namedDepthMax + 1, case .property(let root)? = components.popLast() else {
      return nil
    }
    components.reverse()
    return Path(root: .named(root), components: components)
  }

  /// Adds the steps that lead to an object from the owner of its home, the last step first, and returns the
  /// owner; nil if it has no home that a path can name.
  private func climb(from entry: Int, _ components: inout [PathComponent]) -> NamedLocation.Owner? {
    switch objects[entry: entry].compactHome {
    case .nowhere: return nil
    case .property(let owner, let name):
      components.append(.property(name))
      return .object(owner)
    case .element(let owner, let name, let index):
      let id = propertyLocation(of: owner, property: name).flatMap { firstID(ofElement: index, in: $0) }
      components.append(id.map { .id($0) } ?? .index(index))
      components.append(.property(name))
      return .object(owner)
    case .entry(let owner, let name, let key):
      components.append(.key(key))
      components.append(.property(name))
      return .object(owner)
    case .other(let home):
      for position in home.steps.indices.reversed() {
        switch home.steps[position] {
        case .name(let name): components.append(position == 0 ? .property(name) : .key(name))
        case .element(let index, _):
          let array = NamedLocation(owner: home.owner, steps: Array(home.steps[..<position]))
          components.append(elementComponent(index, of: array))
        case .aspect: return nil
        }
      }
      return home.owner
    }
  }

  /// Names an element by its id if it is the first with that id, otherwise by its index.
  private func elementComponent(_ index: Int, of array: NamedLocation) -> PathComponent {
    guard case .array(let elements)? = value(at: array), elements.indices.contains(index) else {
      return .index(index)
    }
    return firstID(of: index, in: elements, at: array).map { .id($0) } ?? .index(index)
  }

  /// Every location that a root reaches and that holds a reference, nearest first.
  func walk() -> [NamedLocation] {
    var locations: [NamedLocation] = roots.keys.map { NamedLocation(owner: .roots, steps: [.name($0)]) }
    var seen: Set<ObjectID> = []
    var next = 0
    while next < locations.count {
      guard case .reference(let id)? = value(at: locations[next]) else { break }
      next += 1
      guard seen.insert(id).inserted, let object = objects[id] else { continue }
      for (name, field) in object.fields {
        collectReferences(field, NamedLocation(owner: .object(id), steps: [.name(name)]), into: &locations)
      }
    }
    return locations
  }

  private func collectReferences(
    _ value: Value, _ location: NamedLocation, into locations: inout [NamedLocation]
  ) {
    switch value {
    case .reference: locations.append(location)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        var below = location
        below.steps.append(.element(index: index, id: nil))
        collectReferences(element, below, into: &locations)
      }
    case .map(let fields):
      for (name, field) in fields {
        var below = location
        below.steps.append(.name(name))
        collectReferences(field, below, into: &locations)
      }
    default: break
    }
  }
}

extension State {
  /// The steps below a property, where each element is named by its id if it is the first with that id.
  package mutating func namingElementsByID(
    _ components: [PathComponent], of object: ObjectID, property: String
  ) -> [PathComponent] {
    let location = NamedLocation(owner: .object(object), steps: [.name(property)])
    guard case .index(let index)? = components.first, case .array(let elements)? = value(at: location),
      elements.indices.contains(index), id(of: elements[index]) != nil
    else { return components }
    indexIdentities(of: object, property: property)
    guard let id = firstID(of: index, in: elements, at: location) else { return components }
    return [.id(id)] + components.dropFirst()
  }
}

// MARK: Bound paths

extension State {
  /// The slot that a path leads to, in one object or in the table of roots: the object after the last
  /// reference that the path crosses, and the remaining steps. The slot may be empty.
  ///
  /// So `app.rows["a"].title` is `#7.title` if the element is a reference to #7, and `#1.rows["a"].title` if
  /// it is a struct. A path that begins with the number of an object is already bound, and so are `app` and
  /// `app[#exists]`. A path whose root does not exist is bound to that root, because nothing can be there
  /// before it. A bound path means the same in any state. Cost: linear in the depth.
  public func bound(_ path: Path) -> Path {
    guard case .named(let name) = path.root else { return path }
    guard let id = roots[name], !path.components.isEmpty, path.components != [.exists] else {
      return path.components == [.exists] ? path : Path(root: path.root)
    }
    let (object, steps) = owner(of: path.components, in: id)
    return Path(root: .object(object), components: Array(steps))
  }

  /// The same as ``bound(_:)``. It indexes large arrays on the way to the last step before it searches them
  /// by id.
  package mutating func indexedBound(_ path: Path) -> Path {
    indexIdentities(on: Path(root: path.root, components: path.components.dropLast()))
    return bound(path)
  }

  /// The name of a bound path: the path from a root by which its object is named, and the remaining steps.
  /// Returns the same path if no root names the object, or if that name leads elsewhere. An object that has
  /// moved has no name until `path(of:)` has found it again.
  ///
  /// `bound(named(path)) == path` for every bound path in any state. Cost: linear in the depth of the name.
  public func named(_ bound: Path) -> Path {
    guard case .object(let id) = bound.root, let home = presentPath(of: id) else { return bound }
    return named(bound, of: home)
  }

  /// The same as ``named(_:)``, but finds objects again that have moved. Cost: as ``path(of:)``.
  package mutating func currentName(of bound: Path) -> Path {
    guard case .object(let id) = bound.root else { return bound }
    let home = path(of: id)
    return home.root == bound.root ? bound : named(bound, of: home)
  }

  private func named(_ bound: Path, of home: Path) -> Path {
    if home.components.count + bound.components.count > Path.maximumDepth { return bound }
    let path = Path(root: home.root, components: home.components + bound.components)
    return self.bound(path) == bound ? path : bound
  }

  /// The form of a bound path in a log. An object is written by its number, which is short and stays right
  /// when things move; a root object is written by the root's name as in its writes, which is easier to read.
  /// Cost: linear in the depth.
  package mutating func logged(_ bound: Path) -> Path {
    guard case .object(let id) = bound.root, let name = rootName(of: id) else { return bound }
    let path = Path(root: .named(name), components: bound.components)
    return staysWithin(id, bound.components) || indexedBound(path) == bound ? path : bound
  }

  /// Whether steps from an object certainly do not lead into another object: they are so few that only the value of a
  /// property could. Cost: two hashes for two steps.
  private func staysWithin(_ id: ObjectID, _ steps: [PathComponent]) -> Bool {
    switch steps.count {
    case 1:
      if case .exists = steps[0] { return false }
      return true
    case 2:
      guard let property = steps[0].name, case .reference? = value(of: property, in: id) else { return true }
      return false
    default: return false
    }
  }

  /// The root that names the object, if there is one.
  private func rootName(of id: ObjectID) -> String? {
    guard let entry = objects.entry(of: id), case .other(let home) = objects[entry: entry].compactHome,
      home.owner == .roots, case .name(let name)? = home.steps.first, roots[name] == id
    else { return nil }
    return name
  }
}

// MARK: Settling names

extension State {
  /// Gives every object the home that ``path(of:)`` would find, or none.
  mutating func settleNames() {
    refindInArrays()
    var found: [ObjectID: NamedLocation] = [:]
    for location in walk() {
      guard case .reference(let id)? = value(at: location), found[id] == nil else { continue }
      found[id] = location
    }
    for id in objects.keys {
      if isHome(of: id), objects[id]?.home?.owner != .roots { continue }
      // If several roots hold an object, the first one names it.
      objects.change(id) { $0.home = found[id] }
    }
  }
}

extension State {
  /// Finds all objects that have moved within their arrays, with the same result as ``path(of:)`` for each.
  /// Cost: linear.
  private mutating func refindInArrays() {
    var moved: [NamedLocation: [ObjectID: Int]] = [:]
    for (id, object) in objects where !isHome(of: id) {
      guard var array = object.home, case .element(let index, _)? = array.steps.popLast() else { continue }
      moved[array, default: [:]][id] = index
    }
    for (array, before) in moved {
      guard case .array(let elements)? = value(at: array) else { continue }
      var found: [ObjectID: Int] = [:]
      for (index, element) in elements.enumerated() {
        guard case .reference(let id) = element, let before = before[id] else { continue }
        if let known = found[id], abs(known - before) <= abs(index - before) { continue }
        found[id] = index
      }
      for (id, index) in found {
        var home = array
        home.steps.append(.element(index: index, id: nil))
        objects.change(id) { $0.home = home }
      }
    }
  }
}

extension Value? {
  fileprivate func isReference(to id: ObjectID) -> Bool { self?.isReference(to: id) ?? false }
}

extension Value {
  fileprivate func isReference(to id: ObjectID) -> Bool {
    if case .reference(id) = self { true } else { false }
  }
}

extension NamedLocation {
  /// The location as a path from the object that owns it; nil for a root.
  var pathFromObject: Path? {
    guard case .object(let id) = owner else { return nil }
    return Path(
      root: .object(id),
      components: steps.enumerated().compactMap { position, step in
        switch step {
        case .name(let name): position == 0 ? .property(name) : .key(name)
        case .element(let index, _): .index(index)
        case .aspect: nil
        }
      })
  }
}
