import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A search that passes over blocks finds what a pass through the whole log finds.
@Suite struct EventSearchTests {
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
        let forwards = try seqs(of: .change(path), in: log)
        var backwards: [UInt64] = []
        while let seq = try log.last(
          .change(path), before: backwards.last ?? log.lastSeq + 1, progress: .hidden)
        {
          backwards.append(seq)
        }
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
      let runs = try seqs(of: .run(ProjectionPattern("Row#1*")), in: log)
      let all = (log.firstSeq...log.lastSeq).filter {
        if case .evaluate(let name, _, _, _)? = log.event($0)?.body { name.hasPrefix("Row#1") } else { false }
      }
      #expect(runs == all, "seed \(seed), log \(number)")
      count += all.count
    }
    #expect(count > 0, "seed \(seed)")
  }

  /// The events that a search finds one after the other.
  private func seqs(of condition: StopCondition, in log: LogSource) throws -> [UInt64] {
    var found: [UInt64] = []
    while let seq = try log.next(condition, after: found.last ?? log.firstSeq - 1, progress: .hidden) {
      found.append(seq)
    }
    return found
  }
}
