import EventLog

/// The runs that took place and those that would, by group.
///
/// It is not always known at once whether a projection that reads state would also have run with its parent.
/// Such runs wait for what the rest of the log shows of the group.
package struct PredictionLedger {
  package struct Work: Encodable, Sendable {
    package var evaluations = 0
    package var time: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case evaluations
      case time = "time_ns"
    }

    package init(evaluations: Int = 0, time: UInt64 = 0) {
      self.evaluations = evaluations
      self.time = time
    }

    /// The mean time of one; 0 if there are none.
    fileprivate var mean: UInt64 { evaluations == 0 ? 0 : time / UInt64(evaluations) }

    package mutating func add(_ other: Work) {
      evaluations += other.evaluations
      time += other.time
    }
  }

  /// The counts of one group.
  struct Counts {
    var before = Work()
    var after = Work()
    /// Runs for which the log does not show whether they would take place.
    var unknown = Work()
    /// The recorded runs that were the first of their projections.
    fileprivate var firsts = Work()
    /// The number of runs that are not in the log. Each is estimated to take the mean time of the recorded
    /// ones.
    fileprivate var extra = 0

    /// The recorded runs but the first ones.
    fileprivate var later: Work {
      Work(evaluations: before.evaluations - firsts.evaluations, time: before.time - firsts.time)
    }

    fileprivate var isEmpty: Bool {
      before.evaluations == 0 && after.evaluations == 0 && unknown.evaluations == 0
    }
  }

  /// Runs of one group that take place if runs of another group, the decider, would.
  private struct Pending: Hashable {
    var decider: GroupID<ProjectionID>
    var group: GroupID<ProjectionID>
  }

  private var counts = DenseMap<GroupID<ProjectionID>, Counts>(default: Counts())
  /// The derived values by which projections decide whether to run, with the group of these.
  private var derivedValues: [GroupID<ProjectionID>: (group: GroupID<ProjectionID>, count: Int)] = [:]
  private var pending: [Pending: Work] = [:]
  private var pendingExtra: [Pending: Int] = [:]
  /// For each group that the log does not have, those whose runs its own may be like.
  private var models: [GroupID<ProjectionID>: Set<GroupID<ProjectionID>>] = [:]

  /// Counts a recorded run, and whether it would take place.
  mutating func add(_ entry: FlushRuns.Entry, _ outcome: Outcome) {
    let work = Work(evaluations: 1, time: entry.duration)
    counts[entry.group].before.add(work)
    if entry.isFirst { counts[entry.group].firsts.add(work) }
    add(work, entry.group, outcome)
  }

  /// Counts a run of a new child within its parent's run, whose time contains the child's.
  mutating func addContained(_ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    add(Work(evaluations: 1), group, outcome)
  }

  /// Counts that a derived value was computed, by which a projection of a group decides whether to run.
  mutating func addDerivedValue(_ values: GroupID<ProjectionID>, of group: GroupID<ProjectionID>) {
    derivedValues[values, default: (group, 0)].count += 1
  }

  /// What a derived value is taken to cost, which the log does not know: a microsecond, and at most half of the run that it
  /// may spare, of which it does a part.
  private func derivedTime(of group: GroupID<ProjectionID>) -> UInt64 { min(1000, mean(group, 1).time / 2) }

  /// The number of derived values that were computed by rules.
  var derivedCount: Int { derivedValues.values.reduce(0) { $0 + $1.count } }

  private mutating func add(_ work: Work, _ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    switch outcome {
    case .runs: counts[group].after.add(work)
    case .stays: break
    case .asks(let decider): pending[Pending(decider: decider, group: group), default: Work()].add(work)
    }
  }

  /// Records that runs of a group that the log does not have take no longer than those of another group.
  mutating func insert(_ group: GroupID<ProjectionID>, like other: GroupID<ProjectionID>) {
    models[group, default: []].insert(other)
  }

  /// Counts a run that is not in the log.
  mutating func addExtra(_ group: GroupID<ProjectionID>, _ outcome: Outcome) {
    switch outcome {
    case .runs: addExtras(1, group)
    case .stays: break
    case .asks(let decider): pendingExtra[Pending(decider: decider, group: group), default: 0] += 1
    }
  }

  /// Counts several runs that are not in the log.
  mutating func addExtras(_ count: Int, _ group: GroupID<ProjectionID>) { counts[group].extra += count }

  /// The number of predicted runs that are not in the log.
  var extraCount: Int { counts.values.reduce(0) { $0 + $1.extra } }

  /// Whether the log has any runs.
  var hasRuns: Bool { counts.values.contains { $0.before.evaluations > 0 } }

  /// The counts by group, with pending runs decided by what was learnt. To be called at the end of the log.
  func finished(_ followers: Followers) -> [(group: GroupID<ProjectionID>, counts: Counts)] {
    var finished = counts
    for (index, known) in counts.values.enumerated() where known.extra > 0 {
      finished[GroupID(index)].after.add(mean(GroupID(index), known.extra))
    }
    for (values, known) in derivedValues {
      let time = UInt64(known.count) * derivedTime(of: known.group)
      finished[values].after.add(Work(evaluations: known.count, time: time))
    }
    func decide(_ runs: Pending, _ work: Work) {
      if followers.skipped.contains(runs.decider) { return }
      if followers.followed.contains(runs.decider) {
        finished[runs.group].after.add(work)
      } else {
        finished[runs.group].unknown.add(work)
      }
    }
    for (runs, work) in pending { decide(runs, work) }
    for (runs, count) in pendingExtra { decide(runs, mean(runs.group, count)) }
    return finished.values.enumerated().filter { !$1.isEmpty }.map { (GroupID($0), $1) }
  }

  /// The estimated work of some runs of a group, from the mean time of the recorded ones.
  private func mean(_ group: GroupID<ProjectionID>, _ count: Int) -> Work {
    let means = (models[group] ?? [group]).lazy.map { counts[$0] }.filter { $0.before.evaluations > 0 }
      .map { known in
        let mean = known.before.mean
        return known.later.evaluations > 0 ? mean : UInt64(Double(mean) * laterShare)
      }
    return Work(evaluations: count, time: UInt64(count) * (means.min() ?? 0))
  }

  /// How much of a first run, which makes all that is below, later runs take. Of groups that have both; 1 if none has.
  private var laterShare: Double {
    let both = counts.values.filter { $0.firsts.evaluations > 0 && $0.later.evaluations > 0 }
    let firsts = both.reduce(0) { $0 + Double($1.firsts.mean) }
    return firsts > 0 ? min(1, both.reduce(0) { $0 + Double($1.later.mean) } / firsts) : 1
  }
}

/// The prediction for one run.
enum Outcome: Equatable {
  case runs
  case stays
  /// It runs if instances of this group run whenever their parents do.
  case asks(GroupID<ProjectionID>)
}
