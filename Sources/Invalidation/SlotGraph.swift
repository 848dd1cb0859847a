import EventLog

/// The dependency graph: a tree of slots below each object, and links from each slot to the nodes that read
/// it.
///
/// A read of `app.episodes["a1"].title` depends on the title within its object, and on the slots through
/// which the path reaches that object. So an object has one set of readers, whichever path leads to it, and
/// keeps them when it moves.
///
/// ```
///  slots: a tree for each owner, in one array           links                        nodes
///
///  owner roots ── name "store" ── crossing ─────────●───────────────────────────┐
///                                                                                ├── Sidebar
///  owner #1 ─┬─ whole ──────────────────────────────●──────────── (.object) ──┐ │
///            ├─ name "title" ───────────────────────●─────────────────────────┼─┘
///            └─ name "rows" ─┬─ aspect #count ──────●───────────────────────┐ └── Header
///                            ├─ index 0                                      │
///                            └─ id "a1" ── name "n" ●───────────────────────┴──── Row#a1
/// ```
///
/// Each slot knows its parent, its first child and its siblings; a hash of parent and key finds a child. A slot and a
/// node each have a list of links, and a link is in both. `readersWithin` counts the links at and below a slot, so that
/// an event passes over what nobody reads.
@usableFromInline struct SlotGraph: Sendable {
  /// How a slot is addressed from its parent. `.a` and `["a"]` are one key here.
  enum Key: Sendable {
    /// The topmost slot, which covers all that the owner contains.
    case owner(NamedLocation.Owner)
    case name(String)
    case index(Int)
    case id(Value)
    case aspect(PathComponent)
    /// Below the table of roots: an object that a path names by its id. It may not be defined yet.
    case object(ObjectID)
    /// Which object the slot refers to, if any. Other values do not matter to its readers.
    case crossing
    /// Below the topmost slot of an object: the object as a whole. A set of any of its properties invalidates
    /// the readers.
    case whole
  }

  /// A piece of state that can be read or set. A session with a hundred thousand rows on screen has several
  /// hundred thousand slots, so a slot contains no table of its own: see ``child(_:of:)``.
  @usableFromInline struct Slot: Sendable {
    fileprivate(set) var key: Key
    fileprivate var up: Int32
    fileprivate var firstChild: Int32 = -1
    fileprivate var previousSibling: Int32 = -1
    fileprivate var nextSibling: Int32 = -1
    fileprivate(set) var childCount: Int32 = 0
    /// The number of links at this slot and below it; if it is 0, the slots below need no visit.
    fileprivate(set) var readersWithin: Int32 = 0
    fileprivate(set) var hasIndexChildren = false
    fileprivate(set) var hasIDChildren = false
    fileprivate(set) var hasAspectChildren = false
    fileprivate(set) var hasWholeChild = false
    /// Whether the slot's name is a key of a dictionary; only ``path(of:)`` needs this.
    fileprivate var isKey = false
    /// Whether the slot stays although nothing reads it. If it is the topmost slot of an object, the slots of
    /// the object's properties stay too.
    fileprivate var isHeld = false
    /// How many nodes know the slot by its id without a link to it.
    fileprivate var keepers: Int32 = 0
    /// Whether the entry is in use, and not in the list of free entries.
    fileprivate var isUsed = true
    fileprivate(set) var readers = LinkList()

    /// The parent; nil for the topmost slot of an owner.
    @inline(__always) var parent: SlotID? { up < 0 ? nil : SlotID(Int(up)) }

    /// Whether some slot strictly below is read.
    var isReadBelow: Bool { readersWithin > readers.count }

    fileprivate mutating func forgetKinds() {
      (hasIndexChildren, hasIDChildren, hasAspectChildren, hasWholeChild) = (false, false, false, false)
    }

    fileprivate init(_ key: Key, under parent: SlotID?) {
      self.key = key
      up = parent.map { Int32($0.index) } ?? -1
    }
  }

