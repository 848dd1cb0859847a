import EventLog

/// Where the paths of a run lead: each found by one step from where the path above it leads, and kept until it may lead
/// elsewhere.
///
///     app           a root, which is the object #1
///     app.rows      in #1: an array, which has parts
///     …["a"]        its element 4: the object #7
///     …["a"].title  in #7: a slot below that of #7
///
/// So when something has moved, fifty reads below one array cost fifty steps and not fifty whole paths. What is found is
/// what `State.resolve(_:)` and `State.bound(_:)` find.
struct PathSlots: Sendable {
  /// What the paths below a path start from.
  private enum Ahead: Sendable {
    case nothing
    case object(ObjectID)
    /// An array or a map.
    case parts
    /// A root that is not there, to which all paths below are bound.
    case missingRoot
    /// An aspect. Paths that go on behind one lead nowhere, and are bound as a whole.
    case aspect
  }

  /// Into what a path leads.
  fileprivate struct Step: Sendable {
    /// The last component of the path; of a root its name, or nil for an object by its number.
    let component: PathComponent?
    /// The step of the path above it; -1 for a root.
    let above: Int32
    /// How many components the path has.
    let count: UInt32
    /// Whether it begins with the number of an object: then its reads are bound to that one.
    let isOfObject: Bool

    /// The state's `routeVersion` when the rest was found.
    var version = UInt64.max
    /// The object that it leads into, or the roots, and by how many of its last components.
    var owner: Place.Owner
    var depth: UInt32 = 0
    /// Whether it leads out of the object that it begins with by number.
    var isCrossing = false
    /// Whether it goes on behind an aspect.
    var isBehindAspect = false

    /// Its slot, if that was asked for since the last sweep.
    var slot = SlotID(0)
    var sweeps = UInt32.max
    /// The index of what is there; -1 if no path below was asked for.
    var content: Int32 = -1

    var isRoot: Bool { above < 0 }
    /// Whether its slot is that of the step above, or lies in it.
    var isInSlotOfStepAbove: Bool { !isRoot && (owner == .roots || depth > 1) }
  }

  /// What is there where a path leads.
  private struct Content: Sendable {
    /// The state's `routeVersion` when it was found.
    var version = UInt64.max
    var ahead = Ahead.nothing
    var spot: Spot?
  }

  /// What is known of a path at which the state has a scalar.
  private struct Target: Sendable {
    let step: Int
    /// Where it is, and for a property its cell.
    let spot: Spot
    let cell: Cell?
    /// The same, if there are elements of arrays on the way.
    let place: Place?
    /// The state's `routeVersion` when that was found.
    var version: UInt64
    /// Its own slot, none if nothing of the object is read. With elements on the way, which may have two slots each:
    /// all that nodes read of those that it lies in, or is.
    var slots: [SlotID] = []
    /// With elements on the way: the slot of the object as a whole, if that is read, and whether something below is.
    var whole: SlotID?
    var isReadBelow = false
    /// The graph's `readersVersion` and `sweeps` when these were found.
    var readersVersion = UInt64.max
    var sweeps = UInt32.max
  }

  /// Of the ids of paths.
  private var epoch: UInt32 = 0
  /// By the id of a path: its step, and what is known of sets of it; -1 for nothing.
  private var known = DenseMap<Int, (step: Int32, target: Int32)>(default: (-1, -1))
  private var steps: [Step] = []
  private var contents: [Content] = []
  private var targets: [Target] = []
  /// Steps or paths that are still to be found, the last first.
  private var rest: [Int] = []

  /// Forgets all paths if their ids have started over; returns whether they have.
  mutating func begin(_ epoch: UInt32) -> Bool {
    if epoch == self.epoch { return false }
    self.epoch = epoch
    known.removeAll(keepingCapacity: true)
    contents.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    targets.removeAll(keepingCapacity: true)
    return true
  }
}

// MARK: Steps

