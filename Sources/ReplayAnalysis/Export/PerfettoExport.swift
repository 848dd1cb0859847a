import EventLog

/// Exports a log as a Chrome trace, which ui.perfetto.dev opens.
///
/// Each projection has a track, grouped by name, with a slice for each run. Each kind of path has a track
/// with its writes. Arrows lead from the cause to the run or the write; all that the log has as having put a projection
/// out of date since its last run are causes of a run. Transactions have a track, marks are
/// instants, actions are asynchronous slices, since they overlap, and rates are counters.
package final class PerfettoExport {
  private var run: LogRun
  private let seqs: Range<UInt64>
  private var events = TraceEvents()
  private var tracks = TraceTracks()
  /// Where the latest quarter of a million events are drawn; arrows from older events are left out.
  private var spots = RecentRing<TraceSpot>(keeping: 1 << 18)
  /// The events that have put each projection out of date since its last run, at most ``waitingMax``.
  private var waiting = ProjectionMap<[UInt64]>(default: [])
  private static let waitingMax = 64
  /// The last run of each projection; 0 if it has not run.
  private var lastRuns = ProjectionMap<UInt64>(default: 0)
  private var rates = TraceRates()
  private var arrows: UInt64 = 0
  private var transactions: [Int: [(begin: UInt64, label: String?)]] = [:]
  /// The labels of the actions that have not ended.
  private var actions: [UInt64: String] = [:]
  private var hasActions = false

  package init(_ log: LogSource, _ selection: Selection) throws {
    run = LogRun(try log.part(from: selection.seqs.lowerBound, hasState: false), [])
    seqs = selection.seqs
    events.name("process_name", .marks, log.path)
    events.order(.marks)
    events.name("thread_name", .marks, "marks")
    events.name("thread_name", .transactions, "transactions")
  }

  package static let head = Array(#"{"displayTimeUnit":"ns","traceEvents":["#.utf8)
  package static let tail = Array("\n]}\n".utf8)

  package var seq: UInt64 { run.row.seq }

  /// Adds the next event to the trace; false at the end.
  package func next() throws -> Bool {
    guard try run.next(in: seqs) else {
      rates.finish(&events)
      return false
    }
    let row = run.row
    rates.apply(row, &events)
    switch row.kind {
    case .set, .splice, .remove: addWrite(row)
    case .evaluate: addRun(row)
    case .begin: transactions[row.origin.strand, default: []].append((row.time, run.label))
    case .end: addTransaction(row)
    case .mark: events.instant(run.label ?? "", at: row.time, row.seq)
    case .action: beginAction(row)
    case .finish: endAction(row)
    case .projection: if let projection = run.projection { tracks.apply(projection, &run) }
    case .invalidate: markInvalidation(row)
    default: break
    }
    return true
  }

  /// Returns the bytes made since the last call.
  package func popBytes() -> [UInt8] { events.popBytes() }

  private func addWrite(_ row: EventLog.Row) {
    guard let path = run.path else { return }
    let track = tracks.write(path, &run, &events)
    let text = run.tables.path(path).description
    var arguments: [(String, Value)] = [("path", .string(text.cut(to: 200)))]
    if row.kind != .remove { arguments.append(("value", .string(row.value.json.cut(to: 200)))) }
    if row.isSameValue { arguments.append(("same_value", .bool(true))) }
    if let site = run.site { arguments.append(("site", .string(site))) }
    events.slice(
      "write", "\(row.kind.name) \(text)".cut(to: 200), track, from: row.time, to: row.time + 1,
      row.seq, arguments)
    addArrow(row, to: track, at: row.time)
    spots.append(row.seq, TraceSpot(track: track, time: row.time))
  }

  private func addRun(_ row: EventLog.Row) {
    guard let projection = run.projection else { return }
    let track = tracks.projection(projection, &run, &events)
    // A run is recorded when it ends. A trace has no times before 0.
    let start = row.time - row.duration
    var arguments: [(String, Value)] = []
    if row.duration > row.time {
      arguments.append(("duration_ns", Int64(exactly: row.duration).map { .int($0) } ?? .uint(row.duration)))
    }
    if let changed = row.changed { arguments.append(("changed", .bool(changed))) }
    if row.changed == false { arguments.append(("wasted", .bool(true))) }
    if let input = row.input { arguments.append(("input", .string(input))) }
    if row.comparing > 0 {
      arguments.append(
        ("comparing_ns", Int64(exactly: row.comparing).map { .int($0) } ?? .uint(row.comparing)))
    }
    events.slice(
      "run", run.tables.name(projection).cut(to: 200), track, from: start, to: row.time, row.seq, arguments)
    addArrow(row, to: track, at: start)
    // The last run has seen what came while it ran, unless this one follows from that.
    let last = row.cause > lastRuns[projection] ? lastRuns[projection] : 0
    for cause in waiting[projection] where cause > last && cause < row.cause {
      addArrow(from: cause, to: track, at: start)
    }
    if !waiting[projection].isEmpty { waiting[projection].removeAll { $0 <= row.cause } }
    lastRuns[projection] = row.seq
    spots.append(row.seq, TraceSpot(track: track, time: start))
  }

  private func markInvalidation(_ row: EventLog.Row) {
    guard row.cause > 0 else { return }
    if let spot = spots[row.cause] { spots.append(row.seq, spot) }
    if let projection = run.projection, waiting[projection].count < Self.waitingMax {
      waiting[projection].append(row.cause)
    }
  }

  private func addTransaction(_ row: EventLog.Row) {
    guard let (begin, label) = transactions[row.origin.strand]?.popLast() else { return }
    let end = max(row.time, begin + 1)
    events.slice(
      "transaction", label ?? "transaction", .transactions, from: begin, to: end, row.seq)
    spots.append(row.seq, TraceSpot(track: .transactions, time: end - 1))
  }

  private func beginAction(_ row: EventLog.Row) {
    if !hasActions { events.name("thread_name", .actions, "actions") }
    hasActions = true
    let label = (run.label ?? "").cut(to: 200)
    actions[row.seq] = label
    // Arrows begin at a slice of a track, and an asynchronous one has none.
    events.slice("action", label, .actions, from: row.time, to: row.time + 1, row.seq)
    addArrow(row, to: .actions, at: row.time)
    spots.append(row.seq, TraceSpot(track: .actions, time: row.time))
    events.asynchronous("b", label, row.seq, at: row.time)
  }

  private func endAction(_ row: EventLog.Row) {
    guard let label = actions.removeValue(forKey: row.cause) else { return }
    events.asynchronous("e", label, row.cause, at: row.time, outcome: row.outcome)
  }

  private func addArrow(_ row: EventLog.Row, to track: TraceTrack, at time: UInt64) {
    if row.cause > 0 { addArrow(from: row.cause, to: track, at: time) }
  }

  private func addArrow(from cause: UInt64, to track: TraceTrack, at time: UInt64) {
    guard let spot = spots[cause] else { return }
    arrows += 1
    events.flow("s", arrows, spot.track, at: spot.time)
    // An arrow must not lead back in time, even if the clock went back.
    events.flow("f", arrows, track, at: max(time, spot.time))
  }
}

/// The tracks of projections and of kinds of paths. A track is named when it is first used.
private struct TraceTracks {
  private var projections = ProjectionMap<TraceTrack?>(default: nil)
  /// The groups of projections that have a named track.
  private var named: Set<GroupID<ProjectionID>> = []
  private var writes: [GroupID<PathID>: TraceTrack] = [:]
  private var lastThread = TraceTrack.transactions.thread

  private static let writesProcess = 2
  private static let firstProjections = 3

  /// Reserves the group's position. Groups are drawn in the order of their ids, hence of their first
  /// projections' creation. This puts parents above their children although their runs end later.
  func apply(_ projection: ProjectionID, _ run: inout LogRun) { _ = run.group(of: projection) }

  mutating func projection(_ projection: ProjectionID, _ run: inout LogRun, _ events: inout TraceEvents)
    -> TraceTrack
  {
    if let known = projections[projection] { return known }
    let group = run.group(of: projection)
    let track = track(of: Self.firstProjections + group.denseIndex)
    if named.insert(group).inserted {
      events.name("process_name", track, run.text(group).cut(to: 200))
      events.order(track)
    }
    events.name("thread_name", track, run.tables.name(projection).cut(to: 200))
    projections[projection] = track
    return track
  }

  mutating func write(_ path: PathID, _ run: inout LogRun, _ events: inout TraceEvents) -> TraceTrack {
    let group = run.group(of: path)
    if let known = writes[group] { return known }
    let track = track(of: Self.writesProcess)
    if writes.isEmpty {
      events.name("process_name", track, "writes")
      events.order(track)
    }
    writes[group] = track
    events.name("thread_name", track, run.text(group).cut(to: 200))
    return track
  }

  /// Gives out the next track of a process.
  private mutating func track(of process: Int) -> TraceTrack {
    lastThread += lastThread + 1 == process ? 2 : 1
    return TraceTrack(process: process, thread: lastThread)
  }
}

/// Where an event is drawn.
private struct TraceSpot {
  var track: TraceTrack
  var time: UInt64
}

/// Rates as counters: the events in each tenth of a second, written when it has passed.
private struct TraceRates {
  private static let names = ["writes", "evaluations", "wasted evaluations"]
  private static let width: UInt64 = 100_000_000
  private var tenth: UInt64 = 0
  /// The time of the latest event.
  private var end: UInt64 = 0
  private var counts: [UInt64] = [0, 0, 0]
  private var shown: [UInt64] = [0, 0, 0]

  mutating func apply(_ row: EventLog.Row, _ events: inout TraceEvents) {
    // Times may go back a little; such events count in the present tenth of a second.
    if row.time / Self.width > tenth { finish(&events, next: row.time / Self.width) }
    end = max(end, row.time)
    if row.kind.isWrite { counts[0] += 1 }
    if row.kind == .evaluate { counts[1] += 1 }
    if row.kind == .evaluate, row.changed == false { counts[2] += 1 }
  }

  /// Ends the counters with zeros, since viewers do not draw a counter's last value.
  mutating func finish(_ events: inout TraceEvents) {
    finish(&events, next: tenth + 1)
    if end > (tenth - 1) * Self.width { report([0, 0, 0], at: end, &events) }
  }

  private mutating func finish(_ events: inout TraceEvents, next: UInt64) {
    report(counts, at: tenth &* Self.width, &events)
    if next > tenth + 1 { report([0, 0, 0], at: (tenth + 1) &* Self.width, &events) }
    counts = [0, 0, 0]
    tenth = next
  }

  private mutating func report(_ values: [UInt64], at time: UInt64, _ events: inout TraceEvents) {
    for index in values.indices where values[index] != shown[index] {
      events.counter(Self.names[index], at: time, values[index] * (1_000_000_000 / Self.width))
      shown[index] = values[index]
    }
  }
}

/// Writes events of the Chrome trace format, one line of JSON each. Times are microseconds with three
/// decimals.
private struct TraceEvents {
  /// The bytes that were not taken yet.
  private(set) var text: [UInt8] = []
  private var isFirst = true

  /// Returns and removes these bytes.
  mutating func popBytes() -> [UInt8] {
    defer { text.removeAll(keepingCapacity: true) }
    return text
  }

  /// Names the process or the thread of a track.
  mutating func name(_ kind: String, _ track: TraceTrack, _ name: String) {
    begin("M", track)
    field("name", kind)
    append(#","args":{"name":"#)
    text.appendQuoted(name)
    append("}}")
  }

  /// Orders the groups by their process numbers; without an order viewers choose their own.
  mutating func order(_ track: TraceTrack) {
    begin("M", track)
    field("name", "process_sort_index")
    append(#","args":{"sort_index":\#(track.process)}}"#)
  }

  mutating func slice(
    _ kind: String, _ name: String, _ track: TraceTrack, from start: UInt64, to end: UInt64, _ seq: UInt64,
    _ arguments: [(String, Value)] = []
  ) {
    begin("X", track)
    time("ts", start)
    time("dur", end - start)
    append(#","cat":"\#(kind)""#)
    field("name", name)
    append(#","args":{"seq":\#(seq)"#)
    for (name, value) in arguments {
      append(#","\#(name)":"#)
      text.appendValue(value)
    }
    append("}}")
  }

  /// Writes the beginning or the end of an arrow.
  mutating func flow(_ phase: String, _ id: UInt64, _ track: TraceTrack, at moment: UInt64) {
    begin(phase, track)
    time("ts", moment)
    append(#","id":\#(id),"cat":"cause","name":"cause""#)
    if phase == "f" { append(#","bp":"e""#) }
    append("}")
  }

  mutating func instant(_ name: String, at moment: UInt64, _ seq: UInt64) {
    begin("i", .marks)
    time("ts", moment)
    field("name", name)
    append(#","s":"t","args":{"seq":\#(seq)}}"#)
  }

  /// The beginning `b` or end `e` of a slice that others may overlap.
  mutating func asynchronous(
    _ phase: String, _ name: String, _ seq: UInt64, at moment: UInt64, outcome: ActionOutcome? = nil
  ) {
    begin(phase, .actions)
    time("ts", moment)
    field("name", name)
    let arguments = outcome.map { #","outcome":"\#($0.rawValue)""# } ?? ""
    append(#","cat":"action","id":\#(seq),"args":{"seq":\#(seq)\#(arguments)}}"#)
  }

  mutating func counter(_ name: String, at moment: UInt64, _ value: UInt64) {
    begin("C", .marks)
    time("ts", moment)
    field("name", name)
    append(#","args":{"per second":\#(value)}}"#)
  }

  private mutating func begin(_ phase: String, _ track: TraceTrack) {
    append(isFirst ? "\n" : ",\n")
    isFirst = false
    append(#"{"ph":"\#(phase)","pid":\#(track.process),"tid":\#(track.thread)"#)
  }

  private mutating func field(_ name: String, _ value: String) {
    append(#","\#(name)":"#)
    text.appendQuoted(value)
  }

  private mutating func time(_ name: String, _ nanoseconds: UInt64) {
    append(#","\#(name)":\#(nanoseconds / 1000).\#((nanoseconds % 1000).padded(to: 3))"#)
  }

  private mutating func append(_ string: String) { text.append(contentsOf: string.utf8) }
}

/// The thread and process that a slice is drawn under, in the format's terms. A process is a group of tracks.
/// Thread numbers are unique, and none is 0, which viewers take for the idle thread, or equal to its
/// process's number, which they take for the main thread.
private struct TraceTrack: Hashable {
  var process: Int
  var thread: Int

  static let actions = TraceTrack(process: 1, thread: 1)
  static let marks = TraceTrack(process: 1, thread: 2)
  static let transactions = TraceTrack(process: 1, thread: 3)
}
