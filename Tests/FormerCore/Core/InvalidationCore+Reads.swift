// As of b942364. An oracle: not to be mended.

import EventLog

extension InvalidationCore {
  /// The paths that a projection reads, and the nodes at which it is registered for them.
  struct Dependent: Sendable {
    var tracking: Tracking
    var paths: [Path] = []
    var nodes: Set<DependencyGraph.NodeID> = []
    var objects: Set<ObjectID> = []
    /// The state's `routeVersion` when the paths were resolved.
    var routeVersion: UInt64 = 0

    init(tracking: Tracking) { self.tracking = tracking }
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
    for node in dependent.nodes.subtracting(nodes) { graph.removeReader(projection, from: node) }
    for node in nodes.subtracting(dependent.nodes) { graph.addReader(projection, to: node) }
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
