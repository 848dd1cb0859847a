import EventLog
import Foundation
import Projection
import Synchronization
import Testing

@testable import ReplayTesting

/// The log of a test: removed if it passes, kept and printed if it fails.
@Suite struct RecordedSessionTests {
  struct Failure: Error {}

  /// The text printed on the standard error while the body runs.
  func notices(_ body: () throws -> Void) rethrows -> [String] {
    let texts = Mutex<[String]>([])
    try Notice.$destination.withValue({ text in texts.withLock { $0.append(text) } }, operation: body)
    return texts.withLock { $0 }
  }

  /// The log that a notice names, which is removed after it is read.
  func takeLog(_ notice: String?) throws -> [Event] {
    let path = try #require(notice?.split(separator: "\n").dropFirst().first?.split(separator: " ").last)
    defer { try? FileManager.default.removeItem(atPath: String(path)) }
    var events: [Event] = []
    try LogReader(path: String(path)).forEachEvent { events.append($0) }
    return events
  }

  @Test func theLogOfATestThatPassesIsRemoved() throws {
    var path = ""
    let texts = try notices {
      let result = try withRecordedSession { session in
        path = try #require(RecordedRun.current?.url.path)
        #expect(FileManager.default.fileExists(atPath: path))
        session.mark("here")
        return 5
      }
      #expect(result == 5)
    }
    #expect(texts == [])
    #expect(
      !FileManager.default.fileExists(atPath: path) && path.contains("theLogOfATestThatPassesIsRemoved-"))
  }

  @Test func theLogOfABodyThatThrowsIsKeptAndItsErrorIsThrown() throws {
    let texts = notices {
      #expect(throws: Failure.self) {
        try withRecordedSession(named: "a name/with 'all'") { session in
          session.mark("here")
          throw Failure()
        }
      }
    }
    #expect(texts.count == 1)
    let lines = try #require(texts.first?.split(separator: "\n"))
    #expect(lines[0] == "a name/with 'all' failed. See what was recorded:")
    #expect(lines[1].contains("/a-name-with-all-") && lines[1].hasPrefix("  replay cascades /"))
    #expect(lines[2] == lines[1].replacing("cascades", with: "timeline"))
    #expect(try takeLog(texts.first).map(\.body) == [.mark(label: "here")])
  }

  @Test func theLogOfAFailedExpectationIsKeptWithTheCommandsThatExplainIt() throws {
    let texts = try notices {
      _ = try failures {
        try withRecordedSession { session in
          let it = ShopSession(session)
          session.expectEvaluations(["Row#1": 1, "Badge": 5]) { it.shop.lines[id: 42]?.count += 1 }
        }
      }
    }
    let lines = try #require(texts.first?.split(separator: "\n"))
    let log = try #require(lines[1].split(separator: " ").last)
    #expect(lines[2...] == ["  replay why \(log) Badge", "  replay why \(log) 'Row#1'"])
    let events = try takeLog(texts.first)
    #expect(events.last { if case .mark = $0.body { true } else { false } }?.body == .mark(label: "failed"))
  }

  @Test func everyExpectationOfSwiftTestingCounts() throws {
    let texts = try notices {
      _ = try failures { try withRecordedSession { _ in #expect(Bool(false)) } }
    }
    #expect(texts.count == 1)
    let events = try takeLog(texts.first)
    #expect(events.last?.body == .mark(label: "failed"))
    #expect(events.last?.site?.hasPrefix("ReplayTestingTests/RecordedSessionTests.swift:") == true)
  }

  @Test func knownIssuesDoNotCount() throws {
    let texts = try notices {
      try withRecordedSession { _ in _ = failures { #expect(Bool(false)) } }
    }
    #expect(texts == [])
  }

  @Test func aRequirementThatThrowsNamesItsProjections() throws {
    let texts = notices {
      #expect(throws: UnmetExpectation.self) {
        try withRecordedSession { session in
          let it = ShopSession(session)
          try session.measure { it.shop.filter = "a" }.requireEvaluations(["List": 0])
        }
      }
    }
    #expect(texts.first?.hasSuffix(" List") == true)
    _ = try takeLog(texts.first)
  }

  @Test @MainActor func aBodyMayWait() async throws {
    let clock = ManualClock()
    let texts = Mutex<[String]>([])
    try await Notice.$destination.withValue({ text in texts.withLock { $0.append(text) } }) {
      try await withRecordedSession(delivery: .every(.seconds(1)), clock: clock) { session in
        let it = ShopSession(session)
        await session.expectEvaluations(["List": 1]) {
          it.shop.filter = "a"
          await clock.advance(by: .seconds(1))
        }
      }
      #expect(texts.withLock { $0 } == [])
      await #expect(throws: Failure.self) {
        try await withRecordedSession { _ in
          await Task.yield()
          throw Failure()
        }
      }
    }
    let notice = texts.withLock { $0.first }
    #expect(try takeLog(notice) == [])
  }

  @Test func artifactsGoToTheDirectoryThatTheEnvironmentNames() throws {
    let top = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: top) }
    let directory = top.appending(path: "a/b").path
    let run = try RecordedRun(name: "test()", environment: ["REPLAY_ARTIFACTS": directory])
    #expect(run.url.deletingLastPathComponent().path == directory)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
    let other = try RecordedRun(name: "()", environment: ["REPLAY_ARTIFACTS": ""])
    #expect(other.url.lastPathComponent.hasPrefix("session-"))
    #expect(other.url.deletingLastPathComponent().path == FileManager.default.temporaryDirectory.path)
  }
}
