// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

/// Which projections depend on which slots: a tree of slots below each object, with their readers.
///
/// A read of `app.episodes["a1"].title` depends on the title within its object, and on the slots that hold the objects
/// crossed on the way there. So a shared object has one set of readers however it is reached, and an object that moves
/// keeps its readers.
struct DependencyGraph: Sendable {
  /// The id of a node; dense from 0.
  typealias NodeID = Int
  /// The id of a projection, in order of creation; dense from 0 and never reused.
  typealias ProjectionID = Int

  /// How a node is addressed from its parent. `.a` and `["a"]` are one key here.
  enum Key: Sendable {
    /// The topmost node: all that lies in the owner.
    case owner(Place.Owner)
    case name(String)
    case index(Int)
    case id(Value)
    case aspect(PathComponent)
    /// Below the table of roots: an object that a path names by its id before it is defined.
    case object(ObjectID)
    /// Which object is in the slot, if any: other values do not count.
    case crossing
  }

  /// A slot that is or was read. A session with a hundred thousand rows on screen has several hundred thousand of
  /// these, so they hold no table of their own: see ``child(_:of:)``.
  struct Node: Sendable {
    let key: Key
    private let up: Int32
    fileprivate var firstChild: Int32 = -1
    fileprivate var nextSibling: Int32 = -1
    fileprivate(set) var childCount: Int32 = 0
    /// The number of registrations at this node and below it; at 0 nothing below need be visited.
    fileprivate var registrations: Int32 = 0
    fileprivate(set) var hasIndexChildren = false
    fileprivate(set) var hasIDChildren = false
    fileprivate(set) var hasAspectChildren = false
    fileprivate(set) var readers = ReaderSet.none

    /// The parent; nil for the topmost node of an owner.
    var parent: NodeID? { up < 0 ? nil : Int(up) }
    var readersWithin: Int { Int(registrations) }

    fileprivate init(_ key: Key, under parent: NodeID?) {
      self.key = key
      up = parent.map { Int32($0) } ?? -1
    }
  }

  private(set) var nodes: [Node] = []
  /// The nodes by parent and key.
  private var index = HashIndex()
  /// The nodes that name an element by an id, by that id.
  private var nodesByID: [Value: [NodeID]] = [:]
  /// The nodes that stand for the order of an array.
  private var orderNodes: [NodeID] = []
  /// The number of nodes without a reader at them or below.
  private var unread = 0
  /// The projections that read an object as a whole, which any set of any of its properties concerns.
  private(set) var objectReaders: [ObjectID: Set<ProjectionID>] = [:]
  /// The same in order of creation; filled on demand.
  private var objectReadersInOrder: [ObjectID: [ProjectionID]] = [:]
  /// Grows whenever a projection reads something else.
  private(set) var readersVersion: UInt64 = 0

  /// Whether anything was ever read.
  var hasReaders: Bool { !nodes.isEmpty }

  /// The topmost node of an owner, if anything of it was read.
  func node(ofKnown owner: Place.Owner) -> NodeID? { find(.owner(owner), under: nil) }

  /// The node of an owner, new if need be.
  mutating func node(of owner: Place.Owner) -> NodeID { node(.owner(owner), under: nil) }

  /// The node one key below another, if there is one. Cost: one hash.
  func child(_ key: Key, of parent: NodeID) -> NodeID? {
    nodes[parent].childCount == 0 ? nil : find(key, under: parent)
  }

  /// The nodes one key below another, in no order.
  func children(of parent: NodeID) -> some Sequence<NodeID> {
    sequence(state: nodes[parent].firstChild) { next in
      guard next >= 0 else { return nil }
      defer { next = nodes[Int(next)].nextSibling }
      return Int(next)
    }
  }

  private func find(_ key: Key, under parent: NodeID?) -> NodeID? {
    index.find(Self.hash(key, under: parent)) { nodes[$0].parent == parent && nodes[$0].key == key }
  }

  private static func hash(_ key: Key, under parent: NodeID?) -> Int {
    var hasher = Hasher()
    hasher.combine(parent ?? -1)
    hasher.combine(key)
    return hasher.finalize()
  }

  /// The node one key below another, new if need be.
  mutating func node(_ key: Key, under parent: NodeID?) -> NodeID {
    if let id = find(key, under: parent) { return id }
    let id = add(Node(key, under: parent))
    unread += 1
    note(id)
    return id
  }

  /// Adds a node below its parent.
  private mutating func add(_ node: Node) -> NodeID {
    let id = nodes.count
    nodes.append(node)
    index.add(id, Self.hash(node.key, under: node.parent)) {
      Self.hash(nodes[$0].key, under: nodes[$0].parent)
    }
    guard let parent = node.parent else { return id }
    nodes[id].nextSibling = nodes[parent].firstChild
    nodes[parent].firstChild = Int32(id)
    nodes[parent].childCount += 1
    return id
  }

  /// Notes the kind of a node in its parent, and in the tables of ids and orders.
  private mutating func note(_ id: NodeID) {
    guard let parent = nodes[id].parent else { return }
    switch nodes[id].key {
    case .owner, .name, .object, .crossing: break
    case .index: nodes[parent].hasIndexChildren = true
    case .id(let value):
      nodes[parent].hasIDChildren = true
      nodesByID[value, default: []].append(id)
    case .aspect(let aspect):
      nodes[parent].hasAspectChildren = true
      if aspect == .order { orderNodes.append(id) }
    }
  }

