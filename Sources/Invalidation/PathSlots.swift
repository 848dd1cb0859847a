import EventLog

/// Finds where the paths of a run lead. Each path takes one step from where its parent path leads; the result
/// is kept until it may be out of date.
///
///     app           a root, which is the object #1
///     app.rows      in #1: an array, which has parts
///     …["a"]        its element 4: the object #7
///     …["a"].title  in #7: a slot below that of #7
///
/// So after an object has moved, fifty reads below one array cost fifty steps, and not the resolution of
/// fifty whole paths. The results equal those of `State.resolve(_:)` and `State.bound(_:)`.
struct PathSlots: ~Copyable, Sendable {
  /// What the state has at a path, from which the paths below it continue.
  private enum Ahead: Sendable {
    case nothing
    case object(ObjectID)
    /// An array or a map.
    case parts
    /// A root that does not exist; all paths below are bound to its name.
    case missingRoot
    /// An aspect. Paths that continue after an aspect lead nowhere, and are bound as a whole.
    case aspect
  }

  /// Where a path leads: an object, or the table of roots, and the components within it.
  fileprivate struct Step: Sendable {
    /// The last component of the path; the name for a named root, nil for a root that is an object by its id.
    let component: PathComponent?
    /// The step of the parent path; -1 for a root.
    let above: Int32
    /// The number of components of the path.
    let count: UInt32
    /// Whether the path begins with the id of an object; its reads are then bound to this object.
    let isOfObject: Bool

    /// The state's `routeVersion` when the properties below were found.
    var version = UInt64.max
    /// The object into which the path leads, or the table of roots; and the number of the path's last
    /// components that lie within it.
    var owner: NamedLocation.Owner
    var depth: UInt32 = 0
    /// Whether the path begins with the id of an object and leads into another object.
    var isCrossing = false
    /// Whether the path continues after an aspect.
    var isBehindAspect = false

    /// The path's slot; valid if `sweeps` is that of the graph.
    var slot = SlotID(0)
    var sweeps = UInt32.max
    /// The index in `contents`; -1 until a path below this one is resolved.
    var content: Int32 = -1

    var isRoot: Bool { above < 0 }
    /// Whether a scalar there may be replaced without changing what other paths mean.
    var isSettable: Bool {
      if isRoot || isBehindAspect || count > Path.maximumDepth { return false }
      return switch component {
      case .property(let name)?, .key(let name)?: name != "id"
      case .index?: true
      // A scalar has no id.
      default: false
      }
    }
    /// Whether its slot is the slot of the parent's step or lies below it.
    var isInSlotOfStepAbove: Bool { !isRoot && (owner == .roots || depth > 1) }
  }

  /// What the state contains at a path.
  private struct Content: Sendable {
    /// The state's `routeVersion` when it was found.
    var version = UInt64.max
    var ahead = Ahead.nothing
    var location: Location?
  }

  /// What is known about sets of a path at which the state has a scalar.
  private struct Target: Sendable {
    let step: Int
    let location: Location
    /// The state's `routeVersion` when the location was found.
    let version: UInt64
    /// The slot of the property that contains the value; nil if nothing of the object is read.
    var property: SlotID?
    /// The graph's `readersVersion` and `sweeps` when that was found.
    var readersVersion = UInt64.max
    var sweeps = UInt32.max
    /// The slots that a set concerns, if something of the object is read.
    var slots = WrittenSlots()
  }

  /// The epoch of the path ids.
  private var epoch: UInt32 = 0
  /// By path id: the index of its step and of its target; -1 for none.
  private var known = DenseMap<Int, (step: Int32, target: Int32)>(default: (-1, -1))
  private var steps: [Step] = []
  private var contents: [Content] = []
  private var targets: [Target] = []
  /// A stack of steps or paths that are still to be resolved; the topmost is resolved first.
  private var rest: [Int] = []

  /// Where the same paths lead in a copy of the core.
  func copy() -> PathSlots {
    var copy = PathSlots()
    (copy.epoch, copy.known, copy.steps, copy.contents, copy.targets) = (
      epoch, known, steps, contents, targets
    )
    return copy
  }

