import Algorithms
import EventLog

/// Builds the tree of a cascade. Below the root are the projections that it invalidated; below those, the
/// projections that ran with them and the writes that they made.
///
/// One builder serves many cascades in turn, and reuses its memory.
struct CascadeBuilder {
  private(set) var nodes = CascadeNodes()
  private var lookup = CascadeLookup()
  /// The events that caused others, in order.
  private var units: [UInt64] = []
  /// The evaluations and invalidations of each unit, by their indices.
  private var evaluations = Buckets()
  private var invalidations = Buckets()
  /// The node of each event, by seq.
  private var eventNodes = PairMap<Int>()
  /// The node of each projection that ran for a unit, by the unit's index and the projection.
  private var runNodes = PairMap<ProjectionID>()
  /// The projections between an evaluation and the ancestor below which it is placed; the keys have 0 as unit.
  private var onWay = PairMap<ProjectionID>()

  /// Builds the tree of a flat cascade.
  mutating func build(
    flat slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) {
    nodes.removeAll()
    open.draw(slot, &nodes, &titles, &run)
  }

  /// Builds the trees of a cascade.
  mutating func build(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    nodes.removeAll()
    eventNodes.removeAll()
    runNodes.removeAll()
    lookup.take(cascade)
    findUnits(cascade)
    // Causes come before effects, so in seq order the parent of each node exists already.
    for (unit, seq) in units.enumerated() {
      let node = node(of: seq, cascade, &titles)
      eventNodes[seq, 0] = node
      for index in evaluations[unit] {
        place(cascade.evaluations[index], unit: unit, below: node, cascade, &titles, &run)
      }
      for index in evaluations[unit] {
        let evaluation = cascade.evaluations[index]
        eventNodes[evaluation.seq, 0] = runNodes[UInt64(unit), evaluation.projection]
      }
      for index in invalidations[unit] {
        let projection = cascade.invalidations[index].projection
        let invalidated =
          runNodes[UInt64(unit), projection]
          ?? nodes.child(titles.projection(projection, &run), .projection, of: node)
        nodes.addInvalidation(to: invalidated, isSuperseded: cascade.isSuperseded(index))
      }
    }
  }

  private mutating func findUnits(_ cascade: Cascade) {
    units.removeAll(keepingCapacity: true)
    for unit in cascade.units { units.append(unit.seq) }
    for evaluation in cascade.evaluations where evaluation.cause > 0 && units.last != evaluation.cause {
      units.append(evaluation.cause)
    }
    for invalidation in cascade.invalidations where units.last != invalidation.seq {
      units.append(invalidation.seq)
    }
    if units.count > 1 {
      units.sort()
      var last = 0
      for index in 1..<units.count where units[index] != units[last] {
        last += 1
        units[last] = units[index]
      }
      units.removeSubrange((last + 1)...)
    }
    evaluations.fill(cascade.evaluations.count, units) { cascade.evaluations[$0].cause }
    invalidations.fill(cascade.invalidations.count, units) { cascade.invalidations[$0].seq }
  }

  private mutating func node(of seq: UInt64, _ cascade: Cascade, _ titles: inout CascadeTitles) -> Int32 {
    // If the event is an evaluation that led to a write, it has a node already.
    if let known = eventNodes[seq, 0] { return known }
    let unit = cascade.unit(seq)
    let title = unit?.title ?? titles.title("event \(seq)")
    if let unit, unit.cause > 0, let above = eventNodes[unit.cause, 0] {
      return nodes.child(title, .write, of: above)
    }
    return nodes.addRoot(title)
  }