  /// The owner that a node's slot is in.
  func owner(of node: NodeID) -> Place.Owner {
    var top = node
    while let parent = nodes[top].parent { top = parent }
    guard case .owner(let owner) = nodes[top].key else { return .roots }
    return owner
  }

  /// The node of a slot, new if need be.
  mutating func node(at place: Place) -> NodeID {
    place.steps.reduce(node(of: place.owner)) { node($1.key, under: $0) }
  }

  /// The node for readers of an object that is not defined yet, if there are any.
  func node(awaiting object: ObjectID) -> NodeID? {
    node(ofKnown: .roots).flatMap { child(.object(object), of: $0) }
  }

  /// The nodes with readers whose value may change when the id of an object changes: orders of arrays, and elements
  /// named by the ids.
  ///
  /// - Parameter ids: The ids before and after; nil for any.
  func nodes(concernedBy ids: [Value]?) -> [NodeID] {
    let named = ids.map { $0.flatMap { nodesByID[$0] ?? [] } } ?? nodesByID.values.flatMap(\.self)
    return (orderNodes + named).filter { nodes[$0].readersWithin > 0 }
  }

  /// The property that holds the array of which a node, or one above it, names an element by id or is the order.
  func arrayReadByID(at node: NodeID) -> (object: ObjectID, property: String)? {
    var node = node
    while let parent = nodes[node].parent {
      if case .id = nodes[node].key, case .name(let property) = nodes[parent].key,
        let top = nodes[parent].parent, case .owner(.object(let object)) = nodes[top].key
      {
        return (object, property)
      }
      node = parent
    }
    return nil
  }

  mutating func addReader(_ projection: ProjectionID, to node: NodeID) {
    guard nodes[node].readers.insert(projection) else { return }
    countReaders(from: node, by: 1)
  }

  mutating func removeReader(_ projection: ProjectionID, from node: NodeID) {
    guard nodes[node].readers.remove(projection) else { return }
    countReaders(from: node, by: -1)
  }

  mutating func addReader(_ projection: ProjectionID, to object: ObjectID) {
    readersVersion &+= 1
    objectReadersInOrder[object] = nil
    objectReaders[object, default: []].insert(projection)
  }

  mutating func removeReader(_ projection: ProjectionID, from object: ObjectID) {
    readersVersion &+= 1
    objectReadersInOrder[object] = nil
    objectReaders[object]?.remove(projection)
    if objectReaders[object]?.isEmpty == true { objectReaders[object] = nil }
  }

  /// The projections that any set of any property of an object concerns, in order of creation. Copies share one buffer
  /// until the readers change.
  mutating func objectReadersInOrder(of object: ObjectID) -> [ProjectionID] {
    if let known = objectReadersInOrder[object] { return known }
    guard let readers = objectReaders[object]?.sorted() else { return [] }
    objectReadersInOrder[object] = readers
    return readers
  }

  /// Invalidates all that was cached of readers.
  mutating func forgetPlans() { readersVersion &+= 1 }

  private mutating func countReaders(from node: NodeID, by change: Int32) {
    readersVersion &+= 1
    var next: NodeID? = node
    while let id = next {
      if nodes[id].registrations == 0 { unread -= 1 }
      nodes[id].registrations += change
      if nodes[id].registrations == 0 { unread += 1 }
      next = nodes[id].parent
    }
  }

  /// Removes the nodes without readers, once they are the majority.
  ///
  /// Cost: linear in the nodes added since the last time, so constant for each node.
  ///
  /// - Returns: The new id of each node that is left; nil if nothing was removed.
  mutating func prune() -> [NodeID?]? {
    guard unread > 1_024, unread > nodes.count / 2 else { return nil }
    let old = nodes
    var numbers: [NodeID?] = []
    numbers.reserveCapacity(old.count)
    (nodes, index, nodesByID, orderNodes, unread) = ([], HashIndex(), [:], [], 0)
    for node in old {
      guard node.readersWithin > 0 else {
        numbers.append(nil)
        continue
      }
      // A node with readers below it is kept too, so the parent of each kept node is kept, and comes before it.
      var kept = Node(node.key, under: node.parent.flatMap { numbers[$0] })
      kept.readers = node.readers
      kept.registrations = node.registrations
      let id = add(kept)
      note(id)
      numbers.append(id)
    }
    forgetPlans()
    return numbers
  }

  /// Visits every node with a reader at or below one.
  func forEachRead(within node: NodeID, _ body: (NodeID) -> Void) {
    guard nodes[node].readersWithin > 0 else { return }
    if !nodes[node].readers.isEmpty { body(node) }
    for child in children(of: node) { forEachRead(within: child, body) }
  }
}

extension DependencyGraph.Key: Hashable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.owner(let a), .owner(let b)): a == b
    case (.name(let a), .name(let b)): a.hasSameBytes(as: b)
    case (.index(let a), .index(let b)): a == b
    case (.id(let a), .id(let b)): a == b
    case (.aspect(let a), .aspect(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.crossing, .crossing): true
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .owner(let owner): hasher.combine(owner)
    case .name(let name): hasher.combine(ExactString(name))
    case .index(let index): hasher.combine(index)
    case .id(let id): hasher.combine(id)
    case .aspect(let aspect): hasher.combine(aspect)
    case .object(let object): hasher.combine(object)
    case .crossing: hasher.combine(0)
    }
  }
}
