import EventLog

extension SessionModel {
  /// Runs the nodes that are out of date in the order of creation, each at most once a round.
  func flush() {
    if isFlushing || runs > 0 || openTransactions > 0 || isCollecting || isEndless { return }
    isFlushing = true
    rounds = 0
    for node in nodes { node.calls = 0 }
    while !isEndless {
      let waiting = nodes.filter { $0.isDirty && !isHeldBack($0) && (!$0.isDerived || isAwaited($0)) }
      guard let first = waiting.first else { break }
      if let node = waiting.first(where: { $0.round != round }) {
        run(node)
        continue
      }
      round += 1
      rounds += 1
      if rounds == 100 {
        isEndless = true
        break
      }
      run(first)
    }
    round += 1
    isFlushing = false
  }

  private func isHeldBack(_ node: ModelNode) -> Bool {
    node.pace != .none && !ignoresPace && now < node.earliest
  }

  /// Whether a reader of a derived value needs to know if the value differs now. A reader that is out of date does
  /// not: it reads the value itself, if it still does.
  private func isAwaited(_ node: ModelNode) -> Bool {
    readers(of: node).contains { !$0.isDirty && (!$0.isDerived || isObserved($0)) }
  }

  /// Whether a projection or callback depends on a derived value, directly or indirectly.
  private func isObserved(_ node: ModelNode) -> Bool {
    readers(of: node).contains { !$0.isDerived || isObserved($0) }
  }

  private func readers(of node: ModelNode) -> [ModelNode] {
    nodes.filter { reader in
      reader.seen.keys.contains { place in
        if case .derived(let index) = place { derived[index] === node } else { false }
      }
    }
  }

  /// The present value, noted as read by a node.
  func value(_ source: Program.Source, for reader: ModelNode?) -> Int {
    switch source {
    case .field(let cell, let field): return see(.field(cell, field), reader).first ?? -1
    case .count: return see(.count, reader)[0]
    case .element(let index): return index < see(.count, reader)[0] ? see(.index(index), reader)[1] : -1
    case .byID(let id): return see(.id(id), reader).last ?? -1
    case .rows:
      _ = see(.rows, reader)
      return ModelState.digest(state.rows)
    case .next:
      guard let cell = see(.next, reader).first else { return -1 }
      return see(.field(cell, .x), reader)[0]
    case .derived(let index):
      guard let node = derived[index] else { return -1 }
      bringUpToDate(node)
      reader?.sources.append(index)
      return see(.derived(index), reader)[0]
    case .knot(let read): return value(read, for: reader)
    }
  }

  /// The object to which a way leads; each step on it is noted as read.
  func knot(_ way: Program.Way, for reader: ModelNode?) -> Int? {
    var number = way.hand.map { state.knots.hands[$0] } ?? 0
    for step in way.steps {
      guard let known = number else { return nil }
      switch step {
      case .next: number = see(.knot(known, .next), reader).first
      case .index(let index):
        let isThere = index < see(.knot(known, .count), reader)[0]
        number = isThere ? see(.knot(known, .index(index)), reader).first : nil
      case .id(let id): number = see(.knot(known, .id(id)), reader).first
      case .key(let key): number = see(.knot(known, .key(key)), reader).first
      }
    }
    return number
  }

  private func value(_ read: Program.KnotRead, for reader: ModelNode?) -> Int {
    guard let number = knot(read.way, for: reader) else { return -1 }
    func see(_ place: ModelKnots.Place) -> [Int] { self.see(.knot(number, place), reader) }
    switch read.leaf {
    case .there: return 1
    case .x: return see(.x)[0]
    case .y: return see(.y)[0]
    case .count: return see(.count)[0]
    case .ids: return ProgramKnots.digest(see(.ids))
    case .elements:
      return ProgramKnots.digest(see(.list).map { self.see(.knot($0, .x), reader)[0] })
    case .keys: return ProgramKnots.digest(see(.keys))
    case .keyCount: return see(.keyCount)[0]
    case .hasID(let id): return see(.hasID(id))[0]
    case .hasKey(let key): return see(.hasKey(key))[0]
    }
  }

  func see(_ place: ModelState.Place, _ reader: ModelNode?) -> [Int] {
    let value = state.value(place)
    guard let reader else { return value }
    // The collections of an object that is not recorded have no elements to depend on.
    let noted = reader.tracking == .element && state.isKnown(place) ? place : place.property
    if reader.tracking == .object {
      reader.cells.insert(place.cell)
    } else if reader.seen[noted] == nil {
      reader.seen[noted] = .some(state.look(noted))
    }
    return value
  }

  /// Computes a derived value if one of its inputs differs. The inputs are brought up to date first, one by
  /// one, until one differs.
  private func bringUpToDate(_ node: ModelNode) {
    for source in node.sources where !node.isDirty && !isOutOfDate(node) {
      if let source = derived[source] { bringUpToDate(source) }
    }
    if node.isDirty || isOutOfDate(node) {
      run(node)
      flush()
    }
  }
}
