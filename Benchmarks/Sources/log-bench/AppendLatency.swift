import BenchSupport
import CPeers
import EventLog

/// What one call on the hot path takes: a set of an Int at a path that the writer knows.
enum AppendLatency {
  static func run(events: Int, rounds: Int) throws {
    let clock = TickClock()
    print("\nappend an Int set from the hot path, call by call, \(events.grouped) calls a round")
    print("  the clock's own cost, subtracted: \(clock.cost.short) ns")
    var rows: [String: [Double]] = [:]
    let percentiles: [(String, Double)] = [("median", 50), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99)]
    for _ in 0..<rounds {
      let latency = try measure(events)
      for (name, percentile) in percentiles {
        let figure = latency.nanoseconds(at: percentile, tick: clock.tick, less: clock.cost)
        rows[name, default: []].append(figure)
      }
    }
    for (name, _) in percentiles {
      print("  \(name.padded(to: 46)) \(Spread(rows[name] ?? []).text(unit: "ns"))")
    }
  }

  private static func measure(_ events: Int) throws -> Latency {
    let file = try ScratchFile("append.evlog")
    let writer = try LogWriter(creating: file.path)
    try writer.append(Workload.root, time: 0)
    let paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
    var workload = Workload()
    var latency = Latency()
    for _ in 0..<events {
      let step = workload.next()
      let before = cpu_ticks()
      try writer.set(paths[step.path], .int(step.value), time: step.time)
      latency.record(cpu_ticks() &- before)
    }
    try writer.close()
    return latency
  }
}
