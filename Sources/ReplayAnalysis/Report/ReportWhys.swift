import EventLog

/// Explains why projections ran in the costliest cascades. For each node of a shape's tree it has the cause
/// chain of one run, taken from the cascade of that shape that took longest.
struct ReportWhys {
  /// The chains of one shape.
  struct Shape: Encodable {
    var root: UInt64
    /// By node of the tree, in preorder; null if nothing ran for the node.
    var chains: [WhyChain?]

    enum CodingKeys: CodingKey { case root, chains }

    /// The places in the source that the chains name.
    var sites: [String] { chains.flatMap { $0?.steps.flatMap(\.sites) ?? [] } }
  }

  /// By shape; nil if the limit on work was reached before it. A shape in which nothing ran has only null
  /// chains, and costs nothing.
  let shapes: [Shape?]

  private static let shapesMax = 120
  /// More chains of one shape than anyone looks at.
  private static let chainsMax = 40
  /// Longer values and paths are cut, and projections with longer names have no chain.
  private static let textMax = 4000
  /// The page shows this many paths of those that a step reads.
  private static let pathsMax = 5
  /// How many steps a walk may come by and keep for all chains, since each of them may be as long as the log.
  private static let walkedMax = 1 << 19
  private static let keptMax = 1 << 17
  /// How many events are read again for the other causes of the runs. Those of further runs are not listed.
  private static let supersededMax: UInt64 = 1 << 18

  /// - Parameter eventsMax: The approximate limit on events replayed in total.
  init(_ sights: [CascadeSights], _ log: LogSource, hasValues: Bool, _ names: ReportNames, eventsMax: UInt64)
    throws
  {
    // The shapes are in log order, so each half covers its own part of the log.
    let wanted = Self.affordable(sights, log, eventsMax: eventsMax)
    let middle = Self.middle(of: wanted, sights, log.startCosts())
    let work = SideWork { [path = log.path, limits = log.limits] in
      let log = try LogSource(path: path, limits: limits)
      return try Self.chains(of: wanted[middle...], sights, log, hasValues: hasValues)
    }
    let first = Result { try Self.chains(of: wanted[..<middle], sights, log, hasValues: hasValues) }
    let found = try work.value().merging(first.get()) { chains, _ in chains }
    shapes = sights.indices.map { shape in
      let none: [WhyChain?]? = sights[shape].hasRuns ? nil : sights[shape].examples.map { _ in nil }
      return (found[shape] ?? none).map { chains in
        Shape(
          root: sights[shape].worst,
          chains: chains.map { chain in
            var chain = chain
            chain?.replaceNames(names)
            return chain
          })
      }
    }
  }

  /// The chains by shape, and by node of its tree.
  private static func chains(
    of wanted: ArraySlice<Int>, _ sights: [CascadeSights], _ log: LogSource, hasValues: Bool
  ) throws -> [Int: [WhyChain?]] {
    var drafts: [WhyDraft] = []
    /// The index in `drafts`, by the seq of the run.
    var positions: [UInt64: Int] = [:]
    var budget = WalkBudget(walked: walkedMax, kept: keptMax)
    for part in log.startCosts().parts(of: Array(wanted), { sights[$0].worst..<sights[$0].end }) {
      let examples = part.items.flatMap { sights[$0].examples.filter { $0.seq > 0 }.prefix(chainsMax) }
      let visitor = ExampleChains(examples: Dictionary(examples.map { ($0.seq, $0) }) { first, _ in first })
      var walk = FlushWalk(visitor, in: log, before: part.events.upperBound, within: budget)
      _ = try log.readablePart(from: part.events.lowerBound).play(to: &walk)
      for (seq, draft) in walk.visitor.drafts where draft.projection.utf8.count <= textMax {
        positions[seq] = drafts.count
        drafts.append(draft)
      }
      budget = walk.left
    }
    _ = try SupersededSearch.complete(&drafts, in: log, keeping: .page, eventsMax: supersededMax)
    for index in drafts.indices { drafts[index].cutNames() }
    let steps = try WhyDetails.fill(drafts, log, textMax: textMax, pathsMax: pathsMax)
    // A chain that lacks causes is none.
    var chains = zip(drafts, steps).map { $0.isPartial ? nil : WhyChain($0.projection, $1) }
    if !hasValues { for index in chains.indices { chains[index]?.removeValues() } }
    return Dictionary(
      uniqueKeysWithValues: wanted.map { shape in
        (shape, sights[shape].examples.map { positions[$0.seq].flatMap { chains[$0] } })
      })
  }

  /// The most expensive shapes whose ranges cost at most `eventsMax` events to replay, in log order.
  private static func affordable(_ sights: [CascadeSights], _ log: LogSource, eventsMax: UInt64) -> [Int] {
    let costs = log.startCosts()
    var shapes = Array(sights.indices.prefix(shapesMax).filter { sights[$0].hasRuns })
    while true {
      let sorted = shapes.sorted { sights[$0].worst < sights[$1].worst }
      let parts = costs.parts(of: sorted) { sights[$0].worst..<sights[$0].end }
      // Each part is replayed twice: for the cascades, and for the details that need the state.
      let cost = parts.reduce(UInt64(0)) { sum, part in
        sum + 2 * (costs.cost(of: part.events.lowerBound) + part.events.length)
      }
      if cost <= eventsMax || shapes.isEmpty { return sorted }
      shapes.removeLast((shapes.count + 3) / 4)
    }
  }

  /// The shape with which the second half begins: in the middle half, at the point where starting costs
  /// least.
  private static func middle(of shapes: [Int], _ sights: [CascadeSights], _ costs: StartCosts) -> Int {
    let (quarter, half) = (shapes.count / 4, shapes.count / 2)
    return (quarter..<(quarter + half)).min {
      costs.cost(of: sights[shapes[$0]].worst) < costs.cost(of: sights[shapes[$1]].worst)
    } ?? half
  }
}

/// The chains of the runs that stand for the nodes of trees.
private struct ExampleChains: ChainVisitor {
  let examples: [UInt64: CascadeExample]
  /// In order.
  private(set) var drafts: [(seq: UInt64, draft: WhyDraft)] = []

  init(examples: [UInt64: CascadeExample]) { self.examples = examples }

  mutating func wants(_ evaluation: inout Cascade.Evaluation, _ run: inout LogRun) -> Bool {
    guard let example = examples[evaluation.seq] else { return false }
    // These may lie before this part of the log.
    (evaluation.earlier, evaluation.since) = (example.earlier, example.since)
    return true
  }

  mutating func receive(_ draft: WhyDraft, of seq: UInt64) { drafts.append((seq, draft)) }
}

extension WhyDraft {
  fileprivate mutating func cutNames() { for index in steps.indices { steps[index].cutNames() } }
}

extension WhyStep {
  /// Cuts long names, since many chains would each hold a copy of them.
  fileprivate mutating func cutNames() {
    path = path?.cutForReport
    for index in because?.indices ?? 0..<0 { because?[index].cutNames() }
    for index in others?.indices ?? 0..<0 { others?[index].cutNames() }
  }
}

extension CascadeSights {
  /// Whether any projection ran in these cascades.
  fileprivate var hasRuns: Bool { examples.contains { $0.seq > 0 } }
}