  /// Forgets all paths if the path ids have started over; returns whether they have.
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
  /// The slot to which a read of the path is bound; added if there is none.
  ///
  /// Cost: constant for a property of an object that is named by id, and for other paths until something
  /// moves. Then a step for the path, and for each parent path that was not resolved since.
  mutating func slot(
    ofRead path: PathID, in core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> SlotID {
    let known = step(path, tables)
    // A property of an object that is named by id has the same slot in every state.
    if steps[known].isOfObject, steps[known].count < 2 { return slot(known, &core.graph) }
    let step = find(path, &core.state, tables)
    if steps[step].isBehindAspect || steps[step].isCrossing {
      return core.slot(ofBound: core.state.bound(tables.path(path)))
    }
    return slot(step, &core.graph)
  }

  /// Resolves a path in the current state, and returns its step.
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

  /// The step of a path. Adds the missing steps of the path and its parents.
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
        let above = Int(step)
        var found = Step(
          component: component, above: step, count: steps[above].count + 1,
          isOfObject: steps[above].isOfObject, owner: .roots)
        if found.isOfObject, steps[above].isRoot { (found.owner, found.depth) = (steps[above].owner, 1) }
        steps.append(found)
      }
      step = Int32(steps.count - 1)
      known[index].step = step
    }
    return Int(step)
  }

  /// Finds where a step leads, given that its parent step and the parent's contents are up to date.
  private mutating func renew(_ index: Int, _ version: UInt64) {
    steps[index].version = version
    if steps[index].isRoot { return }
    let isExistence = if case .exists? = steps[index].component { true } else { false }
    let above = Int(steps[index].above)
    let ahead = contents[Int(steps[above].content)].ahead
    var (owner, depth, isCrossing) = (steps[above].owner, steps[above].depth + 1, steps[above].isCrossing)
    switch ahead {
    // Whether a reference exists is read at the slot that holds it; everything else below a missing root is
    // bound to the root.
    case .missingRoot where !isExistence || !steps[above].isRoot: depth = 1
    case .object(let object) where !isExistence:
      isCrossing = isCrossing || steps[above].isOfObject && steps[above].depth > 0
      (owner, depth) = (.object(object), 1)
    default: break
    }
    // The slot depends only on the owner and the last components, so it is kept if these are unchanged.
    if steps[index].owner != owner || steps[index].depth != depth {
      steps[index].sweeps = .max
      (steps[index].owner, steps[index].depth) = (owner, depth)
    }
    steps[index].isCrossing = isCrossing
    if case .aspect = ahead { steps[index].isBehindAspect = true }
  }

  /// Finds what the state contains at a step, which is up to date.
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
      let location = location(step, known: contents[number].location, &state)
      contents[number].location = location
      contents[number].ahead =
        switch location.flatMap({ state.value(at: $0) }) {
        case .reference(let object)?: .object(object)
        case .array?, .map?: .parts
        default: .nothing
        }
    }
  }

  /// The location of a step below an object or a container; nil if the state has nothing there.
  ///
  /// - Parameter known: The location that was found the last time.
  private func location(_ step: Step, known: Location?, _ state: inout State) -> Location? {
    guard let component = step.component, step.above >= 0 else { return nil }
    let above = Int(steps[Int(step.above)].content)
    switch contents[above].ahead {
    case .object(let object):
      // A property keeps its location as long as its object keeps the same set of properties.
      if let known, let property = known.property, property.object == object, state.holds(property) {
        return known
      }
      return state.location(of: object).flatMap { state.step(component, below: $0) }
    case .parts: return contents[above].location.flatMap { state.indexedStep(component, below: $0) }
    case .nothing, .missingRoot, .aspect: return nil
    }
  }

  /// The slot of a step that is up to date; added if there is none.
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

  private mutating func makeSlot(_ step: Step, _ graph: inout SlotGraph) -> SlotID {
    guard let component = step.component else { return graph.slot(of: step.owner) }
    if !step.isInSlotOfStepAbove { return graph.slot(component, under: graph.slot(of: step.owner)) }
    let above = steps[Int(step.above)].slot
    // Everything below a missing root is bound to the root.
    return step.depth == 1 ? above : graph.slot(component, under: above)
  }
}

