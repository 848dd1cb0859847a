import EventLog

/// The id of a slot: a piece of state that can be read or set. Ids of removed slots are reused.
@usableFromInline
package struct SlotID: Hashable, Comparable, Sendable {
  @usableFromInline package let index: UInt32

  @inlinable @inline(__always)
  package init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

  @inlinable package static func < (a: SlotID, b: SlotID) -> Bool { a.index < b.index }
}

/// The id of a node: a projection, a callback or a derived value, which reads slots. Ids of removed nodes are
/// reused.
@usableFromInline
package struct NodeID: Hashable, Sendable, DenseKey {
  @usableFromInline package let index: UInt32

  @inlinable @inline(__always)
  package init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

  @inlinable package var denseIndex: Int { Int(index) }
}

/// One reader of one slot. A link is in two lists: the readers of its slot, and the reads of its node.
struct ReaderLink: Sendable {
  let slot: SlotID
  let node: NodeID
  fileprivate var previousOfSlot: UInt32
  fileprivate var nextOfSlot = Links.none
  fileprivate var previousOfNode: UInt32
  fileprivate var nextOfNode = Links.none
}

/// The ends of a list of links.
@usableFromInline
struct LinkList: Sendable {
  fileprivate var first = Links.none
  fileprivate var last = Links.none
  fileprivate(set) var count: UInt32 = 0

  var isEmpty: Bool { count == 0 }
}

/// All links, in one buffer. The indices of removed links are reused.
@usableFromInline
struct Links: Sendable {
  fileprivate static var none: UInt32 { .max }

  private var links: [ReaderLink] = []
  private var free: [UInt32] = []

  /// The number of links.
  var count: Int { links.count - free.count }

  /// Adds a link at the end of both lists.
  mutating func add(_ slot: SlotID, _ node: NodeID, to readers: inout LinkList, _ reads: inout LinkList) {
    let link = ReaderLink(slot: slot, node: node, previousOfSlot: readers.last, previousOfNode: reads.last)
    let number: UInt32
    if let used = free.popLast() {
      number = used
      links[Int(used)] = link
    } else {
      number = UInt32(links.count)
      links.append(link)
    }
    if readers.last == Self.none {
      readers.first = number
    } else {
      links[Int(readers.last)].nextOfSlot = number
    }
    if reads.last == Self.none { reads.first = number } else { links[Int(reads.last)].nextOfNode = number }
    (readers.last, reads.last) = (number, number)
    readers.count += 1
    reads.count += 1
  }

  /// Removes the link from a slot to a node; false if there is none. Cost: linear in the shorter of both
  /// lists.
  mutating func remove(_ slot: SlotID, _ node: NodeID, from readers: inout LinkList, _ reads: inout LinkList)
    -> Bool
  {
    guard let number = find(slot, node, in: readers, reads) else { return false }
    remove(number, from: &readers, &reads)
    return true
  }

  /// The slot of the first link of a node; nil if the node reads nothing.
  func firstSlot(of reads: LinkList) -> SlotID? {
    reads.first == Self.none ? nil : links[Int(reads.first)].slot
  }

  /// Removes the first link of a node.
  mutating func removeFirst(of reads: inout LinkList, from readers: inout LinkList) {
    remove(reads.first, from: &readers, &reads)
  }

  /// Whether a node reads a slot. Cost: linear in the shorter of both lists.
  func contains(_ slot: SlotID, _ node: NodeID, in readers: LinkList, _ reads: LinkList) -> Bool {
    find(slot, node, in: readers, reads) != nil
  }

  private func find(_ slot: SlotID, _ node: NodeID, in readers: LinkList, _ reads: LinkList) -> UInt32? {
    if readers.count <= reads.count {
      var next = readers.first
      while next != Self.none {
        if links[Int(next)].node == node { return next }
        next = links[Int(next)].nextOfSlot
      }
    } else {
      // The slots read last are looked up most often.
      var next = reads.last
      while next != Self.none {
        if links[Int(next)].slot == slot { return next }
        next = links[Int(next)].previousOfNode
      }
    }
    return nil
  }

  private mutating func remove(_ number: UInt32, from readers: inout LinkList, _ reads: inout LinkList) {
    let link = links[Int(number)]
    if link.previousOfSlot == Self.none {
      readers.first = link.nextOfSlot
    } else {
      links[Int(link.previousOfSlot)].nextOfSlot = link.nextOfSlot
    }
    if link.nextOfSlot == Self.none {
      readers.last = link.previousOfSlot
    } else {
      links[Int(link.nextOfSlot)].previousOfSlot = link.previousOfSlot
    }
    if link.previousOfNode == Self.none {
      reads.first = link.nextOfNode
    } else {
      links[Int(link.previousOfNode)].nextOfNode = link.nextOfNode
    }
    if link.nextOfNode == Self.none {
      reads.last = link.previousOfNode
    } else {
      links[Int(link.nextOfNode)].previousOfNode = link.previousOfNode
    }
    readers.count -= 1
    reads.count -= 1
    free.append(number)
  }

  /// Visits the nodes that read a slot, in no order.
  @inline(__always)
  func forEachNode(in readers: LinkList, _ body: (NodeID) -> Void) {
    var next = readers.first
    while next != Self.none {
      let link = links[Int(next)]
      body(link.node)
      next = link.nextOfSlot
    }
  }

  /// The slots that a node reads, in no order.
  func slots(in reads: LinkList) -> [SlotID] {
    var slots: [SlotID] = []
    slots.reserveCapacity(Int(reads.count))
    var next = reads.first
    while next != Self.none {
      slots.append(links[Int(next)].slot)
      next = links[Int(next)].nextOfNode
    }
    return slots
  }
}
