import EventLog
import Foundation
import Projection
import ReplayAnalysis
@testable import SampleApps
import Testing

/// Each sample driven through itself, and each bad shape through its fix.
@Suite struct DrivenSampleTests {
  /// Those whose log says all that happened. The mail app runs its delayed callbacks by `flush()`, which no event says.
  static let names = sampleNames.filter { $0 != "mailbox" }

  @Test(arguments: names)
  func aSampleDrivenThroughItselfHasTheSameLog(name: String) throws {
    let app = try #require(sampleApps.first { $0.name == name })
    try withFolder { folder in
      let (recorded, driven) = (folder.appending(path: "a.evlog"), folder.appending(path: "b.evlog"))
      let session = try app.session(recordingTo: recorded)
      app.run(in: session)
      try session.close()
      #expect(try drive(recorded, through: app, to: driven) == [])
      #expect(try SampleLog(at: recorded).events == SampleLog(at: driven).events)
    }
  }

  @Test(arguments: names)
  func aSampleLogDrivenThroughItsSampleIsIdentical(name: String) throws {
    let app = try #require(sampleApps.first { $0.name == name })
    try withFolder { folder in
      let driven = folder.appending(path: "driven.evlog")
      let kept = SampleLog.root.appending(path: "SampleLogs/\(name).evlog")
      #expect(try drive(kept, through: app, to: driven) == [])
      let comparison = try DriveComparison(LogSource(path: kept.path), LogSource(path: driven.path))
      #expect(comparison.isIdentical)
      #expect(comparison.state == nil)
      #expect(comparison.timeline == nil)
      #expect(comparison.reactionCount == 0)
    }
  }

  /// The session that showed the problem, through the code that fixes it: it runs as often as the fix itself does.
  @Test(arguments: [
    ("chat-wide", "chat-isolated"), ("list-trap", "list-element"), ("list-trap", "list-property"),
    ("catalog-single", "catalog-split"), ("game-mixed", "game-split"), ("stream-wide", "stream-input"),
  ])
  func aBadShapeDrivenThroughItsFixRunsAsOftenAsTheFix(bad: String, fix: String) throws {
    let app = try #require(sampleApps.first { $0.name == fix })
    try withFolder { folder in
      let driven = folder.appending(path: "driven.evlog")
      let recorded = SampleLog.root.appending(path: "SampleLogs/\(bad).evlog")
      #expect(try drive(recorded, through: app, to: driven) == [])
      let (counts, expected) = (try SampleLog(at: driven).evaluations, try SampleLog.kept(fix).evaluations)
      #expect(counts.map(\.label) == expected.map(\.label))
      for (step, wanted) in zip(counts, expected) {
        #expect(byGroup(step.evaluations) == byGroup(wanted.evaluations), "\(step.label)")
      }
    }
  }

  /// Drives a recording of a sample through a sample.
  private func drive(
    _ recorded: URL, through app: any SampleApp.Type, to driven: URL
  ) throws -> [DriveProblem] {
    // Its initializer takes no properties.
    let episode = RestorableType(EpisodesIdentity.Episode.self) { source in
      EpisodesIdentity.Episode(
        from: EpisodeSnapshot(id: try source.argument("id"), title: try source.argument("title")))
    }
    let drive = try Drive(Recording(recorded, types: [episode]), recordingTo: driven)
    try app.drive(drive)
    return drive.problems
  }

  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "driven-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
