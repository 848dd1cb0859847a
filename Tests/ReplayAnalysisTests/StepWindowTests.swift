import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Deriving only around a point gives the same results as a pass through the whole log.
@Suite struct StepWindowTests {
  @Test func theTimelineAroundAnyPointIsThatOfTheWholeLog() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var woken = 0
    for number in 0..<8 {
      let log = try LogSource(path: workspace.session(number, &random))
      var whole: [UInt64: [String]] = [:]
      var run = LogRun(log, .hits)
      while try run.next() {
        let hits = run.hits.map { "\(run.tables.name($0.projection)) \($0.causes.all)" }
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
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var changes = 0
    for number in 0..<8 {
      let log = try LogSource(path: workspace.session(number, &random))
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
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var count = 0
    for number in 0..<24 {
      let log = try LogSource(path: workspace.session(number, &random))
      let debugger = StepDebugger(log, progress: .hidden)
      var runs: [UInt64] = []
      while (try? debugger.find(.run(ProjectionPattern("Row#1*")), backwards: false)) != nil {
        runs.append(debugger.seq)
      }
      let all = (log.firstSeq...log.lastSeq).filter {
        if case .evaluate(let name, _, _, _)? = log.event($0)?.body { name.hasPrefix("Row#1") } else { false }
      }
      #expect(runs == all, "seed \(seed), log \(number)")
      count += all.count
    }
    #expect(count > 0, "seed \(seed)")
  }
}
