import EventLog

extension InvalidationCore {
  /// Slots that an event may change although the old and new values at the event's own path do not show it.
  /// Their values are compared before and after the event.
  struct Suspects: Sendable {
    var values: [(slot: SlotID, value: Value?)] = []
    /// The arrays in which many elements are looked up by id.
    fileprivate var arrays: [SlotID] = []
    /// The name of the root that the event creates if it is missing.
    var missingRoot: String?
    /// The location that the event writes, if it exists.
    var location: NamedLocation?
  }

  /// Captures the values that an event is about to change. Slots without readers cost nothing.
  mutating func prepare(_ body: Event.Body) -> Suspects {
    var suspects = Suspects()
    guard !body.isSameValue || unit.isOpen, graph.hasReaders, let path = body.writtenPath else {
      return suspects
    }
    if case .named(let name) = path.root, state.roots[name] == nil {
      suspects.missingRoot = name
      capture(within: graph.slot(at: NamedLocation(owner: .roots, steps: [.name(name)])))
    }
    guard case .location(let location, _) = state.resolve(path, withCrossed: false) else { return suspects }
    suspects.location = location
    guard unit.isOpen || body.mayChangeIDs(at: location) else { return suspects }
    let trail = graph.trail(to: location, in: state)
    if unit.isOpen {
      capture(on: trail)
      if location.steps.isEmpty, case .object(let object) = location.owner,
        let slot = graph.slot(awaiting: object)
      {
        capture(within: slot)
      }
    }
    let (arrays, ids) = trail.isEmpty ? ([], []) : identityChanges(body, at: location, trail)
    for array in arrays {
      if unit.isOpen { capture(within: array) }
      if ids.count > State.scannedIDs, graph[array].hasIDChildren {
        indexElements(of: array)
        suspects.arrays.append(array)
      }
      if location.isID, let order = graph.child(.aspect(.order), of: array) {
        look(within: order, &suspects)
      }
      if case .splice(_, _, _, .string, _) = body {
        // The new id is not known before the event.
        for child in graph.children(of: array) {
          if case .id = graph[child].key { look(within: child, &suspects) }
        }
      }
      guard graph[array].hasIDChildren else { continue }
      for id in ids {
        guard let child = graph.child(.id(id), of: array) else { continue }
        look(within: child, &suspects)
      }
    }
    if location.steps.count == 1, location.isID {
      // The object may be an element of any array.
      for slot in graph.slots(concernedBy: idsConcerned(by: body, at: location, trail)) {
        if unit.isOpen { capture(within: slot) }
        look(within: slot, &suspects)
      }
    }
    return suspects
  }

