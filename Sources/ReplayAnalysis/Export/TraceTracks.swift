import EventLog

/// Which track each projection and each kind of place has, named when it is first met.
struct TraceTracks {
  /// By the number of the name.
  private var projections = DenseMap<Int, TraceTrack?>(default: nil)
  private var groups = NameGroups()
  /// The groups of projections that have a track.
  private var named: Set<Int> = []
  private var places = PathGroups()
  /// By the group of the path.
  private var writes: [Int: TraceTrack] = [:]
  private var lastThread = TraceTrack.transactions.thread

  private static let writesProcess = 2
  private static let firstProjections = 3

  /// Groups are numbered, and so drawn, as their first projections were made: parents, which end after their children,
  /// above them.
  mutating func note(_ name: Int, _ tables: borrowing RunTables) { _ = groups.group(of: name, tables) }

  mutating func projection(_ name: Int, _ tables: borrowing RunTables, _ events: inout TraceEvents)
    -> TraceTrack
  {
    if let known = projections[name] { return known }
    let group = groups.group(of: name, tables)
    let track = track(of: Self.firstProjections + group)
    if named.insert(group).inserted {
      events.name("process_name", track, groups.names[group].cut(to: 200))
      events.order(track)
    }
    events.name("thread_name", track, tables.names[name].cut(to: 200))
    projections[name] = track
    return track
  }

  mutating func write(_ path: Int, _ tables: borrowing RunTables, _ events: inout TraceEvents) -> TraceTrack {
    let group = places.group(of: path, tables)
    if let known = writes[group] { return known }
    let track = track(of: Self.writesProcess)
    if writes.isEmpty {
      events.name("process_name", track, "writes")
      events.order(track)
    }
    writes[group] = track
    events.name("thread_name", track, places.names[group].cut(to: 200))
    return track
  }

  /// The next track of a process.
  private mutating func track(of process: Int) -> TraceTrack {
    lastThread += lastThread + 1 == process ? 2 : 1
    return TraceTrack(process: process, thread: lastThread)
  }
}

/// Where an event is drawn.
struct TraceSpot {
  var track: TraceTrack
  var time: UInt64
}

/// Rates as counters: what happened in each tenth of a second, told when it is over.
struct TraceRates {
  private static let names = ["writes", "evaluations", "wasted evaluations"]
  private static let width: UInt64 = 100_000_000
  private var tenth: UInt64 = 0
  /// The time of the latest event.
  private var end: UInt64 = 0
  private var counts: [UInt64] = [0, 0, 0]
  private var shown: [UInt64] = [0, 0, 0]

  mutating func note(_ row: EventLog.Row, _ events: inout TraceEvents) {
    // Times may go back a little; then they count where the run has come to.
    if row.time / Self.width > tenth { finish(&events, next: row.time / Self.width) }
    end = max(end, row.time)
    if row.kind.isWrite { counts[0] += 1 }
    if row.kind == .evaluate { counts[1] += 1 }
    if row.kind == .evaluate, row.changed == false { counts[2] += 1 }
  }

  /// At the end there is nothing more; without being told so, viewers do not draw the last rates.
  mutating func finish(_ events: inout TraceEvents) {
    finish(&events, next: tenth + 1)
    if end > (tenth - 1) * Self.width { tell([0, 0, 0], at: end, &events) }
  }

  private mutating func finish(_ events: inout TraceEvents, next: UInt64) {
    tell(counts, at: tenth &* Self.width, &events)
    if next > tenth + 1 { tell([0, 0, 0], at: (tenth + 1) &* Self.width, &events) }
    counts = [0, 0, 0]
    tenth = next
  }

  private mutating func tell(_ values: [UInt64], at time: UInt64, _ events: inout TraceEvents) {
    for place in values.indices where values[place] != shown[place] {
      events.counter(Self.names[place], at: time, values[place] * (1_000_000_000 / Self.width))
      shown[place] = values[place]
    }
  }
}
