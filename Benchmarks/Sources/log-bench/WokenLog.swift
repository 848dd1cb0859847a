import EventLog

/// A log in which every write invalidates one of 1,000 projections, and every tenth of these runs again.
final class WokenLog {
  static let projections = (0..<Workload.pathCount).map { "Row#\($0)" }

  private let file: ScratchFile

  var path: String { file.path }

  /// Records it to a temporary file, which is removed with the object.
  init(events: Int) throws {
    file = try ScratchFile("woken.evlog")
    try Self.record(to: file.path, events: events, Workload())
  }

  static func record(
    to path: String, events: Int, _ workload: Workload, options: LogOptions = LogOptions()
  ) throws {
    let writer = try LogWriter(creating: path, options: options)
    try writer.append(Workload.root, time: 0)
    for (index, name) in Self.projections.enumerated() {
      try writer.append(.projection(name: name, parent: nil, tracking: .element), time: 0)
      try writer.append(
        .reads(projection: name, .change(added: [Workload.paths[index]], dropped: [])), time: 0)
    }
    let paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
    var workload = workload
    var seq = writer.seq(.queued)
    while seq + 3 <= events {
      let step = workload.next()
      let cause = try writer.set(paths[step.path], .int(step.value), time: step.time)
      let name = Self.projections[step.path]
      seq = try writer.append(.invalidate(projection: name, causes: [cause]), time: step.time, cause: cause)
      if step.path % 10 == 0 {
        seq = try writer.append(
          .evaluate(projection: name, duration: 900 + step.time % 100, changed: true), time: step.time,
          cause: cause)
      }
    }
    try writer.close()
  }
}
