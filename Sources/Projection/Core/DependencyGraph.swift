import EventLog

/// Who depends on which place: a tree of places below each object, with the projections that read them.
///
/// A read of `app.episodes["a1"].title` depends on the title within its object, and on the places that
/// hold the objects crossed on the way there. So a shared object has one set of readers however it is
/// reached, and an object that moves takes its readers along.
struct DependencyGraph: Sendable {
  /// The number of a node; dense from 0.
  typealias NodeID = Int
  /// The number of a projection in order of creation; dense from 0 and never used again.
  typealias ProjectionID = Int

  /// How a node hangs below its parent. The two spellings of a member's name are one key here.
  enum Key: Hashable, Sendable {
    case name(String)
    case index(Int)
    case id(Value)
    case aspect(PathComponent)
    /// Below the table of roots: an object that a path names by its number before it is defined.
    case object(ObjectID)
    /// Which object stands here, if one does: no other value counts.
    case crossing
  }

  struct Node: Sendable {
    /// The place's parent, or the owner for the topmost node.
    var parent: NodeID?
    var key: Key?
    var owner: Place.Owner
    var children: [Key: NodeID] = [:]
    var hasIndexChildren = false
    var hasIDChildren = false
    var hasAspectChildren = false
    var readers: Set<ProjectionID> = []
    /// Registrations at this node and below it: what is zero need not be visited.
    var readersWithin = 0
  }

  var nodes: [Node] = []
  var owners: [Place.Owner: NodeID] = [:]
  /// The nodes that name an element by an id, by that id.
  var nodesByID: [Value: [NodeID]] = [:]
  /// The nodes of an order.
  var orderNodes: [NodeID] = []
  /// How many nodes have no reader at them or below.
  var unread = 0
  /// The projections that any set of any property of an object concerns.
  private(set) var objectReaders: [ObjectID: Set<ProjectionID>] = [:]
  /// Grows whenever somebody reads something else.
  private(set) var readersVersion: UInt64 = 0

  /// Whether anything was ever read.
  var hasReaders: Bool { !nodes.isEmpty }

  /// The node of an owner, new if need be.
  mutating func node(of owner: Place.Owner) -> NodeID {
    if let id = owners[owner] { return id }
    nodes.append(Node(owner: owner))
    unread += 1
    owners[owner] = nodes.count - 1
    return nodes.count - 1
  }

  /// The node one key below another, new if need be.
  mutating func node(_ key: Key, under parent: NodeID) -> NodeID {
    if let id = nodes[parent].children[key] { return id }
    nodes.append(Node(parent: parent, key: key, owner: nodes[parent].owner))
    unread += 1
    let id = nodes.count - 1
    nodes[parent].children[key] = id
    switch key {
    case .name, .object, .crossing: break
    case .index: nodes[parent].hasIndexChildren = true
    case .id(let value):
      nodes[parent].hasIDChildren = true
      nodesByID[value, default: []].append(id)
    case .aspect(let aspect):
      nodes[parent].hasAspectChildren = true
      if aspect == .order { orderNodes.append(id) }
    }
    return id
  }

  /// The node of a place that was named by a path.
  mutating func node(at place: Place) -> NodeID {
    place.steps.reduce(node(of: place.owner)) { node($1.key, under: $0) }
  }

  /// The node for readers of an object that is not defined yet, if there are any.
  func node(awaiting object: ObjectID) -> NodeID? {
    owners[.roots].flatMap { nodes[$0].children[.object(object)] }
  }

  /// The nodes with readers whose value may change when an object's id does: the order of any array, and elements
  /// named by the ids.
  ///
  /// - Parameter ids: The ids before and after; nil for any.
  func nodes(concernedBy ids: [Value]?) -> [NodeID] {
    let named = ids.map { $0.flatMap { nodesByID[$0] ?? [] } } ?? nodesByID.values.flatMap(\.self)
    return (orderNodes + named).filter { nodes[$0].readersWithin > 0 }
  }

  /// The property whose array is read by id at a node or above it, if one is.
  func arrayReadByID(at node: NodeID) -> (object: ObjectID, property: String)? {
    var node = node
    while let parent = nodes[node].parent {
      if case .id? = nodes[node].key, case .name(let property)? = nodes[parent].key,
        case .object(let object) = nodes[parent].owner, nodes[parent].parent == owners[.object(object)]
      {
        return (object, property)
      }
      node = parent
    }
    return nil
  }

