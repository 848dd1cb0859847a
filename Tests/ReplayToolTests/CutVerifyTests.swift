import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import SampleApps
import Testing

@testable import ReplayTool

/// What `verify` says of parts of the samples, and of samples in which one event is in another place.
@Suite struct CutVerifyTests {
  @Test(arguments: sampleNames) func bothHalvesOfASampleVerify(name: String) throws {
    let workspace = try Workspace()
    let (log, part) = (sample(name), workspace.file("part.evlog"))
    let reader = try LogReader(path: log)
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    // Of a short log all boundaries; of a long one some.
    let count = reader.eventCount
    let boundaries =
      count < 200
      ? Array(2..<reader.nextSeq) : (0..<6).map { _ in UInt64.random(in: 2..<reader.nextSeq, using: &random) }
    for boundary in boundaries {
      let end = UInt64.random(in: boundary..<reader.nextSeq, using: &random)
      for (from, to) in [(boundary, nil), (nil, boundary - 1), (boundary, end)] as [(UInt64?, UInt64?)] {
        var cut = LogCut()
        cut.from = from.map { .seq($0) }
        cut.to = to.map { .seq($0) }
        _ = try cut.run(log, to: part, replacing: true)
        let found = try verify(part)
        #expect(found == nil, "seed \(seed), \(from ?? 1) to \(to ?? count): \(found ?? "")")
      }
    }
  }

  /// A filtered part is numbered anew, and has no cause that lies before it.
  @Test(arguments: sampleNames.filter { !$0.hasPrefix("game") && $0 != "chat-wide" })
  func bothHalvesOfWhatIsKeptOfASampleVerify(name: String) throws {
    let workspace = try Workspace()
    let (log, part) = (sample(name), workspace.file("part.evlog"))
    let reader = try LogReader(path: log)
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var projections: Set<String> = []
    try reader.forEachEvent { event in
      if case .projection(let name, _, _) = event.body { projections.insert(name.projectionGroup) }
    }
    for _ in 0..<4 {
      let boundary = UInt64.random(in: 2..<reader.nextSeq, using: &random)
      for isFirst in [true, false] {
        var cut = LogCut()
        if isFirst { cut.to = .seq(boundary - 1) } else { cut.from = .seq(boundary) }
        cut.projections = projections.sorted().randomElement(using: &random).map { [$0] } ?? []
        do { _ = try cut.run(log, to: part, replacing: true) } catch {
          // The half has nothing of this projection.
          #expect(error.code == .noSuchEvent, "\(error)")
          continue
        }
        let found = try verify(part)
        #expect(found == nil, "seed \(seed), \(boundary), \(cut.projections): \(found ?? "")")
      }
    }
  }

  @Test(arguments: sampleNames) func anInvalidationBehindTheNextEventIsFound(name: String) throws {
    let workspace = try Workspace()
    var events: [Event] = []
    try LogReader(path: sample(name)).forEachEvent { events.append($0) }
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    // Of a short log all are moved, one at a time; of a long one some, in its first part.
    events = Array(events.prefix(4000))
    let movable = events.movableInvalidations
    let indices = movable.count <= 12 ? movable : Array(movable.shuffled(using: &random).prefix(12))
    for index in indices {
      let path = workspace.file("moved.evlog")
      let writer = try LogWriter(creating: path, options: .replacingExisting)
      for event in events.moving(index) { try writer.append(event) }
      try writer.close()
      #expect(try verify(path) != nil, "seed \(seed), event \(events[index].seq)")
    }
  }

  /// What does not agree in a log; nil if nothing does not.
  private func verify(_ path: String) throws -> String? {
    let verification = try Verification(LogSource(path: path, isScanned: true))
    if verification.isSound { return nil }
    return "\(verification.check.findings.prefix(1)) \(verification.findings.prefix(2))"
  }
}
