// The session does not run hosted projections, so it must say which are out of date: once, when one goes out of
// date, and on request, without a look at those that are up to date.

/// The hosted projections that are out of date.
struct InvalidatedHosted {
  /// Each node once. Some may have run or ended since they were added.
  private var nodes: [Node] = []
  /// The number of nodes at which those that are not out of date any more are removed.
  private var limit = 64

  /// Adds a node that goes out of date. Cost: constant on average.
  mutating func add(_ node: Node) {
    guard let hosting = node.hosting, !hosting.isListed else { return }
    hosting.isListed = true
    nodes.append(node)
    if nodes.count < limit { return }
    removeCurrent()
    limit = max(64, 2 * nodes.count)
  }

  /// Removes all nodes.
  mutating func removeAll() { nodes = [] }

  /// All that are out of date, in order of creation. Cost: sorts them, and those that went out of date since
  /// the last call.
  mutating func inOrder() -> [Node] {
    removeCurrent()
    nodes.sort { $0.order < $1.order }
    return nodes
  }

  private mutating func removeCurrent() {
    nodes.removeAll { node in
      if node.isDirty, !node.isDisposed { return false }
      node.hosting?.isListed = false
      return true
    }
  }
}

extension EngineState {
  /// Records that a hosted projection that was up to date no longer is. The next flush of this thread calls its
  /// host.
  func insertOutOfDate(hosted node: Node) {
    invalidatedHosted.add(node)
    schedule(node)
  }

  /// Adds a node to those whose hosts the next flush calls, unless it is among them or its host is not to be
  /// called.
  func signal(_ node: Node) {
    guard let hosting = node.hosting, hosting.onInvalidate != nil, !hosting.isSignalled else { return }
    hosting.isSignalled = true
    own.signals.append(node)
  }
}

extension Engine {
  /// Sets what to call when a hosted projection goes out of date. It is called at once if the projection is out
  /// of date already.
  func setOnInvalidate(of node: Node, _ action: (() -> Void)?) {
    let state = lock()
    guard !node.isDisposed, !isClosed else { return unlock() }
    node.hosting?.onInvalidate = action
    if node.isDirty { state.signal(node) }
    flushAndUnlock(state)
  }

  /// Calls the hosts of the projections that this thread's changes have put out of date. Call it under the lock,
  /// which is not held meanwhile.
  ///
  /// What the calls put out of date follows in a further round, so that hosts that keep putting each other's
  /// projections out of date do not fill the stack.
  func signalHosts(_ state: EngineState, _ own: ThreadFlush) {
    if own.isSignalling || own.signals.isEmpty { return }
    own.isSignalling = true
    defer { own.isSignalling = false }
    for _ in 0..<Self.signalRoundsMax {
      let signals = own.signals
      own.signals = []
      for node in signals { signalHost(of: node, state) }
      if own.signals.isEmpty || isClosed { return }
    }
    let names = own.signals.prefix(20).map(\.name).joined(separator: ", ")
    for node in own.signals { node.hosting?.isSignalled = false }
    own.signals = []
    state.report(
      "stopped after \(Self.signalRoundsMax) rounds: onInvalidate keeps putting these out of date: \(names)")
    state.appendDiagnostics()
  }

  private static let signalRoundsMax = 100

  private func signalHost(of node: Node, _ state: EngineState) {
    node.hosting?.isSignalled = false
    guard node.isDirty, !node.isDisposed, !isClosed, let action = node.hosting?.onInvalidate else { return }
    let frame = Frame(engine: self, node: nil, cause: node.invalidatedBy, isTracking: false)
    // If no run were registered, sets of scalars would not look up their cause.
    state.runs.begin()
    unlock()
    frame.run(action)
    _ = lock()
    state.runs.forgetIfLast()
    state.runs.end()
  }
}
