/// Derived values that depend on each other in a circle.
///
/// A derived value whose body may throw throws it when it reads itself; for others it is among the session's
/// diagnostics.
public struct DerivedCycle: Error, Hashable, CustomStringConvertible {
  /// The names from a value back to itself, in the order in which one reads the next.
  public let path: [String]

  /// `derived values depend on each other: a -> b -> a`.
  public var description: String { "derived values depend on each other: " + path.joined(separator: " -> ") }
}

extension Engine {
  /// The circle from a derived value that this thread is computing, through the values that are computed on its
  /// account, to `others`.
  func cycle(backTo node: Node, through others: [String] = []) -> DerivedCycle {
    var names: [String] = []
    var frame = Frame.current
    while let now = frame, now.node !== node {
      if let inner = now.node, inner.derived != nil { names.append(inner.name) }
      frame = now.outer
    }
    return DerivedCycle(path: [node.name] + names.reversed() + others + [node.name])
  }

  /// Whether this thread is computing a value.
  func isComputing(_ node: Node) -> Bool {
    var frame = Frame.current
    while let now = frame, now.node !== node { frame = now.outer }
    return frame != nil
  }

  /// Adds a circle to the diagnostics, unless it was reported before.
  func report(_ cycle: DerivedCycle) {
    withLock { $0.diagnostics.report(cycle) }
  }
}
