import EventLog
import Invalidation

/// The cascades that further events may still join: in a long run some ten thousand at a time.
///
/// Most are plain: a root that invalidated projections, some of which ran. A plain cascade is a few numbers
/// in shared buffers, so that all of them fit into a CPU cache. A cascade that any other event joins is
/// turned into a ``Cascade`` of its own.
struct OpenCascades {
  /// For how many events a cascade stays open after the last event that joined it.
  static let patience: UInt64 = 1 << 14

  private struct Slot {
    var root: UInt64
    /// The last event that joined it.
    var joined: UInt64
    /// The cascade once it is no longer plain.
    var full: Cascade?
    /// The kind and the title of the root; the title is nil if they are not known.
    var kind = EventKind.end
    var title: TitleID?
    var hits = LinkedItems<Hit>.List()
    /// How many of the hits the session recorded, counted from the first, and the next hit that may be
    /// recorded.
    var recorded: Int32 = 0
    var unrecorded: Int32 = -1
    var evaluations = LinkedItems<Cascade.Evaluation>.List()
    /// Whether a projection that ran has a parent.
    var hasParents = false
  }

  private struct Hit {
    var projection: ProjectionID
    var causes: Causes
  }

  private var slots: [Slot] = []
  private var unused: [Int] = []
  private var hits = LinkedItems<Hit>()
  private var evaluations = LinkedItems<Cascade.Evaluation>()
  /// The invalidations and evaluations in ``Cascade`` objects that are open.
  private var fullItems = 0
  /// Finished ``Cascade`` objects, kept for their memory.
  private var spare: [Cascade] = []
  /// Holds a plain cascade while the sink reads it.
  private let scratch = Cascade()
  /// The projections' current parents. They are kept apart from the registry because a cascade keeps the
  /// ancestors from the time at which a projection ran: before a parent changes here, the plain cascades with
  /// parents are turned into full ones.
  private var parents = ProjectionMap<ProjectionID?>(default: nil)
  /// The slots of plain cascades in which a projection that ran has a parent; some may no longer be open.
  private var parented: [Int] = []

  /// The open cascades, in the order in which they were opened.
  private var order: [(root: UInt64, slot: Int)] = []
  private var rootSlots = RootSlots()

  /// The runs that may have followed an invalidation in an open cascade.
  private var runs = AnsweringRuns()

  /// About the bytes that the open cascades take. Cost: constant.
  var bytesHeld: Int {
    hits.itemCount * (MemoryLayout<Hit>.stride + 8)
      + evaluations.itemCount * (MemoryLayout<Cascade.Evaluation>.stride + 8)
      + fullItems * MemoryLayout<Cascade.Evaluation>.stride + order.count * MemoryLayout<Slot>.stride
  }

  // MARK: Lookup

  /// The slot of the cascade with this root; opened if there is none.
  mutating func slot(of root: UInt64, joinedAt seq: UInt64) -> Int {
    if let slot = rootSlots[root] {
      slots[slot].joined = seq
      return slot
    }
    let slot = unused.popLast() ?? slots.count
    if slot == slots.count {
      slots.append(Slot(root: root, joined: seq))
    } else {
      slots[slot] = Slot(root: root, joined: seq)
    }
    order.append((root, slot))
    rootSlots.insert(slot, of: root)
    return slot
  }

  /// Removes the cascades that no event from `seq` on has joined, and returns their slots in the order of
  /// their roots.
  mutating func removeJoined(before seq: UInt64) -> [Int] {
    var removed = order.filter { slots[$0.slot].joined < seq }
    if removed.isEmpty { return [] }
    order.removeAll { slots[$0.slot].joined < seq }
    for (root, slot) in removed { rootSlots.remove(slot, of: root) }
    let isSorted = zip(removed, removed.dropFirst()).allSatisfy { $0.root < $1.root }
    if !isSorted { removed.sort { $0.root < $1.root } }
    return removed.map(\.slot)
  }

