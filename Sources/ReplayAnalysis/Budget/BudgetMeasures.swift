import EventLog

/// What a run did, as far as a budget asks for it.
package struct BudgetMeasures {
  /// What one projection, or the worst of the cascades from one kind of root, took.
  package struct Amounts: Sendable {
    private(set) var amounts: [Budget.Measure: UInt64] = [:]
    /// Of cascades: the root of the one that took so much.
    private(set) var roots: [Budget.Measure: UInt64] = [:]

    package subscript(measure: Budget.Measure) -> UInt64 { amounts[measure] ?? 0 }

    mutating func add(_ amount: UInt64, _ measure: Budget.Measure) {
      amounts[measure, default: 0].addClamped(amount)
    }

    /// Keeps the larger of two, and where it was.
    mutating func raise(_ measure: Budget.Measure, to amount: UInt64, at root: UInt64) {
      if roots[measure] == nil || amount > self[measure] {
        amounts[measure] = amount
        roots[measure] = root
      }
    }
  }

  package private(set) var total = Amounts()
  package private(set) var projections: [ExactString: Amounts] = [:]
  package private(set) var cascades: [ExactString: Amounts] = [:]

  /// Goes through a run, once for each of the scopes that are asked for.
  package init(
    _ log: LogSource, _ selection: Selection, _ scopes: Set<Budget.Scope>, progress: AnalysisProgress
  ) throws {
    if scopes.contains(.total) || scopes.contains(.projection) {
      for line in try HotReport(log, selection, progress: progress).projections { add(line) }
    }
    guard scopes.contains(.cascade) else { return }
    var builder = CascadeBuilder()
    var counts: [Int32: Amounts] = [:]
    var names: [Int32: String] = [:]
    try log.forEachCascade(upTo: selection.seqs.upperBound, progress: progress) { cascade, run, titles in
      guard selection.seqs.contains(cascade.root) else { return }
      builder.build(cascade, &titles, run.tables)
      for root in builder.roots {
        let title = builder.nodes[root].title
        if names[title] == nil { names[title] = titles.names[Int(title)] }
        Self.add(root, of: builder.nodes, from: cascade.root, to: &counts[title, default: Amounts()])
      }
    }
    for (title, amounts) in counts { cascades[names[title] ?? ""] = amounts }
  }

  private mutating func add(_ line: HotReport.ProjectionLine) {
    let amounts: [(Budget.Measure, UInt64)] = [
      (.evaluations, UInt64(line.evaluations)), (.wasted, UInt64(line.wasted)),
      (.invalidations, UInt64(line.invalidations)), (.time, line.time),
    ]
    for (measure, amount) in amounts {
      total.add(amount, measure)
      projections[line.name, default: Amounts()].add(amount, measure)
    }
  }

  private static func add(
    _ root: Int32, of nodes: borrowing CascadeNodes, from seq: UInt64, to amounts: inout Amounts
  ) {
    var sums: [UInt64] = [0, 0, 0, 0]
    nodes.visit(root) {
      sums[0] += UInt64($0.evaluations)
      sums[1] += UInt64($0.wasted)
      sums[2] += UInt64($0.invalidations)
      sums[3].addClamped($0.time)
    }
    var fanOut: UInt64 = 0
    nodes.forEachChild(of: root) { fanOut += UInt64(nodes[$0].invalidations) }
    let measures: [Budget.Measure] = [.evaluations, .wasted, .invalidations, .time]
    for (measure, sum) in zip(measures, sums) { amounts.raise(measure, to: sum, at: seq) }
    amounts.raise(.fanOut, to: fanOut, at: seq)
  }

  /// What a limit is held against: each that its name fits.
  func amounts(of limit: Budget.Limit) -> [(name: String, amounts: Amounts)] {
    switch limit.scope {
    case .total: return [("", total)]
    case .projection: return Self.choose(limit.name, projections)
    case .cascade: return Self.choose(limit.name, cascades)
    }
  }

  private static func choose(_ name: String, _ all: [ExactString: Amounts])
    -> [(name: String, amounts: Amounts)]
  {
    let pattern = ProjectionPattern(name)
    return all.filter { pattern.matches($0.key.string) }.sorted { $0.key < $1.key }
      .map { ($0.key.string, $0.value) }
  }
}
