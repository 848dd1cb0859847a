/// What led to what in a flush of several rounds, to find the nodes that keep it from ending, and the nodes that
/// the flush has stopped.
///
/// A node leads to another if its run invalidates it, or contains its run. A flush ends unless some nodes lead to
/// each other in a circle. Of these only the writers must be stopped: all other nodes then run at most once more,
/// and show the state.
final class FlushTrail {
  private struct Edge {
    /// The orders of the two nodes.
    let from: UInt64
    let to: UInt64
    let round: Int
    /// Whether `from` invalidated `to`, rather than running it as its child.
    let isWrite: Bool
  }

  private var edges: [Edge] = []
  /// The orders of the nodes that do not run again in this flush.
  private(set) var stopped: Set<UInt64> = []
  /// The number of stops in this flush.
  private(set) var stops = 0
  /// The node that the queue ran last, by its order.
  var running = UInt64.max
  /// The calls of each receiver, by its order.
  private var calls: [UInt64: Int] = [:]

  /// The most edges that are kept; there may be many thousand nodes.
  private static let edgesMax = 1 << 16

  /// Appends a edge.
  func append(from: UInt64, to: UInt64, isWrite: Bool, round: Int) {
    if edges.count >= Self.edgesMax { edges.removeFirst(Self.edgesMax / 2) }
    edges.append(Edge(from: from, to: to, round: round, isWrite: isWrite))
  }

  /// Counts calls of a receiver, and returns their number so far.
  func count(_ count: Int, of node: UInt64) -> Int {
    calls[node, default: 0] += count
    return calls[node, default: 0]
  }

  /// Stops nodes, and forgets what led to what until now.
  func stop(_ nodes: some Sequence<UInt64>) {
    stopped.formUnion(nodes)
    stops += 1
    edges.removeAll(keepingCapacity: true)
  }

  /// The nodes that lead to themselves, and those of them that write what leads there.
  ///
  /// - Parameter first: The first round that counts; earlier ones may differ from those that repeat.
  /// - Returns: The orders of both, ascending.
  func circles(sinceRound first: Int) -> (all: [UInt64], writers: [UInt64]) {
    let edges = edges.filter { $0.round >= first }
    let circles = Circles(edges.map { ($0.from, $0.to) })
    var writers: Set<UInt64> = []
    for edge in edges where edge.isWrite && circles.areInOne(edge.from, edge.to) { writers.insert(edge.from) }
    return (circles.members, writers.sorted())
  }
}

/// The nodes of a graph from which a way leads back to them: those of its strongly connected components that have
/// an edge within, by Tarjan's algorithm (1972), without recursion.
private struct Circles {
  /// The number of each node's component.
  private var component: [UInt64: Int] = [:]
  /// The members of all components that have an edge within, ascending.
  private(set) var members: [UInt64] = []

  private var targets: [UInt64: Set<UInt64>] = [:]
  /// The rank of each node in the order of the first visits, and the lowest rank that it can reach.
  private var ranks: [UInt64: (own: Int, lowest: Int)] = [:]
  private var unassigned: [UInt64] = []

  init(_ edges: [(from: UInt64, to: UInt64)]) {
    for edge in edges { targets[edge.from, default: []].insert(edge.to) }
    for node in targets.keys.sorted() where ranks[node] == nil { visit(from: node) }
    members = targets.keys.filter { node in targets[node]?.contains { areInOne(node, $0) } ?? false }.sorted()
  }

  /// Whether two nodes are in the same component.
  func areInOne(_ a: UInt64, _ b: UInt64) -> Bool { component[a] == component[b] }

  private mutating func visit(from first: UInt64) {
    var stack = [enter(first)]
    while var top = stack.popLast() {
      let node = top.node
      if let next = top.waiting.popLast() {
        stack.append(top)
        if ranks[next] == nil {
          stack.append(enter(next))
        } else if component[next] == nil {
          reach(next, from: node)
        }
        continue
      }
      if let rank = ranks[node], rank.own == rank.lowest { close(node) }
      if let outer = stack.last?.node, component[node] == nil { reach(node, from: outer) }
    }
  }

  private mutating func enter(_ node: UInt64) -> (node: UInt64, waiting: [UInt64]) {
    ranks[node] = (ranks.count, ranks.count)
    unassigned.append(node)
    return (node, Array(targets[node] ?? []))
  }

  private mutating func reach(_ other: UInt64, from node: UInt64) {
    guard let reached = ranks[other]?.lowest, let own = ranks[node]?.lowest else { return }
    ranks[node]?.lowest = min(own, reached)
  }

