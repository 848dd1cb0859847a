import EventLog
import Invalidation

/// An event that nothing caused, and all that it led to, in the ids of a run.
///
/// It is a class, so that nothing is copied on the way. Its memory is used again: a caller that keeps one keeps a
/// ``copy()``.
final class Cascade {
  struct Evaluation {
    var seq: UInt64
    var time: UInt64
    var duration: UInt64
    /// The event, or end of a transaction, that invalidated the projection; 0 where there is none.
    var cause: UInt64
    var projection: ProjectionID
    /// The parent at that time.
    var parent: ProjectionID?
    var changed: Bool?
    var inputChanged: Bool?
    /// Whether the projection had not run before.
    var isFirst: Bool
    /// The evaluation of the same projection before this one; 0 where none was met.
    var earlier: UInt64
  }

  /// An event that led to others.
  struct Unit {
    var seq: UInt64
    var kind: EventKind
    var title: TitleID
    /// The event that led to it; 0 where there is none.
    var cause: UInt64
  }

  /// A projection that was put out of date.
  struct Invalidation: Hashable {
    /// The event, or end of a transaction, that completed the change.
    var seq: UInt64
    var projection: ProjectionID
    var depth: Int32
    var causes: Causes
  }

  // Checking at run time that nothing reads these while they change took a fifteenth of `cascades`. They change in the
  // functions below alone, which call nothing.
  @exclusivity(unchecked) private(set) var root: UInt64 = 0
  /// In the order in which they were met, each once.
  @exclusivity(unchecked) private(set) var units: [Unit] = []
  /// In the order in which they ended.
  @exclusivity(unchecked) private(set) var evaluations: [Evaluation] = []
  @exclusivity(unchecked) private(set) var invalidations: [Invalidation] = []
  /// What the session itself recorded as invalidated; the depth is not recorded.
  @exclusivity(unchecked) private(set) var recorded: [Invalidation] = []
  /// The last parents of those that ran, and of their ancestors.
  @exclusivity(unchecked) private(set) var parents: [ProjectionID: ProjectionID] = [:]
  /// Those of the units that ended one.
  @exclusivity(unchecked) private var transactions: [UInt64: Transaction] = [:]
  /// The index of each unit, once there are many.
  @exclusivity(unchecked) private var unitIndices: [UInt64: Int] = [:]

  /// Begins with another root; the memory is used again.
  func begin(_ root: UInt64) {
    self.root = root
    units.removeAll(keepingCapacity: true)
    evaluations.removeAll(keepingCapacity: evaluations.count < 64)
    invalidations.removeAll(keepingCapacity: invalidations.count < 64)
    recorded.removeAll(keepingCapacity: recorded.count < 64)
    if !parents.isEmpty { parents.removeAll() }
    if !unitIndices.isEmpty { unitIndices.removeAll() }
    if !transactions.isEmpty { transactions.removeAll() }
  }

  /// The same, whatever becomes of this one.
  func copy() -> Cascade {
    let copy = Cascade()
    copy.root = root
    copy.units = units
    copy.evaluations = evaluations
    copy.invalidations = invalidations
    copy.recorded = recorded
    copy.parents = parents
    copy.unitIndices = unitIndices
    copy.transactions = transactions
    return copy
  }

  /// Whether an event is a unit of it.
  func hasUnit(_ seq: UInt64) -> Bool {
    if !unitIndices.isEmpty { return unitIndices[seq] != nil }
    for unit in units where unit.seq == seq { return true }
    return false
  }

  func unit(_ seq: UInt64) -> Unit? {
    if !unitIndices.isEmpty { return unitIndices[seq].map { units[$0] } }
    return units.last { $0.seq == seq }
  }

  /// The transaction that a unit ended.
  func transaction(endedBy seq: UInt64) -> Transaction? { transactions[seq] }

  /// Adds a unit that is not there yet.
  func add(_ unit: Unit, _ transaction: Transaction?) {
    units.append(unit)
    if let transaction { transactions[unit.seq] = transaction }
    if !unitIndices.isEmpty {
      unitIndices[unit.seq] = units.count - 1
    } else if units.count > 16 {
      for (index, unit) in units.enumerated() { unitIndices[unit.seq] = index }
    }
  }

  /// Adds an evaluation, with the parents that projections have at that time.
  func add(_ evaluation: Evaluation, ancestors: ProjectionMap<ProjectionID?>) {
    evaluations.append(evaluation)
    var child = evaluation.projection
    while let parent = ancestors[child], parents.updateValue(parent, forKey: child) == nil { child = parent }
  }

  func addInvalidation(_ invalidation: Invalidation) { invalidations.append(invalidation) }

  func addRecorded(_ invalidation: Invalidation) { recorded.append(invalidation) }
}
