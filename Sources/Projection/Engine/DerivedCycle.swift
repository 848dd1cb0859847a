/// A cycle of derived values that depend on each other.
///
/// A derived value whose body can throw throws this error when it reads itself; for other values the
/// session's diagnostics report it.
public struct DerivedCycle: Error, Hashable, CustomStringConvertible {
  /// The names along the cycle, from a value back to itself; each value reads the next.
  public let path: [String]

  /// `derived values depend on each other: a -> b -> a`.
  public var description: String { "derived values depend on each other: " + path.joined(separator: " -> ") }
}

extension Engine {
  /// The cycle that begins with a derived value this thread is computing, goes through the values computed
  /// for it, and ends with `others`.
  func cycle(backTo node: Node, through others: [String] = []) -> DerivedCycle {
    var names: [String] = []
    var frame = Frame.current
    while let now = frame, now.node !== node {
      if let inner = now.node, inner.derived != nil { names.append(inner.name) }
      frame = now.outer
    }
    return DerivedCycle(path: [node.name] + names.reversed() + others + [node.name])
  }

  /// Whether this thread is computing the value of a node.
  func isComputing(_ node: Node) -> Bool {
    var frame = Frame.current
    while let now = frame, now.node !== node { frame = now.outer }
    return frame != nil
  }
}