  /// Makes a component of a node and of those that were visited since.
  private mutating func close(_ node: UInt64) {
    while let member = unassigned.popLast() {
      component[member] = ranks[node]?.own
      if member == node { return }
    }
  }
}

// MARK: Following a flush

extension EngineState {
  /// Queues a node that is out of date.
  @inline(__always)
  func enqueue(_ node: Node) {
    let own = own
    if own.queue.rounds > 0 { follow(node, in: own) }
    own.queue.insert(node)
  }

  /// Records which run has put a node out of date.
  @inline(never)
  func follow(_ node: Node, in own: ThreadFlush) {
    guard own.isFlushing, node.hosting == nil else { return }
    let trail = own.queue.makeTrail()
    trail.append(
      from: runningNode?.order ?? trail.running, to: node.order, isWrite: true, round: own.queue.rounds)
  }

  /// Records that a node runs within the run of another.
  @inline(never)
  func followRun(of node: Node, within outer: Frame?, in own: ThreadFlush) {
    guard node.derived == nil, let outer, outer.engine === engine, let parent = outer.node else { return }
    own.queue.makeTrail().append(
      from: parent.order, to: node.order, isWrite: false, round: own.queue.rounds)
  }

  /// The innermost node of this session that is running on this thread.
  private var runningNode: Node? {
    var frame = Frame.current
    while let now = frame {
      if now.engine === engine, let node = now.node { return node }
      frame = now.outer
    }
    return nil
  }

  /// Stops the nodes that keep a flush from ending, and reports those that write. All others run once more, so
  /// that they show the state.
  ///
  /// - Parameter next: The node that would run next.
  func stopEndlessFlush(_ own: ThreadFlush, at next: Node) {
    let trail = own.queue.makeTrail()
    let circles = trail.circles(sinceRound: FlushQueue.maximumRounds / 2)
    let members = nodes(of: circles.all)
    let writers = nodes(of: circles.writers).filter { $0.derived == nil }
    let stopped = !writers.isEmpty ? writers : !members.isEmpty ? members : [next]
    reportEndless(stopped, cause: next.invalidatedBy)
    trail.stop(stopped.map(\.order))
    own.queue.restartRounds()
    if trail.stops == 1 { return }
    // It did not help to stop the writers, because each run makes new ones.
    trail.stop((members.isEmpty ? [next] : members).map(\.order))
    if trail.stops > 3 { for node in own.queue.popAll() { markStopped(node) } }
  }

  /// The living nodes among those with these orders, in order of creation.
  private func nodes(of orders: [UInt64]) -> [Node] {
    let orders = Set(orders)
    return nodes.all.filter { orders.contains($0.order) }.sorted { $0.order < $1.order }
  }

  /// Stops a receiver that keeps setting what it receives; returns false if it is not one.
  fileprivate func stopEndlessCalls(of node: Node) -> Bool {
    let queue = own.queue
    guard let trail = queue.trail, trail.circles(sinceRound: queue.rounds / 2).writers.contains(node.order)
    else { return false }
    trail.stop([node.order])
    if diagnostics.isNewEndless(node.name) {
      report("stopped after \(FlushQueue.maximumCalls) calls: \(node.name) keeps setting what it receives")
    }
    return true
  }

  /// Leaves a node as it is, until something that it has read is written again.
  func markStopped(_ node: Node) {
    node.isDirty = false
    node.invalidatedBy = nil
    // It must run with its parent, even if its input does not differ.
    node.input = nil
  }

  /// Whether a child must not run with its parent, because the flush has stopped it.
  func isStopped(_ node: Node) -> Bool { own.queue.isStopped(node) }

  private func reportEndless(_ stopped: [Node], cause: UInt64?) {
    let names = stopped.map(\.name)
    let new = names.filter { diagnostics.isNewEndless(String($0.prefix { $0 != "#" })) }
    if new.isEmpty { return }
    let start = "stopped after \(FlushQueue.maximumRounds) rounds: "
    let more = names.count > 20 ? " and \(names.count - 20) more" : ""
    report(
      start
        + (names.count == 1
          ? "\(names[0]) keeps invalidating itself"
          : "these keep invalidating themselves or each other: \(names.prefix(20).joined(separator: ", "))\(more)"),
      cause: cause)
  }
}

extension Engine {
  /// Counts calls of a receiver. If the receiver seems to set what it receives without end, stops and reports
  /// it, and returns false.
  func mayCall(_ node: Node, times: Int) -> Bool {
    withLock { state in
      guard state.own.queue.countCalls(times, of: node) > FlushQueue.maximumCalls,
        state.stopEndlessCalls(of: node)
      else { return true }
      state.appendDiagnostics()
      return false
    }
  }
}
