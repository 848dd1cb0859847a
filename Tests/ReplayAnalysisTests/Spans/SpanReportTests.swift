import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Totals by action, transaction and mark, compared with a slow count that follows each event's causes.
@Suite struct SpanReportTests {
  @Test(arguments: 1...60)
  func totalsAreThoseOfEachEventsCauses(seed: UInt64) throws {
    let workspace = try Workspace()
    var session = ValidSession(seed: seed)
    let log = try workspace.log(of: session.events(1_500))
    // A log rounds times.
    var events: [Event] = []
    try log.reader.forEachEvent { events.append($0) }
    for kind in SpanKind.allCases {
      let report = try SpanReport(kind, log, Selection(in: log))
      let model = SlowSpans(events, kind)
      #expect(report.lines.map(\.label).sorted() == model.totals.keys.sorted(), "seed \(seed), \(kind)")
      for line in report.lines {
        let total = try #require(model.totals[line.label])
        #expect(
          SlowSpans.Total(line) == total, "seed \(seed), \(kind) \(line.label)")
      }
    }
  }

  @Test func anActionWithinOneOfTheSameLabelCountsOnce() throws {
    let workspace = try Workspace()
    let log = try LogSource(
      path: workspace.log(
        """
        {"kind":"set","path":"app","value":{"a":1}}
        {"kind":"projection","projection":"A"}
        {"kind":"reads","projection":"A","paths":["app.a"]}
        {"kind":"evaluate","projection":"A","duration_ns":5}
        {"kind":"action","label":"Load"}
        {"kind":"action","label":"Load","cause":5}
        {"kind":"set","path":"app.a","value":2,"cause":6}
        {"kind":"evaluate","projection":"A","duration_ns":7,"changed":false,"cause":7}
        {"kind":"finish","outcome":"returned","cause":6}
        {"kind":"finish","outcome":"returned","cause":5}
        """, "nested.evlog"))
    let line = try #require(try SpanReport(.action, log, Selection(in: log)).lines.first)
    #expect((line.count, line.returned, line.writes, line.evaluations) == (2, 2, 1, 1))
    #expect((line.wasted, line.time, line.wastedTime, line.most) == (1, 7, 7, 1))
    let summary = try #require(try SessionSummary(log).actions.first)
    #expect((summary.count, summary.writes, summary.evaluations, summary.wasted) == (2, 1, 1, 1))
    #expect((summary.time, summary.wastedTime) == (7, 7))
    #expect(try CascadeReport(log, Selection(in: log)).actions.map(\.writes) == [1])
  }

  /// Actions within actions, of the same and of other labels, directly and by way of what tasks and callbacks wrote and ran.
  @Test(arguments: 0..<20)
  func nestedActionsCountOnceForEachLabel(trial: Int) throws {
    let seed = testSeed(trial: trial)
    var random = SplitMix64(seed: seed)
    let (app, path) = (try Path(parsing: "app"), try Path(parsing: "app.n"))
    var events = [Event(seq: 1, time: 1_000, body: .set(app, .map(["n": .int(0)]), sameValue: false))]
    events.append(
      Event(seq: 2, time: 2_000, body: .projection(name: "View", parent: nil, tracking: .element)))
    for seq: UInt64 in 3...400 {
      // Mostly because of what came lately, so that chains become long.
      let back = UInt64(random.next() % (random.next() % 4 == 0 ? 60 : 6)) + 1
      let cause = random.next() % 10 == 0 || back >= seq ? nil : seq - back
      let body: Event.Body =
        switch random.next() % 5 {
        case 0: .action(label: ["Load", "Tap", "Row 1", "Row 2"][Int(random.next() % 4)])
        case 1: .finish(.returned)
        case 2: .evaluate(projection: "View", duration: random.next() % 90, changed: random.next() % 2 == 0)
        default: .set(path, .int(Int64(seq)), sameValue: false)
        }
      events.append(Event(seq: seq, time: seq * 1_000, cause: cause, body: body))
    }
    let workspace = try Workspace()
    let log = try workspace.log(of: events)
    // A log rounds times.
    events = []
    try log.reader.forEachEvent { events.append($0) }
    for range: Range<UInt64> in [1..<401, 1..<200, 100..<401, 150..<250] {
      let selection = try Selection(from: .seq(range.lowerBound), to: .seq(range.upperBound - 1), in: log)
      let model = SlowSpans(events, .action, beginningIn: range)
      let lines = try SpanReport(.action, log, selection).lines
      #expect(lines.map(\.label).sorted() == model.totals.keys.sorted(), "seed \(seed)")
      for line in lines {
        #expect(SlowSpans.Total(line) == model.totals[line.label], "seed \(seed), \(range) \(line.label)")
      }
    }
    // A summary has labels without their numbers.
    let model = SlowSpans(events, .action) { $0.hasPrefix("Row") ? "Row *" : $0 }
    for line in try SessionSummary(log).actions {
      let total = try #require(model.totals[line.label])
      #expect(
        (line.count, line.writes, line.evaluations) == (total.count, total.writes, total.evaluations),
        "seed \(seed)"
      )
      #expect((line.wasted, line.time) == (total.wasted, total.time), "seed \(seed)")
    }
  }

  @Test func aRangeAndPatternsSelect() throws {
    let workspace = try Workspace()
    let log = try LogSource(
      path: workspace.log(
        """
        {"kind":"set","path":"app","value":{"a":1,"b":1}}
        {"kind":"projection","projection":"A"}
        {"kind":"reads","projection":"A","paths":["app.a"]}
        {"kind":"evaluate","projection":"A","duration_ns":5}
        {"kind":"action","label":"Tap"}
        {"kind":"set","path":"app.a","value":2,"cause":5}
        {"kind":"evaluate","projection":"A","duration_ns":7,"changed":false,"cause":6}
        {"kind":"set","path":"app.b","value":2,"cause":5}
        {"kind":"finish","outcome":"threw","cause":5}
        {"kind":"action","label":"Tap"}
        {"kind":"set","path":"app.b","value":3,"cause":10}
        """, "lines.evlog"))
    func line(from: UInt64? = nil, path: String? = nil, projection: String? = nil) throws -> SpanReport.Line?
    {
      let selection = try Selection(
        from: from.map { .seq($0) }, projection: projection.map { ProjectionPattern($0) },
        path: try path.map { try PathPattern(parsing: $0) }, in: log)
      return try SpanReport(.action, log, selection).lines.first
    }
    let all = try #require(try line())
    #expect((all.count, all.writes, all.evaluations, all.wasted, all.time, all.threw) == (2, 3, 1, 1, 7, 1))
    let late = try #require(try line(from: 10))
    #expect((late.count, late.writes, late.evaluations, late.settled.longestSeq) == (1, 1, 0, 0))
    #expect(try line(path: "app.a")?.writes == 1)
    #expect(try line(projection: "A")?.evaluations == 1)
    #expect(throws: AnalysisError.self) { try line(projection: "B") }
  }

  @Test func actionsThatNeverEndAreCountedHoweverManyThereAre() throws {
    let workspace = try Workspace()
    var events = (1...200_000).map { Event(seq: $0, time: $0, body: .action(label: "Tap")) }
    // Those that were given up on end after all.
    for cause: UInt64 in 1...100 {
      events.append(Event(seq: 200_000 + cause, time: 200_000, cause: cause, body: .finish(.threw)))
    }
    let log = try workspace.log(of: events)
    let line = try #require(try SpanReport(.action, log, Selection(in: log)).lines.first)
    #expect((line.count, line.threw, line.returned) == (200_000, 100, 0))
  }

  @Test(arguments: [
    ("begin", true), ("log in", true), ("log info: fine", true), ("log info store: refreshed", false),
    ("diagnostic: a mistake", false), ("not run, same input: Row#3", false),
  ])
  func marksThatTheAppDidNotSetBeginNothing(label: String, isOwn: Bool) {
    #expect(SpanTracker.beginsStretch(label) == isOwn)
  }

  /// Stretches that are taken to be over, and then go on, are counted once.
  @Test func whatComesLongAfterAnActionStillCounts() throws {
    var events = [Event(seq: 1, time: 1, body: .action(label: "Tap"))]
    func add(_ body: Event.Body, cause: UInt64? = nil) {
      events.append(
        Event(seq: UInt64(events.count + 1), time: UInt64(events.count + 1), cause: cause, body: body))
    }
    let path = try Path(parsing: "app")
    add(.finish(.returned), cause: 1)
    for number in 0..<40_000 { add(.set(path, .int(Int64(number)), sameValue: false)) }
    add(.set(path, .int(-1), sameValue: false), cause: 1)
    for number in 0..<40_000 { add(.set(path, .int(Int64(number)), sameValue: false)) }
    add(.set(path, .int(-1), sameValue: false), cause: 40_003)
    let workspace = try Workspace()
    let log = try workspace.log(of: events)
    let line = try #require(try SpanReport(.action, log, Selection(in: log)).lines.first)
    #expect((line.count, line.returned, line.writes) == (1, 1, 2))
  }
}

