import EventLog

/// Counts of runs, of one projection or of many.
protocol RunCounts {
  var evaluations: Int { get set }
  /// Those whose output was the same as before.
  var wasted: Int { get set }
  /// The time in all of them and in the wasted ones, in nanoseconds.
  var time: UInt64 { get set }
  var wastedTime: UInt64 { get set }
}

extension RunCounts {
  @inline(__always)
  mutating func countRun(_ duration: UInt64, _ changed: Bool?) {
    evaluations += 1
    time += duration
    if changed == false {
      wasted += 1
      wastedTime += duration
    }
  }

  @inline(__always)
  mutating func add(_ other: some RunCounts) { addRuns(of: other) }

  @inline(__always)
  fileprivate mutating func addRuns(of other: some RunCounts) {
    evaluations += other.evaluations
    wasted += other.wasted
    time += other.time
    wastedTime += other.wastedTime
  }
}

/// The same with the invalidations: at a node of a tree, in a tree, or in many.
protocol EffectCounts: RunCounts {
  var invalidations: Int { get set }
  /// How many of these another one superseded.
  var superseded: Int { get set }
}

extension EffectCounts {
  /// Whether nothing was invalidated, and nothing ran.
  var isNone: Bool { evaluations == 0 && invalidations == 0 }

  @inline(__always)
  mutating func add(_ other: some EffectCounts) {
    invalidations += other.invalidations
    superseded += other.superseded
    addRuns(of: other)
  }
}

struct RunSums: RunCounts {
  var evaluations = 0
  var wasted = 0
  var time: UInt64 = 0
  var wastedTime: UInt64 = 0
}

struct EffectSums: EffectCounts {
  var invalidations = 0
  var superseded = 0
  var evaluations = 0
  var wasted = 0
  var time: UInt64 = 0
  var wastedTime: UInt64 = 0
}
