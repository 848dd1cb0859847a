import EventLog
import Projection

/// Who ran because of what: every evaluation that something woke, beside what woke it.
struct Causality {
  struct Evaluation {
    var seq: UInt64
    var projection: String
    /// The parent at that time.
    var parent: String?
    var duration: UInt64
    var changed: Bool?
    /// The event, or end of a transaction, that woke it.
    var cause: UInt64?
    /// Whether the projection had not run before.
    var isFirst: Bool
  }

  /// A projection and the event that woke it.
  struct Wake: Hashable {
    var cause: UInt64
    var projection: String
  }

  private(set) var evaluations: [Evaluation] = []
  /// The invalidations, by what they woke.
  let invalidations: [Wake: Invalidation]
  private var runs: [Wake: Int] = [:]
  private var parents: [String: String] = [:]

  init(_ run: Run) {
    var invalidations: [Wake: Invalidation] = [:]
    for entry in run.invalidations {
      invalidations[Wake(cause: entry.seq, projection: entry.projection)] = entry
    }
    self.invalidations = invalidations
    var fresh: Set<String> = []
    for event in run.events {
      switch event.body {
      case .projection(let name, let parent, _):
        parents[name] = parent
        fresh.insert(name)
      case .evaluate(let name, let duration, let changed):
        let cause = event.cause.map { Self.unit($0, in: run) }
        if let cause { runs[Wake(cause: cause, projection: name)] = evaluations.count }
        evaluations.append(
          Evaluation(
            seq: event.seq, projection: name, parent: parents[name], duration: duration, changed: changed,
            cause: cause, isFirst: fresh.remove(name) != nil))
      default: break
      }
    }
  }

  /// The event that a cause stands for: a recorded invalidation stands for what it was found after.
  static func unit(_ cause: UInt64, in run: Run) -> UInt64 {
    if let event = run.event(cause), case .invalidate = event.body, let unit = event.cause { return unit }
    return cause
  }

  /// The last evaluation of a projection for a cause.
  func evaluation(of projection: String, cause: UInt64) -> Evaluation? {
    runs[Wake(cause: cause, projection: projection)].map { evaluations[$0] }
  }

  func invalidation(of evaluation: Evaluation) -> Invalidation? {
    evaluation.cause.flatMap { invalidations[Wake(cause: $0, projection: evaluation.projection)] }
  }

  /// The nearest ancestor that ran for the same cause: the projection ran because that did.
  func leader(of evaluation: Evaluation) -> Evaluation? {
    guard let cause = evaluation.cause else { return nil }
    var next = evaluation.parent
    var seen: Set<String> = [evaluation.projection]
    while let name = next, seen.insert(name).inserted {
      if let leader = self.evaluation(of: name, cause: cause) { return leader }
      next = parents[name]
    }
    return nil
  }
}
