import EventLog

// The logs of before block version 3 say of a run all that it read, as paths that are followed: each leads where it leads at
// any time. Later ones say what changed, as paths that are bound to a slot once and for all.

/// What a node reads by paths that are followed.
struct FollowedReads: Sendable {
  var paths: [Path]
  /// The state's `routeVersion` when the paths were resolved.
  var routeVersion: UInt64 = 0
}

extension InvalidationCore {
  /// Replaces what a node depends on by paths that are followed.
  package mutating func setReads(_ paths: [Path], of node: NodeID) {
    guard graph.contains(node) else { return }
    wideReads[node] = nil
    // Most runs read what the last one did.
    if followed[node]?.paths != paths || followed[node]?.routeVersion != state.routeVersion {
      followed[node] = FollowedReads(paths: paths)
      connect(node)
    }
    rebase(node)
  }

  /// Notes that a node reads what it did before.
  package mutating func repeatReads(of node: NodeID) {
    reconnect(node)
    rebase(node)
  }

  /// Resolves the paths of a node again if they may lead elsewhere by now.
  mutating func reconnect(_ node: NodeID) {
    guard !followed.isEmpty, let reads = followed[node], reads.routeVersion != state.routeVersion else {
      return
    }
    connect(node)
  }

  /// Resolves the paths of a node in the present state and registers it where they lead.
  private mutating func connect(_ node: NodeID) {
    guard let paths = followed[node]?.paths else { return }
    let tracking = graph.node(node).tracking
    var slots: Set<SlotID> = []
    for path in paths {
      if case .object(let object) = path.root {
        // Whether there is an object of the number, as with the name of a root.
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

extension SlotGraph {
  /// The slot of a place and of further steps that do not exist yet, cut to a number of keys.
  fileprivate mutating func slot(
    at place: Place, then rest: ArraySlice<PathComponent>, keys limit: Int
  ) -> SlotID {
    let keys = place.steps.map(\.key) + rest.map(\.key)
    return keys.prefix(limit).reduce(slot(of: place.owner)) { slot($1, under: $0) }
  }

  /// The slots at which a path that is tracked only to its property or object may yet cross another object: elements
  /// named by id, since an object there may get that id.
  fileprivate mutating func crossings(at place: Place, then rest: ArraySlice<PathComponent>) -> [SlotID] {
    crossings(place.steps.map(\.key) + rest.map(\.key), below: slot(of: place.owner))
  }

  /// The same for steps below the topmost slot of an object.
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