  /// A projection, a callback or a derived value.
  struct Node: Sendable {
    /// The creation number, in increasing order; 0 for a removed node.
    fileprivate(set) var order: UInt64
    var tracking: Tracking
    fileprivate(set) var reads = LinkList()
  }

  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  private var links = Links()
  private var nodes: [Node] = []
  /// Free ids for new nodes; none if the caller chooses the ids.
  private(set) var freeNodes: [UInt32] = []
  /// Whether the graph chooses the ids of its nodes. If not, nothing would take free ids from the list.
  private var choosesNodeIDs = true
  /// The creation number of the newest node.
  private var lastOrder: UInt64 = 0
  /// Finds a slot by its parent and key.
  private var index = HashIndex()
  /// The slots that name an element by id, by this id.
  private var slotsByID: [Value: [SlotID]] = [:]
  /// The slots that stand for the order of an array.
  private var orderSlots: Set<SlotID> = []
  /// The bytes of the names of slots.
  private var keyBytes = 0
  /// The number of slots with no reader at or below them, and the number at which the next sweep is due.
  private var unread = 0
  private var sweepCount = SlotGraph.sweepMin
  /// The bit sets that ``crowd(of:)`` built, kept up to date while their slots have enough readers.
  var crowds: [SlotID: DenseSet<NodeID>] = [:]
  /// Grows whenever a node starts or stops reading a slot.
  @usableFromInline private(set) var readersVersion: UInt64 = 0
  /// Grows whenever a sweep removes slots, since their ids are then reused.
  private(set) var sweeps: UInt32 = 0

  @inline(__always)
  subscript(slot: SlotID) -> Slot {
    _read {
      invariant(slots[Int(slot.index)].isUsed, "who keeps the id of a slot keeps the slot from being swept")
      yield slots[Int(slot.index)]
    }
  }

  /// The number of slots.
  var slotCount: Int { slots.count - freeSlots.count }
  /// The number of ids of nodes, those of removed nodes included.
  @inline(__always) var nodeCount: Int { nodes.count }
  /// The number of links.
  var linkCount: Int { links.count }
  /// About the bytes that it takes. Cost: constant.
  var bytesHeld: Int {
    slots.count * (MemoryLayout<Slot>.stride + 16) + keyBytes + links.count
      * (MemoryLayout<ReaderLink>.stride + 8)
      + nodes.count * (MemoryLayout<Node>.stride + 64)
  }

  /// Whether there are any slots: false until the first read.
  var hasReaders: Bool { !slots.isEmpty }
}

// MARK: Slots

extension SlotGraph {
  /// The topmost slot of an owner, if there is one.
  func slot(ofKnown owner: NamedLocation.Owner) -> SlotID? { find(.owner(owner), under: nil) }

  /// Whether an owner has a topmost slot. `mutating` only so that a caller that holds the graph in another
  /// struct does not copy it.
  func isKnown(_ owner: NamedLocation.Owner) -> Bool { slot(ofKnown: owner) != nil }

  /// The topmost slot of an owner; added if there is none.
  mutating func slot(of owner: NamedLocation.Owner) -> SlotID { slot(.owner(owner), under: nil) }

  /// The slot one key below another, if there is one. Cost: one hash.
  func child(_ key: Key, of parent: SlotID) -> SlotID? {
    self[parent].childCount == 0 ? nil : find(key, under: parent)
  }

  /// The slots one key below another, in no order. Cost: linear in their number.
  func children(of parent: SlotID) -> [SlotID] {
    var children: [SlotID] = []
    children.reserveCapacity(Int(self[parent].childCount))
    var next = self[parent].firstChild
    while next >= 0 {
      children.append(SlotID(Int(next)))
      next = slots[Int(next)].nextSibling
    }
    return children
  }

  private func find(_ key: Key, under parent: SlotID?) -> SlotID? {
    let up = parent.map { Int32($0.index) } ?? -1
    let found = index.find(Self.hash(key, under: up)) { slots[$0].up == up && slots[$0].key == key }
    return found.map { SlotID($0) }
  }

  private static func hash(_ key: Key, under parent: Int32) -> Int {
    var hasher = Hasher()
    hasher.combine(parent)
    hasher.combine(key)
    return hasher.finalize()
  }

