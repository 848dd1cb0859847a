import EventLog

/// Where the work of a run goes: by projection and by path.
package struct HotReport: Codable, Sendable {
  /// Which projections come first.
  package enum Order: String, Sendable, CaseIterable {
    case evaluations, time
    /// The time of evaluations with the same output as before, then their number.
    case waste
  }

  /// The instances of one projection, together.
  package struct ProjectionLine: Codable, Sendable {
    package var name: String
    package var instances = 0
    /// How often one was put out of date.
    package var invalidations = 0
    package var evaluations = 0
    /// Evaluations whose output was the same as before.
    package var wasted = 0
    /// Time in evaluations, in nanoseconds, and that in the wasted ones.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// Evaluations a second, where the run was long enough to tell, and the most in one second of it.
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

  /// The places of one kind, together.
  package struct PathLine: Codable, Sendable {
    package var path: String
    package var sets = 0
    /// Sets that changed nothing, and so invalidated nothing that tracks by element or property.
    package var sameValue = 0
    /// Invalidations that a write here led to.
    package var invalidations = 0
    /// How many invalidations a write that changed something led to, on average and at most.
    package var fanOut: Double?
    package var fanOutMax = 0
    /// Sets a second, where the run was long enough to tell, and the most in one second of it.
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
  /// From the first event that was looked at to the last, in nanoseconds.
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
    var counter = HotCounter(selection)
    let run = try log.play(to: &counter, progress: progress)
    self = counter.report(run)
    sort(by: order)
  }

  /// Puts the projections in order; those that are alike stay as they are.
  private mutating func sort(by order: Order) {
    let ranked = projections.enumerated().sorted { a, b in
      let (first, second) = (a.element, b.element)
      switch order {
      case .evaluations: break
      case .time: if first.time != second.time { return first.time > second.time }
      case .waste:
        if (first.wastedTime, first.wasted) != (second.wastedTime, second.wasted) {
          return (first.wastedTime, first.wasted) > (second.wastedTime, second.wasted)
        }
      }
      return a.offset < b.offset
    }
    projections = ranked.map(\.element)
  }
}
