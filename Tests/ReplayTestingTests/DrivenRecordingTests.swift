import EventLog
import Foundation
import Projection
import Testing

@testable import ReplayTesting

@Recorded private final class Feed {
  var items: [Int] = []
  var level = 0
  var doubled = 0
}

/// Recordings that tests drive through their own code.
@Suite struct DrivenRecordingTests {
  private enum Screen { case wide, isolated, greedy }

  private func mount(_ feed: Feed, in session: Session, as screen: Screen) {
    session.projection("Feed") { view in
      if screen == .wide { _ = feed.level }
      for item in feed.items { view.child("Row", id: item) { _ in "\(item)" } }
      view.child("Level") { _ in feed.level }
      return feed.items.count
    }
    if screen == .greedy { session.projection("Level") { _ in feed.level / 100 } }
    session.onChange(of: \.level, in: feed) { feed.doubled = (screen == .greedy ? 3 : 2) * $1 }
  }

  /// Records the wide screen, and returns the log.
  private func record() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "wide-\(UUID().uuidString).evlog")
    let session = try Session(recordingTo: url)
    let feed = Feed()
    feed.items = [1, 2, 3]
    session.attach(feed, as: "feed")
    mount(feed, in: session, as: .wide)
    for level in 1...10 { feed.level = level }
    try session.close()
    return url
  }

  @Test func aFixIsProvedByTheSessionThatShowedTheProblem() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    let log = try withDrivenRecording(url.path) { drive in
      let feed = try drive.attach(Feed.self, root: "feed")
      mount(feed, in: drive.session, as: .isolated)
      let report = try drive.run()
      report.expectNoMore(than: .recorded)
      report.expectNoProblems()
      report.expectEvaluations(["Row": 0...3, "Feed": 1, "Level": 11], others: .atMost(11))
      #expect(report.recorded["Row"]?.evaluations == 33)
      #expect(report.driven["Row"]?.evaluations == 3)
      #expect(report.recorded["Feed"]?.wasted == 10)
      #expect(!report.isIdentical)
      #expect(report.state == nil)
      #expect(report.timeline?.recorded.first?.contains("Feed") ?? false)
      #expect(report.reactionCount == 0)
      return report.log
    }
    // The test passed, so nothing is left.
    #expect(!FileManager.default.fileExists(atPath: log.path))
  }

  @Test func aProgramDrivenThroughItselfIsIdentical() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    try withDrivenRecording(url.path) { drive in
      let feed = try drive.attach(Feed.self, root: "feed")
      mount(feed, in: drive.session, as: .wide)
      let report = try drive.run()
      report.expectIdentical()
      #expect(report.description == "the driven session did what the recorded one did")
      #expect(report.timeline == nil)
    }
  }

  @Test func codeThatRunsMoreOftenFailsAndItsLogIsKept() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    var log: URL?
    var notice = ""
    let notices = Notices()
    try withKnownIssue {
      try Notice.$destination.withValue({ notices.add($0) }) {
        try withDrivenRecording(url.path) { drive in
          let feed = try drive.attach(Feed.self, root: "feed")
          mount(feed, in: drive.session, as: .greedy)
          let report = try drive.run()
          log = report.log
          #expect(report.reactions.map(\.change) == Array(repeating: .different, count: 10))
          #expect(report.state?.driven.count == 2)
          report.expectNoMore(than: .recorded)
        }
      }
    } matching: { issue in
      "\(issue)".contains("Level ran 22 times, and 11 times when recorded")
    }
    notice = notices.text
    let kept = try #require(log)
    defer { try? FileManager.default.removeItem(at: kept) }
    #expect(FileManager.default.fileExists(atPath: kept.path))
    #expect(notice.contains("replay diff \(url.path)"))
  }

  /// A test that attaches the wrong root, or none, must not pass because no projection ran.
  @Test func expectationsFailWhereNothingIsDriven() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    func issues(_ body: (DriveReport) -> Void) throws -> [String] {
      let issues = Notices()
      var log: URL?
      try Notice.$destination.withValue({ _ in }) {
        try withKnownIssue(isIntermittent: true) {
          try withDrivenRecording(url.path) { drive in
            let report = try drive.run()
            log = report.log
            body(report)
          }
        } matching: { issue in
          issues.add("\(issue)")
          return true
        }
      }
      if let log { try? FileManager.default.removeItem(at: log) }
      return issues.text.split(separator: "\n").map(String.init)
    }
    let noMore = try issues { $0.expectNoMore(than: .recorded) }
    #expect(noMore.contains { $0.contains("nothing is attached as feed") })
    let evaluations = try issues { $0.expectEvaluations(["Row": 0]) }
    #expect(evaluations.contains { $0.contains("nothing is attached as feed") })
    let allowed = try issues { report in
      report.expectNoMore(than: .recorded, allowing: { $0.reason.contains("nothing is attached") })
    }
    #expect(allowed.contains { $0.contains("no write was driven") })
  }

  @Test func aReportOnTheWayComparesWithTheRecordingUpToThere() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    try withDrivenRecording(url.path) { drive in
      let feed = try drive.attach(Feed.self, root: "feed")
      mount(feed, in: drive.session, as: .wide)
      for _ in 0..<4 { try drive.step() }
      let report = try drive.report()
      report.expectIdentical()
      #expect(report.recorded["Feed"]?.evaluations == 5)
      #expect(report.driven["Feed"]?.evaluations == 5)
      #expect(report.reactionCount == 0)
      #expect(report.writeCount == 4)
      try drive.run().expectIdentical()
    }
  }

  @Test func oneTestTakesTheLogThatReplayDriveAskedFor() throws {
    let (url, output) = (
      try record(), FileManager.default.temporaryDirectory.appending(path: "out-\(UUID().uuidString).evlog")
    )
    defer { for file in [url, output] { try? FileManager.default.removeItem(at: file) } }
    let request = RequestedDrive(["REPLAY_DRIVE": url.path, "REPLAY_DRIVE_OUTPUT": output.path])
    try RequestedDrive.$current.withValue(request) {
      try withDrivenRecording("another.evlog", named: "first") { drive in
        mount(try drive.attach(Feed.self, root: "feed"), in: drive.session, as: .wide)
        try drive.run().expectIdentical()
      }
      let before = try Data(contentsOf: output)
      let error = #expect(throws: DriveError.self) {
        try withDrivenRecording("another.evlog", named: "second") { _ in }
      }
      #expect(error?.description.contains("first has taken it") ?? false)
      #expect(try Session.driven() == nil)
      // The result of the first stays.
      #expect(try Data(contentsOf: output) == before)
    }
  }

  private final class Notices: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    func add(_ text: String) { lock.withLock { lines.append(text) } }
    var text: String { lock.withLock { lines.joined(separator: "\n") } }
  }

  @Test func aRecordingIsFoundBesideTheTest() throws {
    let here = URL(filePath: #filePath)
    #expect(DrivenRecording.url(of: here.lastPathComponent, besides: #filePath).path == here.path)
    #expect(DrivenRecording.url(of: "/tmp/x.evlog", besides: #filePath).path == "/tmp/x.evlog")
    #expect(throws: LogError.self) { try withDrivenRecording("nowhere.evlog") { _ in } }
  }

  @Test func aRootThatTheRecordingHasNotIsAnsweredWithThoseItHas() throws {
    let url = try record()
    defer { try? FileManager.default.removeItem(at: url) }
    let drive = try Drive(Recording(url))
    let error = #expect(throws: DriveError.self) { try drive.attach(Feed.self, root: "fed") }
    #expect(error?.description == "the recording has no root fed; its roots are feed")
    // That call drove nothing.
    #expect(drive.nextSeq == 1)
    try drive.session.close()
  }
}