extension PathSlots {
  /// The slot that a read of the path is bound to, new if need be.
  ///
  /// Cost: constant while nothing moves, and for a property of an object by its number; else a step for the path, and for
  /// each above it that was not asked for since.
  mutating func slot(
    ofRead path: PathID, in core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> SlotID {
    let known = step(path, tables)
    // A step from the number of an object is a slot whatever the state is.
    if steps[known].isOfObject, steps[known].count < 2 { return slot(known, &core.graph) }
    let step = find(path, &core.state, tables)
    if steps[step].isBehindAspect || steps[step].isCrossing {
      return core.slot(ofBound: core.state.bound(tables.path(path)))
    }
    return slot(step, &core.graph)
  }

  /// Finds where a path leads, and returns its step.
  private mutating func find(_ path: PathID, _ state: inout State, _ tables: borrowing RunTables) -> Int {
    let last = step(path, tables)
    let version = state.routeVersion
    var step = last
    while steps[step].version != version {
      rest.append(step)
      if steps[step].isRoot { break }
      step = Int(steps[step].above)
    }
    while let step = rest.popLast() {
      if !steps[step].isRoot { look(at: Int(steps[step].above), version, &state) }
      renew(step, version)
    }
    return last
  }

  /// The step of a path, new if need be, as are those of the paths above it.
  private mutating func step(_ path: PathID, _ tables: borrowing RunTables) -> Int {
    var path = path
    var step = known[Int(path.index)].step
    while step < 0 {
      rest.append(Int(path.index))
      guard case .component(_, let above) = tables.step(path) else { break }
      path = above
      step = known[Int(path.index)].step
    }
    while let index = rest.popLast() {
      switch tables.step(PathID(UInt32(index), epoch: epoch)) {
      case .root(.named(let name)):
        steps.append(
          Step(component: .property(name), above: -1, count: 0, isOfObject: false, owner: .roots, depth: 1))
      case .root(.object(let object)):
        steps.append(
          Step(component: nil, above: -1, count: 0, isOfObject: true, owner: .object(object)))
      case .component(let component, _):
        let above = steps[Int(step)]
        var found = Step(
          component: component, above: step, count: above.count + 1, isOfObject: above.isOfObject,
          owner: .roots)
        if above.isOfObject, above.isRoot { (found.owner, found.depth) = (above.owner, 1) }
        steps.append(found)
      }
      step = Int32(steps.count - 1)
      known[index].step = step
    }
    return Int(step)
  }

  /// Finds into what a step leads, when it is known what is above it.
  private mutating func renew(_ index: Int, _ version: UInt64) {
    steps[index].version = version
    guard let component = steps[index].component, !steps[index].isRoot else { return }
    let above = steps[Int(steps[index].above)]
    let ahead = contents[Int(above.content)].ahead
    var (owner, depth, isCrossing) = (above.owner, above.depth + 1, above.isCrossing)
    switch ahead {
    // Whether a place holds an object is asked of the place; whatever else is below a root that is not there is bound to
    // the root.
    case .missingRoot where component != .exists || !above.isRoot: depth = 1
    case .object(let object) where component != .exists:
      isCrossing = isCrossing || above.isOfObject && above.depth > 0
      (owner, depth) = (.object(object), 1)
    default: break
    }
    // The slot is what the path leads into and the last components, so it stays if these do.
    if steps[index].owner != owner || steps[index].depth != depth {
      steps[index].sweeps = .max
      (steps[index].owner, steps[index].depth) = (owner, depth)
    }
    steps[index].isCrossing = isCrossing
    if case .aspect = ahead { steps[index].isBehindAspect = true }
  }

  /// Finds what is there where a step leads, which itself is up to date.
  private mutating func look(at index: Int, _ version: UInt64, _ state: inout State) {
    if steps[index].content < 0 {
      steps[index].content = Int32(contents.count)
      contents.append(Content())
    }
    let number = Int(steps[index].content)
    if contents[number].version == version { return }
    contents[number].version = version
    let step = steps[index]
    if step.isRoot {
      contents[number].ahead =
        switch (step.component, step.owner) {
        case (.property(let name)?, _): state.roots[name].map { .object($0) } ?? .missingRoot
        case (_, .object(let object)): state.objects.contains(object) ? .object(object) : .nothing
        case (_, .roots): .nothing
        }
      return
    }
    let above = contents[Int(steps[Int(step.above)].content)].ahead
    switch above {
    case .aspect: contents[number].ahead = .aspect
    case _ where step.component?.isAspect == true: contents[number].ahead = .aspect
    case .missingRoot: contents[number].ahead = .missingRoot
    case .nothing: contents[number].ahead = .nothing
    case .object, .parts:
      let spot = spot(step, known: contents[number].spot, &state)
      contents[number].spot = spot
      contents[number].ahead =
        switch spot.flatMap({ state.value(at: $0) }) {
        case .reference(let object)?: .object(object)
        case .array?, .map?: .parts
        default: .nothing
        }
    }
  }

  /// The spot of a step that is below an object or a container; nil if nothing is there.
  ///
  /// - Parameter known: The spot that it had before.
  private func spot(_ step: Step, known: Spot?, _ state: inout State) -> Spot? {
    guard let component = step.component, step.above >= 0 else { return nil }
    let above = contents[Int(steps[Int(step.above)].content)]
    switch above.ahead {
    case .object(let object):
      // A property stays where it is as long as its object has the same properties.
      if let known, let cell = state.cell(at: known), cell.object == object, state.holds(cell) {
        return known
      }
      return state.spot(of: object).flatMap { state.step(component, below: $0) }
    case .parts: return above.spot.flatMap { state.indexedStep(component, below: $0) }
    case .nothing, .missingRoot, .aspect: return nil
    }
  }

  /// The slot of a step that was found, new if need be.
  private mutating func slot(_ first: Int, _ graph: inout SlotGraph) -> SlotID {
    var index = first
    while steps[index].sweeps != graph.sweeps {
      rest.append(index)
      if !steps[index].isInSlotOfStepAbove { break }
      index = Int(steps[index].above)
    }
    while let index = rest.popLast() {
      steps[index].slot = makeSlot(steps[index], &graph)
      steps[index].sweeps = graph.sweeps
    }
    return steps[first].slot
  }

  private func makeSlot(_ step: Step, _ graph: inout SlotGraph) -> SlotID {
    guard let component = step.component else { return graph.slot(of: step.owner) }
    if !step.isInSlotOfStepAbove { return graph.slot(component, under: graph.slot(of: step.owner)) }
    let above = steps[Int(step.above)].slot
    // What is below a root that is not there is bound to the root.
    return step.depth == 1 ? above : graph.slot(component, under: above)
  }
}

// MARK: Sets

// A set of one scalar to another, that is not an id, changes neither where paths lead nor what any other event does. It
// concerns the readers of its slot, of the slots above it up to the object's, and of the object as a whole.

extension PathSlots {
  /// Replaces a scalar that a path leads to by another, and puts the nodes that this concerns into the core's `woken`;
  /// false, with nothing done, if it has not been found that this is all, or not since something moved.
  ///
  /// Cost: some 10 ns, and some for each node.
  @inline(__always)
  mutating func set(
    _ path: PathID, to value: Value, sameValue: Bool, in core: inout InvalidationCore
  ) -> Bool {
    let index = Int(path.index)
    guard path.epoch == epoch, index < known.values.count else { return false }
    let target = Int(known.values[index].target)
    guard target >= 0, targets[target].version == core.state.routeVersion, value.isScalar
    else { return false }
    return set(target: target, to: value, sameValue: sameValue, in: &core)
  }

