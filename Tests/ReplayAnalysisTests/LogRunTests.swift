import EventLog
import Invalidation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A run provides the same information with each row wherever it begins, and however often the ids of paths
/// start over.
@Suite struct LogRunTests {
  /// All information that a run provides with a row, by names.
  private struct Told: Equatable, CustomStringConvertible {
    struct Seen: Equatable {
      let state: State

      static func == (a: Seen, b: Seen) -> Bool { StateDifference.between(a.state, b.state).isEmpty }
    }

    var seq: UInt64
    var path: Path?
    var projection: String?
    var reads: [Path]
    var hits: [String]
    var root: UInt64
    var depth: Int
    var causeWrote: Path?
    var before: Seen
    var after: Seen
    var alive: [String]

    var description: String {
      "\(seq) \(path?.description ?? "-") \(projection ?? "-") reads \(reads) hits \(hits) root \(root) +\(depth) "
        + "cause wrote \(causeWrote?.description ?? "-") alive \(alive)"
    }
  }

  private func tell(
    _ log: LogSource, pathsMax: Int = 1 << 18, projectionsKept: UInt64 = 1 << 19, forgets: Bool = false
  ) throws -> [Told] {
    var told: [Told] = []
    var run = LogRun(
      log, [.hits, .lookback, .reads, .state], pathsMax: pathsMax, projectionsKept: projectionsKept)
    while try run.next() {
      let root = run.root(of: run.row.seq)
      let hits = run.hits.map { "\(run.tables.name($0.projection)) \($0.causes.all)" }
      let causeWrote =
        run.row.cause > 0 ? run.writtenPath(of: run.row.cause).map { run.tables.path($0) } : nil
      let path = run.path.map { run.tables.path($0) }
      let projection = run.projection.map { run.tables.name($0) }
      let reads = run.row.kind == .reads ? run.readPaths.map { run.tables.path($0) } : []
      let alive = run.registry.living.map { id in
        let life = run.registry[id]
        // If names are forgotten early, the name of a parent may be forgotten.
        let parent = forgets ? nil : life.parent.map { run.tables.name($0) } ?? "-"
        return
          "\(run.tables.name(id)) in \(parent ?? "") \(life.tracking) \(run.registry.reads(of: id)?.paths ?? [])"
      }
      let before = Told.Seen(state: run.state)
      try run.carryOut()
      told.append(
        Told(
          seq: run.row.seq, path: path, projection: projection, reads: reads, hits: hits, root: root.seq,
          depth: root.depth, causeWrote: causeWrote, before: before, after: Told.Seen(state: run.state),
          alive: alive))
    }
    return told
  }

  @Test func aRunOfAPartIsTheEndOfTheWholeOne() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    for number in 0..<6 {
      let path = try workspace.session(number, &random)
      let log = try LogSource(path: path)
      for forgets in [false, true, true, true] {
        let whole = try tell(log, forgets: forgets)
        #expect(!whole.isEmpty)
        let seq = UInt64.random(in: log.firstSeq...log.lastSeq, using: &random)
        let part = try tell(
          log.part(from: seq), pathsMax: 1 << Int.random(in: 0...6, using: &random),
          projectionsKept: forgets ? UInt64.random(in: 1...40, using: &random) : 1 << 19, forgets: forgets)
        let end = whole.suffix(part.count)
        #expect(part.first?.seq ?? seq <= seq && part.last?.seq == whole.last?.seq)
        for (found, expected) in zip(part, end) where found != expected {
          Issue.record("from \(seq) of log \(number), seed \(seed):\n\(found)\ninstead of\n\(expected)")
          return
        }
      }
    }
  }

  @Test func aStateFoundFromOneBeforeIsThatOfAllEvents() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    for number in 0..<6 {
      let path = try workspace.session(number, &random)
      let log = try LogSource(path: path)
      let reader = try LogReader(path: path)
      for _ in 0..<40 {
        let seq = UInt64.random(in: log.firstSeq...log.lastSeq, using: &random)
        var (found, expected) = (try log.fold(at: seq), try reader.fold(at: seq))
        #expect(found.seq == seq && found.time == expected.time)
        #expect(found.checkpoint() == expected.checkpoint(), "event \(seq) of log \(number), seed \(seed)")
      }
    }
  }

  /// Logs of other writers may name projections that no event created, and create or dispose one twice.
  @Test func theRegistryFollowsProjectionsThatDoNotKeepToTheRules() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    let path = workspace.file("wild.evlog")
    let writer = try LogWriter(creating: path)
    let names = ["Row#1", "Row#2", "List", "Row"]
    let place = Path(root: .named("app"))
    var bodies: [Event.Body] = []
    for time: UInt64 in 0..<400 {
      let name = names[Int.random(in: 0..<4, using: &random)]
      let body: Event.Body =
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          .projection(
            name: name,
            parent: Bool.random(using: &random) ? names[Int.random(in: 0..<4, using: &random)] : nil,
            tracking: .property)
        case 1: .dispose(projection: name)
        case 2: .reads(projection: name, .paths(Bool.random(using: &random) ? [place] : []))
        case 3: .evaluate(projection: name, duration: 1, changed: nil)
        default: .invalidate(projection: name, causes: [])
        }
      bodies.append(body)
      try writer.append(body, time: time)
    }
    try writer.close()

    // Oldest first. For a projection that no event created, the run remembers whether it ran after it ended.
    var living: [(name: String, parent: String?, reads: [Path]?)] = []
    var hasRun: Set<String> = []
    var run = LogRun(try LogSource(path: path), .reads)
    var index = 0
    while try run.next() {
      let alive = run.registry.living
      #expect(alive.map { run.tables.name($0) } == living.map(\.name), "event \(run.row.seq), seed \(seed)")
      for (id, expected) in zip(alive, living) {
        let life = run.registry[id]
        #expect(
          life.parent.map { run.tables.name($0) } == expected.parent, "event \(run.row.seq), seed \(seed)")
        #expect(run.registry.reads(of: id)?.paths == expected.reads, "event \(run.row.seq), seed \(seed)")
        var children: [String] = []
        run.registry.forEachChild(of: id) { children.append(run.tables.name($0)) }
        let expectedChildren = living.filter { $0.parent == expected.name && $0.name != expected.name }
        #expect(children == expectedChildren.map(\.name), "event \(run.row.seq), seed \(seed)")
        #expect(life.childCount == children.count, "event \(run.row.seq), seed \(seed)")
      }
      for name in names {
        let id = run.id(ofProjection: name)
        #expect(
          run.registry[id].hasRun == hasRun.contains(name), "\(name), event \(run.row.seq), seed \(seed)")
      }
      switch bodies[index] {
      case .projection(let name, let parent, _):
        living.removeAll { $0.name == name }
        hasRun.remove(name)
        living.append((name, parent, nil))
      case .dispose(let name): living.removeAll { $0.name == name }
      case .reads(let name, let reads):
        if let place = living.firstIndex(where: { $0.name == name }) { living[place].reads = reads.allPaths }
      case .evaluate(let name, _, _, _, _): hasRun.insert(name)
      default: break
      }
      index += 1
    }
    #expect(index == bodies.count)
  }
}