  /// Adds an evaluation below the ancestor with which it ran, or else below the event that invalidated it.
  private mutating func place(
    _ evaluation: Cascade.Evaluation, unit: Int, below node: Int32, _ cascade: Cascade,
    _ titles: inout CascadeTitles, _ run: inout LogRun
  ) {
    var chain = [evaluation]
    var top = node
    onWay.removeAll()
    onWay[0, evaluation.projection] = 0
    while let last = chain.last, lookup.invalidation(of: last) == nil,
      let leader = lookup.leader(of: last, in: cascade).map({ cascade.evaluations[$0] }),
      onWay[0, leader.projection] == nil
    {
      if let known = runNodes[UInt64(unit), leader.projection] {
        top = known
        break
      }
      onWay[0, leader.projection] = 0
      chain.append(leader)
    }
    for evaluation in chain.reversed() {
      let known =
        runNodes[UInt64(unit), evaluation.projection]
        ?? nodes.child(titles.projection(evaluation.projection, &run), .projection, of: top)
      runNodes[UInt64(unit), evaluation.projection] = known
      top = known
    }
    nodes.add(evaluation, to: top)
  }
}

/// The indices of items, grouped by unit, in their original order within each.
private struct Buckets {
  private var starts: [Int] = []
  private var items: [Int] = []

  /// Groups items by unit. The units are sorted; items of none of these units are left out.
  mutating func fill(_ count: Int, _ units: [UInt64], _ unit: (Int) -> UInt64) {
    starts.removeAll(keepingCapacity: true)
    items.removeAll(keepingCapacity: true)
    if units.count == 1 {
      for item in 0..<count where unit(item) == units[0] { items.append(item) }
      starts.append(0)
      starts.append(items.count)
      return
    }
    var found = [Int?](repeating: nil, count: count)
    starts.append(contentsOf: repeatElement(0, count: units.count + 1))
    for item in 0..<count {
      guard let index = Self.index(of: unit(item), in: units) else { continue }
      found[item] = index
      starts[index + 1] += 1
    }
    for index in units.indices { starts[index + 1] += starts[index] }
    var next = starts
    items.append(contentsOf: repeatElement(0, count: starts[units.count]))
    for (item, index) in found.enumerated() {
      guard let index else { continue }
      items[next[index]] = item
      next[index] += 1
    }
  }

  /// The indices of a unit's items.
  subscript(unit: Int) -> ArraySlice<Int> { items[starts[unit]..<starts[unit + 1]] }

  private static func index(of seq: UInt64, in units: [UInt64]) -> Int? {
    let index = units.partitioningIndex { $0 >= seq }
    return index < units.count && units[index] == seq ? index : nil
  }
}

/// The nodes of the trees while they are built, in one buffer that is reused for every cascade.
struct CascadeNodes {
  struct Node: EffectCounts {
    let title: TitleID
    let kind: CascadeTree.Kind
    /// The numbers of nodes above it, and of projections down to it.
    let depth: Int32
    let level: Int32
    var invalidations = 0
    var superseded = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    var example = CascadeExample()
    var wastedTime: UInt64 = 0
    // The indices of other nodes; -1 if there is none.
    fileprivate let parent: Int32
    fileprivate var firstChild: Int32 = -1
    fileprivate var lastChild: Int32 = -1
    fileprivate var next: Int32 = -1

    @inline(__always)
    fileprivate mutating func add(_ evaluation: Cascade.Evaluation) {
      countRun(evaluation.duration, evaluation.changed)
      example = CascadeExample(evaluation)
    }
  }

  private var nodes: [Node] = []
  /// There is more than one only if the cause chain has a gap.
  private(set) var roots: [Int32] = []
  private var children = PairMap<TitleID>()

  /// Deeper levels are merged: nobody reads them, and a hostile log could nest without end.
  private static let depthMax: Int32 = 200

  subscript(node: Int32) -> Node {
    _read { yield nodes[Int(node)] }
    _modify { yield &nodes[Int(node)] }
  }

  mutating func removeAll() {
    nodes.removeAll(keepingCapacity: nodes.count < 1 << 12)
    roots.removeAll(keepingCapacity: true)
    children.removeAll()
  }

  mutating func addRoot(_ title: TitleID) -> Int32 {
    let root = Int32(nodes.count)
    nodes.append(Node(title: title, kind: .root, depth: 0, level: 0, parent: -1))
    roots.append(root)
    return root
  }

