import EventLog

// A read is recorded as the slot that was read, and never resolved against the state again: an object that
// moves keeps its slots. The slots that refer to the object are separate reads.

extension InvalidationCore {
  /// Changes what a node reads. Dropped reads are removed before others are added.
  ///
  /// Cost: for each changed slot, linear in the smaller of its number of readers and the node's number of
  /// reads; unchanged reads cost nothing.
  package mutating func changeReads(added: [SlotID], dropped: [SlotID], of node: NodeID) {
    guard graph.contains(node) else { return }
    if graph.node(node).tracking == .element {
      for slot in dropped { graph.unlink(slot, from: node) }
      for slot in added { graph.link(slot, to: node) }
    } else {
      changeWideReads(added.map { graph.path(of: $0) }, dropped.map { graph.path(of: $0) }, of: node)
      keep(added, dropping: dropped, for: node)
    }
    rebase(node)
  }

  /// The same by paths, each of which is bound to the slot to which it leads in the current state.
  ///
  /// Cost: as above, and the resolution of each path.
  package mutating func changeReads(added: [Path], dropped: [Path], of node: NodeID) {
    guard graph.contains(node) else { return }
    let (dropped, added) = (dropped.map { bound($0) }, added.map { bound($0) })
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

  /// Replaces all that a node reads by paths, each of which is bound to the slot to which it leads in the current
  /// state.
  ///
  /// Cost: as above, and that of the present reads.
  package mutating func setReads(_ paths: [Path], of node: NodeID) {
    guard graph.contains(node) else { return }
    let paths = paths.map { bound($0) }
    if graph.node(node).tracking == .element {
      graph.setReads(Set(paths.map { graph.slot(ofBound: $0) }), of: node)
    } else {
      wideReads[node] = nil
      changeWideReads(paths, [], of: node)
    }
    rebase(node)
  }

  /// The slot of a path that is bound to an object or root; added if there is none.
  package mutating func slot(ofBound path: Path) -> SlotID { graph.slot(ofBound: path) }

  /// The slot of a component below another slot; added if there is none. Cost: one hash, none if it is the expected one.
  package mutating func slot(
    _ component: PathComponent, under slot: SlotID, expecting expected: SlotID? = nil
  ) -> SlotID {
    if let expected, graph.isSlot(expected, of: component, under: slot) { return expected }
    return graph.slot(component, under: slot)
  }

  /// The slot of an object; added if there is none.
  package mutating func slot(of object: ObjectID) -> SlotID { graph.slot(of: .object(object)) }

  /// The slots one step below another, in no order.
  package func children(of slot: SlotID) -> [SlotID] { graph.children(of: slot) }

  /// Keeps a slot until ``release(_:)`` even if nothing reads it. The slot of an object keeps those of its
  /// properties too.
  package mutating func hold(_ slot: SlotID) { graph.hold(slot, true) }

  /// Ends ``hold(_:)``: the slot is removed by a later sweep if nothing reads it.
  package mutating func release(_ slot: SlotID) { graph.hold(slot, false) }

  /// The same for the slot of an object. Returns the slot, if there is one.
  package mutating func release(_ object: ObjectID) -> SlotID? {
    guard let slot = graph.slot(ofKnown: .object(object)) else { return nil }
    graph.hold(slot, false)
    return slot
  }

  /// The slot of the property that contains a slot, or the slot itself. Cost: linear in its depth.
  package func property(of slot: SlotID) -> SlotID { graph.property(of: slot) }

  /// The slot of the object that contains a slot. Cost: linear in its depth.
  package func object(of slot: SlotID) -> SlotID { graph.top(of: slot) }

  /// Grows whenever a node starts or stops reading a slot.
  @inlinable package var readersVersion: UInt64 { graph.readersVersion }

  /// The path of a slot from its object, or from a root that refers to no object. Cost: linear in its depth.
  package func path(of slot: SlotID) -> Path { graph.path(of: slot) }

  /// Changes the reads of a projection that depends on whole properties or objects. Several of its paths map
  /// to one slot, so the paths themselves are kept.
  private mutating func changeWideReads(_ added: [Path], _ dropped: [Path], of node: NodeID) {
    var reads = wideReads.removeValue(forKey: node) ?? BoundReads()
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

  /// Keeps the slots of reads from being swept as long as a node has them: the session drops them by their ids.
  private mutating func keep(_ added: [SlotID], dropping dropped: [SlotID], for node: NodeID) {
    var kept = keptSlots.removeValue(forKey: node) ?? []
    for slot in dropped where kept.remove(slot) != nil { graph.keep(slot, by: -1) }
    for slot in added where kept.insert(slot).inserted { graph.keep(slot, by: 1) }
    if !kept.isEmpty { keptSlots[node] = kept }
  }

  /// The path that begins with the object into which a path leads in the current state.
  private mutating func bound(_ path: Path) -> Path {
    state.indexIdentities(on: path)
    return state.bound(path)
  }
}

extension SlotGraph {
  /// The slots at which a path may later cross into another object although only its property or object is tracked:
  /// elements named by id, since an object there may get this id.
  ///
  /// - Parameter top: The topmost slot of the object to which the keys belong.
  fileprivate mutating func crossings(_ keys: [Key], below top: SlotID) -> [SlotID] {
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

  /// The slot of a bound path, cut to a number of components; added if there is none.
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
