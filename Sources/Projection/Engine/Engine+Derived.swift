import EventLog

extension Engine {
  /// The root under which derived values are published.
  static let derivedRoot = "derived"

  /// The place of a derived value, as readers depend on it.
  func place(ofDerived name: String) -> PathTable.ID {
    lock.withLock { places.intern(Path(root: .named(Self.derivedRoot), components: [.property(name)])) }
  }

  /// Brings a derived value up to date, after those that it reads itself.
  func pull(_ node: Node) {
    if node.isRunning {
      report(.init(message: "the derived value \(node.name) depends on itself"))
      return
    }
    for source in lock.withLock({ derivedSources(of: node) }) where !source.isRunning { pull(source) }
    let isStale = lock.withLock {
      settle()
      return node.isDirty || (core.openTransactions > 0 && core.isOutOfDate(node.id))
    }
    if isStale { evaluate(node) }
  }

  private func derivedSources(of node: Node) -> [Node] {
    node.loggedPaths.compactMap { path in
      guard path.root == .named(Self.derivedRoot), case .property(let name)? = path.components.first else {
        return nil
      }
      return derivedByName[name]
    }
  }

  /// Records a new output of a derived value: its readers are woken as by any other event.
  func publish(_ value: Value, of node: Node, cause: UInt64?) {
    lock.withLock {
      guard !isClosed else { return }
      let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
      do {
        try emitMutation(.set(path, value, sameValue: false), cause: cause)
      } catch {
        report(.init(message: "not recorded: \(error)"))
      }
      if runsUnderWay > 0 {
        changesDuringRuns.append((lastMutation, place(ofDerived: node.name)))
      }
    }
  }

  /// Whether anyone who runs by itself depends on a derived value. Called under the lock.
  func isObserved(derived node: Node) -> Bool {
    let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
    return core.readers(of: path).contains { id in
      guard let reader = nodes[id], reader !== node else { return false }
      return derivedByName[reader.name] !== reader || isObserved(derived: reader)
    }
  }
}

extension InvalidationCore {
  /// Whether the open transaction has changed what a projection read.
  func isOutOfDate(_ projection: ProjectionID) -> Bool {
    !unit.isEmpty && unit.hits(in: graph, of: state).contains { $0.projection == projection }
  }

  /// The projections that depend on exactly this place.
  func readers(of path: Path) -> Set<ProjectionID> {
    guard case .place(let place, _) = state.resolve(path) else { return [] }
    return graph.trail(to: place, in: state).at.reduce(into: []) { $0.formUnion(graph.nodes[$1].readers) }
  }
}
