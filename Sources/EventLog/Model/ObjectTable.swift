// The objects of a state. An object keeps its entry until it is removed, so that a caller that knows the
// entry finds the object, and its properties, without hashing.
//
//     index     id -> entry
//     entries   [ #1 | #2 | free | #4 ]      free entries are reused first
//     free      [ 2 ]

import Algorithms

extension State {
  /// An object: its type's name, its properties, the place that names it, and the objects that hold it.
  public struct Object: Sendable {
    /// The name of its type; empty if the log does not give it.
    public var type: String
    /// Its properties, in order of first appearance.
    public private(set) var fields: NamedValues<Value>
    /// Changes whenever a position in ``fields`` may belong to another property or to none, and whenever this
    /// object alone may have another name.
    fileprivate(set) var layout: UInt64 = 0
    /// The place that holds the object and from which it takes its name.
    var compactHome: Home
    /// The number of the event that put the object there.
    var homeEvent: UInt64
    /// The objects and roots that refer to it.
    var holders = Holders()
    /// What is known about the arrays and maps in its properties, sorted by the properties' positions. Most
    /// objects have none.
    fileprivate(set) var containers: [Container] = []

    init(type: String, fields: NamedValues<Value>, home: NamedLocation?, homeEvent: UInt64) {
      self.type = type
      self.fields = fields
      compactHome = Home(home)
      self.homeEvent = homeEvent
    }

    /// The place that holds the object and from which it takes its name; nil if it was only ever named by its
    /// id.
    var home: NamedLocation? {
      get { compactHome.location }
      set { compactHome = Home(newValue) }
    }

    /// Whether it refers to objects. Cost: linear in its properties.
    var holdsObjects: Bool {
      for position in 0..<fields.count {
        if case .reference = fields[valueAt: position] { return true }
      }
      return containers.contains { $0.heldCount > 0 }
    }

    /// Marks its name as outdated, because the place that named it no longer holds it.
    mutating func loseHome() { layout &+= 1 }

    /// Replaces all its properties.
    mutating func replaceFields(by fields: NamedValues<Value>) {
      self.fields = fields
      containers = []
      layout &+= 1
    }

    /// Changes the value of a property in place, adds the property, or removes it. Cost: a hash.
    mutating func change<R, E>(
      _ property: String, _ body: (inout Value?) throws(E) -> R
    ) throws(E) -> R {
      var value: Value?
      guard let position = fields.index(forKey: property) else {
        defer { if let value { fields.updateValue(value, forKey: property) } }
        return try body(&value)
      }
      // The value is moved out, so that it stays uniquely referenced and is not copied.
      value = .null
      swap(&value!, &fields[valueAt: position])
      defer {
        if let value { fields[valueAt: position] = value } else { removeProperty(property, at: position) }
      }
      return try body(&value)
    }

    /// Removes a property, which shifts the positions of those after it.
    private mutating func removeProperty(_ property: String, at position: Int) {
      fields.removeValue(forKey: property)
      layout &+= 1
      containers.removeAll { $0.field == position }
      for index in containers.indices where containers[index].field > position {
        containers[index].field -= 1
      }
    }

    /// Changes the value at a position in its properties in place. Cost: no hash.
    @inline(__always)
    mutating func change<R>(at position: Int, _ body: (inout Value) -> R) -> R {
      body(&fields[valueAt: position])
    }

    /// Replaces the scalar at a position in its properties by another; returns false, with nothing done, if
    /// there is none. Cost: no hash.
    @inline(__always)
    mutating func putScalar(_ value: Value, at position: Int) -> Bool {
      // One access changes the value in place; reading it before would copy it.
      func put(_ present: inout Value) -> Bool {
        guard present.isScalar else { return false }
        present = value
        return true
      }
      return put(&fields[valueAt: position])
    }
  }

  /// What is known about the array or map in a property.
  struct Container: Sendable {
    /// The position of the property.
    fileprivate(set) var field: Int
    /// The number of references anywhere within it. If it is 0, a large array of structs that is replaced
    /// need not be searched for references.
    var heldCount = 0
    /// The index of each id in the array; built at the first search by id.
    var ids: IdentityIndex<Value>?

    fileprivate var isEmpty: Bool { heldCount == 0 && ids == nil }
  }
}

extension State.Object {
  /// What is known about the array or map in the property at a position.
  func container(at field: Int) -> State.Container? { index(ofContainerAt: field).map { containers[$0] } }