  /// Marks the slots that an event changed.
  mutating func invalidate(_ effect: Effect, of body: Event.Body, _ suspects: Suspects, seq: UInt64) {
    let sameValue = body.isSameValue
    if !sameValue {
      if let name = suspects.missingRoot, let id = state.roots[name] {
        diff(
          graph.slot(at: NamedLocation(owner: .roots, steps: [.name(name)])), nil, .reference(id), seq: seq)
      }
      for object in state.newObjects where object != effect.objectDefinedLate {
        markBirth(of: object, seq)
      }
    }
    switch effect {
    case .none: return
    case .replaced(let location, let before, let after):
      if sameValue {
        if findsContradictions, before != after { contradiction = .different }
        return markOwner(of: location, seq)
      }
      if location.steps.isEmpty, after == nil, case .object(let object) = location.owner {
        if let slot = graph.slot(awaiting: object) { mark(slot, seq) }
      }
      let isForced = before == after
      if findsContradictions, isForced { contradiction = .equal }
      if findsContradictions, case .reference(let old)? = before, case .reference(let new)? = after,
        old != new,
        state.objects.contains(old), state.objects[old]?.fields == state.objects[new]?.fields
      {
        contradiction = .sameContent
      }
      if case .array(let old)? = before, case .array(let new)? = after, !isForced { compareIDs(old, new) }
      let trail = graph.trail(to: location, in: state, changingIDs: !isForced)
      markOwner(of: trail, seq)
      for slot in trail.above { mark(slot, seq, isForced: isForced) }
      for slot in trail.at {
        if isForced {
          mark(slot, seq, isForced: true)
        } else {
          diff(slot, before, after, seq: seq, byID: location.steps.count != 1 || !location.isID)
        }
      }
      if (before == nil) != (after == nil) { markAspects(of: trail.parents, [.count, .order], seq) }
      if case .element? = location.steps.last, before.map(state.identity) != after.map(state.identity) {
        markAspects(of: trail.parents, [.order], seq)
      }
    case .spliced(let location, let offset, let removed, let inserted):
      if sameValue { return markOwner(of: location, seq) }
      compareIDs(removed, inserted)
      let trail = graph.trail(to: location, in: state)
      markOwner(of: trail, seq)
      for slot in trail.all { mark(slot, seq, isForced: removed == inserted) }
      for slot in trail.at {
        applySplice(of: slot, at: location, offset: offset, removed: removed, inserted: inserted, seq: seq)
      }
    case .edited(let location, let removed, let inserted):
      markOwner(of: location, seq)
      if sameValue { return }
      let isForced = removed.utf8.elementsEqual(inserted.utf8)
      let trail = graph.trail(to: location, in: state, changingIDs: !isForced)
      for slot in trail.all { mark(slot, seq, isForced: isForced) }
    case .missed(let location): markOwner(of: location, seq)
    }
    for array in suspects.arrays { indexElements(of: array) }
    for (slot, value) in suspects.values where graph.value(at: slot, in: state) != value { mark(slot, seq) }
  }

  /// Finds elements that took the places of others of the same content.
  private mutating func compareIDs(_ removed: [Value], _ inserted: [Value]) {
    // If the first has kept its id, others have too.
    guard findsContradictions, inserted.count > 1, inserted.count == removed.count,
      state.id(of: removed[0]) != state.id(of: inserted[0])
    else { return }
    let others = zip(removed, inserted).count { $0.differsByID(from: $1) }
    if others > 0 { contradiction = .otherIDs(others) }
  }

  /// Marks the slots of a new object that have readers.
  private mutating func markBirth(of object: ObjectID, _ seq: UInt64) {
    if let slot = graph.slot(awaiting: object) {
      if unit.isOpen { unit.captureMissing(slot) }
      mark(slot, seq)
    }
    guard let top = graph.slot(ofKnown: .object(object)), graph[top].readersWithin > 0 else { return }
    if let fields = state.objects[object]?.fields {
      if unit.isOpen { for read in graph.reads(within: top) { unit.captureMissing(read) } }
      diff(top, nil, .map(fields), seq: seq)
    }
    if let slot = graph.wholeSlot(below: top) { unit.mark(whole: slot, seq) }
  }

  /// Marks the slots of an array that a splice changed. From the splice on, other elements are at the indices
  /// that nodes read, or none; the array's count and order may have changed.
  private mutating func applySplice(
    of array: SlotID, at location: NamedLocation, offset: Int, removed: [Value], inserted: [Value],
    seq: UInt64
  ) {
    let slot = graph[array]
    guard slot.isReadBelow else { return }
    let shift = inserted.count - removed.count
    if shift != 0 { markAspects(of: [array][...], [.count], seq) }
    if shift != 0
      || !removed.elementsEqual(inserted, by: { state.identity(of: $0) == state.identity(of: $1) })
    {
      markAspects(of: [array][...], [.order], seq)
    }
    guard slot.hasIndexChildren, case .array(let elements)? = state.value(at: location) else { return }
    // If a splice keeps the count, the elements after it do not move.
    let end = shift == 0 ? offset + inserted.count : max(elements.count, elements.count - shift)
    // A few elements after the splice are looked up one by one; for many, all slots of the array are visited.
    let locations =
      end - offset < slot.childCount
      ? (offset..<end).compactMap { index in graph.child(.index(index), of: array).map { (index, $0) } }
      : graph.children(of: array).compactMap { child in
        if case .index(let index) = graph[child].key, index >= offset, index < end {
          (index, child)
        } else {
          nil
        }
      }
    for (index, child) in locations {
      let before: Value? =
        index < offset + removed.count ? removed[index - offset] : elements.element(at: index &+ shift)
      diff(child, before, elements.element(at: index), seq: seq)
    }
  }