  /// The cascade in its present form, valid until the next call.
  mutating func cascade(_ slot: Int) -> Cascade {
    let cascade = slots[slot].full ?? scratch
    if slots[slot].full == nil { fill(scratch, from: slot) }
    cascade.settle(runs)
    return cascade
  }

  /// The cascade with this root in its present form, valid until the next call; nil if none is open.
  mutating func cascade(of root: UInt64) -> Cascade? {
    guard let slot = rootSlots[root] else { return nil }
    return cascade(slot)
  }

  /// Releases the slot of a cascade that was removed.
  mutating func free(_ slot: Int) {
    if let full = slots[slot].full {
      fullItems -= full.itemCount
      // A large one would keep its memory.
      if full.itemCount < 1 << 10 { spare.append(full) }
      slots[slot].full = nil
    } else {
      forgetItems(slot)
    }
    unused.append(slot)
  }

  // MARK: Adding events

  func root(_ slot: Int) -> UInt64 { slots[slot].root }

  func hasUnit(_ unit: UInt64, in slot: Int) -> Bool {
    if let full = slots[slot].full { return full.hasUnit(unit) }
    return slots[slot].title != nil && slots[slot].root == unit
  }

  /// Adds a unit that the cascade does not have yet.
  mutating func add(_ unit: Cascade.Unit, _ transaction: Transaction?, to slot: Int) {
    if isPlain(slot), unit.seq == slots[slot].root, unit.cause == 0, transaction == nil {
      slots[slot].kind = unit.kind
      slots[slot].title = unit.title
    } else {
      full(slot).add(unit, transaction)
    }
  }

  mutating func addInvalidation(_ invalidation: Cascade.Invalidation, to slot: Int) {
    guard isPlain(slot), isOfRoot(invalidation.seq, slot), invalidation.depth == 0 else {
      fullItems += 1
      return full(slot).addInvalidation(invalidation)
    }
    let isFirst = slots[slot].hits.isEmpty
    hits.append(Hit(projection: invalidation.projection, causes: invalidation.causes), to: &slots[slot].hits)
    if isFirst { slots[slot].unrecorded = slots[slot].hits.first }
  }

  mutating func addRecorded(_ invalidation: Cascade.Invalidation, to slot: Int) {
    let next = slots[slot].unrecorded
    guard isPlain(slot), isOfRoot(invalidation.seq, slot), next >= 0,
      hits[next].projection == invalidation.projection, hits[next].causes == invalidation.causes
    else {
      full(slot).addRecorded(invalidation)
      fullItems += 1
      return
    }
    slots[slot].recorded += 1
    slots[slot].unrecorded = hits.next(next)
  }

  mutating func add(_ evaluation: Cascade.Evaluation, to slot: Int) {
    guard isPlain(slot), isOfRoot(evaluation.cause, slot) else {
      full(slot).add(evaluation, ancestors: parents)
      fullItems += 1
      return
    }
    evaluations.append(evaluation, to: &slots[slot].evaluations)
    if evaluation.parent != nil, !slots[slot].hasParents { insertParents(slot) }
  }

  @inline(__always)
  private func isPlain(_ slot: Int) -> Bool { slots[slot].full == nil }

  @inline(__always)
  private func isOfRoot(_ unit: UInt64, _ slot: Int) -> Bool {
    unit == slots[slot].root && slots[slot].title != nil
  }

  /// Adds a run, which may belong to a cascade.
  mutating func apply(run projection: ProjectionID, cause: UInt64, at seq: UInt64) {
    runs.add(projection, cause: cause, seq: seq)
  }

  // MARK: Parents

  /// The projection's current parent.
  func parent(of projection: ProjectionID) -> ProjectionID? { parents[projection] }

  /// Changes a projection's parent. Cascades that are open keep the ancestors from before.
  mutating func apply(parent: ProjectionID?, of projection: ProjectionID) {
    guard parents[projection] != parent else { return }
    for slot in parented where isPlain(slot) && slots[slot].hasParents { _ = full(slot) }
    parented.removeAll(keepingCapacity: true)
    parents[projection] = parent
  }