  /// The slot one key below another; added if there is none. Cost: one hash, two for a new slot.
  mutating func slot(_ key: Key, under parent: SlotID?) -> SlotID {
    if let slot = find(key, under: parent) { return slot }
    let number: Int
    if let free = freeSlots.popLast() {
      number = Int(free)
      slots[number] = Slot(key, under: parent)
    } else {
      number = slots.count
      slots.append(Slot(key, under: parent))
    }
    index.add(number, Self.hash(key, under: slots[number].up)) {
      Self.hash(slots[$0].key, under: slots[$0].up)
    }
    unread += 1
    keyBytes += key.textBytes
    guard let parent else { return SlotID(number) }
    let up = Int(parent.index)
    let next = slots[up].firstChild
    slots[number].nextSibling = next
    if next >= 0 { slots[Int(next)].previousSibling = Int32(number) }
    slots[up].firstChild = Int32(number)
    slots[up].childCount += 1
    switch key {
    case .owner, .name, .object, .crossing: break
    case .whole: slots[up].hasWholeChild = true
    case .index: slots[up].hasIndexChildren = true
    case .id(let value):
      slots[up].hasIDChildren = true
      slotsByID[value, default: []].append(SlotID(number))
    case .aspect(let aspect):
      slots[up].hasAspectChildren = true
      if aspect == .order { orderSlots.insert(SlotID(number)) }
    }
    return SlotID(number)
  }

  /// The slot one path component below another; added if there is none.
  mutating func slot(_ component: PathComponent, under parent: SlotID) -> SlotID {
    let slot = slot(component.key, under: parent)
    if case .key = component { slots[Int(slot.index)].isKey = true }
    return slot
  }

  /// Whether a slot, which may have been removed, is that of an element. The next run of a node mostly reads the same ones.
  func isSlot(_ slot: SlotID, of component: PathComponent, under parent: SlotID) -> Bool {
    let number = Int(slot.index)
    guard number < slots.count, slots[number].isUsed, slots[number].up == Int32(parent.index) else {
      return false
    }
    return switch (slots[number].key, component) {
    case (.index(let known), .index(let index)): known == index
    case (.id(let known), .id(let id)): known == id
    default: false
    }
  }

  /// The slot of a location; added if there is none.
  mutating func slot(at location: NamedLocation) -> SlotID {
    location.steps.reduce(slot(of: location.owner)) { slot($1.key, under: $0) }
  }

  /// The topmost slot above a slot, or the slot itself.
  func top(of slot: SlotID) -> SlotID {
    var top = slot
    while let parent = self[top].parent { top = parent }
    return top
  }

  /// The owner that contains a slot: an object, or the table of roots.
  func owner(of slot: SlotID) -> NamedLocation.Owner {
    guard case .owner(let owner) = self[top(of: slot)].key else { return .roots }
    return owner
  }

  /// The slot of the property that contains a slot, or the slot itself if it is a property.
  func property(of slot: SlotID) -> SlotID {
    var slot = slot
    while let parent = self[slot].parent, self[parent].up >= 0 { slot = parent }
    return slot
  }

  /// The path of a slot from its object, or from a root. Cost: linear in its depth.
  func path(of slot: SlotID) -> Path {
    var components: [PathComponent] = []
    // A property, an element and a field.
    components.reserveCapacity(3)
    var slot = slot
    while let parent = self[slot].parent {
      switch self[slot].key {
      case .name(let name): components.append(self[slot].isKey ? .key(name) : .property(name))
      case .index(let index): components.append(.index(index))
      case .id(let id): components.append(.id(id))
      case .aspect(let aspect): components.append(aspect)
      case .object(let object):
        components.reverse()
        return Path(root: .object(object), components: components)
      case .owner, .crossing, .whole: break
      }
      slot = parent
    }
    components.reverse()
    if case .owner(.object(let object)) = self[slot].key {
      return Path(root: .object(object), components: components)
    }
    guard case .property(let root)? = components.first else { return Path(root: .named("")) }
    return Path(root: .named(root), components: Array(components.dropFirst()))
  }

