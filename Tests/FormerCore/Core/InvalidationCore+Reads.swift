// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

extension InvalidationCore {
  /// What a projection reads.
  struct Dependent: Sendable {
    var tracking: Tracking
    /// The paths that are followed.
    var paths: [Path] = []
    /// The nodes at which it is registered for them.
    var nodes: Set<DependencyGraph.NodeID> = []
    /// The nodes of the reads that are bound to a slot.
    var bound: Set<DependencyGraph.NodeID> = []
    /// The paths of these reads, where it depends on more than each.
    var boundPaths = BoundReads([])
    var objects: Set<ObjectID> = []
    /// The state's `routeVersion` when the paths were resolved.
    var routeVersion: UInt64 = 0

    init(tracking: Tracking) { self.tracking = tracking }

    /// The nodes at which it is registered.
    var allNodes: Set<DependencyGraph.NodeID> { nodes.isEmpty ? bound : nodes.union(bound) }
  }

  /// Resolves the paths of a projection in the present state and registers it where they lead.
  mutating func connect(_ projection: ProjectionID) {
    guard var dependent = dependents[projection] else { return }
    var nodes: Set<DependencyGraph.NodeID> = []
    var objects: Set<ObjectID> = []
    for path in dependent.paths {
      if case .object(let object) = path.root {
        // Whether there is an object of the number, as with the name of a root.
        nodes.insert(graph.node(.object(object), under: graph.node(of: .roots)))
        if state.objects[object] == nil { continue }
      }
      state.indexIdentities(on: path)
      let (crossed, place, rest) = state.resolve(path).parts
      for holder in crossed { nodes.insert(graph.node(at: holder)) }
      switch (dependent.tracking, place.owner) {
      case (.object, .object(let object)):
        objects.insert(object)
        nodes.formUnion(graph.crossings(at: place, then: rest))
      case (.property, .object):
        nodes.insert(graph.node(at: place, then: rest, keys: 1))
        nodes.formUnion(graph.crossings(at: place, then: rest))
      case (.element, _), (_, .roots):
        nodes.insert(graph.node(at: place, then: rest, keys: .max))
        if case .reference(let object)? = bareRoot(path) {
          nodes.insert(graph.node(of: .object(object)))
          if dependent.tracking == .object { objects.insert(object) }
        }
      }
    }
    for node in dependent.nodes.subtracting(nodes) where !dependent.bound.contains(node) {
      graph.removeReader(projection, from: node)
    }
    for node in nodes.subtracting(dependent.nodes) where !dependent.bound.contains(node) {
      graph.addReader(projection, to: node)
    }
    for object in dependent.objects.subtracting(objects) { graph.removeReader(projection, from: object) }
    for object in objects.subtracting(dependent.objects) { graph.addReader(projection, to: object) }
    dependent.nodes = nodes
    dependent.objects = objects
    dependent.routeVersion = state.routeVersion
    dependents[projection] = dependent
  }

  /// A path that names only a root stands for all that the root's object holds.
  private func bareRoot(_ path: Path) -> Value? {
    guard path.components.isEmpty else { return nil }
    return switch path.root {
    case .named(let name): state.roots[name].map { .reference($0) }
    case .object(let id): .reference(id)
    }
  }
}

// MARK: Bound reads

// A bound read is the path from an object to a slot in it. It is no question to the state again: whatever moves, it is the
// same slot. What holds the object is read by itself, if it is read at all.

extension InvalidationCore {
  /// Changes what a projection depends on by paths that lead to the same slots from now on: those to which they lead
  /// in the present state. What is dropped goes first.
  ///
  /// Cost: a resolution of each path; nothing for what is read as before.
  mutating func changeReads(added: [Path], dropped: [Path], of projection: ProjectionID) {
    guard let dependent = dependents[projection] else { return }
    let (dropped, added) = (dropped.map { bound($0) }, added.map { bound($0) })
    if !dependent.paths.isEmpty {
      let followed = dependent.paths.map { bound($0) }
      dependents[projection]?.paths = []
      connect(projection)
      change(followed, [], dependent.tracking, of: projection)
    }
    change(added, dropped, dependent.tracking, of: projection)
    rebase(projection)
  }

  private mutating func change(
    _ added: [Path], _ dropped: [Path], _ tracking: Tracking, of projection: ProjectionID
  ) {
    guard tracking == .element else { return changeWidely(added, dropped, of: projection) }
    for path in dropped {
      if let node = graph.node(ofKnownBound: path) { unbind(node, of: projection) }
    }
    for path in added { bind(graph.node(ofBound: path), of: projection) }
  }

  /// Registers a projection at a node, unless it is registered there.
  private mutating func bind(_ node: DependencyGraph.NodeID, of projection: ProjectionID) {
    guard dependents[projection]?.bound.insert(node).inserted == true,
      dependents[projection]?.nodes.contains(node) == false
    else { return }
    graph.addReader(projection, to: node)
  }

