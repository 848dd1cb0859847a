import EventLog
import Foundation

/// Why a plan has no verdict.
struct Trouble: Error, CustomStringConvertible {
  let description: String
}

/// Writes a log again with the times of its world, which are the same each time that it is made.
///
/// A session gives its events the times of the system's clock. The world's marks say what time it is for the app, and are left
/// out; bodies take as long as the work that they said to do.
struct SimulatedLog {
  private var done: [String: ArraySlice<Work.Done>]
  private var time: UInt64 = 0
  /// The seq of each event in the new log; 0 of those that are left out.
  private var seqs: [UInt64] = []
  private var nextSeq: UInt64 = 1
  private var cost = Cost()

  /// What an event takes by itself, in nanoseconds.
  private static let eventTime: UInt64 = 200

  /// Returns what the bodies have cost.
  ///
  /// - Parameter done: What work they have done, by their names.
  static func write(_ raw: URL, to log: URL, program: String, done: [String: [Work.Done]]) throws -> Cost {
    var options = LogOptions.replacingExisting
    options.timeUnit = .nanoseconds
    options.program = program
    let writer = try LogWriter(creating: log.path, options: options)
    var simulated = SimulatedLog(done: done.mapValues { $0[...] })
    try LogReader(path: raw.path).forEachEvent { event in
      if let event = try simulated.simulated(event) { try writer.append(event) }
    }
    try writer.close()
    for (name, rest) in simulated.done where !rest.isEmpty {
      throw Trouble(description: "\(rest.count) runs of \(name) are not in the log")
    }
    return simulated.cost
  }

  private init(done: [String: ArraySlice<Work.Done>]) { self.done = done }

  private mutating func simulated(_ event: Event) throws -> Event? {
    if case .mark(let label) = event.body, let moment = World.moment(ofMark: label) {
      time = max(time, moment)
      seqs.append(0)
      return nil
    }
    var event = event
    let body = try body(event.body)
    time += Self.eventTime
    event.time = time
    event.seq = nextSeq
    event.cause = event.cause.map(newSeq)
    event.body = body
    seqs.append(nextSeq)
    nextSeq += 1
    return event
  }

  private mutating func body(_ body: Event.Body) throws -> Event.Body {
    switch body {
    case .invalidate(let name, let causes): return .invalidate(projection: name, causes: causes.map(newSeq))
    case .evaluate(let name, _, let changed, let inputChanged, _):
      let work = try popWork(ofRunOf: name)
      let duration = Work.least + UInt64(work.units) * Work.unit
      time += duration
      cost.runs += 1
      cost.time += Int(duration)
      return .evaluate(
        projection: name, duration: duration, changed: changed, inputChanged: inputChanged,
        comparing: UInt64(work.comparing) * Work.unit)
    default: return body
    }
  }

  /// A callback's run is not among the bodies, and does nothing that takes long.
  private mutating func popWork(ofRunOf name: String) throws -> Work.Done {
    let body = String(name.prefix { $0 != "#" })
    guard done[body] != nil else { return Work.Done() }
    guard let work = done[body]?.popFirst() else {
      throw Trouble(description: "the log has more runs of \(body) than bodies ran")
    }
    return work
  }

  private func newSeq(_ seq: UInt64) -> UInt64 { seqs[Int(seq) - 1] }
}
