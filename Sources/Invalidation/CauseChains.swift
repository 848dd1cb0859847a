/// The root of every event's cause chain, for the latest quarter of a million events: one whose cause is longer ago
/// begins a chain of its own.
struct CauseChains: Sendable {
  private struct Link: Sendable {
    var seq: UInt64 = 0
    var root: UInt64 = 0
    var depth = 0
  }

  /// By the last bits of the seq.
  private var links: [Link] = []
  private static let linksMax: UInt64 = 1 << 18

  /// Notes that one event led to another. Causes come before effects.
  @inline(__always)
  mutating func note(_ seq: UInt64, causedBy cause: UInt64) {
    let (root, depth) = root(of: cause)
    let slot = Int(truncatingIfNeeded: seq & (Self.linksMax - 1))
    if slot >= links.count { grow(beyond: slot) }
    links[slot] = Link(seq: seq, root: root, depth: depth + 1)
  }

  /// The first event in the chain that led to this one, and how many steps away it is.
  @inline(__always)
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    let slot = Int(truncatingIfNeeded: seq & (Self.linksMax - 1))
    guard slot < links.count, links[slot].seq == seq else { return (seq, 0) }
    return (links[slot].root, links[slot].depth)
  }

  private mutating func grow(beyond slot: Int) {
    let count = min(max(2 * links.count, slot + 1), Int(Self.linksMax))
    links.append(contentsOf: repeatElement(Link(), count: count - links.count))
  }
}
