import EventLog

/// A log like those of a long run, the same in every bench: sets of numbers at 1,000 paths, one path that is seldom
/// set, and 50 projections that now and then run again.
///
/// Every part that measures reading uses this log, so that their figures are comparable.
final class BigLog {
  /// How many events it has.
  let events: Int
  /// Set once every 500,000 events.
  static let rarePath = Path(root: .named("app"), components: [.property("theme")])
  static let projections = (0..<50).map { "Row#\($0)" }

  private let file: ScratchFile

  var path: String { file.path }
  var byteCount: Int { file.byteCount }

  /// Records it to a temporary file, which is removed with the object. Some 150 ns an event.
  init(events: Int = 10_000_000) throws {
    self.events = events
    file = try ScratchFile("big.evlog")
    let writer = try LogWriter(creating: file.path)
    try Self.fill(writer, events)
    try writer.close()
  }

  private static func fill(_ writer: LogWriter, _ events: Int) throws {
    try writer.append(Workload.root, time: 0)
    for (index, name) in projections.enumerated() {
      try writer.append(.projection(name: name, parent: nil, tracking: .element), time: 0)
      try writer.append(
        .reads(projection: name, .change(added: [Workload.paths[index]], dropped: [])), time: 0)
    }
    let paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
    let rare = try writer.intern(rarePath)
    var workload = Workload()
    var seq = writer.seq(.queued)
    var nextRare = 499_999
    while seq < events {
      let step = workload.next()
      if seq >= nextRare {
        nextRare += 500_000
        seq = try writer.set(rare, .string(seq % 2 == 0 ? "light" : "dark"), time: step.time)
        continue
      }
      seq = try writer.set(paths[step.path], .int(step.value), time: step.time)
      if step.path < projections.count, seq + 2 < events {
        let name = projections[step.path]
        try writer.append(.invalidate(projection: name, causes: [seq]), time: step.time, cause: seq)
        seq = try writer.append(
          .evaluate(projection: name, duration: 900 + step.time % 100, changed: true), time: step.time,
          cause: seq)
      }
    }
  }
}