  /// The child with this title; added if there is none.
  mutating func child(_ title: TitleID, _ kind: CascadeTree.Kind, of parent: Int32) -> Int32 {
    // What follows one another is mostly of one kind.
    let last = self[parent].lastChild
    if last >= 0, self[last].title == title { return last }
    if let child = children[UInt64(parent), title] { return child }
    let (depth, above) = (self[parent].depth, self[parent].level)
    if depth == Self.depthMax { return parent }
    let child = Int32(nodes.count)
    let level = kind == .projection ? above + 1 : above
    nodes.append(Node(title: title, kind: kind, depth: depth + 1, level: level, parent: parent))
    children[UInt64(parent), title] = child
    if last < 0 { self[parent].firstChild = child } else { self[last].next = child }
    self[parent].lastChild = child
    return child
  }

  @inline(__always)
  mutating func add(_ evaluation: Cascade.Evaluation, to node: Int32) { self[node].add(evaluation) }

  @inline(__always)
  mutating func addInvalidation(to node: Int32, isSuperseded: Bool) {
    self[node].invalidations += 1
    if isSuperseded { self[node].superseded += 1 }
  }

  /// Appends numbers that are equal for trees with the same branches and the same numbers of runs.
  func appendShape(of root: Int32, to shape: inout [Int32]) {
    visit(root) { node in
      shape.append(node.title.number)
      shape.append(node.depth)
      shape.append(Int32(truncatingIfNeeded: node.evaluations))
      shape.append(Int32(truncatingIfNeeded: node.invalidations))
    }
  }

  /// The sums over a tree.
  func sums(of root: Int32) -> EffectSums {
    var sums = EffectSums()
    visit(root) { sums.add($0) }
    return sums
  }

  /// The number of levels of projections in a tree.
  func levels(of root: Int32) -> Int {
    var levels: Int32 = 0
    visit(root) { levels = max(levels, $0.level) }
    return Int(levels)
  }

  func forEachChild(of node: Int32, _ body: (Int32) -> Void) {
    var child = self[node].firstChild
    while child >= 0 {
      body(child)
      child = self[child].next
    }
  }

  /// Calls the body for the root and all nodes below it, parents before children. A loop, which is inlined: it runs several
  /// times for each cascade.
  @inline(__always)
  func visit(_ root: Int32, _ body: (Node) -> Void) {
    var next = root
    while next >= 0 {
      body(self[next])
      next = following(next, below: root)
    }
  }

  @inline(__always)
  private func following(_ node: Int32, below root: Int32) -> Int32 {
    if self[node].firstChild >= 0 { return self[node].firstChild }
    var last = node
    while last != root, self[last].next < 0 { last = self[last].parent }
    return last == root ? -1 : self[last].next
  }

  /// The tree below a node, with titles as text.
  func tree(_ node: Int32, _ titles: borrowing CascadeTitles) -> CascadeTree {
    var children: [Int32] = []
    forEachChild(of: node) { children.append($0) }
    var tree = CascadeTree(name: titles.text(self[node].title), kind: self[node].kind)
    tree.add(self[node])
    for child in children { tree.children.append(self.tree(child, titles)) }
    return tree
  }
}

/// Finds the evaluations and invalidations of a cascade by their cause. One lookup serves many cascades in
/// turn.
struct CascadeLookup {
  /// The indices of evaluations, by their cause and projection.
  private var runs = PairMap<ProjectionID>()
  private var invalidations = PairMap<ProjectionID>()

  private static let ancestorsMax = 64

  /// Replaces the contents by those of a cascade.
  mutating func take(_ cascade: Cascade) {
    runs.removeAll()
    invalidations.removeAll()
    if cascade.evaluations.isEmpty { return }
    for (index, evaluation) in cascade.evaluations.enumerated() where evaluation.cause > 0 {
      runs[evaluation.cause, evaluation.projection] = Int32(index)
    }
    for (index, invalidation) in cascade.invalidations.enumerated() {
      invalidations[invalidation.seq, invalidation.projection] = Int32(index)
    }
  }