  private func index(ofContainerAt field: Int) -> Int? {
    if containers.isEmpty { return nil }
    let index = containers.partitioningIndex { $0.field >= field }
    return index < containers.count && containers[index].field == field ? index : nil
  }

  // These are read often, so they avoid a copy of the container.

  func heldCount(at field: Int) -> Int { index(ofContainerAt: field).map { containers[$0].heldCount } ?? 0 }

  func hasIdentities(at field: Int) -> Bool {
    index(ofContainerAt: field).map { containers[$0].ids != nil } ?? false
  }

  /// The number of ids in the array's index; nil if it has no index.
  func identityCount(at field: Int) -> Int? {
    index(ofContainerAt: field).flatMap { containers[$0].ids?.count }
  }

  /// The position of the first element with an id; `.some(nil)` if there is no such element, nil if the array
  /// has no index.
  func indexedPosition(ofID id: Value, at field: Int) -> Int?? {
    guard let index = index(ofContainerAt: field), containers[index].ids != nil else { return nil }
    return .some(containers[index].ids?[id])
  }

  /// Changes what is known about the array or map in the property at a position.
  mutating func changeContainer<R>(at field: Int, _ body: (inout State.Container) -> R) -> R {
    let index = containers.partitioningIndex { $0.field >= field }
    if index == containers.count || containers[index].field != field {
      containers.insert(State.Container(field: field), at: index)
    }
    defer { if containers[index].isEmpty { containers.remove(at: index) } }
    return body(&containers[index])
  }

  /// Drops the indexes of its arrays.
  mutating func forgetIdentities() {
    for index in containers.indices { containers[index].ids = nil }
    containers.removeAll { $0.isEmpty }
  }
}

/// The objects of a state by their ids, in no particular order.
public struct ObjectTable: Sendable {
  fileprivate struct Entry: Sendable {
    /// The object's number; 0 while the entry is free.
    var number: UInt64
    var object: State.Object
  }

  private var entries: ContiguousArray<Entry> = []
  private var free: [UInt32] = []
  private var index = HashIndex()

  init() {}

  /// The number of objects.
  public var count: Int { entries.count - free.count }

  /// Whether there are no objects.
  public var isEmpty: Bool { count == 0 }

  /// The ids of the objects. Cost: linear.
  public var keys: [ObjectID] { map(\.key) }

  /// The object with an id, or nil. Cost: a hash.
  public subscript(id: ObjectID) -> State.Object? { entry(of: id).map { entries[$0].object } }

  /// Whether there is an object with this id. Cost: a hash.
  public func contains(_ id: ObjectID) -> Bool { entry(of: id) != nil }

  /// The layout of an object; nil if there is none. Cost: a hash.
  func layout(of id: ObjectID) -> UInt64? { entry(of: id).map { entries[$0].object.layout } }

  /// The entry of an object, which stays the same until the object is removed; nil if there is no such
  /// object. Cost: a hash.
  @inline(__always)
  func entry(of id: ObjectID) -> Int? {
    index.find(Self.hash(id.number, seed)) { entries[$0].number == id.number }
  }

  /// Whether an entry still belongs to the object with this number, and the positions of its properties are
  /// unchanged.
  @inline(__always)
  func holds(_ number: UInt64, laidOut layout: UInt64, at entry: Int) -> Bool {
    number != 0 && entry < entries.count && entries[entry].number == number
      && entries[entry].object.layout == layout
  }

  /// The object at an entry, which can be changed in place.
  subscript(entry entry: Int) -> State.Object {
    @inline(__always) _read { yield entries[entry].object }
    @inline(__always) _modify { yield &entries[entry].object }
  }

  /// Changes an object in place; does nothing if there is none. Cost: a hash.
  @inline(__always)
  mutating func change(_ id: ObjectID, _ body: (inout State.Object) -> Void) {
    if let entry = entry(of: id) { body(&entries[entry].object) }
  }

  /// Adds an object, or replaces the one with its id. Cost: a hash.
  mutating func put(_ object: State.Object, for id: ObjectID) {
    var object = object
    if let entry = entry(of: id) ?? popFreeEntry(for: id) {
      object.layout = entries[entry].object.layout &+ 1
      entries[entry].object = object
    } else {
      entries.append(Entry(number: id.number, object: object))
      index.add(entries.count - 1, Self.hash(id.number, seed)) { Self.hash(entries[$0].number, seed) }
    }
  }

