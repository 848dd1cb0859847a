import EventLog

/// Builds the tree of a cascade: below the root what it woke, below that what ran along or was written then.
struct CascadeBuilder {
  private let cascade: Cascade
  private var groups: PathGroups
  private var nodes: [UInt64: CascadeTree] = [:]

  /// The trees of a cascade, of which there are several only where the chain of causes has a gap.
  static func trees(of cascade: Cascade, _ groups: inout PathGroups) -> [CascadeTree] {
    var builder = CascadeBuilder(cascade, groups)
    defer { groups = builder.groups }
    return builder.build()
  }

  private init(_ cascade: Cascade, _ groups: PathGroups) {
    self.cascade = cascade
    self.groups = groups
  }

  private mutating func build() -> [CascadeTree] {
    var roots: [CascadeTree] = []
    var evaluations: [UInt64: [Cascade.Evaluation]] = [:]
    for evaluation in cascade.evaluations {
      if let cause = evaluation.cause { evaluations[cause, default: []].append(evaluation) }
    }
    let invalidations = Dictionary(grouping: cascade.invalidations, by: \.seq)
    // Causes come before effects, so in the order of seq every node finds the one above it.
    for seq in units {
      let node = node(of: seq, &roots)
      nodes[seq] = node
      var ran: [String: CascadeTree] = [:]
      for evaluation in evaluations[seq] ?? [] { place(evaluation, below: node, &ran) }
      for evaluation in evaluations[seq] ?? [] { nodes[evaluation.seq] = ran[evaluation.projection] }
      for invalidation in invalidations[seq] ?? [] {
        let name = invalidation.projection.projectionGroup
        (ran[invalidation.projection] ?? node.child(name, .projection)).invalidations += 1
      }
    }
    return roots
  }

  /// The events that led to others, in order.
  private var units: [UInt64] {
    var seqs = Set(cascade.units.keys)
    seqs.formUnion(cascade.evaluations.compactMap(\.cause))
    seqs.formUnion(cascade.invalidations.map(\.seq))
    return seqs.sorted()
  }

  private mutating func node(of seq: UInt64, _ roots: inout [CascadeTree]) -> CascadeTree {
    // An evaluation that led to a write stands in the tree already.
    if let known = nodes[seq] { return known }
    let unit = cascade.units[seq]
    let name = unit.map { title(of: $0) } ?? "event \(seq)"
    if let cause = unit?.cause, let above = nodes[cause] { return above.child(name, .write) }
    let root = CascadeTree(name: name, kind: .root)
    roots.append(root)
    return root
  }

  /// Puts an evaluation below the ancestor it followed, or below what woke it.
  private func place(
    _ evaluation: Cascade.Evaluation, below node: CascadeTree, _ ran: inout [String: CascadeTree]
  ) {
    var chain = [evaluation]
    var top = node
    var seen: Set<String> = [evaluation.projection]
    while let last = chain.last, cascade.invalidation(of: last) == nil,
      let leader = cascade.leader(of: last), seen.insert(leader.projection).inserted
    {
      if let known = ran[leader.projection] {
        top = known
        break
      }
      chain.append(leader)
    }
    for evaluation in chain.reversed() {
      let known = ran[evaluation.projection] ?? top.child(evaluation.projection.projectionGroup, .projection)
      ran[evaluation.projection] = known
      top = known
    }
    top.add(evaluation)
  }

  private mutating func title(of unit: Cascade.Unit) -> String {
    let body = unit.event.body
    if let path = body.writtenPath { return "\(body.kind) \(groups.group(of: path))" }
    switch body {
    case .end: return unit.transaction?.title ?? "transaction"
    case .evaluate(let name, _, _): return "evaluation of \(name.projectionGroup)"
    case .mark(let label): return "mark \(Value.string(label).json)"
    default: return body.kind
    }
  }
}
