import EventLog

/// Finds the recorded runs that are left out where derived values are in place of what callbacks wrote: those that a run for
/// such a write replaced, and what ran along with them and runs again.
struct DerivedCallbacks {
  private var replaced = ReplacedRuns()
  private var steps: [ReplacedRuns.Step] = []
  /// For each entry of the flush that is over; empty if none is left out.
  private var isLeftOut: [Bool] = []
  private let isOn: Bool

  /// - Parameter isOn: Whether there are rules for derived values at all.
  init(isOn: Bool) { self.isOn = isOn }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) { if isOn { replaced.observe(&run) } }

  /// Looks at each run when it has ended.
  mutating func countRun(_ entry: FlushRuns.Entry, at time: UInt64) {
    if let step = replaced.countRun(entry, at: time) { steps.append(step) }
  }

  /// Whether a projection wrote something in a run of its own.
  func hasWritten(_ group: GroupID<ProjectionID>) -> Bool {
    replaced.consequences.writers.contains(group)
  }

  /// Whether an entry of the flush is left out. Needs ``settle(_:_:_:_:)``.
  func leavesOut(_ entry: Int) -> Bool { entry < isLeftOut.count && isLeftOut[entry] }

  /// Ends a flush, whose runs are nested. Returns how many are left out.
  ///
  /// - Parameter wasOutOfDate: For each entry, whether it takes place for what it reads under the rules.
  mutating func settle(
    _ entries: [FlushRuns.Entry], _ wasOutOfDate: [Bool], _ derivations: inout Derivations,
    _ run: inout LogRun
  ) -> Int {
    if !isOn { return 0 }
    replaced.settle(run)
    var found: Set<Int> = []
    for step in steps where step.earlier.flush == replaced.flush && wasOutOfDate[step.entry] {
      let entry = entries[step.entry]
      guard entry.wasInvalidated, let writer = replaced.consequences.link(of: entry.cause)?.writer else {
        continue
      }
      let path = run.writtenPath(of: entry.cause)
      if derivations.concern(writer, writing: path, run.tables) { found.insert(step.earlier.entry) }
    }
    if found.isEmpty { return 0 }
    var last: [ProjectionID: Int] = [:]
    for (index, entry) in entries.enumerated() { last[entry.projection] = index }
    let along = entries.indices.filter { index in
      !entries[index].isFirst && last[entries[index].projection] != index && isWithin(found, index, entries)
    }
    found.formUnion(along)
    isLeftOut = entries.indices.map { found.contains($0) }
    return found.count
  }

  private func isWithin(_ runs: Set<Int>, _ index: Int, _ entries: [FlushRuns.Entry]) -> Bool {
    var next = entries[index].within
    // More steps than runs are ever nested: the runs form a cycle.
    for _ in 0..<64 {
      guard let within = next else { return false }
      if runs.contains(within) { return true }
      next = entries[within].within
    }
    return false
  }

  /// Starts the next flush.
  mutating func removeAll() {
    if !isOn { return }
    replaced.removeAll()
    steps.removeAll(keepingCapacity: true)
    isLeftOut.removeAll(keepingCapacity: true)
  }
}