  /// The slot for readers of an object that is not defined yet, if there are any.
  func slot(awaiting object: ObjectID) -> SlotID? {
    slot(ofKnown: .roots).flatMap { child(.object(object), of: $0) }
  }

  /// The slot for readers of an object as a whole, if there are any.
  func wholeSlot(of object: ObjectID) -> SlotID? {
    slot(ofKnown: .object(object)).flatMap { wholeSlot(below: $0) }
  }

  /// The same, given the topmost slot of the object.
  func wholeSlot(below top: SlotID) -> SlotID? {
    guard self[top].hasWholeChild, let slot = child(.whole, of: top), !self[slot].readers.isEmpty else {
      return nil
    }
    return slot
  }

  /// The slots with readers whose value may change when the id of an object changes: orders of arrays, and
  /// elements that are named by one of the ids.
  ///
  /// - Parameter ids: The ids before and after the change; nil stands for all ids.
  func slots(concernedBy ids: [Value]?) -> [SlotID] {
    let named = ids.map { $0.flatMap { slotsByID[$0] ?? [] } } ?? slotsByID.values.flatMap(\.self)
    return (Array(orderSlots) + named).filter { self[$0].readersWithin > 0 }
  }

  /// The property that holds the array, if a slot, or a slot above it, names an element of the array by id.
  func arrayReadByID(at slot: SlotID) -> (object: ObjectID, property: String)? {
    var slot = slot
    while let parent = self[slot].parent {
      if case .id = self[slot].key, case .name(let property) = self[parent].key,
        let top = self[parent].parent, case .owner(.object(let object)) = self[top].key
      {
        return (object, property)
      }
      slot = parent
    }
    return nil
  }

  /// Every slot that has a reader, from this slot down.
  func reads(within slot: SlotID) -> [SlotID] {
    var reads: [SlotID] = []
    addReads(within: slot, to: &reads)
    return reads
  }

  private func addReads(within slot: SlotID, to reads: inout [SlotID]) {
    guard self[slot].readersWithin > 0 else { return }
    if !self[slot].readers.isEmpty { reads.append(slot) }
    var child = self[slot].firstChild
    while child >= 0 {
      addReads(within: SlotID(Int(child)), to: &reads)
      child = slots[Int(child)].nextSibling
    }
  }

  /// Keeps a slot even if nothing reads it, or stops keeping it. If it is the topmost slot of an object, this
  /// applies to the slots of the object's properties too.
  mutating func hold(_ slot: SlotID, _ isHeld: Bool) { slots[Int(slot.index)].isHeld = isHeld }

  /// Keeps a slot for one more node that has no link to it, or for one fewer.
  mutating func keep(_ slot: SlotID, by change: Int32) { slots[Int(slot.index)].keepers += change }

  private static let sweepMin = 1_024

  /// Removes the slots that nothing reads, once they are the majority. No caller may keep the id of a removed
  /// slot.
  ///
  /// Cost: linear in the slots added since the last sweep, so constant for each slot.
  mutating func sweep() {
    guard unread > sweepCount, unread > slotCount / 2 else { return }
    for number in slots.indices where slots[number].isUsed { remove(unreadFrom: number) }
    // Filters all lists at once: one by one, a thousand arrays with an element of the same id would take a
    // million steps.
    slotsByID = slotsByID.compactMapValues { named in
      let left = named.filter { slots[Int($0.index)].isUsed }
      return left.isEmpty ? nil : left
    }
    // The slots that are held are unread, but remain.
    sweepCount = max(Self.sweepMin, 2 * unread)
    sweeps &+= 1
  }

