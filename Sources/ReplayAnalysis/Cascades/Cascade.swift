import EventLog
import Invalidation

/// An event that nothing caused, and all that it led to, in the numbers of a run.
///
/// Shared, so that nothing is copied on the way; whoever keeps one keeps a ``copy()``.
final class Cascade {
  struct Evaluation {
    var seq: UInt64
    var time: UInt64
    var projection: Int32
    /// The parent at that time; -1 where there was none.
    var parent: Int32
    var duration: UInt64
    var changed: Bool?
    /// The event, or end of a transaction, that woke it; 0 where there is none.
    var cause: UInt64
    /// Whether the projection had not run before.
    var isFirst: Bool
  }

  /// An event that led to others.
  struct Unit {
    var seq: UInt64
    var kind: EventKind
    /// What it is called; see ``CascadeNames``.
    var title: Int32
    /// The event that led to it; 0 where there is none.
    var cause: UInt64
  }

  /// A projection that was put out of date.
  struct Woken: Hashable {
    /// The event, or end of a transaction, that completed the change.
    var seq: UInt64
    var projection: Int32
    var depth: Int32
    var causes: Causes
  }

  // Checking at run time that nobody reads these while they change took a fifteenth of `cascades`. They change in the
  // functions below alone, which call nothing.
  @exclusivity(unchecked) private(set) var root: UInt64 = 0
  /// In the order in which they were met, each once.
  @exclusivity(unchecked) private(set) var units: [Unit] = []
  /// In the order in which they ended.
  @exclusivity(unchecked) private(set) var evaluations: [Evaluation] = []
  @exclusivity(unchecked) private(set) var invalidations: [Woken] = []
  /// What the session itself recorded as invalidated; the depth is not recorded.
  @exclusivity(unchecked) private(set) var recorded: [Woken] = []
  /// The last parents of those that ran, and of their ancestors.
  @exclusivity(unchecked) private(set) var parents: [Int32: Int32] = [:]
  /// Those of the units that ended one.
  @exclusivity(unchecked) private var transactions: [UInt64: Transaction] = [:]
  /// Where each unit is, once there are many.
  @exclusivity(unchecked) private var places: [UInt64: Int] = [:]

  /// Begins with another root; the memory is used again.
  func begin(_ root: UInt64) {
    self.root = root
    units.removeAll(keepingCapacity: true)
    evaluations.removeAll(keepingCapacity: evaluations.count < 64)
    invalidations.removeAll(keepingCapacity: invalidations.count < 64)
    recorded.removeAll(keepingCapacity: recorded.count < 64)
    if !parents.isEmpty { parents.removeAll() }
    if !places.isEmpty { places.removeAll() }
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
    copy.places = places
    copy.transactions = transactions
    return copy
  }

  /// Whether an event is a unit of it.
  func hasUnit(_ seq: UInt64) -> Bool {
    if !places.isEmpty { return places[seq] != nil }
    for unit in units where unit.seq == seq { return true }
    return false
  }

  func unit(_ seq: UInt64) -> Unit? {
    if !places.isEmpty { return places[seq].map { units[$0] } }
    return units.last { $0.seq == seq }
  }

  /// The transaction that a unit ended.
  func transaction(endedBy seq: UInt64) -> Transaction? { transactions[seq] }

  /// Adds a unit that is not there yet.
  func add(_ unit: Unit, _ transaction: Transaction?) {
    units.append(unit)
    if let transaction { transactions[unit.seq] = transaction }
    if !places.isEmpty {
      places[unit.seq] = units.count - 1
    } else if units.count > 16 {
      for (place, unit) in units.enumerated() { places[unit.seq] = place }
    }
  }

  /// Adds an evaluation, with what is the parent of each projection; -1 for none.
  func add(_ evaluation: Evaluation, ancestors: DenseMap<Int, Int32>) {
    evaluations.append(evaluation)
    var child = evaluation.projection
    var parent = ancestors[Int(child)]
    while parent >= 0, parents.updateValue(parent, forKey: child) == nil {
      child = parent
      parent = ancestors[Int(child)]
    }
  }

  func addInvalidation(_ woken: Woken) { invalidations.append(woken) }

  func addRecorded(_ woken: Woken) { recorded.append(woken) }
}

/// Finds in a cascade who ran and who was woken for what. It is used again for many cascades.
struct CascadeLookup {
  private var runs = WakeMap()
  private var woken = WakeMap()

  /// Takes in a cascade.
  mutating func take(_ cascade: Cascade) {
    runs.removeAll()
    woken.removeAll()
    if cascade.evaluations.isEmpty { return }
    for (place, evaluation) in cascade.evaluations.enumerated() where evaluation.cause > 0 {
      runs[evaluation.cause, evaluation.projection] = Int32(place)
    }
    for (place, invalidation) in cascade.invalidations.enumerated() {
      woken[invalidation.seq, invalidation.projection] = Int32(place)
    }
  }

  /// The last evaluation of a projection for a cause, by its place.
  func evaluation(of projection: Int32, cause: UInt64) -> Int? { runs[cause, projection].map { Int($0) } }

  /// What woke a projection that ran, by its place.
  func invalidation(of evaluation: Cascade.Evaluation) -> Int? {
    evaluation.cause == 0 ? nil : woken[evaluation.cause, evaluation.projection].map { Int($0) }
  }

  /// The nearest ancestor that ran for the same cause, by its place: the projection ran because that did.
  func leader(of evaluation: Cascade.Evaluation, in cascade: Cascade) -> Int? {
    if evaluation.cause == 0 || evaluation.parent < 0 { return nil }
    var next: Int32? = evaluation.parent
    // Whoever has more ancestors than there are is his own.
    for _ in 0...cascade.parents.count {
      guard let name = next, name != evaluation.projection else { return nil }
      if let leader = self.evaluation(of: name, cause: evaluation.cause) { return leader }
      next = cascade.parents[name]
    }
    return nil
  }
}
