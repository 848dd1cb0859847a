import EventLog

/// Finds runs that another run of the same projection made up for at once, since what showed then was not all that one event of
/// the app's own led to: a callback, or a task that it started, had yet to write something.
///
/// Such a run is a glitch: what it showed is a state that nobody set out to make. Where the pause until the write is so long
/// that a person sees it, it is none, since the app may have meant to show what is there while it waits.
struct ReplacedRuns {
  /// A run, as far as the next one asks.
  struct Run {
    var cause: UInt64
    var origin: UInt64
    var time: UInt64
    var duration: UInt64
    var changed: Bool?
    var stretch: UInt32
    var isFirst: Bool
    /// Whether it replaced one itself.
    var isLater = false
    /// The number of its flush, and its index there.
    var flush: UInt32
    var entry: Int
  }

  /// A run of a flush, by its index, and the run that it replaced.
  struct Step {
    var entry: Int
    var earlier: Run
    var origin: UInt64
  }

  private(set) var consequences = Consequences()
  private var last = ProjectionMap<Run?>(default: nil)
  /// How many runs the flush has, and its number.
  private var count = 0
  private(set) var flush: UInt32 = 0

  init() {}

  /// Looks at a row.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) { consequences.observe(&run) }

  /// Whether a run for a write, if one follows, replaces the last run of a projection.
  @inline(__always)
  func mayReplace(_ projection: ProjectionID, by unit: UInt64) -> Bool {
    guard let link = consequences.link(of: unit), let last = last[projection] else { return false }
    return last.origin == link.origin
  }

  /// Looks at each run when it has ended. Returns the run that it replaced.
  mutating func countRun(_ entry: FlushRuns.Entry, at time: UInt64) -> Step? {
    consequences.countRun(entry)
    let link = consequences.link(of: entry.cause)
    let earlier = last[entry.projection]
    var now = Run(
      cause: entry.cause, origin: link?.origin ?? entry.cause, time: time, duration: entry.duration,
      changed: entry.changed, stretch: consequences.stretch, isFirst: entry.isFirst, flush: flush,
      entry: count)
    count += 1
    defer { last[entry.projection] = now }
    guard let link, let earlier, replaces(now, earlier, link) else { return nil }
    now.isLater = true
    return Step(entry: now.entry, earlier: earlier, origin: link.origin)
  }

  private func replaces(_ run: Run, _ earlier: Run, _ link: Consequences.Link) -> Bool {
    guard run.origin == earlier.origin, run.cause != earlier.cause, !run.isFirst, !earlier.isFirst else {
      return false
    }
    // What one task writes again and again is not led to by what it wrote before.
    if let before = consequences.link(of: earlier.cause), before.parent == link.parent, before.isOfTask,
      link.isOfTask
    {
      return false
    }
    let isSoon = link.time.since(earlier.time).map { $0 <= Consequences.frame } ?? true
    return isSoon || !link.isOfTask && link.stretch == earlier.stretch
  }

  /// Finds out who made the writes of a flush that is over.
  mutating func settle(_ run: borrowing LogRun) { consequences.settle(run) }

  /// Starts the next flush.
  mutating func removeAll() {
    consequences.removeAll()
    count = 0
    flush &+= 1
  }
}