  mutating func unbind(_ node: DependencyGraph.NodeID, of projection: ProjectionID) {
    guard dependents[projection]?.bound.remove(node) != nil,
      dependents[projection]?.nodes.contains(node) == false
    else { return }
    graph.removeReader(projection, from: node)
  }

  /// Takes a projection from all that its reads are bound to.
  mutating func forgetBound(of projection: ProjectionID) {
    guard let dependent = dependents[projection], !dependent.bound.isEmpty || !dependent.boundPaths.isEmpty
    else { return }
    for node in dependent.bound { unbind(node, of: projection) }
    for object in dependent.objects { graph.removeReader(projection, from: object) }
    dependents[projection]?.boundPaths = BoundReads([])
    dependents[projection]?.objects = []
  }

  /// The same for a projection that depends on whole properties or objects: several paths are one of these, so the
  /// paths are kept.
  private mutating func changeWidely(_ added: [Path], _ dropped: [Path], of projection: ProjectionID) {
    guard var dependent = dependents[projection] else { return }
    for path in dropped { dependent.boundPaths.remove(path) }
    for path in added { dependent.boundPaths.insert(path) }
    dependents[projection]?.boundPaths = dependent.boundPaths
    var nodes: Set<DependencyGraph.NodeID> = []
    var objects: Set<ObjectID> = []
    dependent.boundPaths.forEach { path in
      guard case .object(let object) = path.root else {
        nodes.insert(graph.node(ofBound: path))
        return
      }
      let owner = Place(owner: .object(object), steps: [])
      nodes.formUnion(graph.crossings(at: owner, then: path.components[...]))
      if dependent.tracking == .object {
        objects.insert(object)
      } else {
        nodes.insert(graph.node(ofBound: path, keys: 1))
      }
    }
    for node in dependent.bound.subtracting(nodes) { unbind(node, of: projection) }
    for node in nodes { bind(node, of: projection) }
    for object in dependent.objects.subtracting(objects) { graph.removeReader(projection, from: object) }
    for object in objects.subtracting(dependent.objects) { graph.addReader(projection, to: object) }
    dependents[projection]?.objects = objects
  }

  /// The object that a path leads into, and the steps from there on.
  private mutating func bound(_ path: Path) -> Path {
    state.indexIdentities(on: path)
    return state.bound(path)
  }
}

extension DependencyGraph {
  /// The node of a bound path, cut to a number of keys, new if need be.
  fileprivate mutating func node(ofBound path: Path, keys limit: Int = .max) -> NodeID {
    switch path.root {
    case .object(let object):
      path.components.prefix(limit).reduce(node(of: .object(object))) { node($1.key, under: $0) }
    case .named(let name):
      path.components.reduce(node(.name(name), under: node(of: .roots))) { node($1.key, under: $0) }
    }
  }

  /// The node of a bound path, if there is one.
  fileprivate func node(ofKnownBound path: Path) -> NodeID? {
    var node: NodeID?
    switch path.root {
    case .object(let object): node = self.node(ofKnown: .object(object))
    case .named(let name): node = self.node(ofKnown: .roots).flatMap { child(.name(name), of: $0) }
    }
    for component in path.components { node = node.flatMap { child(component.key, of: $0) } }
    return node
  }
}

extension Resolution {
  fileprivate var parts: (crossed: [Place], place: Place, rest: ArraySlice<PathComponent>) {
    switch self {
    case .place(let place, let crossed): (crossed, place, [])
    case .missing(let container, let crossed, let rest): (crossed, container, rest)
    }
  }
}

extension DependencyGraph {
  /// The node of a slot and of further steps that do not exist yet, cut to a number of keys.
  fileprivate mutating func node(
    at place: Place, then rest: ArraySlice<PathComponent>, keys limit: Int
  ) -> NodeID {
    let keys = place.steps.map(\.key) + rest.map(\.key)
    return keys.prefix(limit).reduce(node(of: place.owner)) { node($1, under: $0) }
  }

  /// The nodes at which a path that is tracked only to its property or object may yet cross another object: elements
  /// named by id, since an object there may get that id.
  fileprivate mutating func crossings(at place: Place, then rest: ArraySlice<PathComponent>) -> [NodeID] {
    let keys = place.steps.map(\.key) + rest.map(\.key)
    var node = node(of: place.owner)
    var crossings: [NodeID] = []
    for (position, key) in keys.enumerated().dropLast() {
      node = self.node(key, under: node)
      if case .id = key, keys[position + 1] != .aspect(.exists) {
        crossings.append(self.node(.crossing, under: node))
      }
    }
    return crossings
  }
}
