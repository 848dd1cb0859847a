// As of d547314, on the state of b942364. An oracle: not to be mended.

import EventLog

extension InvalidationCore {
  /// Slots that an event may change although the values before and after at its own path do not show it. Their values
  /// are compared before and after the event.
  struct Suspects: Sendable {
    var values: [(node: DependencyGraph.NodeID, value: Value?)] = []
    /// The arrays that have many of these, named by id.
    fileprivate var arrays: [DependencyGraph.NodeID] = []
    /// The root that the event would create, if there is none of that name.
    var missingRoot: String?
  }

  /// Captures what an event is about to change. Slots without readers cost nothing.
  mutating func prepare(_ body: Event.Body) -> Suspects {
    var suspects = Suspects()
    guard !body.isSameValue || unit.isOpen, graph.hasReaders, let path = body.writtenPath else {
      return suspects
    }
    if case .named(let name) = path.root, state.roots[name] == nil {
      suspects.missingRoot = name
      capture(within: graph.node(at: Place(owner: .roots, steps: [.name(name)])))
    }
    guard case .place(let place, _) = state.resolve(path) else { return suspects }
    let trail = graph.trail(to: place, in: state)
    if unit.isOpen {
      capture(on: trail)
      if place.steps.isEmpty, case .object(let object) = place.owner, let node = graph.node(awaiting: object)
      {
        capture(within: node)
      }
    }
    for (array, ids) in identityChanges(body, at: place, trail) {
      if unit.isOpen { capture(within: array) }
      if ids.count > State.scannedIDs, graph.nodes[array].hasIDChildren {
        indexElements(of: array)
        suspects.arrays.append(array)
      }
      if place.steps.last == .name("id"), let order = graph.child(.aspect(.order), of: array) {
        look(within: order, &suspects)
      }
      if case .splice(_, _, _, .string, _) = body {
        // The new id is not known before the event.
        for child in graph.children(of: array) {
          if case .id = graph.nodes[child].key { look(within: child, &suspects) }
        }
      }
      guard graph.nodes[array].hasIDChildren else { continue }
      for id in ids {
        guard let child = graph.child(.id(id), of: array) else { continue }
        look(within: child, &suspects)
      }
    }
    if place.steps == [.name("id")] {
      // The object may be an element of any array.
      for node in graph.nodes(concernedBy: idsConcerned(by: body, at: place, trail)) {
        if unit.isOpen { capture(within: node) }
        look(within: node, &suspects)
      }
    }
    return suspects
  }

  /// Marks what an event changed.
  mutating func note(_ effect: Effect, of body: Event.Body, _ suspects: Suspects, seq: UInt64) {
    let sameValue = body.isSameValue
    if !sameValue {
      if let name = suspects.missingRoot, let id = state.roots[name] {
        diff(graph.node(at: Place(owner: .roots, steps: [.name(name)])), nil, .reference(id), seq: seq)
      }
      for object in state.newObjects where object != effect.objectDefinedLate {
        noteBirth(of: object, seq)
      }
    }
    switch effect {
    case .none: return
    case .replaced(let place, let before, let after):
      markOwner(of: place, seq)
      if sameValue { return }
      if place.steps.isEmpty, after == nil, case .object(let object) = place.owner {
        if let node = graph.node(awaiting: object) { mark(node, seq) }
      }
      let isForced = before == after
      let trail = graph.trail(to: place, in: state, changingIDs: !isForced)
      for node in trail.above { mark(node, seq, isForced: isForced) }
      for node in trail.at {
        if isForced {
          mark(node, seq, isForced: true)
        } else {
          diff(node, before, after, seq: seq, byID: place.steps != [.name("id")])
        }
      }
      if (before == nil) != (after == nil) { markAspects(of: trail.parents, [.count, .order], seq) }
      if case .element? = place.steps.last, before.map(state.identity) != after.map(state.identity) {
        markAspects(of: trail.parents, [.order], seq)
      }
    case .spliced(let place, let offset, let removed, let inserted):
      markOwner(of: place, seq)
      if sameValue { return }
      let trail = graph.trail(to: place, in: state)
      for node in trail.above + trail.at { mark(node, seq, isForced: removed == inserted) }
      for node in trail.at {
        noteSplice(of: node, at: place, offset: offset, removed: removed, inserted: inserted, seq: seq)
      }
    case .edited(let place, let removed, let inserted):
      markOwner(of: place, seq)
      if sameValue { return }
      let isForced = removed.utf8.elementsEqual(inserted.utf8)
      let trail = graph.trail(to: place, in: state, changingIDs: !isForced)
      for node in trail.above + trail.at { mark(node, seq, isForced: isForced) }
    case .missed(let place): markOwner(of: place, seq)
    }
    for array in suspects.arrays { indexElements(of: array) }
    for (node, value) in suspects.values where graph.value(at: node, in: state) != value { mark(node, seq) }
  }