  private mutating func insertParents(_ slot: Int) {
    slots[slot].hasParents = true
    if parented.count > 2 * order.count + 64 {
      parented = order.map(\.slot).filter { isPlain($0) && slots[$0].hasParents }
    } else {
      parented.append(slot)
    }
  }

  // MARK: Conversion to full cascades

  private mutating func full(_ slot: Int) -> Cascade {
    if let full = slots[slot].full { return full }
    let cascade = spare.popLast() ?? Cascade()
    fill(cascade, from: slot)
    forgetItems(slot)
    fullItems += cascade.itemCount
    slots[slot].full = cascade
    return cascade
  }

  private func fill(_ cascade: Cascade, from slot: Int) {
    let root = slots[slot].root
    cascade.begin(root)
    if let title = slots[slot].title {
      cascade.add(Cascade.Unit(seq: root, kind: slots[slot].kind, title: title, cause: 0), nil)
    }
    var item = slots[slot].hits.first
    var recorded = slots[slot].recorded
    while item >= 0 {
      let invalidation = Cascade.Invalidation(
        seq: root, projection: hits[item].projection, depth: 0, causes: hits[item].causes)
      cascade.addInvalidation(invalidation)
      if recorded > 0 { cascade.addRecorded(invalidation) }
      recorded -= 1
      item = hits.next(item)
    }
    item = slots[slot].evaluations.first
    while item >= 0 {
      cascade.add(evaluations[item], ancestors: parents)
      item = evaluations.next(item)
    }
  }

  private mutating func forgetItems(_ slot: Int) {
    hits.removeAll(of: &slots[slot].hits)
    evaluations.removeAll(of: &slots[slot].evaluations)
    slots[slot].hasParents = false
  }
}

// MARK: Flat cascades

/// Flat cascades: a root, the projections that it invalidated, and those that ran because of that.
extension OpenCascades {
  /// How many hits are searched for the one that a projection ran for.
  private static let hitsTried = 16

  /// Whether the cascade is plain and the root invalidated every projection that ran. Also false if that
  /// takes long to find out.
  func isFlat(_ slot: Int) -> Bool {
    guard slots[slot].full == nil, slots[slot].title != nil else { return false }
    // Projections mostly run in the order of their invalidation, so the search continues at the last hit.
    var hit = slots[slot].hits.first
    var run = slots[slot].evaluations.first
    while run >= 0 {
      guard let found = findHit(of: evaluations[run].projection, in: slot, from: hit) else { return false }
      hit = found
      run = evaluations.next(run)
    }
    return true
  }

  private func findHit(of projection: ProjectionID, in slot: Int, from start: Int32) -> Int32? {
    var hit = start
    for _ in 0..<Self.hitsTried {
      if hit < 0 { hit = slots[slot].hits.first }
      if hit < 0 { return nil }
      if hits[hit].projection == projection { return hit }
      hit = hits.next(hit)
    }
    return nil
  }

  /// Adds the tree of a flat cascade, with its nodes in the order in which ``CascadeBuilder`` adds those of any other: kinds
  /// of projections that ran come first.
  func draw(_ slot: Int, _ nodes: inout CascadeNodes, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    guard let title = slots[slot].title else { return }
    let node = nodes.addRoot(title)
    var item = slots[slot].evaluations.first
    while item >= 0 {
      let evaluation = evaluations[item]
      let kind = titles.projection(evaluation.projection, &run)
      nodes.add(evaluation, to: nodes.child(kind, .projection, of: node))
      item = evaluations.next(item)
    }
    let root = slots[slot].root
    var next = slots[slot].evaluations.first
    item = slots[slot].hits.first
    while item >= 0 {
      let projection = hits[item].projection
      // Most projections ran, in this order, and had not run since the root: then nothing else can have been the cause.
      var isAnswered = false
      if next >= 0, evaluations[next].projection == projection {
        isAnswered = evaluations[next].earlier > 0 && evaluations[next].earlier < root
        next = evaluations.next(next)
      }
      let isSuperseded = !isAnswered && runs.isSuperseded(root, of: projection)
      let child = nodes.child(titles.projection(projection, &run), .projection, of: node)
      nodes.addInvalidation(to: child, isSuperseded: isSuperseded)
      item = hits.next(item)
    }
  }

