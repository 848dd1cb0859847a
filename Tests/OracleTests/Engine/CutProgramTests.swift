import EventLog
import Foundation
import LogGenerator
@testable import Projection
import ReplayAnalysis
import ReplayTesting
import Testing

/// Random programs, recorded: what `verify` says of parts of their logs, and of logs in which one event is in another
/// place.
@Suite @MainActor struct CutProgramTests {
  private static let programs = max(20, RandomProgramTests.programs / 12)

  @Test func everyPartOfALogVerifies() async throws {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.programs) {
      let workspace = try Workspace()
      guard let log = try await record(seed: seed, in: workspace) else { continue }
      var random = SplitMix64(seed: seed)
      let reader = try LogReader(path: log)
      guard reader.nextSeq > 3 else { continue }
      for _ in 0..<8 {
        let first = UInt64.random(in: 1..<reader.nextSeq, using: &random)
        let last = UInt64.random(in: first..<reader.nextSeq, using: &random)
        for (from, to) in [(first, nil), (nil, last), (first, last)] as [(UInt64?, UInt64?)] {
          let part = workspace.file("part.evlog")
          var cut = LogCut()
          cut.from = from.map { .seq($0) }
          cut.to = to.map { .seq($0) }
          let result = try cut.run(log, to: part, replacing: true)
          #expect(result.seqs.lowerBound <= from ?? 1 && result.seqs.upperBound >= to ?? 0)
          if let problem = try Self.problem(of: part) {
            Issue.record("seed \(seed), \(from ?? 0) to \(to ?? 0): \(problem)")
            return
          }
        }
      }
    }
  }

  @Test func anInvalidationThatDoesNotFollowItsEventIsFound() async throws {
    var moved = 0
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.programs) {
      let workspace = try Workspace()
      guard let log = try await record(seed: seed, in: workspace) else { continue }
      var events: [Event] = []
      try LogReader(path: log).forEachEvent { events.append($0) }
      for index in events.movableInvalidations.prefix(6) {
        let path = workspace.file("moved.evlog")
        let writer = try LogWriter(creating: path, options: .replacingExisting)
        for event in events.moving(index) { try writer.append(event) }
        try writer.close()
        moved += 1
        if try Self.problem(of: path) == nil {
          Issue.record("seed \(seed): event \(events[index].seq) of \(events.count) behind the next one")
          return
        }
      }
    }
    #expect(moved > 20)
  }

  /// Records a random program, whose whole log must verify; nil if it does not.
  private func record(seed: UInt64, in workspace: Workspace) async throws -> String? {
    let program = ProgramGenerator.program(seed: seed, isTimed: seed % 3 == 0, isUnruly: seed % 5 == 0)
    let path = workspace.file("program.evlog")
    let clock = ManualClock()
    let session = try ProgramPlayer.session(for: program, recordingTo: URL(filePath: path), clock)
    let player = ProgramPlayer(program, in: session, clock)
    for step in program.steps {
      if case .advance(let ticks) = step { await player.advance(by: ticks) } else { player.perform(step) }
    }
    try player.close()
    let problem = try Self.problem(of: path)
    #expect(problem == nil, "seed \(seed): the whole log: \(problem ?? "")")
    return problem == nil ? path : nil
  }

  private static func problem(of path: String) throws -> String? {
    let verification = try Verification(LogSource(path: path, isScanned: true))
    if verification.isSound { return nil }
    return "\(verification.check.findings.prefix(2)) \(verification.findings.prefix(3))"
  }
}
