// Follows paths one step at a time without allocating.

/// The position of a value within one object, by indices where a ``NamedLocation`` uses names.
///
/// It is valid as long as ``State/routeVersion`` has not changed since it was found. The location of a property
/// is valid longer: as long as its ``property`` is.
package struct Location: Hashable, Sendable {
  /// The location of the property, from the first step on; the number 0 stands for a root.
  package fileprivate(set) var whole: PropertyLocation
  /// The number of steps from the object: 0 for the object itself.
  package private(set) var depth = 0
  /// The indices in the containers below the property's value. The first two are stored inline, the others in
  /// an array.
  private var first: UInt32 = 0
  private var second: UInt32 = 0
  private var others: [UInt32]?

  fileprivate init(_ whole: PropertyLocation) { self.whole = whole }

  fileprivate init(of property: PropertyLocation) { (whole, depth) = (property, 1) }

  /// The location of a field, by its index, of an element of the array in a property; nil for an index that does not fit 32
  /// bits.
  package init?(ofField field: Int, ofElementAt index: Int, in property: PropertyLocation) {
    guard let field = UInt32(exactly: field), let index = UInt32(exactly: index) else { return nil }
    (whole, depth, first, second) = (property, 3, index, field)
  }

  /// The object that contains it; nil for a root.
  package var object: ObjectID? { isRoot ? nil : whole.object }

  fileprivate var isRoot: Bool { whole.number == 0 }

  /// The same as the location of a property; nil if it leads elsewhere.
  package var property: PropertyLocation? { depth == 1 && !isRoot ? whole : nil }

  /// The location at an index within this value; nil for an index that does not fit 32 bits.
  fileprivate func below(_ position: Int) -> Location? {
    guard let position = UInt32(exactly: position) else { return nil }
    var location = self
    switch depth {
    case 0: location.whole.field = position
    case 1: location.first = position
    case 2: location.second = position
    default: location.others = (others ?? []) + [position]
    }
    location.depth += 1
    return location
  }

  /// The index at a depth of 2 or more.
  package func position(at depth: Int) -> Int {
    switch depth {
    case 2: Int(first)
    case 3: Int(second)
    default: Int(others?[depth - 4] ?? 0)
    }
  }
}

extension State {
  /// The location of a root; nil if it does not exist. Cost: a hash.
  package func location(ofRoot name: String) -> Location? {
    roots.index(forKey: name).flatMap {
      Location(PropertyLocation(number: 0, layout: 0, entry: 0, field: 0)).below($0)
    }
  }

  /// The location of an object, from which steps lead to its properties; nil if it is not defined. Cost: a hash.
  package func location(of object: ObjectID) -> Location? {
    objects.entry(of: object).map { entry in
      Location(
        PropertyLocation(
          number: object.number, layout: objects[entry: entry].layout, entry: UInt32(entry), field: 0))
    }
  }

  /// The location one step below another; nil if nothing is there, or if the step is an aspect. It does not cross
  /// references: call ``reference(at:)`` first.
  ///
  /// A nil is valid for this state only, because setting a new scalar does not change ``routeVersion``. Cost:
  /// a hash for a name or an id; a search for an id in an array without an index.
  package func step(_ component: PathComponent, below location: Location) -> Location? {
    step(component, below: location, with: value(at: location))?.location
  }

  /// A location and its value.
  struct Reached {
    var location: Location
    var value: Value
  }

  /// The same, given the value at the location; also returns the value found.
  func step(_ component: PathComponent, below location: Location, with value: Value?) -> Reached? {
    if location.depth == 0 {
      guard let name = component.name, holds(location.whole),
        let field = objects[entry: Int(location.whole.entry)].fields.index(forKey: name),
        let below = location.below(field)
      else { return nil }
      return Reached(location: below, value: objects[entry: Int(location.whole.entry)].fields[valueAt: field])
    }
    switch (value, component) {
    case (.map(let fields)?, .property(let name)), (.map(let fields)?, .key(let name)):
      guard let position = fields.index(forKey: name), let below = location.below(position) else {
        return nil
      }
      return Reached(location: below, value: fields[valueAt: position])
    case (.array(let elements)?, .index(let index)):
      guard elements.indices.contains(index), let below = location.below(index) else { return nil }
      return Reached(location: below, value: elements[index])
    case (.array(let elements)?, .id(let id)):
      guard let index = index(ofID: id, in: elements, at: location), let below = location.below(index) else {
        return nil
      }
      return Reached(location: below, value: elements[index])
    default:
      return nil
    }
  }