extension Workspace {
  func log(of events: [Event]) throws -> LogSource {
    let writer = try LogWriter(creating: file("events.evlog"))
    for event in events { try writer.append(event) }
    try writer.close()
    return try LogSource(path: file("events.evlog"))
  }
}

/// The same totals, by following each event's causes one by one.
private struct SlowSpans {
  struct Total: Equatable {
    var count = 0
    var ended = 0
    var writes = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    var longestWork: UInt64 = 0
    var longestSettled: UInt64 = 0
    var most = 0

    init() {}

    init(_ line: SpanReport.Line) {
      (count, ended) = (line.count, line.returned + line.threw + line.cancelled)
      (writes, evaluations, wasted, time) = (line.writes, line.evaluations, line.wasted, line.time)
      (longestWork, longestSettled, most) = (line.work.longest, line.settled.longest, line.most)
    }

    mutating func add(_ event: Event) {
      if event.body.kind.isWrite { writes += 1 }
      guard case .evaluate(_, let duration, let changed, _, _) = event.body else { return }
      evaluations += 1
      time += duration
      if changed == false { wasted += 1 }
    }
  }

  private struct One {
    var label: String
    var began: UInt64
    var ended = 0
    var evaluations = 0
    var time: UInt64 = 0
    var lastRun: UInt64?
  }

