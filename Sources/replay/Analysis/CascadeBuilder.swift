import EventLog
import Projection

/// Builds the tree of every root event: below it what it woke, below that what ran along or was written then.
struct CascadeBuilder {
  /// The trees in the order of their roots.
  private(set) var roots: [(seq: UInt64, tree: CascadeTree)] = []
  private let run: Run
  private let causality: Causality
  private let transactions: Transactions
  private var groups = PathGroups()
  private var nodes: [UInt64: CascadeTree] = [:]

  init(_ run: Run) {
    self.run = run
    causality = Causality(run)
    transactions = Transactions(run.events)
    var evaluations: [UInt64: [Causality.Evaluation]] = [:]
    for evaluation in causality.evaluations {
      if let cause = evaluation.cause { evaluations[cause, default: []].append(evaluation) }
    }
    let invalidations = Dictionary(grouping: run.invalidations, by: \.seq)
    // Causes come before effects, so in the order of seq every node finds the one above it.
    for seq in units(Set(evaluations.keys).union(invalidations.keys)) {
      let node = node(of: seq)
      nodes[seq] = node
      var ran: [String: CascadeTree] = [:]
      for evaluation in evaluations[seq] ?? [] { place(evaluation, below: node, &ran) }
      for evaluation in evaluations[seq] ?? [] { nodes[evaluation.seq] = ran[evaluation.projection] }
      for invalidation in invalidations[seq] ?? [] {
        let name = invalidation.projection.projectionGroup
        (ran[invalidation.projection] ?? node.child(name, .projection)).invalidations += 1
      }
    }
  }

  /// These events and all in their chains of causes, in order.
  private func units(_ seqs: Set<UInt64>) -> [UInt64] {
    var all: Set<UInt64> = []
    for seq in seqs {
      var next: UInt64? = seq
      while let unit = next, all.insert(unit).inserted {
        next = run.event(unit)?.cause.map { Causality.unit($0, in: run) }
      }
    }
    return all.sorted()
  }

  private mutating func node(of seq: UInt64) -> CascadeTree {
    // An evaluation that led to a write stands in the tree already.
    if let known = nodes[seq] { return known }
    let event = run.event(seq)
    let name = event.map { title(of: $0) } ?? "event \(seq)"
    if let cause = event?.cause, let above = nodes[Causality.unit(cause, in: run)] {
      return above.child(name, .write)
    }
    let root = CascadeTree(name: name, kind: .root)
    roots.append((seq, root))
    return root
  }

  /// Puts an evaluation below the ancestor it followed, or below what woke it.
  private func place(
    _ evaluation: Causality.Evaluation, below node: CascadeTree, _ ran: inout [String: CascadeTree]
  ) {
    var chain = [evaluation]
    var top = node
    var seen: Set<String> = [evaluation.projection]
    while let last = chain.last, causality.invalidation(of: last) == nil,
      let leader = causality.leader(of: last), seen.insert(leader.projection).inserted
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

  private mutating func title(of event: Event) -> String {
    if let path = event.body.writtenPath { return "\(event.body.kind) \(groups.group(of: path))" }
    switch event.body {
    case .end:
      let span = transactions.span(around: event.seq)
      if let label = span?.label { return "transaction \(Value.string(label).json)" }
      return span.map { writes(in: $0) } ?? "transaction"
    case .evaluate(let name, _, _): return "evaluation of \(name.projectionGroup)"
    case .mark(let label): return "mark \(Value.string(label).json)"
    default: return event.body.kind
    }
  }

  /// What an unlabelled transaction wrote: `set store.a, set store.b and 3 more`.
  private mutating func writes(in span: Transactions.Span) -> String {
    var titles: [String] = []
    for seq in span.begin...span.end {
      guard let event = run.event(seq), let path = event.body.writtenPath else { continue }
      let title = "\(event.body.kind) \(groups.group(of: path))"
      if !titles.contains(title) { titles.append(title) }
    }
    if titles.isEmpty { return "transaction" }
    let rest = titles.count - 2
    return titles.prefix(2).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