  private mutating func popFreeEntry(for id: ObjectID) -> Int? {
    guard let entry = free.popLast().map({ Int($0) }) else { return nil }
    entries[entry].number = id.number
    index.add(entry, Self.hash(id.number, seed)) { Self.hash(entries[$0].number, seed) }
    return entry
  }

  /// Removes an object; does nothing if there is none. Cost: a hash.
  mutating func remove(_ id: ObjectID) {
    guard let entry = entry(of: id) else { return }
    index.remove(entry, Self.hash(id.number, seed)) { Self.hash(entries[$0].number, seed) }
    let layout = entries[entry].object.layout
    entries[entry] = Entry(number: 0, object: State.Object(type: "", fields: [:], home: nil, homeEvent: 0))
    entries[entry].object.layout = layout
    free.append(UInt32(entry))
  }

  /// A random seed, because ids come from a log, which must not be able to choose ids that collide.
  private static let processSeed = UInt64.random(in: .min ... .max)
  /// A copy of the seed in each table, because reading a global is a function call.
  private let seed = ObjectTable.processSeed

  @inline(__always)
  private static func hash(_ number: UInt64, _ seed: UInt64) -> Int {
    let product = (number ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }
}

extension ObjectTable: Sequence {
  /// An iterator over the objects.
  public struct Iterator: IteratorProtocol {
    fileprivate var entries: ContiguousArray<Entry>.Iterator

    /// The next object and its id.
    public mutating func next() -> (key: ObjectID, value: State.Object)? {
      while let entry = entries.next() {
        if entry.number != 0 { return (ObjectID(entry.number), entry.object) }
      }
      return nil
    }
  }

  /// The objects with their ids.
  public func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

  /// The number of objects.
  public var underestimatedCount: Int { count }
}

/// The place that holds an object, stored compactly. Most objects are elements of an array or map in a
/// property of another object; a ``NamedLocation`` would allocate an array of steps for each.
enum Home: Sendable {
  case nowhere
  case property(of: ObjectID, String)
  case element(of: ObjectID, String, index: Int)
  case entry(of: ObjectID, String, key: String)
  case other(NamedLocation)

  init(_ location: NamedLocation?) {
    guard let location else {
      self = .nowhere
      return
    }
    self = .other(location)
    guard case .object(let owner) = location.owner, case .name(let property)? = location.steps.first else {
      return
    }
    if location.steps.count == 1 {
      self = .property(of: owner, property)
    } else if location.steps.count == 2, case .element(let index, nil) = location.steps[1] {
      self = .element(of: owner, property, index: index)
    } else if location.steps.count == 2, case .name(let key) = location.steps[1] {
      self = .entry(of: owner, property, key: key)
    }
  }

  var location: NamedLocation? {
    switch self {
    case .nowhere: nil
    case .property(let owner, let name): NamedLocation(owner: .object(owner), steps: [.name(name)])
    case .element(let owner, let name, let index):
      NamedLocation(owner: .object(owner), steps: [.name(name), .element(index: index, id: nil)])
    case .entry(let owner, let name, let key):
      NamedLocation(owner: .object(owner), steps: [.name(name), .name(key)])
    case .other(let location): location
    }
  }

  /// The property whose array contains the object, and the index there; nil if it is not an element of a
  /// property's array.
  var element: (object: ObjectID, property: String, index: Int)? {
    switch self {
    case .element(let owner, let name, let index): return (owner, name, index)
    case .other(let location):
      guard case .object(let owner) = location.owner, location.steps.count == 2,
        case .name(let name) = location.steps[0],
        case .element(let index, _) = location.steps[1]
      else { return nil }
      return (owner, name, index)
    case .nowhere, .property, .entry: return nil
    }
  }

  /// Whether it lies in this property.
  func isInside(_ owner: NamedLocation.Owner, _ property: String) -> Bool {
    switch (self, owner) {
    case (.nowhere, _): false
    case (.property(let object, let name), .object(let other)),
      (.element(let object, let name, _), .object(let other)),
      (.entry(let object, let name, _), .object(let other)):
      object == other && name.hasSameBytes(as: property)
    case (.other(let location), _): location.owner == owner && location.steps.first == .name(property)
    case (.property, .roots), (.element, .roots), (.entry, .roots): false
    }
  }
}
