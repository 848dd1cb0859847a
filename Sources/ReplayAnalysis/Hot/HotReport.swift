import EventLog

/// Where the work of a run goes: by projection and by path.
struct HotReport: Codable, Sendable {
  /// The instances of one projection, together.
  struct ProjectionLine: Codable, Sendable {
    var name: String
    var instances = 0
    /// How often one was put out of date.
    var invalidations = 0
    var evaluations = 0
    /// Evaluations whose output was the same as before.
    var wasted = 0
    /// Time in evaluations, in nanoseconds, and that in the wasted ones.
    var time: UInt64 = 0
    var wastedTime: UInt64 = 0
    /// Evaluations a second, where the run was long enough to tell, and the most in one second of it.
    var rate: Double?
    var peak = 0

    enum CodingKeys: String, CodingKey {
      case name, instances, invalidations, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case rate = "per_second"
      case peak = "peak_per_second"
    }
  }

  /// The places of one kind, together.
  struct PathLine: Codable, Sendable {
    var path: String
    var sets = 0
    /// Sets that changed nothing, and so woke nobody who tracks by element or property.
    var sameValue = 0
    /// Invalidations that a write here led to.
    var invalidations = 0
    /// How many invalidations a write that changed something led to, on average and at most.
    var fanOut: Double?
    var fanOutMax = 0
    /// Sets a second, where the run was long enough to tell, and the most in one second of it.
    var rate: Double?
    var peak = 0

    enum CodingKeys: String, CodingKey {
      case path, sets
      case sameValue = "same_value"
      case invalidations
      case fanOut = "fan_out"
      case fanOutMax = "fan_out_max"
      case rate = "per_second"
      case peak = "peak_per_second"
    }
  }

  var projections: [ProjectionLine]
  var paths: [PathLine]
  /// From the first event that was looked at to the last, in nanoseconds.
  var duration: UInt64

  enum CodingKeys: String, CodingKey {
    case projections, paths
    case duration = "duration_ns"
  }
}

extension HotReport {
  /// - Throws: `ToolError` when the selection names nothing that is in the log.
  init(_ log: LogSource, _ selection: Selection, progress: Progress = .hidden) throws {
    var counter = HotCounter(selection)
    var run = Run(log, progress: progress)
    while try run.next(), run.row.seq < selection.seqs.upperBound {
      if run.row.seq >= selection.seqs.lowerBound { counter.add(&run) } else { counter.pass(&run) }
    }
    progress.finish()
    try counter.check(log)
    self = counter.report
  }
}