  /// The same; where the path leads is found first.
  mutating func set(
    _ path: PathID, to value: Value, sameValue: Bool, in core: inout InvalidationCore,
    _ tables: borrowing RunTables
  ) -> Bool {
    guard value.isScalar, let target = target(of: path, &core, tables) else { return false }
    return set(target: target, to: value, sameValue: sameValue, in: &core)
  }

  private mutating func set(
    target: Int, to value: Value, sameValue: Bool, in core: inout InvalidationCore
  ) -> Bool {
    // What the app takes for the same may differ here, and then concerns all readers of paths that are followed.
    if sameValue, core.state.value(at: targets[target].spot) != value { return false }
    guard findReaders(of: target, sameValue: sameValue, &core) else { return false }
    if let cell = targets[target].cell { return core.state.replaceScalar(in: cell, by: value) != nil }
    return core.state.replaceScalar(at: targets[target].spot, by: value) != nil
  }

  /// Replaces a part of the string in a property, as ``set(_:to:sameValue:in:_:)`` replaces a scalar.
  mutating func splice(
    _ path: PathID, offset: Int, delete: Int, insert: String, in core: inout InvalidationCore,
    _ tables: borrowing RunTables
  ) -> Bool {
    guard let target = target(of: path, &core, tables), let cell = targets[target].cell,
      findReaders(of: target, sameValue: false, &core)
    else { return false }
    return core.state.spliceString(in: cell, offset: offset, delete: delete, insert: insert)
  }

