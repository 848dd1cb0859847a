import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// An object may be followed without naming its properties.
@MainActor @Suite(.enabled(if: FollowingWay.best == .exact)) struct FollowUnnamedTests {
  @Observable class Base { var title = "none" }

  @Observable final class Player: Base {
    var time = 0.0
    var queue: [String] = []
    @ObservationIgnored var hidden = 0
    let constant = 1
    var label: String { "\(title) at \(time)" }
  }

  private let place: LogPlace
  private let session: Session
  private let player = Player()

  init() throws {
    place = try LogPlace()
    session = try Session(recordingTo: place.url)
    session.follow(player, as: "player")
  }

  private func writes() throws -> [String] {
    try closeAndCheck(session, place.url)
    var writes: [String] = []
    try LogReader(path: place.url.path).forEachEvent { event in
      switch event.body {
      case .set(let path, let value, false): writes.append("\(path) = \(value.json)")
      case .splice(let path, let index, _, let insert, false):
        writes.append("\(path) \(index) \(insert.json)")
      default: break
      }
    }
    return writes
  }

  @Test func allThatIsObservedIsRecorded() throws {
    #expect(
      try writes() == [#"player = {"$object":"Player#1","title":"none","time":0.0,"queue":[]}"#])
  }

  @Test func whatSomethingReadsIsRecordedAtEachSetFromThenOn() throws {
    var shown: [String] = []
    session.projection("Label") { _ in shown.append(player.label) }
    player.time = 1
    player.time = 2
    player.title = "song"
    #expect(shown == ["none at 0.0", "none at 1.0", "none at 2.0", "song at 2.0"])
    #expect(
      try writes().dropFirst() == ["player.time = 1.0", "player.time = 2.0", #"player.title = "song""#])
    #expect(session.diagnostics.isEmpty)
  }

  @Test func whatNothingReadsIsComparedAtAFlushAndReported() throws {
    player.queue.append("next")
    player.queue.append("last")
    session.flush()
    session.flush()
    #expect(session.diagnostics.count == 1)
    #expect(session.diagnostics.first?.message.contains("player.queue") == true)
    #expect(try writes().dropFirst() == [#"player.queue 0 ["next","last"]"#])
  }

  @Test func whatWasSetBeforeTheFirstReadIsRecordedThen() throws {
    player.time = 5
    var shown: [Double] = []
    session.projection("Time") { _ in shown.append(player.time) }
    player.time = 6
    #expect(shown.last == 6)
    #expect(try writes().dropFirst() == ["player.time = 5.0", "player.time = 6.0"])
  }

  @Test func aClassThatShowsNoPropertiesIsReported() throws {
    final class Opaque: Observable {}
    let opaque = Opaque()
    session.follow(opaque, as: "opaque")
    #expect(session.diagnostics.map(\.message).contains { $0.contains("does not show its properties") })
    _ = try writes()
  }
}