  /// The index of the last evaluation of a projection for a cause.
  private func evaluation(of projection: ProjectionID, cause: UInt64) -> Int? {
    runs[cause, projection].map { Int($0) }
  }

  /// The index of the invalidation that an evaluation followed.
  func invalidation(of evaluation: Cascade.Evaluation) -> Int? {
    evaluation.cause == 0 ? nil : invalidations[evaluation.cause, evaluation.projection].map { Int($0) }
  }

  /// The index of the evaluation of the nearest ancestor that ran for the same cause. The projection ran
  /// because that ancestor did.
  func leader(of evaluation: Cascade.Evaluation, in cascade: Cascade) -> Int? {
    firstAbove(evaluation, in: cascade) { self.evaluation(of: $0, cause: evaluation.cause) }
  }

  /// Whether the nearest ancestors ran for the same cause, or were invalidated by it.
  func hasReasonAbove(_ evaluation: Cascade.Evaluation, in cascade: Cascade) -> Bool {
    firstAbove(evaluation, in: cascade) { ancestor in
      runs[evaluation.cause, ancestor] ?? invalidations[evaluation.cause, ancestor]
    } != nil
  }

  /// The first result of a function for the ancestors of a projection that ran, the nearest first.
  private func firstAbove<R>(
    _ evaluation: Cascade.Evaluation, in cascade: Cascade, _ body: (ProjectionID) -> R?
  ) -> R? {
    if evaluation.cause == 0 { return nil }
    var next = evaluation.parent
    // Beyond as many ancestors that did not run, the parent chain may be a cycle, or as long as the log.
    for _ in 0..<Self.ancestorsMax {
      guard let ancestor = next, ancestor != evaluation.projection else { return nil }
      if let found = body(ancestor) { return found }
      next = cascade.parents[ancestor]
    }
    return nil
  }
}

/// An open hash table from a number and a key to a number. Clearing it takes constant time.
struct PairMap<Key: DenseKey> {
  private struct Slot {
    var first: UInt64 = 0
    var second: UInt32 = 0
    var value: Int32 = 0
    /// The life of the table in which the slot was filled; slots of earlier lives count as free.
    var life: UInt32 = 0
  }

  /// A power of two, at most half full.
  private var slots = [Slot](repeating: Slot(), count: 64)
  private var count = 0
  private var life: UInt32 = 1

  subscript(first: UInt64, key: Key) -> Int32? {
    get {
      let slot = slots[index(first, Self.number(of: key))]
      return slot.life == life ? slot.value : nil
    }
    set {
      guard let newValue else { return }
      let second = Self.number(of: key)
      let index = index(first, second)
      if slots[index].life != life { count += 1 }
      slots[index] = Slot(first: first, second: second, value: newValue, life: life)
      if 2 * count > slots.count { grow() }
    }
  }

  mutating func removeAll() {
    life &+= 1
    count = 0
    // The counter of lives wraps once in four billion times. A table that one large cascade made large is
    // released.
    if life == 0 || slots.count > 1 << 16 { self = PairMap() }
  }

  @inline(__always)
  private static func number(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: key.denseIndex) }

  /// The slot that holds this pair, or the free slot where it belongs.
  private func index(_ first: UInt64, _ second: UInt32) -> Int {
    let mask = slots.count - 1
    let (high, low) = (first ^ pairMapSeed ^ UInt64(second) << 32)
      .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    var index = Int(truncatingIfNeeded: (high ^ low) >> 16) & mask
    while slots[index].life == life, slots[index].first != first || slots[index].second != second {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: 4 * old.count)
    for slot in old where slot.life == life { slots[index(slot.first, slot.second)] = slot }
  }
}

/// Differs in each process, so that a log cannot be made to cause collisions.
private let pairMapSeed = UInt64.random(in: .min ... .max)
