import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A search that passes over blocks finds what a pass through the whole log finds.
@Suite struct EventSearchTests {
  @Test func searchesBothWaysFindEveryWriteOfAPath() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var writes = 0
    for number in 0..<8 {
      let log = try LogSource(path: workspace.session(number, &random))
      var written: [(seq: UInt64, path: Path)] = []
      for seq in log.firstSeq...log.lastSeq {
        if let path = log.event(seq)?.body.writtenPath { written.append((seq, path)) }
      }
      for path in Set(written.map(\.path.description)).sorted().prefix(3) {
        let pattern = try PathPattern(parsing: path)
        let all = written.filter { pattern.matches($0.path) }.map(\.seq)
        let condition = EventCondition.write(pattern)
        let forwards = try seqs(of: condition, in: log)
        let backwards = try seqsBackwards(of: condition, in: log)
        #expect(forwards == backwards.reversed(), "seed \(seed), log \(number), \(path)")
        #expect(forwards == all, "seed \(seed), log \(number), \(path)")
        writes += all.count
      }
    }
    #expect(writes > 20, "seed \(seed)")
  }

  @Test func searchesBothWaysFindEveryInvalidation() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var count = 0
    for number in 0..<24 {
      let log = try LogSource(path: workspace.session(number, &random))
      let condition = EventCondition.invalidated(ProjectionPattern("Row#1*"))
      let forwards = try seqs(of: condition, in: log)
      let backwards = try seqsBackwards(of: condition, in: log)
      #expect(forwards == backwards.reversed(), "seed \(seed), log \(number)")
      count += forwards.count
    }
    #expect(count > 0, "seed \(seed)")
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
        if case .evaluate(let name, _, _, _, _)? = log.event($0)?.body {
          name.hasPrefix("Row#1")
        } else {
          false
        }
      }
      #expect(runs == all, "seed \(seed), log \(number)")
      count += all.count
    }
    #expect(count > 0, "seed \(seed)")
  }

  /// The events that a search from the end finds, the last first.
  private func seqsBackwards(of condition: EventCondition, in log: LogSource) throws -> [UInt64] {
    var found: [UInt64] = []
    while let seq = try log.last(condition, before: found.last ?? log.lastSeq + 1, progress: .hidden) {
      found.append(seq)
    }
    return found
  }

  /// The events that a search finds one after the other.
  private func seqs(of condition: EventCondition, in log: LogSource) throws -> [UInt64] {
    var found: [UInt64] = []
    while let seq = try log.next(condition, after: found.last ?? log.firstSeq - 1, progress: .hidden) {
      found.append(seq)
    }
    return found
  }
}
