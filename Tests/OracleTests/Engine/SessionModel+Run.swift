import EventLog

extension SessionModel {
  func subscribe(_ index: Int) {
    guard begun.insert(index).inserted else { return }
    switch program.nodes[index] {
    case .derived(let ops): derived[index] = make("D\(index)", .derived(ops))
    case .receive(let source, let effects):
      let node = make("R\(index)", .receive(source, effects))
      _ = value(source, for: node)
      subscriptions[index] = node
    case .projection(let tracking, let ops):
      begin(index, make("P\(index)", .projection(ops, appear: []), tracking))
    case .change(let source, let pace, let effects):
      let node = make("C\(index)", .change(source, pace, effects))
      begin(index, node)
      node.pace = pace
    }
  }

  private func begin(_ index: Int, _ node: ModelNode) {
    run(node)
    flush()
    subscriptions[index] = node
  }

  private func make(_ name: String, _ kind: ModelNode.Kind, _ tracking: Tracking = .element) -> ModelNode {
    created += 1
    let node = ModelNode(created, name, kind, tracking)
    nodes.append(node)
    return node
  }

  func run(_ node: ModelNode) {
    (node.isDirty, node.isTouched, node.seen, node.cells, node.sources) = (false, false, [:], [], [])
    (node.isRunning, node.isStale) = (true, false)
    if isFlushing { node.round = round }
    if case .throttled(let ticks) = node.pace { node.earliest = now + ticks }
    runs += 1
    switch node.kind {
    case .derived(let ops): compute(node, ops)
    case .projection(let ops, let appear): project(node, ops, appear)
    case .change(let source, _, let effects): tellChange(node, source, effects)
    case .receive(let source, let effects):
      _ = value(source, for: node)
      let pending = node.pending
      node.pending = []
      if isFlushing, rounds > 0 { node.calls += pending.count }
      // One without effects leads to no further calls.
      if node.calls > 10_000, !effects.isEmpty {
        isEndless = true
        break
      }
      for value in pending where !node.isDisposed {
        trace.append("receive \(node.name) \(value)")
        perform(effects)
      }
    }
    if node.isRunning { end(node) }
    runs -= 1
  }

  /// From the end of its run on, its values are compared.
  private func end(_ node: ModelNode) {
    node.isRunning = false
    if node.isStale { node.isDirty = true }
    for place in node.seen.keys { node.seen[place] = .some(state.look(place)) }
  }

  private func compute(_ node: ModelNode, _ ops: [Program.Op]) {
    let result: Int
    do {
      let values = try values(ops, node)
      result = values.reduce(0, +) % 3
      trace.append("run \(node.name) \(values) = \(result)")
    } catch {
      result = ModelState.encode(error)
      trace.append("run \(node.name) throws \(error.code)")
    }
    if node.result == result { return }
    node.result = result
    if let index = derived.first(where: { $0.value === node })?.key {
      state.results[index] = result
      markChange(of: .derived(index))
    }
    endUnit()
  }

  private func tellChange(_ node: ModelNode, _ source: Program.Source, _ effects: [Program.Action]) {
    let new = value(source, for: node)
    let old = node.last
    node.last = new
    guard let old, old != new else { return }
    trace.append("change \(node.name) \(old) -> \(new)")
    perform(effects)
  }

  private func project(_ node: ModelNode, _ ops: [Program.Op], _ appear: [Program.Action]) {
    node.visited = []
    let isFirst = !appear.isEmpty && appeared.insert(node.name).inserted
    let values = (try? values(ops, node)) ?? []
    trace.append("run \(node.name) \(values)")
    node.output = values.reduce(0, +) % 100
    for (name, child) in node.children where node.isDisposed || !node.visited.contains(name) {
      dispose(child)
      node.children[name] = nil
    }
    if isFirst {
      end(node)
      trace.append("appear \(node.name)")
      perform(appear)
    }
  }

  private func values(_ ops: [Program.Op], _ node: ModelNode) throws(Program.Failure) -> [Int] {
    var values: [Int] = []
    for op in ops {
      switch op {
      case .read(let source): values.append(try read(source, for: node))
      case .untracked(let source): values.append(try read(source, for: node, isTracked: false))
      case .when(let source, let ops):
        let condition = try read(source, for: node)
        values.append(condition)
        if condition % 2 == 1 { values += try self.values(ops, node) }
      case .child(let child):
        var input: Int?
        if let source = child.input { input = try read(source, for: node) }
        values.append(output(of: child, "\(node.name)/\(child.name)", input, in: node))
      case .each(let child):
        _ = see(.rows, node)
        for row in state.rows {
          let name = "\(node.name)/\(child.name)#\(row.id)"
          values.append(output(of: child, name, child.input == nil ? nil : row.n, in: node))
        }
      case .eachKnot(let way, let child):
        guard let knot = knot(way, for: node) else { continue }
        for element in see(.knot(knot, .list), node) {
          let child = child.reading(way, id: state.knots.knots[element].id)
          let name = "\(node.name)/\(child.name)#\(state.knots.knots[element].id)"
          let input = child.input == nil ? nil : see(.knot(element, .x), node)[0]
          values.append(output(of: child, name, input, in: node))
        }
      case .end(let index): perform(.cancel(index))
      case .write(let edit): perform(.edit(edit))
      case .fail(let source):
        let code = try read(source, for: node)
        if code % 2 == 1 { throw Program.Failure(code: code) }
        values.append(code)
      }
    }
    return values
  }

  /// The present value. If it is an error, a derived value that may throw throws it too, and other readers
  /// get a number.
  private func read(
    _ source: Program.Source, for node: ModelNode, isTracked: Bool = true
  ) throws(Program.Failure) -> Int {
    let value = value(source, for: isTracked ? node : nil)
    guard case .derived = source, let failure = ModelState.failure(value) else { return value }
    if node.mayFail { throw failure }
    return -2
  }

  private func output(of spec: Program.Child, _ name: String, _ input: Int?, in parent: ModelNode) -> Int {
    let child =
      parent.children[name]
      ?? make(name, .projection(spec.ops, appear: spec.appear), spec.tracking ?? parent.tracking)
    parent.children[name] = child
    parent.visited.insert(name)
    let isSkipped = !child.isDirty && input != nil && child.input == input
    child.input = input
    if !isSkipped { run(child) }
    return child.output
  }
}