  /// Removes a slot, and then the slots above it that have no other children, as far as nothing reads them.
  private mutating func remove(unreadFrom first: Int) {
    var number = first
    while slots[number].readersWithin == 0, slots[number].childCount == 0, slots[number].keepers == 0,
      !isHeld(number)
    {
      let slot = slots[number]
      index.remove(number, Self.hash(slot.key, under: slot.up)) {
        Self.hash(slots[$0].key, under: slots[$0].up)
      }
      if case .aspect(.order) = slot.key { orderSlots.remove(SlotID(number)) }
      if slot.nextSibling >= 0 { slots[Int(slot.nextSibling)].previousSibling = slot.previousSibling }
      if slot.previousSibling >= 0 {
        slots[Int(slot.previousSibling)].nextSibling = slot.nextSibling
      } else if slot.up >= 0 {
        slots[Int(slot.up)].firstChild = slot.nextSibling
      }
      slots[number].isUsed = false
      keyBytes -= slot.key.textBytes
      slots[number].key = .crossing
      freeSlots.append(UInt32(number))
      unread -= 1
      guard slot.up >= 0 else { return }
      number = Int(slot.up)
      slots[number].childCount -= 1
      if slots[number].childCount == 0 { slots[number].forgetKinds() }
    }
  }

  private func isHeld(_ slot: Int) -> Bool {
    let up = slots[slot].up
    return slots[slot].isHeld || up >= 0 && slots[Int(up)].isHeld
  }
}

// MARK: Nodes and links

extension SlotGraph {
  /// Adds a node that reads nothing yet.
  mutating func addNode(tracking: Tracking) -> NodeID {
    lastOrder += 1
    let node = Node(order: lastOrder, tracking: tracking)
    if let free = freeNodes.popLast() {
      nodes[Int(free)] = node
      return NodeID(Int(free))
    }
    nodes.append(node)
    return NodeID(nodes.count - 1)
  }

  /// Adds a node that reads nothing yet, with an id that is not in use. Ids should be dense.
  mutating func addNode(_ node: NodeID, tracking: Tracking) {
    choosesNodeIDs = false
    lastOrder += 1
    let number = Int(node.index)
    while nodes.count <= number { nodes.append(Node(order: 0, tracking: tracking)) }
    nodes[number] = Node(order: lastOrder, tracking: tracking)
  }

  /// Removes a node with all of its links; false if there is no such node. Cost: constant for each link.
  mutating func removeNode(_ node: NodeID) -> Bool {
    guard contains(node) else { return false }
    unlinkAll(node)
    nodes[Int(node.index)].order = 0
    if choosesNodeIDs { freeNodes.append(node.index) }
    return true
  }

  /// Whether there is a node.
  func contains(_ node: NodeID) -> Bool { node.index < nodes.count && nodes[Int(node.index)].order > 0 }

  /// The node.
  func node(_ id: NodeID) -> Node { nodes[Int(id.index)] }

  /// A node's creation number, which is never reused.
  @inline(__always)
  func order(_ node: NodeID) -> UInt64 { nodes[Int(node.index)].order }

  /// The slots that a node reads, each once, in no order. Cost: linear.
  func reads(of node: NodeID) -> [SlotID] { links.slots(in: nodes[Int(node.index)].reads) }

  /// Visits the nodes that read a slot, in no order.
  @inline(__always)
  func forEachReader(of slot: SlotID, _ body: (NodeID) -> Void) {
    links.forEachNode(in: self[slot].readers, body)
  }

  /// Whether any node reads the slot itself.
  @inline(__always)
  func isRead(_ slot: SlotID) -> Bool { !self[slot].readers.isEmpty }

  /// Appends the nodes that read a slot, in no order.
  @inline(__always)
  func addReaders(of slot: SlotID, to nodes: inout [NodeID]) {
    if self[slot].readers.isEmpty { return }
    forEachReader(of: slot) { nodes.append($0) }
  }

  /// The nodes that read any of some slots, each once, in order of creation.
  func readers(of slots: some Sequence<SlotID>) -> [NodeID] {
    var readers: [NodeID] = []
    for slot in slots { forEachReader(of: slot) { readers.append($0) } }
    sort(&readers)
    return readers
  }

