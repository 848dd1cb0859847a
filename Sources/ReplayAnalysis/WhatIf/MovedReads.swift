import EventLog

/// Determines which reads of a projection the rules move: into a new child, or up to its parent, which passes
/// the value in.
struct MovedReads {
  /// The reads that remain with a projection, and those that are moved.
  struct Split {
    var own: [Path] = []
    var up: [Path] = []
    /// The reads moved to new children, by the index of the rule.
    var isolated: [(rule: Int, paths: [Path])] = []
  }

  let isolations: [ReadRule]
  let inputs: [InputRule]
  /// Whether any rule applies to each projection; nil if not determined yet.
  private var concerned = ProjectionMap<Bool?>(default: nil)
  private(set) var metIsolations: Set<Int> = []
  private(set) var metInputs: Set<Int> = []
  /// The input rules that concern a projection with a parent.
  private(set) var parentedInputs: Set<Int> = []

  init(_ rules: WhatIfRules) {
    isolations = rules.isolations
    inputs = rules.inputs
  }

  /// Whether any rule applies to a projection.
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

  /// Whether an input rule applies to a projection: then its output depends only on its inputs.
  mutating func applyInput(_ name: String, hasParent: Bool) -> Bool {
    let met = inputs.indices.filter { inputs[$0].projection.matches(name) }
    if hasParent { parentedInputs.formUnion(met) }
    metInputs.formUnion(met.filter { inputs[$0].path == nil })
    return !met.isEmpty
  }

  /// Divides a projection's reads by rule. `called` returns the name of a path that the rules are matched
  /// against.
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
