import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import Testing

@testable import ReplayTool

/// The messages to pages about logs that cannot be read, or not further.
@Suite struct LogFollowingTests {
  /// Follows a log until the known state is as expected; returns that state, and the messages until then.
  private func follow(
    _ path: String, from first: LogSource?, until isRight: (LiveFeed.Contents) -> Bool
  ) -> (contents: LiveFeed.Contents, said: String) {
    final class Said { var bytes: [UInt8] = [] }
    let said = Said()
    let feed = LiveFeed()
    let console = Console(width: nil, style: Style(), output: { _ in }, errors: { said.bytes += $0 })
    // A test that hangs reports nothing.
    var patience = 1500
    LogFollowing(path: path, feed: feed, console: console).run(from: first) {
      patience -= 1
      return patience > 0 && !isRight(feed.contents)
    }
    return (feed.contents, String(decoding: said.bytes, as: UTF8.self))
  }

  private func lastSeq(_ contents: LiveFeed.Contents) -> UInt64? {
    let object = try? JSONSerialization.jsonObject(with: Data(contents.report)) as? [String: Any]
    return (object?["last_seq"] as? Int).map { UInt64($0) }
  }

  private func record(_ path: String, marks: Int) throws {
    try? FileManager.default.removeItem(atPath: path)
    let writer = try LogWriter(creating: path)
    for number in 1...marks { try writer.append(.mark(label: "\(number)"), time: UInt64(number)) }
    try writer.close()
  }

  @Test func whatIsNoLogIsSaidToBeNoneUntilItIsOne() throws {
    let workspace = try Workspace()
    let path = try workspace.write("Dear diary, this is not a log.\n", to: "run.evlog")
    var problems: [String] = []
    let (contents, said) = follow(path, from: nil) { contents in
      if contents.status.phase == .stuck, problems.isEmpty {
        problems.append(contents.status.problem ?? "")
        do { try record(path, marks: 7) } catch { Issue.record(error) }
      }
      return contents.status.generation > 0
    }
    #expect(problems.first?.contains("not an event log") == true, "\(problems)")
    #expect(contents.status.seq == 7 && contents.status.problem == nil && lastSeq(contents) == 7)
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @Test func aLogThatIsNotThereYetIsFollowedOnceItIs() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    var hasWaited = false
    let (contents, said) = follow(path, from: nil) { contents in
      if contents.status.phase == .waiting, !hasWaited {
        hasWaited = true
        do { try record(path, marks: 5) } catch { Issue.record(error) }
      }
      return contents.status.generation > 0
    }
    #expect(hasWaited && contents.status.seq == 5 && contents.status.problem == nil)
    #expect(lastSeq(contents) == 5 && said.isEmpty, "\(said)")
  }

  @Test func aLogInAFolderThatIsNotThereIsSaidToBeGone() throws {
    let workspace = try Workspace()
    let (contents, said) = follow(workspace.file("none/run.evlog"), from: nil) { $0.status.phase == .stuck }
    #expect(contents.status.problem?.contains("run.evlog") == true)
    #expect(said.contains("run.evlog"))
  }

  @Test func whatWasTakenInBeforeAnEventThatDoesNotFitIsShown() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    let (count, text) = (try Path(parsing: "s.count"), try Path(parsing: "s.text"))
    func append(_ numbers: ClosedRange<Int64>) throws {
      for number in numbers { try writer.append(.set(count, .int(number), sameValue: false), time: 0) }
    }
    try append(1...3)
    try writer.ensure(.written)
    var isBroken = false
    let (contents, said) = follow(path, from: try LogSource(path: path)) { contents in
      if contents.status.generation > 0, !isBroken {
        isBroken = true
        do {
          try append(4...20)
          try writer.append(.splice(text, offset: 5, delete: 1, insert: "x", sameValue: false), time: 0)
          try append(22...30)
          try writer.ensure(.written)
        } catch { Issue.record(error) }
      }
      return contents.status.phase == .stuck && lastSeq(contents) == contents.status.seq
    }
    #expect(contents.status.phase == .stuck && contents.status.seq >= 20 && contents.status.seq <= 21)
    #expect(lastSeq(contents) == contents.status.seq)
    #expect(said.contains("event 21 does not fit"), "\(said)")
    try writer.close()
  }
}
