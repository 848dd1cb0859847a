import EventLog

/// The work of a run by projection and by path.
package struct HotReport: Codable, Sendable {
  /// What projections are ranked by.
  package enum Order: String, Sendable, CaseIterable {
    case evaluations, time
    /// The time of evaluations with the same output as before, then their number.
    case waste

    /// Whether one of two lines comes before the other by its time or its waste; nil if that does not tell.
    func precedes(_ a: some RunCounts, _ b: some RunCounts) -> Bool? {
      switch self {
      case .evaluations: nil
      case .time: a.time == b.time ? nil : a.time > b.time
      case .waste:
        (a.wastedTime, a.wasted) == (b.wastedTime, b.wasted)
          ? nil : (a.wastedTime, a.wasted) > (b.wastedTime, b.wasted)
      }
    }
  }

  /// The counts of one projection's instances together.
  package struct ProjectionLine: Codable, Sendable, RunCounts {
    package var name: String
    package var instances = 0
    /// The number of invalidations of its instances.
    package var invalidations = 0
    package var evaluations = 0
    /// Evaluations whose output was the same as before.
    package var wasted = 0
    /// The time in evaluations and in the wasted ones, in nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// Evaluations per second; nil if the run is too short for a rate. And the most in one second.
    package var rate: Double?
    package var peak = 0

    enum CodingKeys: String, CodingKey {
      case name, instances, invalidations, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case rate = "per_second"
      case peak = "peak_per_second"
    }
  }

  /// The counts of all paths of one kind.
  package struct PathLine: Codable, Sendable {
    package var path: String
    package var sets = 0
    /// The sets that changed nothing, and so invalidated only projections that track by object.
    package var sameValue = 0
    /// The number of invalidations that writes to these paths caused.
    package var invalidations = 0
    /// The number of invalidations that a set which changed something caused, on average and at most.
    package var fanOut: Double?
    package var fanOutMax = 0
    /// Sets per second; nil if the run is too short for a rate. And the most in one second.
    package var rate: Double?
    package var peak = 0

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

  package var projections: [ProjectionLine]
  package var paths: [PathLine]
  /// The time from the first counted event to the last, in nanoseconds.
  package var duration: UInt64

  enum CodingKeys: String, CodingKey {
    case projections, paths
    case duration = "duration_ns"
  }
}

extension HotReport {
  /// - Throws: `AnalysisError` when the selection names nothing that is in the log.
  package init(
    _ log: LogSource, _ selection: Selection, by order: Order = .evaluations,
    progress: AnalysisProgress = .hidden
  ) throws {
    let line = try EventsOfLine(log, selection.line, in: selection.seqs, progress: progress)
    var counter = HotCounter(selection, of: line)
    let run = try log.play(to: &counter, progress: progress)
    self = counter.report(run)
    sort(by: order)
  }

  /// Sorts the projections; equal ones keep their order.
  private mutating func sort(by order: Order) {
    projections = projections.enumerated()
      .sorted { a, b in order.precedes(a.element, b.element) ?? (a.offset < b.offset) }.map(\.element)
  }
}
