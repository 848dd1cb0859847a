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
  /// What paths below a path start from.
  fileprivate enum Ahead: Sendable {
    case nothing
    case object(ObjectID)
    /// An array or a map.
    case parts
    /// A root that is not there, to which all paths below are bound.
    case missingRoot
    /// An aspect. Paths that go on behind one lead nowhere, and are bound as a whole.
    case aspect
  }

  fileprivate struct Step: Sendable {
    /// The last component of the path; of a path that is a root its name, or nil for an object by its number.
    let component: PathComponent?
    /// The step of the path above it; -1 for a root.
    let above: Int32
    /// How many components the path has.
    let count: UInt32
    /// Whether it begins with the number of an object: then its reads are bound to that one.
    let isOfObject: Bool

    /// The state's `routeVersion` when the rest was found.
    var version = UInt64.max
    /// What the path leads into, and by how many of its last components.
    var owner: Place.Owner
    var depth: UInt32 = 0
    var ahead = Ahead.nothing
    /// Which element of an array it leads to, if it does.
    var element: UInt32 = 0
    /// Whether it leads out of the object that it begins with by number.
    var isCrossing = false
    /// Whether it goes on behind an aspect.
    var isBehindAspect = false

    /// Its slot, if that was asked for since the last sweep.
    var slot = SlotID(0)
    var sweeps = UInt32.max

    var isRoot: Bool { above < 0 }

    var name: String? {
      switch component {
      case .property(let name)?, .key(let name)?: name
      default: nil
      }
    }
  }

  /// What is known of a path at which the state has a scalar.
  private struct Target: Sendable {
    let step: Int
    /// The property that it lies in, or is.
    let cell: Cell
    /// Where it is, if that is not the property itself.
    let place: Place?
    /// The state's `routeVersion` when that was found.
    var version = UInt64.max
    var hasElements = false
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
  private(set) var epoch: UInt32 = 0
  /// By the id of a path: its step, and what is known of sets of it; -1 for nothing.
  private var known = DenseMap<Int, (step: Int32, target: Int32)>(default: (-1, -1))
  private var steps: [Step] = []
  private var targets: [Target] = []
  /// Steps or paths that are still to be found, the last first.
  private var rest: [Int] = []

  /// Forgets all paths if their ids have started over; returns whether they have.
  mutating func begin(_ epoch: UInt32) -> Bool {
    if epoch == self.epoch { return false }
    self.epoch = epoch
    known.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    targets.removeAll(keepingCapacity: true)
    return true
  }
}

// MARK: Steps

