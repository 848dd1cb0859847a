import Algorithms
import EventLog

/// Finds which run of a parent a run belongs to that no event caused: its host ran both, for reasons that the log does not
/// have.
///
/// The log has a run when it ends, and does not say which runs are within it: a host runs children within their parent, or
/// after it. Within one flush a host does one of these, and the first runs of both tell which.
struct CauselessRuns {
  private var runs: [Cascade.Evaluation] = []
  private var indices: [ProjectionID: [Int]] = [:]
  /// Those whose children have run, and those of which a child ran before they did.
  private var parents: Set<ProjectionID> = []
  private var nesting: Set<ProjectionID> = []

  /// More are not remembered, which bounds the memory.
  private static let runsMax = 1 << 14
  private static let ancestorsMax = 64

  init() {}

  /// Takes in a run, with a cause or without one.
  mutating func append(_ evaluation: Cascade.Evaluation) {
    if evaluation.cause > 0 { return }
    if runs.count >= Self.runsMax { forgetHalf() }
    add(evaluation)
  }

  private mutating func add(_ run: Cascade.Evaluation) {
    if let parent = run.parent { parents.insert(parent) }
    if indices[run.projection] == nil, parents.contains(run.projection) { nesting.insert(run.projection) }
    indices[run.projection, default: []].append(runs.count)
    runs.append(run)
  }

  private mutating func forgetHalf() {
    let kept = Array(runs.suffix(Self.runsMax / 2))
    removeAll()
    for run in kept { add(run) }
  }

  /// Starts the next flush.
  mutating func removeAll() {
    if runs.isEmpty { return }
    runs.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
    parents.removeAll(keepingCapacity: true)
    nesting.removeAll(keepingCapacity: true)
  }

  /// The run of the nearest ancestor that a run without a cause belongs to; nil if none is known.
  func leader(of evaluation: Cascade.Evaluation, _ registry: borrowing ProjectionRegistry) -> Cascade
    .Evaluation?
  {
    guard let own = index(of: evaluation) else { return nil }
    var next = evaluation.parent
    for _ in 0..<Self.ancestorsMax {
      guard let ancestor = next, ancestor != evaluation.projection else { return nil }
      if let found = run(of: ancestor, around: own) { return found }
      next = registry[ancestor].parent
    }
    return nil
  }

  private func index(of evaluation: Cascade.Evaluation) -> Int? {
    let all = indices[evaluation.projection] ?? []
    let position = all.partitioningIndex { runs[$0].seq >= evaluation.seq }
    guard position < all.count, runs[all[position]].seq == evaluation.seq else { return nil }
    return all[position]
  }

  /// The run of an ancestor within which a run took place, or else that since the last run of the same projection.
  private func run(of ancestor: ProjectionID, around own: Int) -> Cascade.Evaluation? {
    guard let all = indices[ancestor] else { return nil }
    let next = all.partitioningIndex { $0 > own }
    let isNested = nesting.contains(ancestor) || indices[runs[own].projection]?.first ?? own < all[0]
    if isNested { return next < all.count ? runs[all[next]] : nil }
    guard next > 0, case let before = runs[all[next - 1]], before.seq > runs[own].earlier else { return nil }
    return before
  }
}

extension LogRun {
  /// Whether the row sets a derived value. In a first run, which nothing caused, it has no cause either, and still is no event
  /// of the app's own.
  var computesDerivedValue: Bool {
    guard row.kind == .set, let path else { return false }
    return tables.path(path).root == .named("derived")
  }
}
