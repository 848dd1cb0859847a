import EventLog
import Invalidation

/// Finds the other causes of runs: what had put a projection out of date since its last run, before the event that
/// the run names as its cause. See ``AnsweringRuns``.
struct SupersededSearch: RowObserver {
  /// The invalidations of a projection from `since` on and before `cause`.
  struct Wanted {
    var projection: String
    var since: UInt64
    var cause: UInt64
  }

  struct Found {
    /// The last of the invalidations, in order, each in a cascade that contains nothing else.
    var invalidations: [(invalidation: Cascade.Invalidation, cascade: Cascade)] = []
    /// The number of earlier ones.
    var more = 0
  }

  /// The indices of what is wanted of one projection, each looked at while the log is within its events.
  private struct Indices {
    /// Those whose events begin later, the last ones first.
    var later: [Int] = []
    private var open: [Int] = []

    mutating func current(at seq: UInt64, _ wanted: [Wanted]) -> [Int] {
      while let next = later.last, wanted[next].since <= seq { open.append(later.removeLast()) }
      open.removeAll { wanted[$0].cause <= seq }
      return open
    }
  }

  let needs: RunNeeds = [.hits, .lookback]
  let end: UInt64
  /// What was found, by the index of what was wanted.
  private(set) var found: [Found]
  private let wanted: [Wanted]
  /// The indices of what is wanted, by projection.
  private var indices: [ProjectionID: Indices] = [:]
  private var titles = CascadeTitles()
  private var transactions = Transactions()

  /// More than anybody reads.
  private static let invalidationsMax = 50

  init(_ wanted: [Wanted]) {
    self.wanted = wanted
    found = Array(repeating: Found(), count: wanted.count)
    end = wanted.map(\.cause).max() ?? 0
  }

  mutating func begin(_ run: inout LogRun) {
    for index in wanted.indices.sorted(by: { wanted[$0].since > wanted[$1].since }) {
      indices[run.keptID(ofProjection: wanted[index].projection), default: Indices()].later.append(index)
    }
  }

  mutating func observe(_ run: inout LogRun) {
    transactions.apply(&run, &titles)
    for hit in run.hits where indices[hit.projection] != nil {
      for (unit, causes) in run.units(of: hit) {
        for index in indices[hit.projection]?.current(at: unit, wanted) ?? [] {
          apply(hit.projection, unit, causes, for: index, &run)
        }
      }
    }
  }

  private mutating func apply(
    _ projection: ProjectionID, _ seq: UInt64, _ causes: Causes, for index: Int, _ run: inout LogRun
  ) {
    let invalidation = Cascade.Invalidation(
      seq: seq, projection: projection, depth: Int32(clamping: run.root(of: seq).depth), causes: causes)
    let cascade = Cascade()
    cascade.begin(run.root(of: seq).seq)
    cascade.add(
      Cascade.Unit(
        seq: seq, kind: run.entry(seq)?.kind ?? run.row.kind, title: titles.title(""),
        cause: run.entry(seq).map { $0.cause > 0 ? run.unit($0.cause) : 0 } ?? 0),
      transactions.transaction(endedBy: seq))
    found[index].invalidations.append((invalidation, cascade))
    if found[index].invalidations.count > Self.invalidationsMax {
      found[index].invalidations.removeFirst()
      found[index].more += 1
    }
  }
}

extension SupersededSearch {
  /// Adds to the invalidation with which each chain begins the other causes of its run.
  ///
  /// - Parameter eventsMax: How many events may be read in all; the chains whose causes lie closest together come
  ///   first, and the others are marked as partial.
  /// - Returns: What the user must do to see more about the origin of the writes; nil for nothing.
  static func complete(
    _ drafts: inout [WhyDraft], in log: LogSource, keeping limits: WhyLimits, eventsMax: UInt64 = .max
  ) throws -> String? {
    let several = drafts.indices.filter { drafts[$0].superseded != nil && drafts[$0].invalidation != nil }
    let groups = groups(of: several, drafts, log.startCosts(), eventsMax: eventsMax)
    for index in Set(several).subtracting(groups.joined()) { drafts[index].isPartial = true }
    var advice: String?
    for group in groups {
      let wanted = group.compactMap { index in
        drafts[index].superseded.map {
          Wanted(projection: drafts[index].projection, since: $0.lowerBound, cause: $0.upperBound)
        }
      }
      var search = SupersededSearch(wanted)
      let first = wanted.map(\.since).min() ?? 0
      var walk = WhyWalk(try log.readablePart(from: first).play(to: &search), of: log, keeping: limits)
      for (index, found) in zip(group, search.found) { add(found, to: &drafts[index], &walk) }
      advice = advice ?? walk.symbolizer.advice
    }
    return advice
  }

  /// Groups of chains whose causes are found in one pass.
  private static func groups(
    of indices: [Int], _ drafts: [WhyDraft], _ costs: StartCosts, eventsMax: UInt64
  ) -> [[Int]] {
    let ranges = indices.compactMap { index in drafts[index].superseded.map { (index: index, events: $0) } }
    var left = eventsMax
    let chosen = ranges.sorted { $0.events.length < $1.events.length }.prefix { range in
      let cost = costs.cost(of: range.events.lowerBound) + range.events.length
      defer { left -= min(left, cost) }
      return cost <= left
    }
    let sorted = chosen.sorted { $0.events.lowerBound < $1.events.lowerBound }
    return costs.parts(of: sorted) { $0.events }.map { $0.items.map(\.index) }
  }

  private static func add(_ found: Found, to draft: inout WhyDraft, _ walk: inout WhyWalk) {
    guard let place = draft.invalidation, !found.invalidations.isEmpty else { return }
    draft.steps[place].others = found.invalidations.reversed().compactMap { invalidation, cascade in
      walk.enter(cascade)
      let steps = walk.chain(of: .invalidation(invalidation)).steps
      var first = steps.first
      first?.because = Array(steps.dropFirst())
      return first
    }
    draft.steps[place].moreOthers = found.more > 0 ? found.more : nil
  }
}

extension WhyDraft {
  /// The index of the invalidation that the run followed.
  fileprivate var invalidation: Int? { steps.count > 1 && steps[1].kind == .invalidation ? 1 : nil }
}
