import EventLog
import FlyingSocks
import Foundation
import LogGenerator
import ReplayAnalysis
import Testing

@testable import ReplayTool

/// What was asked and is not wanted any more ends, and what is wanted does not.
@Suite struct ServeQuestionsTests {
  private static let eventsMax = 40_000

  /// The number of events that a pass has read, shared by the asking and the answering thread.
  private final class Count: Sendable {
    private let count = Lock(0)
    var now: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  private func log(in workspace: Workspace) throws -> String {
    let path = workspace.file("long.evlog")
    let writer = try LogWriter(creating: path)
    for number in 1...Self.eventsMax { try writer.append(.mark(label: "tick"), time: UInt64(number)) }
    try writer.close()
    return path
  }

  /// Goes through the log, and counts.
  private static func pass(_ log: LogSource, _ seen: Count) throws -> [UInt8] {
    var run = LogRun(log, [])
    while try run.next() { seen.add() }
    return Array("\(seen.now)".utf8)
  }

  private func isOutdated(_ answer: Questions.Answer) -> Bool {
    if case .outdated = answer { true } else { false }
  }

  @Test func aPassEndsInTheMiddleWhenNobodyWaitsForItAnyMore() async throws {
    let workspace = try Workspace()
    let questions = Questions(path: try log(in: workspace))
    defer { questions.stop() }
    let seen = Count()
    let left = await questions.ask("why", while: { seen.now < 10_000 }) { try Self.pass($0, seen) }
    #expect(isOutdated(left))
    #expect((10_000..<Self.eventsMax).contains(seen.now), "\(seen.now)")
    // The next one on the same log is asked for itself.
    let all = Count()
    guard case .found(let bytes) = await questions.ask("why", { try Self.pass($0, all) }) else {
      Issue.record("there is no answer")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "\(Self.eventsMax)")
  }

  @Test func whatWasLeftBeforeItBeganIsNotBegun() async throws {
    let workspace = try Workspace()
    let questions = Questions(path: try log(in: workspace))
    defer { questions.stop() }
    let seen = Count()
    #expect(isOutdated(await questions.ask("why", while: { false }) { try Self.pass($0, seen) }))
    #expect(seen.now == 0)
  }

  @Test func theEndOfTheServerEndsAPassInTheMiddle() async throws {
    let workspace = try Workspace()
    let questions = Questions(path: try log(in: workspace))
    let seen = Count()
    let answer = await questions.ask("what-if") { log in
      questions.stop()
      return try Self.pass(log, seen)
    }
    #expect(isOutdated(answer))
    #expect(seen.now < Self.eventsMax, "\(seen.now)")
    #expect(isOutdated(await questions.ask("what-if") { try Self.pass($0, seen) }))
  }

  @Test func aPartOfALogIsWantedAsLongAsTheWhole() throws {
    let workspace = try Workspace()
    let path = try log(in: workspace)
    let whole = try LogSource(path: path)
    let seen = Count()
    whole.isWanted = { seen.now < 100 }
    #expect(throws: CancellationError.self) {
      _ = try Self.pass(whole.part(from: UInt64(Self.eventsMax / 2)), seen)
    }
    #expect(seen.now < Self.eventsMax / 2, "\(seen.now)")
  }

  /// By the number that its request comes with, a question knows when its client has left.
  @Test func aClientThatLeavesIsKnownToHaveLeft() async throws {
    let gated = try await GatedSocket()
    defer { gated.close() }
    var clients = try (0..<2).map { _ in try RawClient(port: gated.port) }
    var numbers: [UInt64] = []
    var connections: [AsyncSocket] = []
    for client in clients {
      // What a client says of it counts for nothing.
      client.send("GET /why HTTP/1.1\r\nReplay-Connection: 4711\r\n\r\n")
      let connection = try await gated.server.accept()
      connections.append(connection)
      var head = ""
      while !head.hasSuffix("\r\n\r\n") {
        head += String(decoding: try await connection.read(atMost: 4096), as: UTF8.self)
      }
      let line = try #require(head.split(separator: "\r\n").last)
      #expect(line.hasPrefix("Replay-Connection: "), "\(head)")
      numbers.append(try #require(UInt64(line.drop { !$0.isNumber })))
    }
    #expect(Set(numbers).count == 2 && !numbers.contains(4711))
    #expect(numbers.allSatisfy { gated.gate.connections.has($0) })
    clients.removeFirst()
    while gated.gate.connections.has(numbers[0]) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(gated.gate.connections.has(numbers[1]))
    for connection in connections { try? connection.close() }
    withExtendedLifetime(clients) {}
  }
}
