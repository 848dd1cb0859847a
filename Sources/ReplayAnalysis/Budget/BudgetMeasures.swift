import EventLog

/// The measured amounts of a run that a budget asks for.
package struct BudgetMeasures {
  /// What one projection took, or the largest amounts of all cascades with roots of one kind.
  package struct Amounts: Sendable {
    private(set) var amounts: [Budget.Measure: UInt64] = [:]
    /// For cascades: the root of the cascade with the largest amount.
    private(set) var roots: [Budget.Measure: UInt64] = [:]

    package subscript(measure: Budget.Measure) -> UInt64 { amounts[measure] ?? 0 }

    mutating func add(_ amount: UInt64, _ measure: Budget.Measure) {
      amounts[measure, default: 0] += amount
    }

    /// Keeps the larger of the two amounts, and the root that it belongs to.
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
  /// The largest amounts of all actions with one label.
  package private(set) var actions: [ExactString: Amounts] = [:]

  /// Measures all requested scopes in one pass over the log.
  package init(
    _ log: LogSource, _ selection: Selection, _ scopes: Set<Budget.Scope>, progress: AnalysisProgress
  ) throws {
    let countsProjections = scopes.contains(.total) || scopes.contains(.projection)
    var counters = Together(
      countsProjections ? HotCounter(selection) : nil,
      Together(
        scopes.contains(.cascade) ? CascadeFeed(LargestCascades(selection)) : nil,
        scopes.contains(.action) ? LargestActions(selection) : nil))
    let run = try log.play(to: &counters, progress: progress)
    if let counter = counters.a {
      for line in counter.report(run).projections { add(line) }
    }
    if let feed = counters.b.a {
      for (title, amounts) in feed.sink.amounts { cascades[feed.titles.text(title)] = amounts }
    }
    actions = counters.b.b?.amounts ?? [:]
  }

  private mutating func add(_ line: HotReport.ProjectionLine) {
    for (measure, amount) in line.measures + [(.invalidations, UInt64(line.invalidations))] {
      total.add(amount, measure)
      projections[line.name, default: Amounts()].add(amount, measure)
    }
  }

  /// The amounts to compare with a limit: one entry for each name that the limit matches.
  func amounts(of limit: Budget.Limit) -> [(name: String, amounts: Amounts)] {
    switch limit.scope {
    case .total: return [("", total)]
    case .projection: return Self.choose(limit.name, projections)
    case .cascade: return Self.choose(limit.name, cascades)
    case .action: return Self.choose(limit.name, actions)
    }
  }

  /// The name in the run that is nearest to that of a limit.
  func nearest(to limit: Budget.Limit) -> String? {
    let names: Dictionary<ExactString, Amounts>.Keys
    switch limit.scope {
    case .total: return nil
    case .projection: names = projections.keys
    case .cascade: names = cascades.keys
    case .action: names = actions.keys
    }
    return Suggestion.nearest(to: limit.name, among: names.sorted().map(\.string))
  }

  private static func choose(_ name: String, _ all: [ExactString: Amounts])
    -> [(name: String, amounts: Amounts)]
  {
    let pattern = ProjectionPattern(name)
    return all.filter { pattern.matches($0.key.string) }.sorted { $0.key < $1.key }
      .map { ($0.key.string, $0.value) }
  }
}

/// The largest amounts of the cascades with roots of each kind.
private struct LargestCascades: CascadeTreeSink {
  typealias Amounts = BudgetMeasures.Amounts

  private(set) var amounts: [TitleID: Amounts] = [:]
  private let seqs: Range<UInt64>
  var builder = CascadeBuilder()

  init(_ selection: Selection) { seqs = selection.seqs }

  var end: UInt64 { seqs.upperBound }

  func wants(_ root: UInt64) -> Bool { seqs.contains(root) }

  mutating func count(_ seq: UInt64, writes: [TitleID], _ titles: borrowing CascadeTitles) {
    for root in builder.nodes.roots {
      let title = builder.nodes[root].title
      amounts[title, default: Amounts()].raise(to: root, of: builder.nodes, from: seq)
    }
  }
}

/// The largest amounts of the actions with each label.
private struct LargestActions: RowObserver {
  let needs: RunNeeds = .lookback
  private(set) var amounts: [ExactString: BudgetMeasures.Amounts] = [:]
  private var tracker: SpanTracker

  init(_ selection: Selection) { tracker = SpanTracker(.action, beginningIn: selection.seqs) }

  mutating func begin(_ run: inout LogRun) throws { tracker.begin(&run) }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    tracker.observe(&run)
    if tracker.hasOver { count() }
  }

  mutating func finish(_ run: inout LogRun) throws {
    tracker.finish()
    count()
  }

  private mutating func count() {
    for span in tracker.removeOver() {
      for (measure, amount) in span.work.measures + [(.untilSettled, span.settled ?? 0)] {
        amounts[ExactString(span.label), default: .init()].raise(measure, to: amount, at: span.seq)
      }
    }
  }
}

extension BudgetMeasures.Amounts {
  /// Keeps for each measure the larger of the known amount and that of this cascade.
  fileprivate mutating func raise(to root: Int32, of nodes: borrowing CascadeNodes, from seq: UInt64) {
    let sums = nodes.sums(of: root)
    var fanOut: UInt64 = 0
    nodes.forEachChild(of: root) { fanOut += UInt64(nodes[$0].sums.invalidations) }
    for (measure, sum) in sums.measures + [
      (.invalidations, UInt64(sums.invalidations)), (.fanOut, fanOut),
    ] {
      raise(measure, to: sum, at: seq)
    }
  }
}

extension RunCounts {
  /// The amounts of the measures that every scope has.
  fileprivate var measures: [(Budget.Measure, UInt64)] {
    [(.evaluations, UInt64(evaluations)), (.wasted, UInt64(wasted)), (.time, time)]
  }
}
