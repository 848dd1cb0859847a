import Algorithms
import EventLog

/// Finds which run of a parent a run belongs to that no event caused: its host ran both, for reasons that the log does not
/// have.
///
/// The log has a run when it ends, and does not say which runs are within it: a host runs children within their parent, or
/// after it. But a run's duration is without those within it. So of a run within its parent's the parent's follows within the
/// time that it and those between took themselves. Where that is too close to call, the first runs of the flush tell whether
/// the host runs parents first.
struct CauselessRuns {
  private struct Run {
    var evaluation: Cascade.Evaluation
    /// The durations of all runs up to this one.
    var total: UInt64
  }

  private var runs: [Run] = []
  private var indices: [ProjectionID: [Int]] = [:]
  /// The durations of all runs so far, those with a cause too.
  private var total: UInt64 = 0

  /// More are not remembered, which bounds the memory.
  private static let runsMax = 1 << 14
  private static let ancestorsMax = 64
  /// The log has durations to three digits, and times to the microsecond.
  private static let precision: UInt64 = 200
  private static let timeUnit: UInt64 = 1_000

  init() {}

  /// Takes in a run, with a cause or without one.
  mutating func append(_ evaluation: Cascade.Evaluation) {
    total += evaluation.duration
    if evaluation.cause > 0 { return }
    if runs.count >= Self.runsMax { forgetHalf() }
    indices[evaluation.projection, default: []].append(runs.count)
    runs.append(Run(evaluation: evaluation, total: total))
  }

  private mutating func forgetHalf() {
    let kept = Array(runs.suffix(Self.runsMax / 2))
    removeAll()
    for run in kept {
      indices[run.evaluation.projection, default: []].append(runs.count)
      runs.append(run)
    }
  }

  /// Starts the next flush.
  mutating func removeAll() {
    if runs.isEmpty { return }
    runs.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
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
    let position = all.partitioningIndex { runs[$0].evaluation.seq >= evaluation.seq }
    guard position < all.count, runs[all[position]].evaluation.seq == evaluation.seq else { return nil }
    return all[position]
  }

  /// The run of an ancestor within which a run took place, or else that since the last run of the same projection.
  private func run(of ancestor: ProjectionID, around own: Int) -> Cascade.Evaluation? {
    guard let all = indices[ancestor] else { return nil }
    let next = all.partitioningIndex { $0 > own }
    if next < all.count, isWithin(own, all[next], of: all) { return runs[all[next]].evaluation }
    guard next > 0, case let before = runs[all[next - 1]].evaluation,
      before.seq > runs[own].evaluation.earlier
    else { return nil }
    return before
  }

  private func isWithin(_ own: Int, _ outer: Int, of ancestors: [Int]) -> Bool {
    let (run, around) = (runs[own], runs[outer])
    let passed = around.evaluation.time - min(run.evaluation.time, around.evaluation.time)
    let taken = around.total - run.total
    if passed + Self.timeUnit <= taken { return true }
    if passed > taken + taken / Self.precision + Self.timeUnit { return false }
    return indices[run.evaluation.projection]?.first ?? own < ancestors[0]
  }
}
