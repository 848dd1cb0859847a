import EventLog

// Logs before block version 3 record all paths that a run read. These are followed: each leads to whatever is
// there at the time. Later logs record only changes, as paths that are bound to one slot for good.

/// The paths that a node follows.
struct FollowedReads: Sendable {
  var paths: [Path]
  /// The state's `routeVersion` when the paths were resolved.
  var routeVersion: UInt64 = 0
}

extension InvalidationCore {
  /// Replaces a node's reads by paths that are followed.
  package mutating func setReads(_ paths: [Path], of node: NodeID) {
    guard graph.contains(node) else { return }
    wideReads[node] = nil
    // Most runs read the same as the run before.
    if followed[node]?.paths != paths || followed[node]?.routeVersion != state.routeVersion {
      followed[node] = FollowedReads(paths: paths)
      connect(node)
    }
    rebase(node)
  }

  /// Notes that a node reads the same as before.
  package mutating func repeatReads(of node: NodeID) {
    reconnect(node)
    rebase(node)
  }

  /// Resolves the paths of a node again if they may lead elsewhere now.
  mutating func reconnect(_ node: NodeID) {
    guard !followed.isEmpty, let reads = followed[node], reads.routeVersion != state.routeVersion else {
      return
    }
    // A path takes about as long as moving a kilobyte.
    state.work &+= UInt64(reads.paths.count) << 10
    connect(node)
  }

  /// Resolves the paths of a node in the current state, and links the node to the slots to which they lead.
  private mutating func connect(_ node: NodeID) {
    guard let paths = followed[node]?.paths else { return }
    let tracking = graph.node(node).tracking
    var slots: Set<SlotID> = []
    for path in paths {
      if case .object(let object) = path.root {
        // The node depends on whether the object exists, as it does on a root's name.
        slots.insert(graph.slot(.object(object), under: graph.slot(of: .roots)))
        if state.objects[object] == nil { continue }
      }
      state.indexIdentities(on: path)
      let (crossed, place, rest) = state.resolve(path).parts
      for holder in crossed { slots.insert(graph.slot(at: holder)) }
      switch (tracking, place.owner) {
      case (.object, .object(let object)):
        slots.insert(graph.slot(.whole, under: graph.slot(of: .object(object))))
        slots.formUnion(graph.crossings(at: place, then: rest))
      case (.property, .object):
        slots.insert(graph.slot(at: place, then: rest, keys: 1))
        slots.formUnion(graph.crossings(at: place, then: rest))
      case (.element, _), (_, .roots):
        slots.insert(graph.slot(at: place, then: rest, keys: .max))
        if case .reference(let object)? = bareRoot(path) {
          let top = graph.slot(of: .object(object))
          slots.insert(top)
          if tracking == .object { slots.insert(graph.slot(.whole, under: top)) }
        }
      }
    }
    graph.setReads(slots, of: node)
    followed[node]?.routeVersion = state.routeVersion
  }

  /// The object of a path with no components, which stands for everything in the object.
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

extension SlotGraph {
  /// The slot of a place and of further components that do not exist yet, cut to a number of keys.
  fileprivate mutating func slot(
    at place: Place, then rest: ArraySlice<PathComponent>, keys limit: Int
  ) -> SlotID {
    let keys = place.steps.map(\.key) + rest.map(\.key)
    return keys.prefix(limit).reduce(slot(of: place.owner)) { slot($1, under: $0) }
  }

  /// The slots at which a path may later cross into another object although only its property or object is
  /// tracked: elements named by id, since an object there may get this id.
  fileprivate mutating func crossings(at place: Place, then rest: ArraySlice<PathComponent>) -> [SlotID] {
    crossings(place.steps.map(\.key) + rest.map(\.key), below: slot(of: place.owner))
  }

  /// The same for keys below the topmost slot of an object.
  mutating func crossings(_ keys: [Key], below top: SlotID) -> [SlotID] {
    var slot = top
    var crossings: [SlotID] = []
    for (position, key) in keys.enumerated().dropLast() {
      slot = self.slot(key, under: slot)
      if case .id = key, keys[position + 1] != .aspect(.exists) {
        crossings.append(self.slot(.crossing, under: slot))
      }
    }
    return crossings
  }
}
