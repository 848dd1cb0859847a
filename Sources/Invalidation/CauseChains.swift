import EventLog

/// The root of each event's cause chain, for the latest quarter of a million events. An event whose cause is
/// older than this starts a cause chain of its own.
struct CauseChains: Sendable {
  private struct Link: Sendable {
    var root: UInt64
    var depth: Int
  }

  private var links = RecentRing<Link>(keeping: 1 << 18)

  /// Adds the cause of an event. Causes come before effects.
  @inline(__always)
  mutating func insert(_ seq: UInt64, causedBy cause: UInt64) {
    let (root, depth) = root(of: cause)
    links.append(seq, Link(root: root, depth: depth + 1))
  }

  /// The first event of the cause chain that led to this event, and the number of steps to it.
  @inline(__always)
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    guard let link = links[seq] else { return (seq, 0) }
    return (link.root, link.depth)
  }
}
