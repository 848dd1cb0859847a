extension Program {
  /// The smallest program found that still fails.
  @MainActor func shrunk(while fails: @MainActor (Program) async -> Bool) async -> Program {
    var best = self
    search: while true {
      for candidate in best.smaller where await fails(candidate) {
        best = candidate
        continue search
      }
      return best
    }
  }

  /// Slightly smaller programs, the largest reductions first.
  private var smaller: [Program] {
    var programs: [Program] = []
    for size in [8, 4, 2] where size < steps.count {
      for start in stride(from: 0, to: steps.count, by: size) {
        var program = self
        program.steps.removeSubrange(start..<min(start + size, steps.count))
        programs.append(program)
      }
    }
    programs += Self.smaller(steps, { $0.smaller }).map { steps in
      var program = self
      program.steps = steps
      return program
    }
    if attachesLate {
      var program = self
      program.attachesLate = false
      programs.append(program)
    }
    for index in nodes.indices {
      programs += nodes[index].smaller.map { node in
        var program = self
        program.nodes[index] = node
        return program
      }
    }
    return programs
  }

  /// Lists with one element left out, or made smaller.
  fileprivate static func smaller<T>(_ list: [T], _ parts: (T) -> [T]) -> [[T]] {
    list.indices.flatMap { index in
      var fewer = list
      fewer.remove(at: index)
      let changed = parts(list[index]).map { part in
        var changed = list
        changed[index] = part
        return changed
      }
      return [fewer] + changed
    }
  }
}

extension Program.Action {
  fileprivate var smaller: [Program.Action] {
    guard case .transaction(let actions) = self else { return [] }
    return actions + Program.smaller(actions, { $0.smaller }).map { .transaction($0) }
  }
}

extension Program.Op {
  fileprivate var smaller: [Program.Op] {
    switch self {
    case .read, .write, .fail, .end: []
    case .untracked(let source): [.read(source)]
    case .when(let source, let ops):
      ops + [.read(source)] + Program.smaller(ops, { $0.smaller }).map { .when(source, $0) }
    case .child(let child): child.ops + child.smaller.map { .child($0) }
    case .eachKnot(let way, let child):
      child.ops + child.smaller.map { .eachKnot(way, $0) }
    case .each(let child): child.ops + child.smaller.map { .each($0) }
    }
  }
}

extension Program.Child {
  fileprivate var smaller: [Program.Child] {
    var children: [Program.Child] = []
    func add(_ change: (inout Program.Child) -> Void) {
      var child = self
      change(&child)
      children.append(child)
    }
    if input != nil { add { $0.input = nil } }
    if tracking != nil { add { $0.tracking = nil } }
    for ops in Program.smaller(ops, { $0.smaller }) { add { $0.ops = ops } }
    for appear in Program.smaller(appear, { $0.smaller }) { add { $0.appear = appear } }
    return children
  }
}

extension Program.Node {
  fileprivate var smaller: [Program.Node] {
    switch self {
    case .derived(let ops): Program.smaller(ops, { $0.smaller }).map { .derived($0) }
    case .projection(let tracking, let ops):
      (tracking == .element ? [] : [.projection(.element, ops)])
        + Program.smaller(ops, { $0.smaller }).map { .projection(tracking, $0) }
    case .change(let source, let pace, let effects):
      (pace == .none ? [] : [.change(source, .none, effects)])
        + Program.smaller(effects, { $0.smaller }).map { .change(source, pace, $0) }
    case .receive(let source, let effects):
      Program.smaller(effects, { $0.smaller }).map { .receive(source, $0) }
    }
  }
}
