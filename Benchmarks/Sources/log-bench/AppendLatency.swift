import BenchSupport
import CPeers
import EventLog

/// The latency of one call on the hot path: a set of an Int at an interned path.
struct AppendLatency {
  private static let percentiles: [(String, Double)] = [
    ("median", 50), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99),
  ]
  /// Calls between two readings of the clock in the second measurement.
  private static let runCalls = 64

  private let clock = TickClock()
  private let events: Int

  static func run(events: Int, rounds: Int) throws {
    try AppendLatency(events: events).run(rounds)
  }

  private init(events: Int) { self.events = events }

  private func run(_ rounds: Int) throws {
    print("\nappend an Int set from the hot path, \(events.grouped) calls a round")
    print("  the clock ticks every \(clock.step.short) ns; its cost, \(clock.cost.short) ns, is subtracted")
    let single = try (0..<rounds).map { _ in try measure(calls: 1) }
    for (name, percentile) in Self.percentiles {
      print("  \(name.padded(to: 46)) \(spread(single, at: percentile, calls: 1))")
    }
    let runs = try (0..<rounds).map { _ in try measure(calls: Self.runCalls) }
    let name = "median of runs of \(Self.runCalls) calls, per call"
    print("  \(name.padded(to: 46)) \(spread(runs, at: 50, calls: Self.runCalls))")
  }

  private func spread(_ rounds: [Latency], at percentile: Double, calls: Int) -> String {
    let figures = rounds.map {
      $0.nanoseconds(at: percentile, tick: clock.tick, less: clock.cost) / Double(calls)
    }
    return Spread(figures).text(unit: "ns")
  }

  /// Reads the clock before and after this many calls.
  private func measure(calls: Int) throws -> Latency {
    let file = try ScratchFile("append.evlog")
    let writer = try LogWriter(creating: file.path)
    try writer.append(Workload.root, time: 0)
    let paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
    var workload = Workload()
    var steps: [(path: LogWriter.InternedPath, value: Int64, time: UInt64)] = []
    var latency = Latency()
    for _ in 0..<events / calls {
      // The events are made in advance, so that only appending is measured.
      steps.removeAll(keepingCapacity: true)
      for _ in 0..<calls {
        let step = workload.next()
        steps.append((paths[step.path], step.value, step.time))
      }
      let before = cpu_ticks()
      for step in steps { try writer.set(step.path, .int(step.value), time: step.time) }
      latency.record(cpu_ticks() &- before)
    }
    try writer.close()
    return latency
  }
}
