import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// Where the standard library tells of a change only before it is made, and once, the object is looked at when its actor has a turn.
@MainActor @Suite struct AnnouncedFollowTests {
  @Observable final class Player {
    var time = 0.0
    var title = "none"
    var queue: [String] = []
    var isPlaying = false
    @ObservationIgnored var hidden = 0
    var label: String { "\(title) at \(time)" }
  }

  @Recorded final class Store { var count = 0 }

  private let place: LogPlace
  private let session: Session
  private let player = Player()

  init() throws {
    place = try LogPlace()
    session = try Session(recordingTo: place.url)
    session.follow(inThe: .announced)
  }

  private func events() throws -> [Event] {
    try closeAndCheck(session, place.url)
    var events: [Event] = []
    try LogReader(path: place.url.path).forEachEvent { events.append($0) }
    return events
  }

  @Test func itsChangesAreSetsWithTheirCause() throws {
    session.follow(player, as: "player", properties: \.time, \.title, \.queue)
    session.action("Play") { player.time = 1.5 }
    session.flush()
    player.title = "song"
    player.queue.append("next")
    session.flush()
    player.queue.append("last")
    player.hidden += 1
    player.isPlaying = true
    session.flush()
    let writes = try events().compactMap { event -> String? in
      switch event.body {
      case .set(let path, let value, let same):
        "\(path) = \(value.json)\(same ? " same" : "") by \(event.cause ?? 0)"
      case .splice(let path, let index, let delete, let insert, _):
        "\(path) \(index) \(delete) \(insert.json) by \(event.cause ?? 0)"
      default: nil
      }
    }
    #expect(
      writes == [
        #"player = {"$object":"Player#1","time":0.0,"title":"none","queue":[]} by 0"#,
        "player.time = 1.5 by 2", #"player.title = "song" by 0"#, #"player.queue 0 0 ["next"] by 0"#,
        #"player.queue 1 0 ["last"] by 0"#,
      ])
  }

  @Test func whoReadsItRunsAfterTheTurn() throws {
    session.follow(player, as: "player", properties: \.time, \.title)
    var times = 0
    var titles = 0
    session.projection("Time") { _ in
      times += 1
      return player.time
    }
    session.projection("Title") { _ in
      titles += 1
      return player.title
    }
    #expect((times, titles) == (1, 1))
    for second in 1...5 {
      player.time = Double(second)
      session.flush()
    }
    #expect((times, titles) == (6, 1))
    player.time = 7
    player.time = 8
    player.title = "new"
    session.flush()
    #expect((times, titles) == (7, 2))
    session.flush()
    #expect((times, titles) == (7, 2))
    let runs = try events().filter { $0.body.kind == .evaluate && $0.cause != nil }
    #expect(runs.count == 7)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func theNextTurnOfItsActorRecordsItByItself() async throws {
    session.follow(player, as: "player", properties: \.time)
    var seen: [Double] = []
    session.projection("Time") { _ in seen.append(player.time) }
    player.time = 1
    player.time = 2
    #expect(seen == [0])
    for _ in 0..<1_000 where seen.count < 2 { await Task.yield() }
    #expect(seen == [0, 2])
    _ = try events()
  }

  @Test func aValueThatIsComputedFromWhatIsFollowedIsFollowed() throws {
    session.follow(player, as: "player", properties: \.label)
    var labels: [String] = []
    session.projection("Label") { _ in labels.append(player.label) }
    player.time = 1
    session.flush()
    player.title = "song"
    session.flush()
    #expect(labels == ["none at 0.0", "none at 1.0", "song at 1.0"])
    _ = try events()
  }

  @Test func aDerivedValueOfItInvalidatesOnlyWhoNeedsIt() throws {
    session.follow(player, as: "player", properties: \.time)
    let minute = session.derived("minute") { Int(player.time) / 60 }
    var shown: [Int] = []
    session.projection("Minute") { _ in shown.append(minute.value) }
    // The first run has computed the value within it.
    player.time = 1
    session.flush()
    let before = shown.count
    for second in 2..<120 {
      player.time = Double(second)
      session.flush()
    }
    #expect(shown.dropFirst(before) == [1])
    _ = try events()
  }

  /// The stack at the turn would name code that has set nothing.
  @Test func itsSetsHaveNoCallStackAndOthersDo() throws {
    let store = Store()
    session.attach(store, as: "store")
    session.recordOrigins()
    session.follow(player, as: "player", properties: \.time)
    player.time = 1
    session.flush()
    store.count = 1
    let sets = try events().filter { $0.body.kind == .set }.suffix(2)
    #expect(sets.map { $0.origin == nil } == [true, false])
  }

  @Test func aRecordedSetThatRunsAReaderDoesNotHideTheNextChange() throws {
    let store = Store()
    session.attach(store, as: "store")
    session.follow(player, as: "player", properties: \.time)
    var seen: [String] = []
    session.projection("Both") { _ in seen.append("\(store.count) \(player.time)") }
    for number in 1...300 {
      store.count = number
      if number.isMultiple(of: 7) { player.time += 1 }
      session.flush()
    }
    #expect(seen.count == 1 + 300 + 300 / 7)
    #expect(seen.last == "300 42.0")
    _ = try events()
  }
}