  /// Marks the slots at and below a slot whose value was replaced, where the old and the new value differ.
  ///
  /// - Parameter byID: Whether to compare the elements of arrays by id, and their order. False for the
  ///   property `id` of an object: the elements of the old value may have other ids by now, so the slots that
  ///   depend on ids are among the suspects instead.
  private mutating func diff(
    _ slot: SlotID, _ before: Value?, _ after: Value?, seq: UInt64, byID: Bool = true
  ) {
    guard graph[slot].readersWithin > 0, before != after else { return }
    if before.isReference || after.isReference {
      // The slot refers to another object now, so everything that was read through it may have changed.
      mark(slot, seq)
      for child in graph.children(of: slot) {
        if graph[child].key == .aspect(.exists), (before == nil) == (after == nil) { continue }
        for read in graph.reads(within: child) { mark(read, seq) }
      }
      return
    }
    mark(slot, seq)
    if before?.isTooLarge == true || after?.isTooLarge == true {
      // What was read of its parts is not known, and may have changed.
      for child in graph.children(of: slot) {
        for read in graph.reads(within: child) { mark(read, seq) }
      }
      return
    }
    let ids =
      byID && graph[slot].hasIDChildren
      ? (state.elementsByID(before), state.elementsByID(after)) : ([:], [:])
    for child in graph.children(of: slot) where graph[child].readersWithin > 0 {
      let key = graph[child].key
      switch key {
      case .id(let id): if byID { diff(child, ids.0[id], ids.1[id], seq: seq) }
      case .aspect(.order) where !byID: break
      default: diff(child, state.project(before, key), state.project(after, key), seq: seq, byID: byID)
      }
    }
  }

  private mutating func markAspects(
    of containers: ArraySlice<SlotID>, _ aspects: [PathComponent], _ seq: UInt64
  ) {
    for container in containers where graph[container].hasAspectChildren {
      for aspect in aspects {
        if let slot = graph.child(.aspect(aspect), of: container) { mark(slot, seq) }
      }
    }
  }

  private mutating func markOwner(of location: NamedLocation, _ seq: UInt64) {
    if case .object(let object) = location.owner, let slot = graph.wholeSlot(of: object) {
      unit.mark(whole: slot, seq)
    }
  }

  private mutating func markOwner(of trail: SlotGraph.Trail, _ seq: UInt64) {
    if let top = trail.all.first, let slot = graph.wholeSlot(below: top) { unit.mark(whole: slot, seq) }
  }

  private mutating func mark(_ slot: SlotID, _ seq: UInt64, isForced: Bool = false) {
    if graph[slot].readers.isEmpty { return }
    unit.mark(slot, seq, isForced: isForced)
    if openTransactions > 0 { markForOthers(slot, seq) }
  }

  /// The arrays whose readers by id an event may concern, with the ids of the elements that may be inserted,
  /// removed or moved. The ids are left out if no element is read by id.
  private mutating func identityChanges(
    _ body: Event.Body, at location: NamedLocation, _ trail: SlotGraph.Trail
  ) -> (arrays: ArraySlice<SlotID>, ids: [Value]) {
    switch body {
    case .splice(_, let offset, let delete, .array(let inserted), _):
      guard offset >= 0, delete >= 0, case .array(let elements)? = state.value(at: location) else { break }
      var ids: [Value] = []
      if isReadByID(trail.at) {
        for element in elements.dropFirst(offset).prefix(delete) { ids.add(state.newID(of: element)) }
        for element in inserted { ids.add(state.newID(of: element)) }
      }
      return (trail.at, ids)
    case .splice(_, _, _, .string, _) where location.isElementOrItsID: return (trail.grandparents, [])
    case .set where location.isElementOrItsID, .remove where location.isElementOrItsID:
      let arrays = location.isID ? trail.grandparents : trail.parents
      guard isReadByID(arrays) else { return (arrays, []) }
      var values: [Value] = []
      values.add(state.value(at: location))
      if case .set(_, let value, _) = body { values.append(value) }
      return (arrays, location.isID ? values : values.compactMap { state.newID(of: $0) })
    default: break
    }
    return ([], [])
  }

