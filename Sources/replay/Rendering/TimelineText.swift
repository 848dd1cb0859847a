import EventLog

/// The timeline as a table, printed as its entries come.
struct TimelineText {
  private let console: Console
  private let log: LogSource
  private var table: StreamedTable
  private var count = 0

  init(_ console: Console, _ log: LogSource) {
    self.console = console
    self.log = log
    table = StreamedTable(
      Table(
        .init(title: "SEQ", alignment: .right), .init(title: "TIME", alignment: .right),
        .init(title: "PROJECTION", isFlexible: true), .init(title: "WOKEN BY", isFlexible: true),
        .init(title: "CASCADE", alignment: .right), .init(title: "DEPTH", alignment: .right)))
  }

  mutating func add(_ entry: TimelineEntry) throws {
    count += 1
    try table.add(
      [
        String(entry.invalidation.seq), Units.moment(entry.time), entry.invalidation.projection,
        causes(entry), String(entry.invalidation.cascade), String(entry.invalidation.depth),
      ], to: console)
  }

  mutating func finish() throws {
    if count == 0 { return try console.print("nothing was invalidated") }
    try table.finish(on: console)
    try console.print(console.style.dim(Units.count(count, "invalidation")))
  }

  /// `store.a (17), store.b (18) and 3 more`.
  private func causes(_ entry: TimelineEntry) -> String {
    let causes = entry.invalidation.causes
    let shown = causes.prefix(2).map { seq in
      let path = log.event(seq)?.body.writtenPath.map(\.description) ?? "event"
      return seq == entry.invalidation.seq ? path : "\(path) (\(seq))"
    }
    let rest = causes.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
