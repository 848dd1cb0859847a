import EventLog
import Foundation
@testable import Projection
import ReplayAnalysis
import ReplayTesting
@testable import SampleApps
import Testing

/// Each sample driven through itself, and each bad sample through its fix.
@Suite struct DrivenSampleTests {
  /// The samples whose log has everything that happened. The mail app is not one: it runs its delayed
  /// callbacks by `flush()`, and reads derived values outside of any projection, which no event records.
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

  /// The session that showed the problem, driven through the fixed code: it runs as often as the fix itself.
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

  /// The list of episodes as new code might have it: its displayed value is set four times a second.
  private func throttle(_ app: EpisodesStruct.AppState, in session: Session) -> EpisodesStruct.AppState {
    let shown = EpisodesStruct.AppState()
    session.attach(shown, as: "shown")
    session.onChange(of: \.episodes, in: app, throttledTo: .milliseconds(250)) { shown.episodes = $1 }
    session.projection("EpisodeList", tracking: .property) { list in
      for episode in shown.episodes {
        list.child("EpisodeRow", id: episode.id) { _ in "\(episode.title) \(episode.playbackPosition)" }
      }
      return "\(shown.episodes.count) episodes"
    }
    return shown
  }

  /// A recording of the model without a throttle, driven through a model with one.
  @Test @MainActor func theEpisodesDrivenThroughAThrottledModelShowWhatItsThrottleLetsBy() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "driven-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (recorded, driven) = (folder.appending(path: "a.evlog"), folder.appending(path: "b.evlog"))
    let app = EpisodesStruct.AppState()
    let session = try Session(recordingTo: recorded)
    // Progress every 17 ms, so that no wait ends at the time of a set.
    let ticks: ClosedRange<Int> = 1...100
    let (step, end) = (17, 2_200)
    func stand(_ milliseconds: Int) {
      session.engine.withLock { $0.recorder.stand(at: UInt64(milliseconds) * 1_000_000) }
    }
    stand(0)
    app.episodes = Array(EpisodeFeed.first.prefix(8))
    session.attach(app, as: "app")
    for tick in ticks {
      stand(tick * step)
      app.episodes[3].playbackPosition = Double(tick) / 50
    }
    stand(end)
    session.mark("end")
    try session.close()

    let drive = try Drive(Recording(recorded), recordingTo: driven)
    let shown = throttle(try drive.attach(EpisodesStruct.AppState.self, root: "app"), in: drive.session)
    try drive.run()
    try drive.session.close()
    #expect(drive.problems == [])
    withExtendedLifetime(shown) {}

    // The first change is shown at once, with all episodes; a later change is shown a quarter of a second
    // after the previous one, or the change that has replaced it by then.
    var (wanted, last) = ([Double](), step)
    for tick in ticks.dropFirst() where last + 250 <= tick * step {
      wanted.append(Double(tick - 1) / 50)
      last += 250
    }
    wanted.append(Double(ticks.upperBound) / 50)
    var (found, lists) = ([Double](), 0)
    try LogReader(path: driven.path).forEachEvent { event in
      switch event.body {
      case .set(let path, .double(let position), _) where "\(path)".hasPrefix("shown.") && event.cause != nil:
        found.append(position)
      case .evaluate("EpisodeList", _, _, _, _): lists += 1
      default: break
      }
    }
    #expect(found == wanted)
    // Once when it is created, once with the first episodes, and then once for each that is shown.
    #expect(lists == 2 + wanted.count)
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