  mutating func addReader(_ projection: ProjectionID, to node: NodeID) {
    guard nodes[node].readers.insert(projection).inserted else { return }
    countReaders(from: node, by: 1)
  }

  mutating func removeReader(_ projection: ProjectionID, from node: NodeID) {
    guard nodes[node].readers.remove(projection) != nil else { return }
    countReaders(from: node, by: -1)
  }

  mutating func addReader(_ projection: ProjectionID, to object: ObjectID) {
    readersVersion &+= 1
    objectReaders[object, default: []].insert(projection)
  }

  mutating func removeReader(_ projection: ProjectionID, from object: ObjectID) {
    readersVersion &+= 1
    objectReaders[object]?.remove(projection)
    if objectReaders[object]?.isEmpty == true { objectReaders[object] = nil }
  }

  /// Makes untrue whatever was found out about readers.
  mutating func forgetPlans() { readersVersion &+= 1 }

  private mutating func countReaders(from node: NodeID, by change: Int) {
    readersVersion &+= 1
    var next: NodeID? = node
    while let id = next {
      if nodes[id].readersWithin == 0 { unread -= 1 }
      nodes[id].readersWithin += change
      if nodes[id].readersWithin == 0 { unread += 1 }
      next = nodes[id].parent
    }
  }

  /// Visits every node with a reader at or below one.
  func forEachRead(within node: NodeID, _ body: (NodeID) -> Void) {
    guard nodes[node].readersWithin > 0 else { return }
    if !nodes[node].readers.isEmpty { body(node) }
    for child in nodes[node].children.values { forEachRead(within: child, body) }
  }

  /// The value now at a node's place; when the place lies within another object by now, that it does.
  func value(at node: NodeID, in state: State) -> Value? {
    var keys: [Key] = []
    var next = node
    while let parent = nodes[next].parent, let key = nodes[next].key {
      keys.append(key)
      next = parent
    }
    var value: Value?
    switch nodes[node].owner {
    case .roots:
      switch keys.popLast() {
      case .name(let name): value = state.roots[name].map { .reference($0) }
      case .object(let object): value = state.objects[object] == nil ? nil : .reference(object)
      default: return nil
      }
    case .object(let object):
      guard let last = keys.popLast() else {
        return state.value(at: Place(owner: .object(object), steps: []))
      }
      value =
        if case .name(let name) = last { state.objects[object]?.fields[name] } else {
          state.project(state.value(at: Place(owner: .object(object), steps: [])), last)
        }
      if case .name(let property) = last, case .id(let id)? = keys.last,
        let element = state.indexedElement(id: id, of: object, property: property)
      {
        value = element
        keys.removeLast()
      }
    }
    while let key = keys.popLast() {
      if case .reference(let object)? = value, key != .aspect(.exists) {
        return .inside(object, stepsLeft: keys.count + 1)
      }
      value = state.project(value, key)
    }
    return value
  }
}

extension Place.Step {
  var key: DependencyGraph.Key {
    switch self {
    case .name(let name): .name(name)
    case .element(_, let id?): .id(id)
    case .element(let index, nil): .index(index)
    case .aspect(let aspect): .aspect(aspect)
    }
  }
}

extension PathComponent {
  var key: DependencyGraph.Key {
    switch self {
    case .property(let name), .key(let name): .name(name)
    case .index(let index): .index(index)
    case .id(let id): .id(id)
    case .count, .order, .exists: .aspect(self)
    }
  }
}

extension State {
  /// The part of a value that a key addresses; whether a missing value exists is a value all the same.
  func project(_ value: Value?, _ key: DependencyGraph.Key) -> Value? {
    switch key {
    case .aspect(.exists): .bool(value != nil)
    case .aspect(let aspect): value.flatMap { project($0, aspect) }
    case .name(let name): value.flatMap { project($0, .key(name)) }
    case .index(let index): value.flatMap { project($0, .index(index)) }
    case .id(let id): value.flatMap { project($0, .id(id)) }
    case .object, .crossing: nil
    }
  }
}

extension Value {
  /// Stands for whatever is inside an object: it tells which object that is and where on the way it is
  /// crossed, and equals no recorded value.
  fileprivate static func inside(_ object: ObjectID, stepsLeft: Int) -> Value {
    .opaque(type: "\u{0}inside \(stepsLeft)", identity: object.number)
  }
}