extension PathSlots {
  /// The slot that a read of the path is bound to, new if need be.
  ///
  /// Cost: constant while nothing moves; else a step for the path, and for each above it that was not asked for since.
  mutating func slot(
    ofRead path: PathID, in core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> SlotID {
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
    while let step = rest.popLast() { renew(step, version, &state) }
    return last
  }

  /// The step of a path, new if need be, and those of the paths above it.
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
          Step(component: .property(name), above: -1, count: 0, isOfObject: false, owner: .roots))
      case .root(.object(let object)):
        steps.append(
          Step(component: nil, above: -1, count: 0, isOfObject: true, owner: .object(object)))
      case .component(let component, _):
        let above = steps[Int(step)]
        steps.append(
          Step(
            component: component, above: step, count: above.count + 1, isOfObject: above.isOfObject,
            owner: .roots))
      }
      step = Int32(steps.count - 1)
      known[index].step = step
    }
    return Int(step)
  }

  /// Finds where a step leads from where the one above it does, which is up to date.
  private mutating func renew(_ index: Int, _ version: UInt64, _ state: inout State) {
    var step = steps[index]
    let (owner, depth) = (step.owner, step.depth)
    step.version = version
    switch (step.isRoot, step.component) {
    case (false, let component?): go(component, from: Int(step.above), to: &step, &state)
    case (true, .property(let name)?):
      step.depth = 1
      step.ahead = state.roots[name].map { .object($0) } ?? .missingRoot
    default:
      step.ahead = .nothing
      if case .object(let object) = step.owner, state.objects.contains(object) {
        step.ahead = .object(object)
      }
    }
    // The slot is what the path leads into and the last components, so it stays if these do.
    if step.owner != owner || step.depth != depth { step.sweeps = .max }
    steps[index] = step
  }

  private func go(
    _ component: PathComponent, from index: Int, to step: inout Step, _ state: inout State
  ) {
    let above = steps[index]
    step.isCrossing = above.isCrossing
    step.isBehindAspect = above.isBehindAspect
    (step.owner, step.depth) = (above.owner, above.depth + 1)
    step.ahead = component.isAspect ? .aspect : .nothing
    switch above.ahead {
    case .nothing: break
    case .aspect: step.isBehindAspect = true
    case .missingRoot:
      if component == .exists, above.isRoot { return }
      // Whatever else is below it is bound to the root.
      step.depth = 1
      if !component.isAspect { step.ahead = .missingRoot }
    case .object(let object):
      // Whether a place holds an object is asked of the place.
      if component == .exists { return }
      step.isCrossing = above.isCrossing || above.isOfObject && above.depth > 0
      (step.owner, step.depth) = (.object(object), 1)
      if let name = step.name { step.ahead = Ahead(state.value(of: name, in: object)) }
    case .parts:
      if component.isAspect { return }
      var element: Value?
      switch (value(index, state), component) {
      case (.map(let fields)?, .property(let name)), (.map(let fields)?, .key(let name)):
        element = fields[name]
      case (.array(let elements)?, .index(let position)):
        guard let found = elements.element(at: position) else { return }
        (element, step.element) = (found, UInt32(truncatingIfNeeded: position))
      case (.array(let elements)?, .id(let id)):
        let found =
          if above.depth == 1, case .object(let object) = above.owner, let name = above.name {
            state.elementIndex(ofID: id, of: object, property: name)
          } else {
            elements.firstIndex { state.id(of: $0) == id }
          }
        guard let found else { return }
        (element, step.element) = (elements[found], UInt32(truncatingIfNeeded: found))
      default: return
      }
      step.ahead = Ahead(element)
    }
  }

  /// The value that a path leads to within an object. Cost: linear in the steps within it.
  private func value(_ index: Int, _ state: borrowing State) -> Value? {
    let step = steps[index]
    guard case .object(let object) = step.owner, step.depth > 0 else { return nil }
    if step.depth == 1 { return step.name.flatMap { state.value(of: $0, in: object) } }
    switch (value(Int(step.above), state), step.component) {
    case (.map(let fields)?, .property(let name)?), (.map(let fields)?, .key(let name)?): return fields[name]
    case (.array(let elements)?, .index?), (.array(let elements)?, .id?):
      return elements.element(at: Int(step.element))
    default: return nil
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

extension PathSlots.Step {
  /// Whether its slot is that of the step above, or lies in it.
  fileprivate var isInSlotOfStepAbove: Bool { !isRoot && (owner == .roots || depth > 1) }
}

extension PathSlots.Ahead {
  fileprivate init(_ value: Value?) {
    self =
      switch value {
      case .reference(let object)?: .object(object)
      case .array?, .map?: .parts
      default: .nothing
      }
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
    if sameValue, self.value(of: target, core.state) != value { return false }
    guard findReaders(of: target, sameValue: sameValue, &core) else { return false }
    let cell = targets[target].cell
    let before =
      if let place = targets[target].place {
        core.state.replaceScalar(in: cell, at: place, by: value)
      } else {
        core.state.replaceScalar(in: cell, by: value)
      }
    if before == nil { targets[target].version = .max }
    return before != nil
  }

  private func value(of target: Int, _ state: borrowing State) -> Value? {
    if let place = targets[target].place { return state.value(at: place) }
    return state.value(in: targets[target].cell)
  }

  /// What is known of sets of a path; nil if the state has no scalar there, or an id.
  private mutating func target(
    of path: PathID, _ core: inout InvalidationCore, _ tables: borrowing RunTables
  ) -> Int? {
    let index = find(path, &core.state, tables)
    let step = steps[index]
    let number = Int(known[Int(path.index)].target)
    if number >= 0, targets[number].version == core.state.routeVersion { return number }
    guard isSettable(step), case .object(let object) = step.owner else { return nil }
    let place = step.depth == 1 ? nil : place(step)
    var property = step
    for _ in 1..<step.depth { property = steps[Int(property.above)] }
    guard let name = property.name, let cell = core.state.cell(of: object, property: name) else { return nil }
    let value = place.map { core.state.value(at: $0) } ?? core.state.value(in: cell)
    guard value?.isScalar == true else { return nil }
    var target = Target(step: index, cell: cell, place: place)
    target.version = core.state.routeVersion
    target.hasElements = place?.hasElements ?? false
    if number >= 0 {
      targets[number] = target
      return number
    }
    targets.append(target)
    known[Int(path.index)].target = Int32(targets.count - 1)
    return targets.count - 1
  }

  private func isSettable(_ step: Step) -> Bool {
    if step.isBehindAspect || step.depth == 0 || step.count > Path.maximumDepth { return false }
    guard case .nothing = step.ahead else { return false }
    return switch step.component {
    case .property(let name)?, .key(let name)?: name != "id"
    case .index?: true
    // A scalar has no id.
    default: false
    }
  }

  /// The place that a step leads to.
  private func place(_ last: Step) -> Place? {
    var below: [Place.Step] = []
    below.reserveCapacity(Int(last.depth))
    var step = last
    for depth in 1...last.depth {
      switch step.component {
      case .property(let name)?, .key(let name)?: below.append(.name(name))
      case .index(let index)?: below.append(.element(index: index, id: nil))
      case .id(let id)?: below.append(.element(index: Int(step.element), id: id))
      default: return nil
      }
      if depth < last.depth { step = steps[Int(step.above)] }
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
    if !targets[target].hasElements, let slot = targets[target].slots.first, core.openTransactions == 0 {
      return core.findReaders(of: slot, sameValue: sameValue)
    }
    return findReaders(ofUnusual: target, sameValue, &core)
  }

  private func findReaders(
    ofUnusual target: Int, _ sameValue: Bool, _ core: inout InvalidationCore
  ) -> Bool {
    let target = targets[target]
    core.woken.removeAll(keepingCapacity: true)
    if core.openTransactions > 0 {
      return target.hasElements
        ? target.slots.isEmpty && target.whole == nil && !target.isReadBelow
        : target.slots.allSatisfy { core.isUnread($0) }
    }
    if target.isReadBelow { return false }
    if target.hasElements { core.findReaders(of: sameValue ? [] : target.slots, whole: target.whole) }
    return true
  }

  /// Finds the slots of a target again, after nodes began or ceased to read something.
  private mutating func findSlots(of index: Int, _ graph: inout SlotGraph, _ state: borrowing State) {
    let target = targets[index]
    let isSwept = target.sweeps != graph.sweeps
    targets[index].readersVersion = graph.readersVersion
    targets[index].sweeps = graph.sweeps
    if let place = target.place, target.hasElements {
      let trail = graph.trail(to: place, in: state)
      targets[index].isReadBelow = trail.at.contains { graph[$0].isReadBelow }
      targets[index].slots = (trail.above + trail.at).filter { !graph[$0].readers.isEmpty }
      targets[index].whole = graph.wholeSlot(of: target.cell.object)
    } else if target.slots.isEmpty || isSwept {
      // An object of which nothing is read needs no slots.
      let isRead = graph.slot(ofKnown: .object(target.cell.object)) != nil
      targets[index].slots = isRead ? [slot(target.step, &graph)] : []
    }
  }
}

extension InvalidationCore {
  /// Finds the nodes that read some slots of an object, or the object as a whole, and puts them into ``woken``.
  fileprivate mutating func findReaders(of slots: [SlotID], whole: SlotID?) {
    for slot in slots { graph.addReaders(of: slot, to: &woken) }
    if let whole { graph.addReaders(of: whole, to: &woken) }
    if woken.count > 1 { graph.sort(&woken) }
    if !followed.isEmpty { for node in woken { reconnect(node) } }
  }
}
