import EventLog
import LogGenerator
import Testing

/// A part of a log that is cut by a path has all projections that, by the rule, its writes invalidate. The logs have
/// the invalidations, as a session records them.
@Suite struct CutOracleTests {
  private static let sessions = max(RandomSessionTests.shares, RandomSessionTests.sessions / 16)
  private static let pathsMax = 4

  @Test(arguments: 0..<RandomSessionTests.shares)
  func aCutByAPathKeepsWhomItsWritesInvalidate(share: UInt64) throws {
    let workspace = try Workspace()
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.sessions)
    where seed % RandomSessionTests.shares == share {
      let log = workspace.file("\(seed).evlog")
      let invalidated = try Self.record(Generator.session(seed: seed), to: log)
      let some = invalidated.sorted { $0.key.description < $1.key.description }.prefix(Self.pathsMax)
      for (number, (path, names)) in some.enumerated() {
        guard let pattern = try? PathPattern(parsing: path.description) else { continue }
        var cut = LogCut()
        cut.paths = [pattern]
        let part = workspace.file("\(seed)-\(number).evlog")
        _ = try cut.run(log, to: part)
        var kept: Set<String> = []
        try LogReader(path: part).forEachEvent { event in
          if let name = event.body.projectionName { kept.insert(name) }
        }
        #expect(names.subtracting(kept).isEmpty, "seed \(seed), \(path)")
      }
    }
  }

  /// Writes a session up to its first event that is refused. Returns the projections that the writes of each path
  /// invalidate.
  private static func record(_ script: Script, to log: String) throws -> [Path: Set<String>] {
    var (oracle, state) = (Oracle(), State())
    var paths: [Path?] = []
    var invalidated: [Path: Set<String>] = [:]
    // The seqs in the log, in which invalidations come between the session's events.
    var seqs: [UInt64] = []
    var next: UInt64 = 1
    let writer = try LogWriter(creating: log)
    func append(_ event: Event, cause: Int?, _ body: Event.Body) throws {
      let cause = cause.map { seqs[$0 - 1] }
      try writer.append(
        Event(seq: next, time: event.time, cause: cause, site: event.site, origin: event.origin, body: body))
      next += 1
    }
    for (index, line) in script.lines.enumerated() {
      // What the session itself says of invalidations is not the rule's.
      let event = line.event(seq: index + 1, isSame: false)
      let body = event.body.settingSameValue(line.body.same ?? state.wouldStaySame(event.body))
      var after = state
      guard (try? after.apply(body)) != nil, let entries = try? oracle.apply(line, seq: index + 1) else {
        break
      }
      state = after
      seqs.append(next)
      if body.kind == .invalidate {
        try append(event, cause: nil, .mark(label: ""))
      } else {
        try append(event, cause: line.cause, body)
      }
      paths.append(body.writtenPath)
      for entry in entries {
        try append(
          event, cause: index + 1,
          .invalidate(projection: entry.projection, causes: entry.causes.map { seqs[$0 - 1] }))
        for cause in entry.causes {
          if let path = paths[cause - 1] { invalidated[path, default: []].insert(entry.projection) }
        }
      }
    }
    try writer.close()
    return invalidated
  }
}
