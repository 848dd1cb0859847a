import BenchSupport
import EventLog

/// The cost of reading, measured on one ``BigLog``.
///
/// Each figure is one line: a name, the number of operations, and a unit.
struct ReadContests {
  /// One figure, taken once a round.
  struct Figure {
    var name: String
    /// The number that one round's time is divided by; nil for the number of events in the log.
    var per: Int?
    /// Nanoseconds in the unit.
    var scale: Double
    var unit: String
    /// Does the work once.
    var work: (BigLog) throws -> Void
  }

  static var figures: [Figure] {
    [
      .whole("open") { log in
        guard try LogReader(path: log.path).eventCount == log.events else {
          throw BenchError("events are missing")
        }
      },
      .perEvent("every event as a value") { log in
        var count = 0
        try LogReader(path: log.path).forEachEvent { count += $0.seq > 0 ? 1 : 0 }
        guard count == log.events else { throw BenchError("\(count) events were read") }
      },
      .perEvent("every row") { log in
        var count = 0
        var sum: Int64 = 0
        try LogReader(path: log.path).forEachBlock { _, rows in
          var row = EventLog.Row()
          while try rows.next(&row) {
            count += 1
            if case .int(let value) = row.value { sum &+= value }
          }
        }
        guard count == log.events, sum != 0 else { throw BenchError("\(count) rows were read") }
      },
      .perEvent("every block checked, then every row") { log in
        var count = 0
        try LogReader(path: log.path, scanned: true).forEachBlock { _, rows in
          var row = EventLog.Row()
          while try rows.next(&row) { count += 1 }
        }
        guard count == log.events else { throw BenchError("\(count) rows were read") }
      },
      .whole("open, and what info shows") { log in
        let totals = try LogReader(path: log.path).totals()
        guard totals?.events.values.reduce(0, +) == log.events else { throw BenchError("no totals") }
      },
      .whole("open, and every set of one rare path") { log in
        let reader = try LogReader(path: log.path)
        let pattern = try PathPattern(parsing: BigLog.rarePath.description)
        var count = 0
        try reader.read(reader.blocks(writing: pattern)) { _, rows in
          let isRare = rows.tables.steps.indices.map {
            rows.tables.path(BlockPathID(index: $0)) == BigLog.rarePath
          }
          var row = EventLog.Row()
          while try rows.next(&row) {
            if row.kind == .set, let path = row.path, isRare[path.index] { count += 1 }
          }
        }
        guard count == log.events / 500_000 else { throw BenchError("\(count) sets were found") }
      },
      .whole("open, and the state at a random seq") { log in
        _ = try LogReader(path: log.path).state(at: .random(in: 1...UInt64(log.events)))
      },
    ]
  }

  static func run(events: Int, rounds: Int) throws {
    let log = try BigLog(events: events)
    print("\nread a log of \(events.grouped) events, \(log.byteCount.grouped) bytes")
    for figure in figures {
      let taken = try (0..<rounds).map { _ -> Double in
        let elapsed = try ContinuousClock().measure { try figure.work(log) }
        return elapsed.nanoseconds / Double(figure.per ?? events) / figure.scale
      }
      print("  \(figure.name.padded(to: 46)) \(Spread(taken).text(unit: figure.unit))")
    }
  }
}

extension ReadContests.Figure {
  /// A figure in nanoseconds an event.
  static func perEvent(_ name: String, _ work: @escaping (BigLog) throws -> Void) -> Self {
    Self(name: name, per: nil, scale: 1, unit: "ns", work: work)
  }

  /// A figure in milliseconds for the whole.
  static func whole(_ name: String, _ work: @escaping (BigLog) throws -> Void) -> Self {
    Self(name: name, per: 1, scale: 1e6, unit: "ms", work: work)
  }
}
