import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A timeline that begins in the middle is made from the checkpoint there, and equals the end of the whole
/// timeline.
@Suite struct TimelineFromTests {
  @Test func theTimelineFromAnyPointIsTheEndOfTheWholeOne() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var (entries, earlierRoots) = (0, 0)
    for number in 0..<8 {
      let path = try workspace.session(number, &random)
      let whole = try timeline(LogSource(path: path), from: nil)
      let log = try LogSource(path: path)
      for seq in log.firstSeq...log.lastSeq {
        let found = try timeline(LogSource(path: path), from: seq)
        #expect(found == whole.filter { $0.seq >= seq }, "seed \(seed), log \(number), from \(seq)")
        entries += found.count
        earlierRoots += found.count { $0.cascade < seq }
      }
    }
    #expect(entries > 0 && earlierRoots > 0, "seed \(seed)")
  }

  @Test func aTimelineFromTheEndReadsFewBlocks() throws {
    let workspace = try Workspace()
    var options = LogOptions()
    options.blockEvents = 10
    options.checkpointEvents = 50
    let path = workspace.file("long.evlog")
    let writer = try LogWriter(creating: path, options: options)
    let store = ObjectDefinition(id: ObjectID(1), type: "Store", fields: ["count": 0])
    try writer.append(.set(Path(parsing: "store"), .object(store), sameValue: false), time: 0)
    let count = try Path(parsing: "store.count")
    for time: UInt64 in 1...2000 {
      try writer.append(.set(count, .int(Int64(time)), sameValue: false), time: time)
    }
    try writer.close()
    let log = try LogSource(path: path)
    _ = try timeline(log, from: log.lastSeq - 5)
    #expect(log.blocks.count >= 200 && log.blocksRead < 5, "\(log.blocksRead) of \(log.blocks.count)")
  }

  @Test func timelinesInOnePassAreWhatEachIsAlone() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var count = 0
    for number in 0..<32 {
      let log = try LogSource(path: workspace.session(number, &random))
      var selections: [Selection] = []
      for path in [nil, try PathPattern(parsing: "app.**")] {
        let middle = log.firstSeq + (log.lastSeq - log.firstSeq) / 2
        let first = UInt64.random(in: log.firstSeq...middle, using: &random)
        let last = UInt64.random(in: middle...log.lastSeq, using: &random)
        selections.append(
          try Selection(
            from: .seq(first), to: .seq(last), projection: ProjectionPattern("Row#*"), path: path, in: log))
      }
      var alone: [[Entry]] = [[], []]
      for index in 0..<2 {
        var one = filter(selections[index]) { alone[index].append($0) }
        _ = try log.play(to: &one)
      }
      var together: [[Entry]] = [[], []]
      var both = Together(
        filter(selections[0]) { together[0].append($0) }, filter(selections[1]) { together[1].append($0) })
      // So few that the ids of paths start over again and again.
      var run = LogRun(log, both.needs, pathsMax: 8)
      try run.play(to: &both)
      #expect(together == alone, "seed \(seed), log \(number)")
      count += alone.reduce(0) { $0 + $1.count }
    }
    #expect(count > 0, "seed \(seed)")
  }

  private struct Entry: Equatable {
    var seq: UInt64
    var projection: String
    var causes: [UInt64]
    var cascade: UInt64
    var depth: Int
  }

  private func timeline(_ log: LogSource, from seq: UInt64?) throws -> [Entry] {
    var entries: [Entry] = []
    var timeline = filter(try Selection(from: seq.map(Moment.seq), in: log)) { entries.append($0) }
    try timeline.play(through: log)
    return entries
  }

  private func filter(_ selection: Selection, _ receive: @escaping (Entry) -> Void) -> TimelineFilter {
    TimelineFilter(selection) { entry, run in
      guard let entry else { return }
      receive(
        Entry(
          seq: entry.seq, projection: run.tables.name(entry.projection), causes: entry.causes.all,
          cascade: entry.cascade, depth: entry.depth))
    }
  }
}
