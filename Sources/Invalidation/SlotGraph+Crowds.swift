// If a thousand nodes read one slot, each set of the slot would visit a thousand links. A caller that only
// needs the union of what several sets invalidate gets such readers as a bit set instead.

extension SlotGraph {
  private static let crowdMin: UInt32 = 64

  /// Whether a slot has so many readers that a bit set of them is smaller than their links.
  @inline(__always)
  func isCrowd(_ slot: SlotID) -> Bool {
    let count = self[slot].readers.count
    return count >= Self.crowdMin && count >= nodeCount >> 6
  }

  /// The readers of a slot with ``isCrowd(_:)``, as a bit set. Cost: linear the first time, then one hash.
  mutating func crowd(of slot: SlotID) -> DenseSet<NodeID> {
    if let crowd = crowds[slot] { return crowd }
    var crowd = DenseSet<NodeID>()
    forEachReader(of: slot) { crowd.insert($0) }
    crowds[slot] = crowd
    return crowd
  }

  /// Records that a node no longer reads a slot. A slot with too few readers left loses its bit set.
  mutating func leaveCrowd(of slot: SlotID, _ node: NodeID) {
    if isCrowd(slot) { crowds[slot]?.remove(node) } else { crowds[slot] = nil }
  }
}
