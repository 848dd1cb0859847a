import EventLog
import Projection

/// An event that nothing caused, and all that it led to.
struct Cascade {
  struct Evaluation {
    var seq: UInt64
    var time: UInt64
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

  /// An event that led to others.
  struct Unit {
    var event: Event
    /// The event that led to it.
    var cause: UInt64?
    /// The transaction that it ends.
    var transaction: Transaction?
  }

  /// A projection and the event that woke it.
  struct Wake: Hashable {
    var cause: UInt64
    var projection: String
  }

  let root: UInt64
  private(set) var units: [UInt64: Unit] = [:]
  /// In the order in which they ended.
  private(set) var evaluations: [Evaluation] = []
  private(set) var invalidations: [Invalidation] = []
  /// What the session itself recorded as invalidated.
  private(set) var recorded: [TimelineComparison.Entry] = []
  private var parents: [String: String] = [:]
  private var runs: [Wake: Int] = [:]
  private var woken: [Wake: Int] = [:]

  init(root: UInt64) { self.root = root }

  mutating func add(_ unit: Unit) { units[unit.event.seq] = unit }

  mutating func add(_ evaluation: Evaluation, ancestors: [String: String]) {
    if let cause = evaluation.cause {
      runs[Wake(cause: cause, projection: evaluation.projection)] = evaluations.count
    }
    evaluations.append(evaluation)
    var child = evaluation.projection
    while let parent = ancestors[child], parents.updateValue(parent, forKey: child) == nil { child = parent }
  }

  mutating func add(_ invalidation: Invalidation) {
    woken[Wake(cause: invalidation.seq, projection: invalidation.projection)] = invalidations.count
    invalidations.append(invalidation)
  }

  mutating func addRecorded(_ entry: TimelineComparison.Entry) { recorded.append(entry) }

  /// The last evaluation of a projection for a cause.
  func evaluation(of projection: String, cause: UInt64) -> Evaluation? {
    runs[Wake(cause: cause, projection: projection)].map { evaluations[$0] }
  }

  /// What woke a projection that ran.
  func invalidation(of evaluation: Evaluation) -> Invalidation? {
    evaluation.cause.flatMap { woken[Wake(cause: $0, projection: evaluation.projection)] }
      .map { invalidations[$0] }
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
