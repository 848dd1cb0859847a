import EventLog

/// Sums of runs. Those that were for nothing, as the account has it, are the `wasted` ones.
struct LintSums: RunCounts {
  var evaluations = 0
  var wasted = 0
  var time: UInt64 = 0
  var wastedTime: UInt64 = 0
  /// Those of which it cannot be told whether they were for nothing, since their bodies have no value.
  private(set) var unknown = 0
  /// Those whose own output was the same, whatever happened below them, and their time.
  private(set) var equalOutputs = 0
  private(set) var equalOutputTime: UInt64 = 0

  mutating func add(_ entry: FlushRuns.Entry) {
    countRun(entry.duration, entry.isForNothing.map { !$0 })
    if entry.isForNothing == nil { unknown += 1 }
    guard entry.changed == false else { return }
    equalOutputs += 1
    equalOutputTime += entry.duration
  }

  mutating func add(_ other: LintSums) {
    evaluations += other.evaluations
    wasted += other.wasted
    time += other.time
    wastedTime += other.wastedTime
    unknown += other.unknown
    equalOutputs += other.equalOutputs
    equalOutputTime += other.equalOutputTime
  }

  /// Whether at least this share, in per cent, was for nothing, of those of which that is known: at least half of all.
  func isWasted(atLeast percent: Int) -> Bool {
    let known = evaluations - unknown
    return 2 * known >= evaluations && LintThresholds.isShare(wasted, of: known, atLeast: percent)
  }

  /// What is saved where the runs that were for nothing are.
  var waste: LintReport.Price { LintReport.Price(runs: wasted, time: wastedTime) }

  /// What is saved where none of them are made.
  var all: LintReport.Price { LintReport.Price(runs: evaluations, time: time) }
}