  /// What is known of sets of a path; nil if the state has no scalar there, or an id.
  private mutating func target(
    of path: PathID, _ core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> Int? {
    let index = find(path, &core.state, tables)
    let step = steps[index]
    let number = Int(known[Int(path.index)].target)
    if number >= 0, targets[number].version == core.state.routeVersion { return number }
    guard isSettable(step),
      let spot = spot(step, known: number < 0 ? nil : targets[number].spot, &core.state),
      core.state.value(at: spot)?.isScalar == true
    else { return nil }
    let place = place(step, spot)
    let target = Target(
      step: index, spot: spot, cell: core.state.cell(at: spot),
      place: place?.hasElements == true ? place : nil, version: core.state.routeVersion)
    if number >= 0 {
      targets[number] = target
      return number
    }
    targets.append(target)
    known[Int(path.index)].target = Int32(targets.count - 1)
    return targets.count - 1
  }

  private func isSettable(_ step: Step) -> Bool {
    if step.isRoot || step.isBehindAspect || step.count > Path.maximumDepth { return false }
    return switch step.component {
    case .property(let name)?, .key(let name)?: name != "id"
    case .index?: true
    // A scalar has no id.
    default: false
    }
  }

  /// The place of a spot below a property; nil for a property.
  private func place(_ last: Step, _ spot: Spot) -> Place? {
    if last.depth < 2 { return nil }
    var below: [Place.Step] = []
    below.reserveCapacity(Int(last.depth))
    var step = last
    for depth in (1...Int(last.depth)).reversed() {
      switch step.component {
      case .property(let name)?, .key(let name)?: below.append(.name(name))
      case .index(let index)?: below.append(.element(index: index, id: nil))
      case .id(let id)?: below.append(.element(index: spot.position(at: depth), id: id))
      default: return nil
      }
      if depth > 1 { step = steps[Int(step.above)] }
    }
    below.reverse()
    return Place(owner: last.owner, steps: below)
  }

  /// Finds the nodes that a set of a target concerns, and puts them into the core's `woken`; false if it may concern
  /// others: where something below the scalar is read, or where a transaction must note what it changes.
  @inline(__always)
  private mutating func findReaders(
    of target: Int, sameValue: Bool, _ core: inout InvalidationCore
  ) -> Bool {
    if targets[target].readersVersion != core.graph.readersVersion
      || targets[target].sweeps != core.graph.sweeps
    {
      findSlots(of: target, &core.graph, core.state)
    }
    if targets[target].place == nil, let slot = targets[target].slots.first, core.openTransactions == 0 {
      return core.findReaders(of: slot, sameValue: sameValue)
    }
    return findReaders(ofUnusual: target, sameValue, &core)
  }

  private func findReaders(
    ofUnusual target: Int, _ sameValue: Bool, _ core: inout InvalidationCore
  ) -> Bool {
    let target = targets[target]
    core.forgetWoken()
    if core.openTransactions > 0 {
      return target.place != nil
        ? target.slots.isEmpty && target.whole == nil && !target.isReadBelow
        : target.slots.allSatisfy { core.isUnread($0) }
    }
    if target.isReadBelow { return false }
    if target.place != nil { core.findReaders(of: sameValue ? [] : target.slots, whole: target.whole) }
    return true
  }

  /// Finds the slots of a target again, after nodes began or ceased to read something.
  private mutating func findSlots(of index: Int, _ graph: inout SlotGraph, _ state: borrowing State) {
    let target = targets[index]
    let isSwept = target.sweeps != graph.sweeps
    targets[index].readersVersion = graph.readersVersion
    targets[index].sweeps = graph.sweeps
    if let place = target.place {
      let trail = graph.trail(to: place, in: state)
      targets[index].isReadBelow = trail.at.contains { graph[$0].isReadBelow }
      targets[index].slots = trail.all.filter { !graph[$0].readers.isEmpty }
      targets[index].whole = target.spot.object.flatMap { graph.wholeSlot(of: $0) }
    } else if target.slots.isEmpty || isSwept {
      // An object of which nothing is read needs no slots.
      let isRead = target.spot.object.map { graph.slot(ofKnown: .object($0)) != nil } ?? false
      targets[index].slots = isRead ? [slot(target.step, &graph)] : []
    }
  }
}

extension InvalidationCore {
  /// Finds the nodes that read some slots of an object, or the object as a whole, and puts them into ``woken``.
  fileprivate mutating func findReaders(of slots: [SlotID], whole: SlotID?) {
    for slot in slots { wakeReaders(of: slot) }
    if let whole { wakeReaders(of: whole) }
    if woken.count > 1 { graph.sort(&woken) }
    if !followed.isEmpty { for node in woken { reconnect(node) } }
  }
}
