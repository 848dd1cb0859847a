import EventLog

/// What ran and what would run, by group.
///
/// Whether a projection that reads for itself would also have run with its parent is not always known when it is asked:
/// such runs wait for what the rest of the log tells of its group.
package struct PredictionLedger {
  package struct Work {
    package var evaluations = 0
    package var time: UInt64 = 0

    package init(evaluations: Int = 0, time: UInt64 = 0) {
      self.evaluations = evaluations
      self.time = time
    }

    package mutating func add(_ other: Work) {
      evaluations += other.evaluations
      time.addClamped(other.time)
    }
  }

  /// What is counted of a group.
  struct Counts {
    var before = Work()
    var after = Work()
    /// Runs of which the log does not say whether they would take place.
    var unknown = Work()
    /// Runs that the log does not have: their time is the mean of those that it has.
    fileprivate var extra = 0
    /// Whether an instance ran because its parent did, and whether one did not run with it.
    fileprivate var hasFollowed = false
    fileprivate var hasBeenSkipped = false

    fileprivate var isEmpty: Bool {
      before.evaluations == 0 && after.evaluations == 0 && unknown.evaluations == 0
    }
  }

  /// Runs of a group that would take place if another group's would.
  private struct Pending: Hashable {
    var decider: GroupID<ProjectionID>
    var group: GroupID<ProjectionID>
  }

  private var counts = DenseMap<GroupID<ProjectionID>, Counts>(default: Counts())
  private var pending: [Pending: Work] = [:]
  private var pendingExtra: [Pending: Int] = [:]
  private var models: [GroupID<ProjectionID>: GroupID<ProjectionID>] = [:]

  mutating func noteFollowed(_ group: GroupID<ProjectionID>) { counts[group].hasFollowed = true }

  mutating func noteSkipped(_ group: GroupID<ProjectionID>) { counts[group].hasBeenSkipped = true }

  /// Counts a run of the log, and whether it would take place.
  mutating func add(_ entry: FlushRuns.Entry, _ outcome: Outcome) {
    let work = Work(evaluations: 1, time: entry.duration)
    counts[entry.group].before.add(work)
    add(work, entry.group, outcome)
  }

  /// Counts a run of a new child within a run of its parent, whose time holds the child's.
  mutating func addContained(_ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    add(Work(evaluations: 1), group, outcome)
  }

  private mutating func add(_ work: Work, _ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    switch outcome {
    case .runs: counts[group].after.add(work)
    case .stays: break
    case .asks(let decider): pending[Pending(decider: decider, group: group), default: Work()].add(work)
    }
  }

  /// Notes that a run of a group that the log does not have is to take as long as one of another.
  mutating func note(_ group: GroupID<ProjectionID>, like other: GroupID<ProjectionID>) {
    models[group] = other
  }

  /// Counts a run that the log does not have.
  mutating func addExtra(_ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    switch outcome {
    case .runs: addExtras(1, group)
    case .stays: break
    case .asks(let decider): pendingExtra[Pending(decider: decider, group: group), default: 0] += 1
    }
  }

  /// Counts so many runs that the log does not have.
  mutating func addExtras(_ count: Int, _ group: GroupID<ProjectionID>) { counts[group].extra += count }

  /// How many runs there are in the prediction that the log does not have.
  var extraCount: Int { counts.values.reduce(0) { $0 + $1.extra } }

  /// Whether anything ran in the log.
  var hasRuns: Bool { counts.values.contains { $0.before.evaluations > 0 } }

  /// What was counted, by group, once the log is at its end.
  func finished() -> [(group: GroupID<ProjectionID>, counts: Counts)] {
    var finished = counts
    for (index, known) in counts.values.enumerated() where known.extra > 0 {
      finished[GroupID(index)].after.add(mean(GroupID(index), known.extra))
    }
    func decide(_ runs: Pending, _ work: Work) {
      if counts[runs.decider].hasBeenSkipped { return }
      if counts[runs.decider].hasFollowed {
        finished[runs.group].after.add(work)
      } else {
        finished[runs.group].unknown.add(work)
      }
    }
    for (runs, work) in pending { decide(runs, work) }
    for (runs, count) in pendingExtra { decide(runs, mean(runs.group, count)) }
    return finished.values.enumerated().filter { !$1.isEmpty }.map { (GroupID($0), $1) }
  }

  /// So many runs of a group, each of which takes the mean of those in the log.
  private func mean(_ group: GroupID<ProjectionID>, _ count: Int) -> Work {
    let known = counts[models[group] ?? group].before
    let each = known.evaluations > 0 ? known.time / UInt64(known.evaluations) : 0
    let (time, overflow) = UInt64(count).multipliedReportingOverflow(by: each)
    return Work(evaluations: count, time: overflow ? .max : time)
  }
}

/// What would become of a run.
enum Outcome: Equatable {
  case runs
  case stays
  /// It runs if instances of a group run whenever their parent does.
  case asks(GroupID<ProjectionID>)
}