  /// The same, but builds the index of a large array in a property before it searches by id.
  package mutating func indexedStep(_ component: PathComponent, below location: Location) -> Location? {
    if case .id = component, location.depth == 1, holds(location.whole) {
      indexIdentities(in: location.whole)
    }
    return step(component, below: location)
  }

  /// The location that the steps of a path lead to, across references; nil if nothing is there. Builds indexes as
  /// ``indexedStep(_:below:)``.
  mutating func indexedLocation(of root: Path.Root, _ steps: ArraySlice<PathComponent>) -> Location? {
    var location: Location? =
      switch root {
      case .named(let name): self.location(ofRoot: name)
      case .object(let id): self.location(of: id)
      }
    for step in steps {
      if step != .exists, let here = location, let object = reference(at: here) {
        location = self.location(of: object)
      }
      guard let here = location else { return nil }
      location = indexedStep(step, below: here)
    }
    return location
  }

  /// The object that the value at a location refers to, if it is a reference. Cost: no hash.
  package func reference(at location: Location) -> ObjectID? {
    if location.isRoot {
      let root = Int(location.whole.field)
      return root < roots.count ? roots.values[root] : nil
    }
    guard case .reference(let id)? = value(at: location) else { return nil }
    return id
  }

  /// The value at a location; nil for an object itself. Cost: the depth, no hash.
  package func value(at location: Location) -> Value? {
    if location.isRoot { return reference(at: location).map { .reference($0) } }
    guard location.depth > 0, var value = value(at: location.whole) else { return nil }
    for depth in 2..<max(2, location.depth + 1) {
      let position = location.position(at: depth)
      switch value {
      case .map(let fields) where position < fields.count: value = fields[valueAt: position]
      case .array(let elements) where position < elements.count: value = elements[position]
      default: return nil
      }
    }
    return value
  }

  /// The location of a part of the value in a property; nil if nothing is there, or if the property is invalid. Cost: a hash
  /// for each name.
  package func location(at steps: [PathComponent], in property: PropertyLocation) -> Location? {
    guard var value = value(at: property) else { return nil }
    var location = Location(of: property)
    for step in steps {
      guard let below = self.step(step, below: location, with: value) else { return nil }
      (location, value) = (below.location, below.value)
    }
    return location
  }

  /// Replaces a scalar by another, as for a property. Cost: the depth, no hash.
  package mutating func replaceScalar(at location: Location, by value: Value) -> Value? {
    var before: Value?
    _ = change(at: location) { part in
      before = part.exchangeScalar(value)
      return before != nil
    }
    return before
  }

  /// Does the same as ``replaceScalar(at:by:)``, and returns only whether it replaced the value.
  package mutating func putScalar(_ value: Value, at location: Location) -> Bool {
    change(at: location) { part in
      guard part.isScalar else { return false }
      part = value
      return true
    }
  }

  /// Changes the value at a location, as the next event. `body` returns whether it changed something; so does this.
  @inline(__always)
  private mutating func change(at location: Location, _ body: (inout Value) -> Bool) -> Bool {
    guard location.depth > 0, holds(location.whole) else { return false }
    // Most are properties, for which the body is inlined.
    if location.depth == 1 { return change(at: location.whole) { body(&$0) ? true : nil } ?? false }
    return change(at: location.whole) { Self.change(&$0, at: location, from: 2, body) ? true : nil } ?? false
  }

  private static func change(
    _ part: inout Value, at location: Location, from depth: Int, _ body: (inout Value) -> Bool
  ) -> Bool {
    if depth > location.depth { return body(&part) }
    let position = location.position(at: depth)
    if var fields = part.takeMap() {
      defer { part = .map(fields) }
      guard position < fields.count else { return false }
      return change(&fields[valueAt: position], at: location, from: depth + 1, body)
    }
    if var elements = part.takeArray() {
      defer { part = .array(elements) }
      guard position < elements.count else { return false }
      return change(&elements[position], at: location, from: depth + 1, body)
    }
    return false
  }

  private func index(ofID id: Value, in elements: [Value], at location: Location) -> Int? {
    if location.depth == 1, let known = indexedPosition(ofID: id, in: location.whole) { return known }
    return elements.firstIndex { self.id(of: $0) == id }
  }
}