  /// Whether an element of any of these arrays is read by id.
  private mutating func isReadByID(_ arrays: ArraySlice<SlotID>) -> Bool {
    for array in arrays where graph[array].hasIDChildren { return true }
    return false
  }

  /// The ids that an object has before and after an event that changes its id. Returns nil if the new id is
  /// not known before the event, or if a projection reads a part of the id.
  private func idsConcerned(
    by body: Event.Body, at location: NamedLocation, _ trail: SlotGraph.Trail
  ) -> [Value]? {
    if trail.at.contains(where: { graph[$0].isReadBelow }) {
      return nil
    }
    let before = [state.value(at: location)].compactMap(\.self)
    switch body {
    case .set(_, let value, _): return before + [value]
    case .remove: return before
    default: return nil
    }
  }

  /// Captures the values of slots with readers on the way to a location, before a transaction changes them.
  mutating func capture(on trail: SlotGraph.Trail) {
    for slot in trail.above { captureWithAspects(slot) }
    for slot in trail.at { capture(within: slot) }
  }

  private mutating func capture(within slot: SlotID) {
    guard unit.isOpen, unit.startCapturing(within: slot, at: graph.readersVersion) else { return }
    if graph[slot].hasIDChildren { indexElements(of: slot) }
    for read in graph.reads(within: slot) { unit.capture(read, in: graph, of: state) }
  }

  /// Builds the index by id of the array in a property, before many of its elements are looked up by id.
  private mutating func indexElements(of array: SlotID) {
    guard case .name(let property) = graph[array].key, case .object(let object) = graph.owner(of: array)
    else { return }
    state.indexIdentities(of: object, property: property)
  }

  private mutating func captureWithAspects(_ slot: SlotID) {
    if !graph[slot].readers.isEmpty { unit.capture(slot, in: graph, of: state) }
    guard graph[slot].hasAspectChildren else { return }
    for child in graph.children(of: slot) {
      if case .aspect = graph[child].key { capture(within: child) }
    }
  }

  private mutating func look(within slot: SlotID, _ suspects: inout Suspects) {
    for read in graph.reads(within: slot) {
      suspects.values.append((read, graph.value(at: read, in: state)))
    }
  }
}

extension Event.Body {
  /// Whether the event may insert, remove or move elements of an array, or change the id by which an object
  /// is found.
  fileprivate func mayChangeIDs(at location: NamedLocation) -> Bool {
    if case .splice(_, _, _, .array, _) = self { return true }
    return location.isElementOrItsID || location.isID
  }
}

extension [Value] {
  /// Appends a value unless it is nil.
  fileprivate mutating func add(_ value: Value?) {
    if let value { append(value) }
  }
}

extension Effect {
  /// The object that the event defined, if references to it existed before.
  fileprivate var objectDefinedLate: ObjectID? {
    guard case .replaced(let location, .some, .some) = self, location.steps.isEmpty,
      case .object(let object) = location.owner
    else { return nil }
    return object
  }
}

extension Value {
  /// Whether two elements have other ids and are otherwise the same.
  fileprivate func differsByID(from other: Value) -> Bool {
    guard case .map(let fields) = self, case .map(let others) = other, fields.count > 1,
      fields.count == others.count, let id = fields["id"], let otherID = others["id"], id != otherID
    else { return false }
    return fields.allSatisfy { $0.key == "id" || others[$0.key] == $0.value }
  }
}
