import EventLog

/// Which reads of a projection move elsewhere: into a child of its own, or up to its parent, which hands the value in.
struct MovedReads {
  /// What a projection would read, and what its new children would.
  struct Split {
    var own: [Path] = []
    var up: [Path] = []
    /// By the rule.
    var isolated: [(rule: Int, paths: [Path])] = []
  }

  let isolations: [ReadRule]
  let inputs: [InputRule]
  /// Whether a rule is about a projection; nil where that was not asked yet.
  private var concerned = ProjectionMap<Bool?>(default: nil)
  private(set) var metIsolations: Set<Int> = []
  private(set) var metInputs: Set<Int> = []

  init(_ rules: WhatIfRules) {
    isolations = rules.isolations
    inputs = rules.inputs
  }

  /// Whether a rule is about a projection.
  @inline(__always)
  mutating func concerns(_ projection: ProjectionID, _ tables: borrowing RunTables) -> Bool {
    if isolations.isEmpty, inputs.isEmpty { return false }
    if let isConcerned = concerned[projection] { return isConcerned }
    let name = tables.name(projection)
    let isConcerned =
      isolations.contains { $0.projection.matches(name) } || inputs.contains { $0.projection.matches(name) }
    concerned[projection] = isConcerned
    return isConcerned
  }

  /// Whether a projection is handed all that its output is made of.
  mutating func noteInput(_ name: String) -> Bool {
    let met = inputs.indices.filter { inputs[$0].projection.matches(name) }
    metInputs.formUnion(met.filter { inputs[$0].path == nil })
    return !met.isEmpty
  }

  /// Sorts what a projection reads, by what each path is called.
  mutating func split(_ paths: [Path], of name: String, called: (Path) -> Path) -> Split {
    var split = Split()
    paths: for path in paths {
      let called = called(path)
      for (rule, isolation) in isolations.enumerated()
      where isolation.projection.matches(name) && isolation.path.matches(called) {
        metIsolations.insert(rule)
        if let known = split.isolated.firstIndex(where: { $0.rule == rule }) {
          split.isolated[known].paths.append(path)
        } else {
          split.isolated.append((rule, [path]))
        }
        continue paths
      }
      for (rule, input) in inputs.enumerated() where input.projection.matches(name) {
        guard input.path?.matches(called) ?? false else { continue }
        metInputs.insert(rule)
        split.up.append(path)
        continue paths
      }
      split.own.append(path)
    }
    return split
  }
}
