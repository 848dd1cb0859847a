import EventLog

// A read is the slot that was read. It is no question to the state again: whatever moves, it is the same slot. What holds the
// object is read by itself, if it is read at all.

// Some functions here and in InvalidationCore+Set.swift change nothing and are mutating all the same: a session, whose core
// is in an object, would else copy all of it for each call into another module.

extension InvalidationCore {
  /// Changes what a node reads. What is dropped goes first.
  ///
  /// Cost: for each slot linear in the fewer of its readers and of the node's reads; nothing for what is read as before.
  package mutating func changeReads(added: [SlotID], dropped: [SlotID], of node: NodeID) {
    guard graph.contains(node) else { return }
    if graph.node(node).tracking == .element {
      for slot in dropped { graph.unlink(slot, from: node) }
      for slot in added { graph.link(slot, to: node) }
    } else {
      changeWideReads(added.map { graph.path(of: $0) }, dropped.map { graph.path(of: $0) }, of: node)
    }
    rebase(node)
  }

  /// The same by paths, each of which is bound to the slot that it leads to in the present state.
  ///
  /// Cost: a resolution of each path besides.
  package mutating func changeReads(added: [Path], dropped: [Path], of node: NodeID) {
    guard graph.contains(node) else { return }
    let (dropped, added) = (dropped.map { bound($0) }, added.map { bound($0) })
    stopFollowing(node)
    if graph.node(node).tracking == .element {
      for path in dropped {
        if let slot = graph.slot(ofKnownBound: path) { graph.unlink(slot, from: node) }
      }
      for path in added { graph.link(graph.slot(ofBound: path), to: node) }
    } else {
      changeWideReads(added, dropped, of: node)
    }
    rebase(node)
  }

  /// Binds the paths that a node follows to the slots that they lead to now.
  package mutating func stopFollowing(_ node: NodeID) {
    guard !followed.isEmpty, let paths = followed.removeValue(forKey: node)?.paths.map({ bound($0) }) else {
      return
    }
    if graph.node(node).tracking == .element {
      graph.setReads(Set(paths.map { graph.slot(ofBound: $0) }), of: node)
    } else {
      graph.unlinkAll(node)
      changeWideReads(paths, [], of: node)
    }
  }

  /// The slot of a path that begins with the object or root that it is bound to; new if need be.
  package mutating func slot(ofBound path: Path) -> SlotID { graph.slot(ofBound: path) }

  /// The slot of a step below another; new if need be. Cost: one hash.
  package mutating func slot(_ component: PathComponent, under slot: SlotID) -> SlotID {
    graph.slot(component, under: slot)
  }

  /// The slot of an object; new if need be.
  package mutating func slot(of object: ObjectID) -> SlotID { graph.slot(of: .object(object)) }

  /// The slots one step below another, in no order.
  package func children(of slot: SlotID) -> [SlotID] { Array(graph.children(of: slot)) }

  /// Keeps a slot although nothing reads it, until ``release(_:)``; with an object's those of its properties stay.
  package mutating func hold(_ slot: SlotID) { graph.hold(slot, true) }

  /// Lets a slot go when nothing reads it.
  package mutating func release(_ slot: SlotID) { graph.hold(slot, false) }

  /// The same for the slot of an object, if there is one, which is returned.
  package mutating func release(_ object: ObjectID) -> SlotID? {
    guard let slot = graph.slot(ofKnown: .object(object)) else { return nil }
    graph.hold(slot, false)
    return slot
  }

  /// The slot of the property that a slot is, or lies in. Cost: linear in its depth.
  package mutating func property(of slot: SlotID) -> SlotID { graph.property(of: slot) }

  /// The slot of the object that a slot lies in. Cost: linear in its depth.
  package mutating func object(of slot: SlotID) -> SlotID { graph.top(of: slot) }

  /// Grows whenever a node begins or ceases to read something.
  @inlinable package var readersVersion: UInt64 { graph.readersVersion }

  /// The path of a slot from its object, or from a root that is no object. Cost: linear in its depth.
  package mutating func path(of slot: SlotID) -> Path { graph.path(of: slot) }

  /// A projection may depend on whole properties or objects, although its reads say more. Several reads are one of these,
  /// so the paths are kept.
  private mutating func changeWideReads(_ added: [Path], _ dropped: [Path], of node: NodeID) {
    var reads = wideReads.removeValue(forKey: node) ?? BoundReads([])
    for path in dropped { reads.remove(path) }
    for path in added { reads.insert(path) }
    let isOfObject = graph.node(node).tracking == .object
    var slots: Set<SlotID> = []
    reads.forEach { path in
      guard case .object(let object) = path.root else {
        slots.insert(graph.slot(ofBound: path))
        return
      }
      let top = graph.slot(of: .object(object))
      slots.formUnion(graph.crossings(path.components.map(\.key), below: top))
      slots.insert(isOfObject ? graph.slot(.whole, under: top) : graph.slot(ofBound: path, steps: 1))
    }
    graph.setReads(slots, of: node)
    if !reads.isEmpty { wideReads[node] = reads }
  }

  /// The object that a path leads into, and the steps from there on.
  private mutating func bound(_ path: Path) -> Path {
    state.indexIdentities(on: path)
    return state.bound(path)
  }
}

extension SlotGraph {
  /// The slot of a bound path, cut to a number of steps, new if need be.
  mutating func slot(ofBound path: Path, steps limit: Int = .max) -> SlotID {
    switch path.root {
    case .object(let object):
      path.components.prefix(limit).reduce(slot(of: .object(object))) { slot($1, under: $0) }
    case .named(let name):
      path.components.reduce(slot(.name(name), under: slot(of: .roots))) { slot($1, under: $0) }
    }
  }

  /// The slot of a bound path, if there is one.
  fileprivate func slot(ofKnownBound path: Path) -> SlotID? {
    var slot: SlotID?
    switch path.root {
    case .object(let object): slot = self.slot(ofKnown: .object(object))
    case .named(let name): slot = self.slot(ofKnown: .roots).flatMap { child(.name(name), of: $0) }
    }
    for component in path.components { slot = slot.flatMap { child(component.key, of: $0) } }
    return slot
  }
}
