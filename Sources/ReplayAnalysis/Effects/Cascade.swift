import Algorithms
import EventLog
import Invalidation

/// A root event, which nothing caused, and everything that it led to, in the ids of a run.
///
/// A class, so that passing a cascade on copies nothing. Its memory is reused: a caller that keeps a cascade
/// keeps a ``copy()``.
final class Cascade {
  struct Evaluation {
    var seq: UInt64
    var time: UInt64
    var duration: UInt64
    /// The event, or end of a transaction, that invalidated the projection; 0 if there is none.
    var cause: UInt64
    var projection: ProjectionID
    /// The projection's parent at the time of the evaluation.
    var parent: ProjectionID?
    var changed: Bool?
    var inputChanged: Bool?
    /// Whether the projection had not run before.
    var isFirst: Bool
    /// The previous evaluation of the same projection; 0 if there is none.
    var earlier: UInt64
    /// If the run has several causes, the first event that invalidated the projection since then; otherwise 0. See
    /// ``AnsweringRuns``.
    var since: UInt64
    /// Whether nothing of that lies before the events that were read.
    var isWhole: Bool
  }

  /// An event that led to others.
  struct Unit {
    var seq: UInt64
    var kind: EventKind
    var title: TitleID
    /// The event that caused this one; 0 if there is none.
    var cause: UInt64
  }

  /// An invalidation of one projection.
  struct Invalidation: Hashable {
    /// The event, or end of a transaction, that completed the change.
    var seq: UInt64
    var projection: ProjectionID
    var depth: Int32
    var causes: Causes
  }

  // Run-time checks of exclusive access to these properties took a fifteenth of the time of `cascades`. They
  // are safe to leave out: only the functions below change them, and these call nothing else.
  @exclusivity(unchecked) private(set) var root: UInt64 = 0
  /// In the order in which they were found, each once.
  @exclusivity(unchecked) private(set) var units: [Unit] = []
  /// In the order in which they ended.
  @exclusivity(unchecked) private(set) var evaluations: [Evaluation] = []
  @exclusivity(unchecked) private(set) var invalidations: [Invalidation] = []
  /// For each invalidation, whether another superseded it. Shorter if the rest is not known yet.
  @exclusivity(unchecked) private var superseded: [Bool] = []
  /// What the session itself recorded as invalidated; the depth is not recorded.
  @exclusivity(unchecked) private(set) var recorded: [Invalidation] = []
  /// The last known parents of the projections that ran, and of their ancestors.
  @exclusivity(unchecked) private(set) var parents: [ProjectionID: ProjectionID] = [:]
  /// The transactions that units ended, by the unit's seq.
  @exclusivity(unchecked) private var transactions: [UInt64: Transaction] = [:]
  /// The index of each unit in `units`; filled only once there are many.
  @exclusivity(unchecked) private var unitIndices: [UInt64: Int] = [:]

  /// - Parameter root: 0 if it is not known yet.
  init(root: UInt64 = 0) { self.root = root }

  /// Starts over with another root, and reuses the memory.
  func begin(_ root: UInt64) {
    self.root = root
    units.removeAll(keepingCapacity: true)
    evaluations.removeAll(keepingCapacity: evaluations.count < 64)
    invalidations.removeAll(keepingCapacity: invalidations.count < 64)
    superseded.removeAll(keepingCapacity: superseded.count < 64)
    recorded.removeAll(keepingCapacity: recorded.count < 64)
    if !parents.isEmpty { parents.removeAll() }
    if !unitIndices.isEmpty { unitIndices.removeAll() }
    if !transactions.isEmpty { transactions.removeAll() }
  }

  /// A copy that stays valid when this object is reused.
  func copy() -> Cascade {
    let copy = Cascade(root: root)
    copy.units = units
    copy.evaluations = evaluations
    copy.invalidations = invalidations
    copy.superseded = superseded
    copy.recorded = recorded
    copy.parents = parents
    copy.unitIndices = unitIndices
    copy.transactions = transactions
    return copy
  }

  /// The number of its invalidations, derived and recorded, and of its evaluations.
  var itemCount: Int { invalidations.count + recorded.count + evaluations.count }

  /// Whether an event is a unit of this cascade.
  func hasUnit(_ seq: UInt64) -> Bool {
    if !unitIndices.isEmpty { return unitIndices[seq] != nil }
    for unit in units where unit.seq == seq { return true }
    return false
  }

  func unit(_ seq: UInt64) -> Unit? {
    if !unitIndices.isEmpty { return unitIndices[seq].map { units[$0] } }
    return units.last { $0.seq == seq }
  }

  func evaluation(_ seq: UInt64) -> Evaluation? {
    let index = evaluations.partitioningIndex { $0.seq >= seq }
    return index < evaluations.count && evaluations[index].seq == seq ? evaluations[index] : nil
  }

  /// The transaction that ended with this unit.
  func transaction(endedBy seq: UInt64) -> Transaction? { transactions[seq] }

  /// The writes of a unit: itself, or those in the transaction that it ends; nil if it is not of this cascade.
  func writes(in seq: UInt64, _ run: inout LogRun, _ log: LogSource) -> [UInt64]? {
    guard let unit = unit(seq) else { return nil }
    return unit.kind.isWrite ? [seq] : transaction(endedBy: seq)?.writes(in: &run, log) ?? []
  }

  /// Adds a unit that the cascade does not have yet.
  func add(_ unit: Unit, _ transaction: Transaction?) {
    units.append(unit)
    if let transaction { transactions[unit.seq] = transaction }
    if !unitIndices.isEmpty {
      unitIndices[unit.seq] = units.count - 1
    } else if units.count > 16 {
      for (index, unit) in units.enumerated() { unitIndices[unit.seq] = index }
    }
  }

  /// Adds an evaluation, and records the parents that its projection and its ancestors have at this time.
  func add(_ evaluation: Evaluation, ancestors: ProjectionMap<ProjectionID?>) {
    evaluations.append(evaluation)
    var child = evaluation.projection
    while let parent = ancestors[child], parents.updateValue(parent, forKey: child) == nil { child = parent }
  }

  func addInvalidation(_ invalidation: Invalidation) { invalidations.append(invalidation) }

  /// Whether the projection of an invalidation ran for a later one, and so not in this cascade's tree.
  func isSuperseded(_ invalidation: Int) -> Bool {
    invalidation < superseded.count && superseded[invalidation]
  }

  /// Finds out which invalidations were superseded, once the cascade is complete.
  func settle(_ runs: borrowing AnsweringRuns) {
    superseded.removeAll(keepingCapacity: true)
    if runs.isEmpty { return }
    for invalidation in invalidations {
      superseded.append(runs.isSuperseded(invalidation.seq, of: invalidation.projection))
    }
  }

  func addRecorded(_ invalidation: Invalidation) { recorded.append(invalidation) }
}