  /// Sorts nodes in order of creation and removes duplicates. Cost: linear if they are in order already.
  func sort(_ nodes: inout [NodeID]) {
    if nodes.count < 2 { return }
    // Nodes mostly are in order, or are few, so these cases avoid the sort.
    if nodes.count > 8 {
      if zip(nodes, nodes.dropFirst()).allSatisfy({ order($0) < order($1) }) { return }
      nodes.sort { order($0) < order($1) }
    } else {
      for end in 1..<nodes.count {
        var position = end
        while position > 0, order(nodes[position]) < order(nodes[position - 1]) {
          nodes.swapAt(position, position - 1)
          position -= 1
        }
      }
    }
    var last = 0
    for position in 1..<nodes.count where nodes[position] != nodes[last] {
      last += 1
      nodes[last] = nodes[position]
    }
    nodes.removeLast(nodes.count - last - 1)
  }

  /// Records that a node reads a slot; does nothing if that is known. Cost: linear in the shorter of the slot's
  /// readers and the node's reads.
  mutating func link(_ slot: SlotID, to node: NodeID) {
    invariant(contains(node), "a node that has ended reads nothing")
    let (slotNumber, nodeNumber) = (Int(slot.index), Int(node.index))
    guard !links.contains(slot, node, in: slots[slotNumber].readers, nodes[nodeNumber].reads) else { return }
    links.add(slot, node, to: &slots[slotNumber].readers, &nodes[nodeNumber].reads)
    if !crowds.isEmpty { crowds[slot]?.insert(node) }
    countReaders(from: slot, by: 1)
  }

  /// Records that a node no longer reads a slot; does nothing if it did not. Cost: as ``link(_:to:)``.
  mutating func unlink(_ slot: SlotID, from node: NodeID) {
    let (slotNumber, nodeNumber) = (Int(slot.index), Int(node.index))
    if links.remove(slot, node, from: &slots[slotNumber].readers, &nodes[nodeNumber].reads) {
      if !crowds.isEmpty { leaveCrowd(of: slot, node) }
      countReaders(from: slot, by: -1)
    }
  }

  /// Removes all reads of a node. Cost: constant for each link.
  mutating func unlinkAll(_ node: NodeID) {
    let number = Int(node.index)
    while let slot = links.firstSlot(of: nodes[number].reads) {
      links.removeFirst(of: &nodes[number].reads, from: &slots[Int(slot.index)].readers)
      if !crowds.isEmpty { leaveCrowd(of: slot, node) }
      countReaders(from: slot, by: -1)
    }
  }

  /// Makes a node read exactly these slots.
  mutating func setReads(_ reads: Set<SlotID>, of node: NodeID) {
    let known = Set(self.reads(of: node))
    for slot in known.subtracting(reads) { unlink(slot, from: node) }
    for slot in reads.subtracting(known) { link(slot, to: node) }
  }

  private mutating func countReaders(from slot: SlotID, by change: Int32) {
    readersVersion &+= 1
    var next = Int32(slot.index)
    while next >= 0 {
      let number = Int(next)
      if slots[number].readersWithin == 0 { unread -= 1 }
      slots[number].readersWithin += change
      if slots[number].readersWithin == 0 { unread += 1 }
      next = slots[number].up
    }
  }
}

extension SlotGraph.Key {
  /// The bytes of its name.
  fileprivate var textBytes: Int {
    switch self {
    case .name(let name), .id(.string(let name)): name.utf8.count
    default: 0
    }
  }
}

extension SlotGraph.Key: Hashable {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.owner(let a), .owner(let b)): a == b
    case (.name(let a), .name(let b)): a.hasSameBytes(as: b)
    case (.index(let a), .index(let b)): a == b
    case (.id(let a), .id(let b)): a == b
    case (.aspect(let a), .aspect(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.crossing, .crossing), (.whole, .whole): true
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .owner(let owner): hasher.combine(owner)
    case .name(let name): hasher.combine(ExactString(name))
    case .index(let index): hasher.combine(index)
    case .id(let id): hasher.combine(id)
    case .aspect(let aspect): hasher.combine(aspect)
    case .object(let object): hasher.combine(object)
    case .crossing: hasher.combine(0)
    case .whole: hasher.combine(1)
    }
  }
}
