import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A timeline that begins in the middle is made from the checkpoint there, and is the end of the whole one.
@Suite struct TimelineFromTests {
  @Test func theTimelineFromAnyPointIsTheEndOfTheWholeOne() throws {
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
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

  private struct Entry: Equatable {
    var seq: UInt64
    var projection: String
    var causes: [UInt64]
    var cascade: UInt64
    var depth: Int
  }

  private func timeline(_ log: LogSource, from seq: UInt64?) throws -> [Entry] {
    var entries: [Entry] = []
    let filter = TimelineFilter(selection: try Selection(from: seq.map(Moment.seq), in: log))
    try filter.forEachEntry(of: log, progress: .hidden) { entry, run in
      guard let entry else { return }
      entries.append(
        Entry(
          seq: entry.seq, projection: run.tables.names[entry.projection], causes: entry.causes.all,
          cascade: entry.cascade, depth: entry.depth))
    }
    return entries
  }
}