  /// Marks what is read of an object that was not there before.
  private mutating func noteBirth(of object: ObjectID, _ seq: UInt64) {
    if let node = graph.node(awaiting: object) {
      if unit.isOpen { unit.captureMissing(node) }
      mark(node, seq)
    }
    if let node = graph.node(ofKnown: .object(object)), let fields = state.objects[object]?.fields {
      if unit.isOpen { graph.forEachRead(within: node) { unit.captureMissing($0) } }
      diff(node, nil, .map(fields), seq: seq)
    }
    if graph.objectReaders[object] != nil { unit.mark(object: object, seq) }
  }

  /// Readers by offset see other elements from the splice on, and may read at offsets without an element; the count
  /// and the order may differ.
  private mutating func noteSplice(
    of array: DependencyGraph.NodeID, at place: Place, offset: Int, removed: [Value], inserted: [Value],
    seq: UInt64
  ) {
    let node = graph.nodes[array]
    guard node.readersWithin > node.readers.count else { return }
    let shift = inserted.count - removed.count
    if shift != 0 { markAspects(of: [array], [.count], seq) }
    if shift != 0
      || !removed.elementsEqual(inserted, by: { state.identity(of: $0) == state.identity(of: $1) })
    {
      markAspects(of: [array], [.order], seq)
    }
    guard node.hasIndexChildren, case .array(let elements)? = state.value(at: place) else { return }
    // A splice that keeps the count moves no elements behind it.
    let end = shift == 0 ? offset + inserted.count : max(elements.count, elements.count - shift)
    // A few elements behind the splice are looked up one by one; for many, the nodes of the array are visited.
    let places =
      end - offset < node.childCount
      ? (offset..<end).compactMap { index in graph.child(.index(index), of: array).map { (index, $0) } }
      : graph.children(of: array).compactMap { child in
        if case .index(let index) = graph.nodes[child].key, index >= offset, index < end {
          (index, child)
        } else {
          nil
        }
      }
    for (index, child) in places {
      let before: Value? =
        index < offset + removed.count ? removed[index - offset] : elements.element(at: index &+ shift)
      diff(child, before, elements.element(at: index), seq: seq)
    }
  }

  /// Walks the readers below a place whose value was replaced, as far as the two values differ.
  ///
  /// The property `id` of an object is walked without readers by id and of the order, all of which are suspects:
  /// the elements of the value before may be found by other ids now.
  private mutating func diff(
    _ node: DependencyGraph.NodeID, _ before: Value?, _ after: Value?, seq: UInt64, byID: Bool = true
  ) {
    guard graph.nodes[node].readersWithin > 0, before != after else { return }
    if before.isReference || after.isReference {
      // Another object: what was read through it is another slot.
      mark(node, seq)
      for child in graph.children(of: node) {
        if graph.nodes[child].key == .aspect(.exists), (before == nil) == (after == nil) { continue }
        var within: [DependencyGraph.NodeID] = []
        graph.forEachRead(within: child) { within.append($0) }
        for read in within { mark(read, seq) }
      }
      return
    }
    mark(node, seq)
    let ids =
      byID && graph.nodes[node].hasIDChildren
      ? (state.elementsByID(before), state.elementsByID(after)) : ([:], [:])
    for child in graph.children(of: node) where graph.nodes[child].readersWithin > 0 {
      let key = graph.nodes[child].key
      switch key {
      case .id(let id): if byID { diff(child, ids.0[id], ids.1[id], seq: seq) }
      case .aspect(.order) where !byID: break
      default: diff(child, state.project(before, key), state.project(after, key), seq: seq, byID: byID)
      }
    }
  }

  private mutating func markAspects(
    of containers: [DependencyGraph.NodeID], _ aspects: [PathComponent], _ seq: UInt64
  ) {
    for container in containers where graph.nodes[container].hasAspectChildren {
      for aspect in aspects {
        if let node = graph.child(.aspect(aspect), of: container) { mark(node, seq) }
      }
    }
  }

