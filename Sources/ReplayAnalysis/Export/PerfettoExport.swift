import EventLog

/// A log as a Chrome trace, which ui.perfetto.dev opens.
///
/// A track for each projection, those of one name together, has a slice for each of its runs; a track for each kind of
/// place has the writes there. Arrows lead from what woke a projection, or made the app write, to the run or the write.
/// Transactions have a track, marks are instants, and rates are counters.
package struct PerfettoExport {
  private var rows: ExportRows
  private let log: LogSource
  private var events = TraceEvents()
  private var tracks = TraceTracks()
  /// Where the latest quarter of a million events are drawn: an arrow from an older one would be of no use.
  private var spots = RecentRing<TraceSpot>(keeping: 1 << 18)
  private var rates = TraceRates()
  private var arrows: UInt64 = 0
  private var transactions: [(begin: UInt64, label: String?)] = []

  package init(_ rows: ExportRows, of log: LogSource) {
    self.rows = rows
    self.log = log
    events.name("process_name", .marks, log.path)
    events.order(.marks)
    events.name("thread_name", .marks, "marks")
    events.name("thread_name", .transactions, "transactions")
  }

  package static let head = Array(#"{"displayTimeUnit":"ns","traceEvents":["#.utf8)
  package static let tail = Array("\n]}\n".utf8)

  package var seq: UInt64 { rows.row.seq }

  /// Takes in the next event; false at the end.
  package mutating func next() -> Bool {
    guard rows.next() else {
      rates.finish(&events)
      return false
    }
    let row = rows.row
    rates.note(row, &events)
    switch row.kind {
    case .set, .splice, .remove: addWrite(row)
    case .evaluate: addRun(row)
    case .begin: transactions.append((row.time, rows.label))
    case .end: addTransaction(row)
    case .mark: events.instant(rows.label ?? "", at: row.time, row.seq)
    case .projection: if let name = rows.name { tracks.note(name, rows.tables) }
    case .invalidate: if let spot = spots[row.cause] { spots.note(row.seq, spot) }
    default: break
    }
    return true
  }

  /// What was made since the last time.
  package mutating func take() -> [UInt8] { events.take() }

  private mutating func addWrite(_ row: EventLog.Row) {
    guard let path = rows.path else { return }
    let track = tracks.write(path, rows.tables, &events)
    let text = rows.text(ofPath: path)
    var arguments: [(String, Value)] = [("path", .string(text.cut(to: 200)))]
    if row.kind != .remove { arguments.append(("value", .string(row.value.json.cut(to: 200)))) }
    if row.isSameValue { arguments.append(("same_value", .bool(true))) }
    if let site = rows.site { arguments.append(("site", .string(site))) }
    events.slice(
      "write", "\(row.kind.name) \(text)".cut(to: 200), track, from: row.time, to: row.time.addingClamped(1),
      row.seq, arguments)
    addArrow(row, to: track, at: row.time)
    spots.note(row.seq, TraceSpot(track: track, time: row.time))
  }

  private mutating func addRun(_ row: EventLog.Row) {
    guard let name = rows.name else { return }
    let track = tracks.projection(name, rows.tables, &events)
    // It is recorded when it has ended.
    let start = row.time - min(row.time, row.duration)
    var arguments: [(String, Value)] = []
    if let changed = row.changed { arguments.append(("changed", .bool(changed))) }
    if row.changed == false { arguments.append(("wasted", .bool(true))) }
    events.slice(
      "run", rows.tables.names[name].cut(to: 200), track, from: start, to: row.time, row.seq, arguments)
    addArrow(row, to: track, at: start)
    spots.note(row.seq, TraceSpot(track: track, time: start))
  }

  private mutating func addTransaction(_ row: EventLog.Row) {
    guard let (begin, label) = transactions.popLast() else { return }
    let end = max(row.time, begin.addingClamped(1))
    events.slice(
      "transaction", label ?? "transaction", .transactions, from: begin, to: end, row.seq)
    spots.note(row.seq, TraceSpot(track: .transactions, time: end - 1))
  }

  private mutating func addArrow(_ row: EventLog.Row, to track: TraceTrack, at time: UInt64) {
    guard row.cause > 0, let spot = spots[row.cause] else { return }
    arrows += 1
    events.flow("s", arrows, spot.track, at: spot.time)
    // An arrow never leads back in time, whatever the clocks said.
    events.flow("f", arrows, track, at: max(time, spot.time))
  }
}