  /// The numbers of invalidations and evaluations in a flat cascade if the session recorded every derived
  /// invalidation, else nil.
  func countIfAsRecorded(_ slot: Int) -> (invalidations: Int, evaluations: Int)? {
    let counts = (hits.count(slots[slot].hits), evaluations.count(slots[slot].evaluations))
    return slots[slot].recorded == counts.0 ? counts : nil
  }
}

// MARK: Tables

/// Many short linked lists in one buffer; removed nodes are reused.
private struct LinkedItems<Item> {
  /// The indices of a list's first and last node; -1 while it is empty.
  struct List {
    fileprivate(set) var first: Int32 = -1
    fileprivate var last: Int32 = -1
    fileprivate(set) var count: Int32 = 0

    var isEmpty: Bool { first < 0 }
  }

  private struct Node {
    var item: Item
    var next: Int32
  }

  private var nodes: [Node] = []
  /// The number of items in all lists.
  private(set) var itemCount = 0
  /// The first node of the free list; -1 if there is none.
  private var unused: Int32 = -1

  subscript(index: Int32) -> Item {
    @inline(__always) _read { yield nodes[Int(index)].item }
  }

  /// The index of the next node in the list; -1 at the end.
  @inline(__always)
  func next(_ index: Int32) -> Int32 { nodes[Int(index)].next }

  @inline(__always)
  mutating func append(_ item: Item, to list: inout List) {
    let index: Int32
    if unused >= 0 {
      index = unused
      unused = nodes[Int(index)].next
      nodes[Int(index)] = Node(item: item, next: -1)
    } else {
      index = Int32(nodes.count)
      nodes.append(Node(item: item, next: -1))
    }
    if list.first < 0 { list.first = index } else { nodes[Int(list.last)].next = index }
    list.last = index
    list.count += 1
    itemCount += 1
  }

  /// The number of items of a list. Cost: constant.
  func count(_ list: List) -> Int { Int(list.count) }

  /// Empties a list. Cost: constant.
  @inline(__always)
  mutating func removeAll(of list: inout List) {
    guard list.first >= 0 else { return }
    itemCount -= count(list)
    nodes[Int(list.last)].next = unused
    unused = list.first
    list = List()
  }
}

/// The slots of the open cascades, by root.
struct RootSlots {
  /// The slots of most roots, indexed by the low bits of the root, so that looking one up needs no hash. The
  /// array grows with the roots, so that a short log takes little memory.
  private var near: [(root: UInt64, slot: Int32)] = []
  /// The slots of roots whose entry in `near` is taken.
  private var far: [UInt64: Int] = [:]

  private static let nearMax = 1 << 15

  subscript(root: UInt64) -> Int? {
    @inline(__always)
    get {
      let index = index(of: root)
      if index < near.count, near[index].root == root, near[index].slot >= 0 { return Int(near[index].slot) }
      return far.isEmpty ? nil : far[root]
    }
  }

  /// Adds a root that has no slot yet.
  mutating func insert(_ slot: Int, of root: UInt64) {
    let index = index(of: root)
    if index >= near.count { grow(beyond: index) }
    if near[index].slot < 0 { near[index] = (root, Int32(slot)) } else { far[root] = slot }
  }

  mutating func remove(_ slot: Int, of root: UInt64) {
    let index = index(of: root)
    if index < near.count, near[index].root == root, near[index].slot == slot {
      near[index].slot = -1
    } else {
      far[root] = nil
    }
  }

  @inline(never)
  private mutating func grow(beyond index: Int) {
    let count = min(max(2 * near.count, index + 1), Self.nearMax)
    near.append(contentsOf: repeatElement((root: 0, slot: -1), count: count - near.count))
  }

  @inline(__always)
  private func index(of root: UInt64) -> Int { Int(truncatingIfNeeded: root) & (Self.nearMax - 1) }
}
