// Where a thousand nodes read one slot, each of its sets would visit a thousand links. Whoever only joins what was found to what
// was found before gets such readers as a set of bits.

extension SlotGraph {
  private static let crowdMin: UInt32 = 64

  /// Whether so many nodes read a slot that a set of them is smaller than their links.
  @inline(__always)
  func isCrowd(_ slot: SlotID) -> Bool {
    let count = self[slot].readers.count
    return count >= Self.crowdMin && count >= nodeCount >> 6
  }

  /// The nodes that read a slot, which are a crowd. Cost: linear the first time, then one hash.
  mutating func crowd(of slot: SlotID) -> DenseSet<NodeID> {
    if let crowd = crowds[slot] { return crowd }
    var crowd = DenseSet<NodeID>()
    forEachReader(of: slot) { crowd.insert($0) }
    crowds[slot] = crowd
    return crowd
  }

  /// Notes that a node no longer reads a slot. So a slot that nothing reads has no crowd.
  mutating func leaveCrowd(of slot: SlotID, _ node: NodeID) {
    if isCrowd(slot) { crowds[slot]?.remove(node) } else { crowds[slot] = nil }
  }
}
