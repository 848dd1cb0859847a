import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// Whatever is derived around a point alone is what a pass through the whole log derives.
@Suite struct StepWindowTests {
  @Test func theTimelineAroundAnyPointIsThatOfTheWholeLog() throws {
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var woken = 0
    for number in 0..<8 {
      let log = try LogSource(path: record(number, &random, in: workspace))
      var whole: [UInt64: [String]] = [:]
      var run = Run(log)
      while try run.next() {
        let hits = run.hits.map { "\(run.tables.names[$0.name]) \($0.causes.all)" }
        if !hits.isEmpty { whole[run.row.seq] = hits }
      }
      let debugger = StepDebugger(log, progress: .hidden)
      for seq in (log.firstSeq...log.lastSeq).shuffled(using: &random) {
        try debugger.go(to: .moment(.seq(seq)))
        let found = try debugger.point()?.woken.map { "\($0.projection) \($0.causes)" } ?? []
        #expect(found == whole[seq] ?? [], "seed \(seed), log \(number), event \(seq)")
        woken += found.count
      }
    }
    #expect(woken > 0, "seed \(seed)")
  }

  @Test func searchesBothWaysFindEveryChangeOfAValue() throws {
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var changes = 0
    for number in 0..<8 {
      let log = try LogSource(path: record(number, &random, in: workspace))
      var places: Set<Path> = []
      for seq in log.firstSeq...log.lastSeq {
        if let path = log.event(seq)?.body.writtenPath { places.insert(path) }
      }
      for path in places.sorted(by: { $0.description < $1.description }).prefix(3) {
        let debugger = StepDebugger(log, progress: .hidden)
        var forwards: [UInt64] = []
        while (try? debugger.find(.change(path), backwards: false)) != nil { forwards.append(debugger.seq) }
        var backwards: [UInt64] = []
        try debugger.go(to: .end)
        if forwards.last == log.lastSeq { backwards.append(log.lastSeq) }
        while (try? debugger.find(.change(path), backwards: true)) != nil { backwards.append(debugger.seq) }
        #expect(forwards == backwards.reversed(), "seed \(seed), log \(number), \(path)")
        var fold = log.base ?? StateFold()
        for seq in log.firstSeq...log.lastSeq {
          let event = try #require(log.event(seq))
          let (before, hidden) = (fold.state.value(at: path), event.body.sameValue == true)
          fold.apply(event)
          guard before != fold.state.value(at: path), !hidden else { continue }
          changes += 1
          #expect(forwards.contains(seq), "seed \(seed), log \(number), \(path) at \(seq)")
        }
      }
    }
    #expect(changes > 20, "seed \(seed)")
  }

  @Test func searchesPassOverBlocksAndMissNothing() throws {
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    for number in 0..<8 {
      let log = try LogSource(path: record(number, &random, in: workspace))
      let debugger = StepDebugger(log, progress: .hidden)
      var runs: [UInt64] = []
      while (try? debugger.find(.run(ProjectionPattern("P*")), backwards: false)) != nil {
        runs.append(debugger.seq)
      }
      let all = (log.firstSeq...log.lastSeq).filter {
        if case .evaluate(let name, _, _)? = log.event($0)?.body { name.hasPrefix("P") } else { false }
      }
      #expect(runs == all, "seed \(seed), log \(number)")
    }
  }

  /// Records a session in small blocks, with checkpoints on the way; some logs lose their end, and some their beginning.
  private func record(_ number: Int, _ random: inout SplitMix64, in workspace: Workspace) throws -> String {
    var session = ValidSession(seed: random.next())
    var options = LogOptions()
    options.blockEvents = Int.random(in: 1...20, using: &random)
    options.checkpointEvents = Int.random(in: 10...100, using: &random)
    let path = workspace.file("\(number).evlog")
    let writer = try LogWriter(creating: path, options: options)
    for event in session.events(Int.random(in: 40...100, using: &random)) { try writer.append(event) }
    try writer.close()
    switch number % 4 {
    case 1:
      // Without its end there is no index.
      let whole = try Data(contentsOf: URL(filePath: path))
      try whole.dropLast(10).write(to: URL(filePath: path))
      return path
    case 2:
      var cut = LogCut()
      cut.from = .seq(UInt64.random(in: 2...30, using: &random))
      _ = try cut.run(path, to: workspace.file("\(number).cut.evlog"))
      return workspace.file("\(number).cut.evlog")
    default: return path
    }
  }
}
