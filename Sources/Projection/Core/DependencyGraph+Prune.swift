extension DependencyGraph {
  /// Forgets the places that nobody reads any more, once they are most of all.
  ///
  /// Cost: linear, but in places that were read since the last time: so each is paid for once.
  ///
  /// - Returns: The new number of each node that is left, or nil if all stay as they are.
  mutating func prune() -> [NodeID?]? {
    guard unread > 1_024, unread > nodes.count / 2 else { return nil }
    var numbers: [NodeID?] = []
    numbers.reserveCapacity(nodes.count)
    var kept = 0
    for node in nodes {
      numbers.append(node.readersWithin > 0 ? kept : nil)
      if node.readersWithin > 0 { kept += 1 }
    }
    // What has readers below it has readers within: so the parent of whatever is kept is kept.
    nodes = nodes.filter { $0.readersWithin > 0 }.map { node in
      var node = node
      node.parent = node.parent.flatMap { numbers[$0] }
      node.children = node.children.compactMapValues { numbers[$0] }
      return node
    }
    owners = owners.compactMapValues { numbers[$0] }
    nodesByID = nodesByID.mapValues { $0.compactMap { numbers[$0] } }.filter { !$0.value.isEmpty }
    orderNodes = orderNodes.compactMap { numbers[$0] }
    unread = 0
    forgetPlans()
    return numbers
  }
}

extension InvalidationCore {
  /// Forgets places that nobody reads any more, if they are many and nothing is under way that refers to them.
  mutating func forgetUnreadPlaces() {
    guard !unit.isOpen, unit.isEmpty, let numbers = graph.prune() else { return }
    for (projection, dependent) in dependents {
      dependents[projection]?.nodes = Set(dependent.nodes.compactMap { numbers[$0] })
    }
  }
}