  private mutating func markOwner(of place: Place, _ seq: UInt64) {
    if case .object(let object) = place.owner, graph.objectReaders[object] != nil {
      unit.mark(object: object, seq)
    }
  }

  private mutating func mark(_ node: DependencyGraph.NodeID, _ seq: UInt64, isForced: Bool = false) {
    if !graph.nodes[node].readers.isEmpty { unit.mark(node: node, seq, isForced: isForced) }
  }

  /// The arrays whose readers by id an event concerns, each with the ids that may be inserted, removed or moved.
  private func identityChanges(
    _ body: Event.Body, at place: Place, _ trail: DependencyGraph.Trail
  ) -> [(array: DependencyGraph.NodeID, ids: [Value])] {
    switch body {
    case .splice(_, let offset, let delete, .array(let inserted), _):
      guard case .array(let elements)? = state.value(at: place), offset >= 0, delete >= 0 else { return [] }
      let ids = (elements.dropFirst(offset).prefix(delete) + inserted).compactMap(state.newID)
      return trail.at.map { ($0, ids) }
    case .splice(_, _, _, .string, _):
      return place.isElementOrItsID ? trail.grandparents.map { ($0, []) } : []
    case .remove where place.isElementOrItsID && place.steps.last == .name("id"):
      return trail.grandparents.map { ($0, [state.value(at: place)].compactMap(\.self)) }
    case .remove:
      guard case .element? = place.steps.last else { return [] }
      return trail.parents.map { ($0, [state.value(at: place).flatMap(state.newID)].compactMap(\.self)) }
    case .set(_, let value, _) where place.isElementOrItsID:
      let old = state.value(at: place)
      if place.steps.last == .name("id") {
        return trail.grandparents.map { ($0, [old, value].compactMap(\.self)) }
      }
      return trail.parents.map {
        ($0, [old.flatMap(state.newID), state.newID(of: value)].compactMap(\.self))
      }
    default: return []
    }
  }

  /// The ids that an object has before and after an event that changes its id; nil if that is not known before the
  /// event, or if a projection reads within the id.
  private func idsConcerned(
    by body: Event.Body, at place: Place, _ trail: DependencyGraph.Trail
  ) -> [Value]? {
    if trail.at.contains(where: { graph.nodes[$0].readersWithin > graph.nodes[$0].readers.count }) {
      return nil
    }
    let before = [state.value(at: place)].compactMap(\.self)
    switch body {
    case .set(_, let value, _): return before + [value]
    case .remove: return before
    default: return nil
    }
  }

  /// Captures what is read on the way to a slot, before a transaction changes it.
  mutating func capture(on trail: DependencyGraph.Trail) {
    for node in trail.above { captureWithAspects(node) }
    for node in trail.at { capture(within: node) }
  }

  private mutating func capture(within node: DependencyGraph.NodeID) {
    guard unit.isOpen, unit.startCapturing(within: node, at: graph.readersVersion) else { return }
    if graph.nodes[node].hasIDChildren { indexElements(of: node) }
    graph.forEachRead(within: node) { unit.capture($0, in: graph, of: state) }
  }

  /// Builds the index of the array in a property, before many of its elements are searched by id.
  private mutating func indexElements(of array: DependencyGraph.NodeID) {
    guard case .name(let property) = graph.nodes[array].key, case .object(let object) = graph.owner(of: array)
    else { return }
    state.indexIdentities(of: object, property: property)
  }

  private mutating func captureWithAspects(_ node: DependencyGraph.NodeID) {
    if !graph.nodes[node].readers.isEmpty { unit.capture(node, in: graph, of: state) }
    guard graph.nodes[node].hasAspectChildren else { return }
    for child in graph.children(of: node) {
      if case .aspect = graph.nodes[child].key { capture(within: child) }
    }
  }

  private func look(within node: DependencyGraph.NodeID, _ suspects: inout Suspects) {
    graph.forEachRead(within: node) {
      suspects.values.append(($0, graph.value(at: $0, in: state)))
    }
  }
}

extension Effect {
  /// The object that was referred to before the event defined it.
  fileprivate var objectDefinedLate: ObjectID? {
    guard case .replaced(let place, .some, .some) = self, place.steps.isEmpty,
      case .object(let object) = place.owner
    else { return nil }
    return object
  }
}
