import EventLog

/// Counts the runs that another one of the same chain of causes replaced, by the projection that ran for what a callback had set.
struct CallbackChains {
  struct Found {
    /// Chains, and the runs of the projection in them but for the first of each.
    var chains = 0
    var runs = 0
    /// How many of these are of another flush than the run that they replaced.
    var late = 0
    /// How often it ran for each path at first, and how often each path ran it again.
    var starts: [GroupID<PathID>: Int] = [:]
    var paths: [GroupID<PathID>: Int] = [:]
    /// The callbacks that set these, or whose tasks did.
    var writers: [GroupID<ProjectionID>: Int] = [:]
    /// The runs that were replaced, with those that had run along.
    var replaced = LintSums()
    var evidence = Evidence()
  }

  private struct Invalidation {
    var unit: UInt64
    var path: GroupID<PathID>
  }

  /// A run that replaced one, until its flush is over.
  private struct Again {
    var step: ReplacedRuns.Step
    /// For what the replaced run took place, and what has put the projection out of date since.
    var start: GroupID<PathID>?
    var causes: [Invalidation]
  }

  private(set) var found: [GroupID<ProjectionID>: Found] = [:]
  private var runs = ReplacedRuns()
  private var again: [Again] = []
  /// The path for which each projection last ran.
  private var lastPaths = ProjectionMap<GroupID<PathID>?>(default: nil)
  /// What has put a projection out of date since a run that may be replaced.
  private var waiting: [ProjectionID: [Invalidation]] = [:]
  private static let waitingMax = 8

  init() {}

  /// The writes of the flush that follow from others.
  var writes: [Consequences.Write] { runs.consequences.writes }

  /// Whether a task made a write that follows from another. Known once the flush of the write is over.
  func isOfTask(_ unit: UInt64) -> Bool { runs.consequences.link(of: unit)?.isLate ?? false }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) { runs.observe(&run) }

  /// Looks at an invalidation of a projection by a write of a path.
  @inline(__always)
  mutating func apply(_ projection: ProjectionID, by unit: UInt64, _ path: GroupID<PathID>) {
    if runs.mayReplace(projection, by: unit) { wait(projection, Invalidation(unit: unit, path: path)) }
  }

  @inline(never)
  private mutating func wait(_ projection: ProjectionID, _ invalidation: Invalidation) {
    if waiting[projection]?.count ?? 0 < Self.waitingMax {
      waiting[projection, default: []].append(invalidation)
    }
  }

  /// Looks at a run that has ended.
  ///
  /// - Parameter path: The path for which it took place; nil if that is not known.
  mutating func countRun(_ entry: FlushRuns.Entry, for path: GroupID<PathID>?, at time: UInt64) {
    let causes = waiting.isEmpty ? nil : waiting.removeValue(forKey: entry.projection)
    let step = runs.countRun(entry, at: time)
    defer { lastPaths[entry.projection] = path }
    guard let step else { return }
    again.append(Again(step: step, start: lastPaths[entry.projection], causes: causes ?? []))
  }

  /// Ends a flush, whose runs are nested.
  mutating func settle(_ entries: [FlushRuns.Entry], isCounting: Bool, _ run: borrowing LogRun) {
    runs.settle(run)
    if isCounting, !again.isEmpty { count(entries) }
    again.removeAll(keepingCapacity: true)
  }

  /// Starts the next flush.
  mutating func removeAll() { runs.removeAll() }

  private mutating func count(_ entries: [FlushRuns.Entry]) {
    var heads: Set<Int> = []
    for again in again where entries[again.step.entry].wasInvalidated {
      if count(again, entries[again.step.entry]) { heads.insert(again.step.entry) }
    }
    for again in again where !heads.contains(again.step.entry) {
      guard let head = head(around: again.step.entry, heads, entries) else { continue }
      found[entries[head].group]?.replaced.countRun(again.step.earlier.duration, again.step.earlier.changed)
    }
  }

  private func head(around entry: Int, _ heads: Set<Int>, _ entries: [FlushRuns.Entry]) -> Int? {
    var next = entries[entry].within
    // More steps than runs are ever nested: the runs form a cycle.
    for _ in 0..<64 {
      guard let index = next else { return nil }
      if heads.contains(index) { return index }
      next = entries[index].within
    }
    return nil
  }

  /// Returns false if nobody is known who set something else because of what the projection had run for.
  private mutating func count(_ again: Again, _ entry: FlushRuns.Entry) -> Bool {
    let set = again.causes.filter { cause in
      // A callback that corrects what woke it has to wait for it.
      guard cause.path != again.start, let link = runs.consequences.link(of: cause.unit) else { return false }
      return link.isLate || link.writer.map { $0 != entry.group } ?? false
    }
    if set.isEmpty { return false }
    var now = found[entry.group] ?? Found()
    if !again.step.earlier.isLater {
      now.chains += 1
      now.evidence.append(again.step.origin)
      if let start = again.start { now.starts[start, default: 0] += 1 }
    }
    now.runs += 1
    if again.step.earlier.flush != runs.flush { now.late += 1 }
    for cause in set {
      now.paths[cause.path, default: 0] += 1
      guard let writer = runs.consequences.link(of: cause.unit)?.writer else { continue }
      now.writers[writer, default: 0] += 1
    }
    now.replaced.countRun(again.step.earlier.duration, again.step.earlier.changed)
    found[entry.group] = now
    return true
  }
}
