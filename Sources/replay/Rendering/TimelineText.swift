import EventLog

/// The timeline as a table.
struct TimelineText {
  let entries: [TimelineEntry]
  let run: Run

  func print(to console: Console) throws {
    if entries.isEmpty { return try console.print("nothing was invalidated") }
    var table = Table(
      .init(title: "SEQ", alignment: .right), .init(title: "TIME", alignment: .right),
      .init(title: "PROJECTION", isFlexible: true), .init(title: "WOKEN BY", isFlexible: true),
      .init(title: "CASCADE", alignment: .right), .init(title: "DEPTH", alignment: .right))
    for entry in entries {
      table.add(
        String(entry.invalidation.seq), Units.moment(entry.time), entry.invalidation.projection,
        causes(entry),
        String(entry.invalidation.cascade), String(entry.invalidation.depth))
    }
    try table.print(to: console)
    try console.print(console.style.dim(Units.count(entries.count, "invalidation")))
  }

  /// `store.a (17), store.b (18) and 3 more`.
  private func causes(_ entry: TimelineEntry) -> String {
    let causes = entry.invalidation.causes
    let shown = causes.prefix(2).map { seq in
      let path = run.event(seq)?.body.writtenPath.map(\.description) ?? "event"
      return seq == entry.invalidation.seq ? path : "\(path) (\(seq))"
    }
    let rest = causes.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
