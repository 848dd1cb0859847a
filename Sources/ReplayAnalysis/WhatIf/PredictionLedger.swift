import EventLog

/// What ran and what would run, by the numbers of groups.
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

  /// Runs of a group that would take place if another group's would.
  private struct Pending: Hashable {
    var decider: Int32
    var group: Int32
  }

  private var before = DenseMap<Int, Work>(default: Work())
  private var after = DenseMap<Int, Work>(default: Work())
  /// Runs that the log does not have: their time is the mean of those that it has.
  private var extra = DenseMap<Int, Int>(default: 0)
  private var pending: [Pending: Work] = [:]
  private var pendingExtra: [Pending: Int] = [:]
  private var models: [Int32: Int32] = [:]
  /// Groups with an instance that ran because its parent did, and those with one that did not run with it.
  private var followed = DenseMap<Int, Bool>(default: false)
  private var skipped = DenseMap<Int, Bool>(default: false)

  mutating func noteFollowed(_ group: Int32) { followed[Int(group)] = true }

  mutating func noteSkipped(_ group: Int32) { skipped[Int(group)] = true }

  /// Counts a run of the log, and whether it would take place.
  mutating func add(_ entry: FlushRuns.Entry, _ outcome: Outcome) {
    let work = Work(evaluations: 1, time: entry.duration)
    before[Int(entry.group)].add(work)
    switch outcome {
    case .runs: addAfter(work, entry.group)
    case .stays: break
    case .asks(let decider):
      pending[Pending(decider: decider, group: entry.group), default: Work()].add(work)
    }
  }

  /// Counts work that a run of the log does not have.
  mutating func addAfter(_ work: Work, _ group: Int32) { after[Int(group)].add(work) }

  /// Counts a run of a new child within a run of its parent, whose time holds the child's.
  mutating func addContained(_ group: Int32, _ outcome: Outcome) {
    switch outcome {
    case .runs: addAfter(Work(evaluations: 1), group)
    case .stays: break
    case .asks(let decider):
      pending[Pending(decider: decider, group: group), default: Work()].add(Work(evaluations: 1))
    }
  }

  /// Says that a run of a group that the log does not have is to take as long as one of another.
  mutating func note(_ group: Int32, like other: Int32) { models[group] = other }

  /// Counts a run that the log does not have.
  mutating func addExtra(_ group: Int32, _ outcome: Outcome) {
    switch outcome {
    case .runs: addExtras(1, group)
    case .stays: break
    case .asks(let decider): pendingExtra[Pending(decider: decider, group: group), default: 0] += 1
    }
  }

  /// Counts so many runs that the log does not have.
  mutating func addExtras(_ count: Int, _ group: Int32) { extra[Int(group)] += count }

  /// What a run of a group took in the mean.
  private func meanTime(_ group: Int) -> UInt64 {
    let group = Int(models[Int32(group)] ?? Int32(group))
    guard before[group].evaluations > 0 else { return 0 }
    return before[group].time / UInt64(before[group].evaluations)
  }

  /// How many runs there are in the prediction that the log does not have.
  var extraCount: Int { extra.values.reduce(0, +) }

  /// Whether anything ran in the log.
  var hasRuns: Bool { before.values.contains { $0.evaluations > 0 } }

  /// All of it, once the log is at its end.
  func finished(_ groups: [String]) -> [(name: String, before: Work?, after: Work, unknown: Work)] {
    var lines = groups.indices.map { group in
      (
        name: groups[group],
        before: before[group].evaluations > 0 ? before[group] : nil,
        after: after[group], unknown: Work()
      )
    }
    for group in groups.indices { lines[group].after.add(mean(group, extra[group])) }
    func decide(_ who: Pending, _ work: Work) {
      let decider = Int(who.decider)
      if skipped[decider] { return }
      if followed[decider] {
        lines[Int(who.group)].after.add(work)
      } else {
        lines[Int(who.group)].unknown.add(work)
      }
    }
    for (who, work) in pending { decide(who, work) }
    for (who, count) in pendingExtra { decide(who, mean(Int(who.group), count)) }
    return lines
  }

  private func mean(_ group: Int, _ count: Int) -> Work {
    let (time, overflow) = UInt64(count).multipliedReportingOverflow(by: meanTime(group))
    return Work(evaluations: count, time: overflow ? .max : time)
  }
}

/// What would become of a run.
enum Outcome: Equatable {
  case runs
  case stays
  /// It runs if instances of a group run whenever their parent does.
  case asks(Int32)
}