// MARK: Sets

// If one scalar that is not an id replaces another, this changes neither where paths lead nor what other
// events mean. It invalidates the readers of its slot, of the slots above it up to the object's slot, and of
// the object as a whole.

extension PathSlots {
  /// Replaces the scalar at a path by another, and puts the nodes that this invalidates into the core's
  /// `invalidated`. Returns false, with nothing done, if the path's target is unknown or out of date.
  ///
  /// Cost: some 10 ns, and a few for each node.
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

  /// The same, but resolves the path first if necessary.
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
    guard findReaders(of: target, sameValue: sameValue, &core) else { return false }
    guard let old = core.state.replaceScalar(at: targets[target].location, by: value) else { return false }
    if (old == value) != sameValue { core.contradiction = sameValue ? .different : .equal }
    return true
  }

  /// Replaces a part of the string in a property, just as ``set(_:to:sameValue:in:_:)`` replaces a scalar.
  mutating func splice(
    _ path: PathID, offset: Int, delete: Int, insert: String, in core: inout InvalidationCore,
    _ tables: borrowing RunTables
  ) -> Bool {
    guard let target = target(of: path, &core, tables), let property = targets[target].location.property,
      findReaders(of: target, sameValue: false, &core)
    else { return false }
    return core.state.spliceString(at: property, offset: offset, delete: delete, insert: insert)
  }

  /// The index of a path's target; nil if the state has no scalar there, or an id.
  private mutating func target(
    of path: PathID, _ core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> Int? {
    let index = find(path, &core.state, tables)
    let step = steps[index]
    let number = Int(known[Int(path.index)].target)
    if number >= 0, targets[number].version == core.state.routeVersion {
      invariant(
        location(step, known: nil, &core.state) == targets[number].location,
        "a path leads to the same place as long as no reference moves")
      return number
    }
    guard step.isSettable,
      let location = location(step, known: number < 0 ? nil : targets[number].location, &core.state),
      core.state.value(at: location)?.isScalar == true
    else { return nil }
    let target = Target(step: index, location: location, version: core.state.routeVersion)
    if number >= 0 {
      targets[number] = target
      return number
    }
    targets.append(target)
    known[Int(path.index)].target = Int32(targets.count - 1)
    return targets.count - 1
  }

  /// Finds the nodes that a set of a target invalidates, and puts them into the core's `invalidated`. Returns false
  /// if the general way is needed.
  @inline(__always)
  private mutating func findReaders(of target: Int, sameValue: Bool, _ core: inout InvalidationCore) -> Bool {
    if targets[target].readersVersion != core.graph.readersVersion
      || targets[target].sweeps != core.graph.sweeps
    {
      findProperty(of: target, &core.graph)
    }
    guard let property = targets[target].property else {
      core.forgetInvalidated()
      return true
    }
    return core.findReaders(
      of: &targets[target].slots, at: targets[target].location, below: property, elementID: nil,
      sameValue: sameValue)
  }

  /// Finds the slot of a target's property again, after a node started or stopped reading something.
  private mutating func findProperty(of target: Int, _ graph: inout SlotGraph) {
    let isKept = targets[target].property != nil && targets[target].sweeps == graph.sweeps
    targets[target].readersVersion = graph.readersVersion
    targets[target].sweeps = graph.sweeps
    if isKept { return }
    // An object that nothing reads needs no slots.
    guard let object = targets[target].location.object, graph.isKnown(.object(object)) else {
      targets[target].property = nil
      return
    }
    var step = targets[target].step
    while steps[step].depth > 1 { step = Int(steps[step].above) }
    targets[target].property = slot(step, &graph)
  }
}