  private(set) var totals: [String: Total] = [:]

  init(
    _ events: [Event], _ kind: SpanKind, beginningIn seqs: Range<UInt64> = 0..<(.max),
    groupedBy group: (String) -> String = { $0 }
  ) {
    func event(_ seq: UInt64) -> Event { events[Int(seq) - 1] }
    /// The first event of a chain, itself included, that is the beginning, or for a transaction the end, of a stretch.
    func owner(_ start: Event?, _ isOne: (Event) -> Bool) -> Event? {
      var next = start
      while let event = next, !isOne(event) { next = event.cause.map { events[Int($0) - 1] } }
      return next
    }
    var ones: [UInt64: One] = [:]
    // For an end of an outermost transaction, its begin.
    var begins: [UInt64: UInt64] = [:]
    // Those that are open, by strands.
    var open: [Int: [UInt64]] = [:]
    func outermost(around strand: Int) -> UInt64? {
      [open[strand]?.first, open[1]?.first].compactMap { $0 }.first { ones[$0] != nil }
    }
    var lastMark: UInt64?
    for this in events {
      var owners: [UInt64] = []
      switch kind {
      case .action:
        var next = owner(this) { $0.body.kind == .action }
        while let action = next {
          owners.append(action.seq)
          next = owner(action.cause.map(event)) { $0.body.kind == .action }
        }
        if case .action(let label) = this.body { ones[this.seq] = One(label: label, began: this.time) }
        if this.body.kind == .finish, let cause = this.cause, event(cause).body.kind == .action {
          ones[cause]?.ended = 1
        }
      case .mark:
        let isOwn = this.cause.map { event($0).body.kind == .action } ?? true
        if case .mark(let label) = this.body, isOwn, SpanTracker.beginsStretch(label) {
          ones[this.seq] = One(label: label, began: this.time)
          lastMark = this.seq
        }
        owners = lastMark.map { [$0] } ?? []
      case .transaction:
        let strand = this.origin?.strand ?? 0
        if case .begin(let label) = this.body {
          if open[strand, default: []].isEmpty, open[1, default: []].isEmpty {
            ones[this.seq] = One(label: label ?? "", began: this.time)
          }
          open[strand, default: []].append(this.seq)
        }
        let closed = open[strand, default: []].isEmpty ? 0 : strand
        if this.body.kind == .end, let first = open[closed]?.first {
          open[closed]?.removeLast()
          if open[closed] == [], ones[first] != nil { begins[this.seq] = first }
          if closed == 1, open[1] == [] {
            // What was within the session's and is still open is outermost from here on.
            for first in open.values.compactMap(\.first) where ones[first] == nil {
              if case .begin(let label) = event(first).body {
                ones[first] = One(label: label ?? "", began: event(first).time)
              }
            }
          }
        }
        if this.body.kind.isWrite, let first = outermost(around: strand) {
          owners = [first]
        } else if let end = owner(this, { begins[$0.seq] != nil }), let begin = begins[end.seq] {
          owners = [begin]
        }
      }
      // What nested stretches of one label led to is in the sums of the label once.
      let labels = Set(owners.filter(seqs.contains).compactMap { ones[$0].map { group($0.label) } })
      for label in labels { totals[label, default: Total()].add(this) }
      for seq in owners {
        guard var one = ones[seq] else { continue }
        if case .evaluate(_, let duration, _, _, _) = this.body {
          one.evaluations += 1
          one.time += duration
          one.lastRun = max(one.lastRun ?? 0, this.time)
        }
        ones[seq] = one
      }
    }
    for (seq, one) in ones where seqs.contains(seq) {
      var total = totals[group(one.label)] ?? Total()
      total.count += 1
      total.ended += one.ended
      total.longestWork = max(total.longestWork, one.time)
      total.longestSettled = max(
        total.longestSettled, one.lastRun.map { $0 >= one.began ? $0 - one.began : 0 } ?? 0)
      total.most = max(total.most, one.evaluations)
      totals[group(one.label)] = total
    }
  }
}
