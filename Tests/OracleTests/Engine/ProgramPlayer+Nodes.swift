import Projection

extension ProgramPlayer {
  func run(_ name: String, _ ops: [Program.Op], _ scope: Scope) -> Int {
    let values = (try? values(ops, scope, name, mayFail: false)) ?? []
    trace.append("run \(name) \(values)")
    return values.reduce(0, +) % 100
  }

  /// The values that the operations of a body read. A body that cannot throw gets a number in place of an
  /// error.
  private func values(_ ops: [Program.Op], _ scope: Scope?, _ name: String, mayFail: Bool) throws -> [Int] {
    func read(_ source: Program.Source) throws -> Int {
      do { return try value(source) } catch  where !mayFail { return -2 }
    }
    return try ops.flatMap { op -> [Int] in
      switch op {
      case .read(let source): return [try read(source)]
      case .untracked(let source): return [try untracked { try read(source) }]
      case .when(let source, let ops):
        let condition = try read(source)
        return [condition] + (condition % 2 == 1 ? try values(ops, scope, name, mayFail: mayFail) : [])
      case .child(let child):
        let input = try child.input.map { try read($0) }
        return [output(of: child, name, id: nil, input, in: scope)]
      case .each(let child):
        return Array(cells[0].rows).map { row in
          output(of: child, name, id: row.id, child.input == nil ? nil : row.n, in: scope)
        }
      case .eachKnot(let way, let child):
        guard let knot = knots.knot(way) else { return [] }
        return knot.list.elements.map { element in
          let input = child.input == nil ? nil : element.x
          return output(of: child.reading(way, id: element.id), name, id: element.id, input, in: scope)
        }
      case .end(let index):
        perform(.cancel(index))
        return []
      case .write(let edit):
        perform(.edit(edit))
        return []
      case .fail(let source):
        let code = try read(source)
        if code % 2 == 1 { throw Program.Failure(code: code) }
        return [code]
      }
    }
  }

  /// Creates a derived value, and returns a closure that reads it.
  func derive(_ name: String, _ ops: [Program.Op]) -> () throws -> Int {
    let mayFail = ops.contains { $0.mayFail }
    let compute = { [unowned self] () throws -> Int in
      try MainActor.assumeIsolated {
        do {
          let values = try values(ops, nil, name, mayFail: mayFail)
          let result = values.reduce(0, +) % 3
          trace.append("run \(name) \(values) = \(result)")
          return result
        } catch let failure as Program.Failure {
          trace.append("run \(name) throws \(failure.code)")
          throw failure
        }
      }
    }
    if mayFail {
      let derived = session.derived(name, compute)
      return { try derived.value }
    }
    let derived = session.derived(name) { (try? compute()) ?? -2 }
    return { derived.value }
  }

  private func output(
    of child: Program.Child, _ parent: String, id: Int?, _ input: Int?, in scope: Scope?
  ) -> Int {
    guard let scope else { return 0 }
    let name = "\(parent)/\(child.name)" + (id.map { "#\($0)" } ?? "")
    let body = { [unowned self] (scope: Scope) in
      MainActor.assumeIsolated {
        if !child.appear.isEmpty {
          scope.onFirstAppear { [unowned self] in
            MainActor.assumeIsolated {
              trace.append("appear \(name)")
              perform(child.appear)
            }
          }
        }
        return run(name, child.ops, scope)
      }
    }
    if let input {
      return scope.child("\(child.name)", id: id, input: input, tracking: child.tracking, body)
    }
    return scope.child("\(child.name)", id: id, tracking: child.tracking, body)
  }

  func watch(
    _ source: Program.Source, as name: String, _ pace: Program.Pace, _ effects: [Program.Action]
  ) -> ProjectionHandle {
    switch source {
    case .field(let cell, .x): watch(\.x, in: cells[cell], name, pace, effects) { $0 }
    case .field(let cell, .y): watch(\.y, in: cells[cell], name, pace, effects) { $0 }
    case .field(let cell, .flag): watch(\.flag, in: cells[cell], name, pace, effects) { $0 ? 1 : 0 }
    case .count: watch(\.rows.count, in: cells[0], name, pace, effects) { $0 }
    default: watch(\.next?.x, in: cells[0], name, pace, effects) { $0 ?? -1 }
    }
  }

  private func watch<V>(
    _ keyPath: KeyPath<ProgramCell, V>, in cell: ProgramCell, _ name: String, _ pace: Program.Pace,
    _ effects: [Program.Action], _ number: @escaping (V) -> Int
  ) -> ProjectionHandle {
    let action = { [unowned self] (old: V, new: V) in
      MainActor.assumeIsolated {
        trace.append("change \(name) \(number(old)) -> \(number(new))")
        perform(effects)
      }
    }
    return switch pace {
    case .none: session.onChange(of: keyPath, in: cell, name: name, action)
    case .throttled(let ticks):
      session.onChange(of: keyPath, in: cell, throttledTo: Self.duration(ticks), name: name, action)
    case .debounced(let ticks):
      session.onChange(of: keyPath, in: cell, debouncedFor: Self.duration(ticks), name: name, action)
    }
  }

  func receive(_ source: Program.Source, as name: String, _ effects: [Program.Action]) -> ProjectionHandle {
    switch source {
    case .field(let cell, .x): receive(\.x, in: cells[cell], name, effects) { $0 }
    case .field(let cell, .y): receive(\.y, in: cells[cell], name, effects) { $0 }
    case .field(let cell, .flag): receive(\.flag, in: cells[cell], name, effects) { $0 ? 1 : 0 }
    default: receive(\.next?.x, in: cells[0], name, effects) { $0 ?? -1 }
    }
  }

  private func receive<V>(
    _ keyPath: KeyPath<ProgramCell, V>, in cell: ProgramCell, _ name: String,
    _ effects: [Program.Action], _ number: @escaping (V) -> Int
  ) -> ProjectionHandle {
    session.onReceive(of: keyPath, in: cell, name: name) { [unowned self] value in
      MainActor.assumeIsolated {
        trace.append("receive \(name) \(number(value))")
        perform(effects)
      }
    }
  }
}
