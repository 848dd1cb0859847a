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

  private struct Step: Sendable {
    /// Nil for a root.
    var component: PathComponent?
    var root = Path.Root.object(ObjectID(0))
    /// The index of the path above it.
    var above: UInt32 = .max
    var isLoaded = false

    /// The state's `routeVersion` when the rest was found.
    var version = UInt64.max
    /// What the path leads into, and by how many of its last steps.
    var owner = Place.Owner.roots
    var depth: UInt32 = 0
    var ahead = Ahead.nothing
    /// Which element of an array it leads to, if it does.
    var element: UInt32 = 0
    /// How many components the path has.
    var count: UInt32 = 0
    /// Whether it begins with the number of an object: then its reads are bound to that one.
    var isOfObject = false
    /// Whether it leads out of the object that it begins with.
    var isCrossing = false
    /// Whether it goes on behind an aspect.
    var isBehindAspect = false

    /// Its slot, if there is one that was asked for since the last sweep.
    var slot = SlotID(0)
    var sweeps = UInt32.max
    /// The index of what is known of sets of it; -1 for nothing.
    var target: Int32 = -1

    var name: String? {
      switch component {
      case .property(let name)?, .key(let name)?: name
      default: nil
      }
    }
  }

  /// What is known of a path at which the state has a scalar.
  private struct Target: Sendable {
    let path: UInt32
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
  private var steps = DenseMap<Int, Step>(default: Step())
  private var targets: [Target] = []
  /// Paths that are still to be found, the last first.
  private var rest: [Int] = []

  /// Forgets all paths if their ids have started over; returns whether they have.
  mutating func begin(_ epoch: UInt32) -> Bool {
    if epoch == self.epoch { return false }
    self.epoch = epoch
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
    let index = find(path, &core.state, tables)
    if steps.values[index].isBehindAspect || steps.values[index].isCrossing {
      return core.slot(ofBound: core.state.bound(tables.path(path)))
    }
    return slot(index, &core.graph)
  }

  /// Finds where a path leads, and returns its index.
  private mutating func find(_ path: PathID, _ state: inout State, _ tables: borrowing RunTables) -> Int {
    let version = state.routeVersion
    var index = Int(path.index)
    while true {
      if !steps[index].isLoaded { load(index, tables) }
      if steps.values[index].version == version { break }
      rest.append(index)
      if steps.values[index].component == nil { break }
      index = Int(steps.values[index].above)
    }
    while let index = rest.popLast() { renew(index, version, &state) }
    return Int(path.index)
  }

  private mutating func load(_ index: Int, _ tables: borrowing RunTables) {
    switch tables.step(PathID(UInt32(index), epoch: epoch)) {
    case .root(let root): steps[index].root = root
    case .component(let component, let above):
      steps[index].component = component
      steps[index].above = above.index
    }
    steps[index].isLoaded = true
  }

  /// Finds where a path leads from where the path above it does, which is up to date.
  private mutating func renew(_ index: Int, _ version: UInt64, _ state: inout State) {
    let known = steps.values[index]
    var step = known
    step.version = version
    if let component = known.component {
      go(component, from: Int(known.above), to: &step, &state)
    } else {
      switch known.root {
      case .named(let name):
        (step.owner, step.depth) = (.roots, 1)
        step.ahead = state.roots[name].map { .object($0) } ?? .missingRoot
      case .object(let object):
        (step.owner, step.depth) = (.object(object), 0)
        step.ahead = state.objects.contains(object) ? .object(object) : .nothing
        step.isOfObject = true
      }
    }
    // The slot is what the path leads into and the last steps, so it stays if these do.
    if step.owner != known.owner || step.depth != known.depth { step.sweeps = .max }
    steps[index] = step
  }

  private func go(
    _ component: PathComponent, from index: Int, to step: inout Step, _ state: inout State
  ) {
    let above = steps.values[index]
    step.count = above.count + 1
    step.isOfObject = above.isOfObject
    step.isCrossing = above.isCrossing
    step.isBehindAspect = false
    (step.owner, step.depth) = (above.owner, above.depth + 1)
    step.ahead = component.isAspect ? .aspect : .nothing
    switch above.ahead {
    case .nothing: break
    case .aspect: step.isBehindAspect = true
    case .missingRoot:
      if component == .exists { return }
      // Whatever is below it is bound to the root.
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
    let step = steps.values[index]
    guard case .object(let object) = step.owner, step.depth > 0 else { return nil }
    if step.depth == 1 { return step.name.flatMap { state.value(of: $0, in: object) } }
    switch (value(Int(step.above), state), step.component) {
    case (.map(let fields)?, .property(let name)?), (.map(let fields)?, .key(let name)?): return fields[name]
    case (.array(let elements)?, .index?), (.array(let elements)?, .id?):
      return elements.element(at: Int(step.element))
    default: return nil
    }
  }

  /// The slot of a path that was found, new if need be.
  private mutating func slot(_ first: Int, _ graph: inout SlotGraph) -> SlotID {
    var index = first
    while steps.values[index].sweeps != graph.sweeps {
      rest.append(index)
      let step = steps.values[index]
      if step.component == nil || step.owner != .roots && step.depth == 1 { break }
      index = Int(step.above)
    }
    while let index = rest.popLast() {
      let step = steps.values[index]
      steps[index].slot = makeSlot(step, &graph)
      steps[index].sweeps = graph.sweeps
    }
    return steps.values[first].slot
  }

  /// The slot of a step. If the step above is in the same object, its slot is known.
  private func makeSlot(_ step: Step, _ graph: inout SlotGraph) -> SlotID {
    guard let component = step.component else {
      if case .named(let name) = step.root { return graph.slot(.name(name), under: graph.slot(of: .roots)) }
      return graph.slot(of: step.owner)
    }
    if step.depth == 1, step.owner != .roots { return graph.slot(component, under: graph.slot(of: step.owner)) }
    let above = steps.values[Int(step.above)].slot
    return step.depth == 1 ? above : graph.slot(component, under: above)
  }
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
    guard path.epoch == epoch, index < steps.values.count else { return false }
    let target = Int(steps.values[index].target)
    guard target >= 0, targets[target].version == core.state.routeVersion, value.isScalar else { return false }
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
    let step = steps.values[index]
    let known = Int(step.target)
    if known >= 0, targets[known].version == core.state.routeVersion { return known }
    guard isSettable(step), case .object(let object) = step.owner else { return nil }
    let place = step.depth == 1 ? nil : place(index)
    var property = index
    for _ in 1..<step.depth { property = Int(steps.values[property].above) }
    guard let name = steps.values[property].name, let cell = core.state.cell(of: object, property: name)
    else { return nil }
    let value = place.map { core.state.value(at: $0) } ?? core.state.value(in: cell)
    guard value?.isScalar == true else { return nil }
    var target = Target(path: path.index, cell: cell, place: place)
    target.version = core.state.routeVersion
    target.hasElements = place?.hasElements ?? false
    if known >= 0 {
      targets[known] = target
      return known
    }
    targets.append(target)
    steps[index].target = Int32(targets.count - 1)
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

  /// The place that a path leads to.
  private func place(_ index: Int) -> Place? {
    let last = steps.values[index]
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
      if depth < last.depth { step = steps.values[Int(step.above)] }
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
      targets[index].slots = isRead ? [slot(Int(target.path), &graph)] : []
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
