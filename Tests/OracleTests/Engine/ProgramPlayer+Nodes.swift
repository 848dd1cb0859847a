import Projection

extension ProgramPlayer {
  func run(_ name: String, _ ops: [Program.Op], _ scope: Scope) -> Int {
    let values = values(ops, scope, name)
    trace.append("run \(name) \(values)")
    return values.reduce(0, +) % 100
  }

  func values(_ ops: [Program.Op], _ scope: Scope?, _ name: String) -> [Int] {
    ops.flatMap { op -> [Int] in
      switch op {
      case .read(let source): return [value(source)]
      case .when(let source, let ops):
        let condition = value(source)
        return [condition] + (condition % 2 == 1 ? values(ops, scope, name) : [])
      case .child(let child):
        let input = child.input.map { value($0) }
        return [output(of: child, name, id: nil, input, in: scope)]
      case .each(let child):
        return cells[0].rows.map { row in
          output(of: child, name, id: row.id, child.input == nil ? nil : row.n, in: scope)
        }
      }
    }
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
  ) -> Subscription {
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
  ) -> Subscription {
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

  func receive(_ source: Program.Source, as name: String, _ effects: [Program.Action]) -> Subscription {
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
  ) -> Subscription {
    session.onReceive(of: keyPath, in: cell, name: name) { [unowned self] value in
      MainActor.assumeIsolated {
        trace.append("receive \(name) \(number(value))")
        perform(effects)
      }
    }
  }
}
