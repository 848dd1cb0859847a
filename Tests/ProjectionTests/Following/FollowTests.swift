import EventLog
import Foundation
import LogGenerator
import Observation
import Testing

@testable import Projection

/// Objects of classes that know nothing of recording are in the log, and invalidate who reads them.
@MainActor @Suite struct FollowTests {
  @Observable final class Track {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Observable final class Player {
    var time = 0.0
    var title = "none"
    var queue: [String] = []
    var current: Track?
    var isPlaying = false
    @ObservationIgnored var hidden = 0
    var label: String { "\(title) at \(time)" }
  }

  @Recorded final class Store {
    var count = 0
    var choice: Track?
  }

  private let place: LogPlace
  private let session: Session
  private let player = Player()

  init() throws {
    place = try LogPlace()
    session = try Session(recordingTo: place.url)
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

  @Test func whoReadsItRunsAtEachSet() throws {
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
    #expect((times, titles) == (8, 2))
    session.flush()
    #expect((times, titles) == (8, 2))
    let runs = try events().filter { $0.body.kind == .evaluate && $0.cause != nil }
    #expect(runs.count == 8)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func itIsRecordedWithoutATurnOfItsActor() throws {
    session.follow(player, as: "player", properties: \.time)
    var seen: [Double] = []
    session.projection("Time") { _ in seen.append(player.time) }
    player.time = 1
    player.time = 2
    #expect(seen == [0, 1, 2])
    #expect(!session.awaitsTurn)
    _ = try events()
  }

  /// What is computed comes after what it is computed from, in each run of the program.
  @Test func aComputedValueIsRecordedAfterWhatWasSet() throws {
    session.follow(player, as: "player", properties: \.label, \.time, \.title)
    for time in 1...50 { player.time = Double(time) }
    let paths = try events().compactMap { $0.body.kind == .set ? $0.body.writtenPath?.description : nil }
    #expect(paths.dropFirst() == (1...50).flatMap { _ in ["player.time", "player.label"] }[...])
  }

  @Test func twoActionsInOneTurnAreEachBlamedForTheirOwnSets() throws {
    session.follow(player, as: "player", properties: \.time, \.title)
    session.action("Seek") {
      player.time = 1
      player.title = "one"
    }
    session.action("Skip") {
      player.title = "two"
      player.time = 2
    }
    let all = try events()
    var label: [UInt64: String] = [:]
    for event in all { if case .action(let text) = event.body { label[event.seq] = text } }
    let blamed = all.compactMap { event -> String? in
      guard case .set(let path, let value, _) = event.body, event.seq > 1 else { return nil }
      return "\(path) \(value.json) \(event.cause.flatMap { label[$0] } ?? "none")"
    }
    #expect(
      blamed == [
        "player.time 1.0 Seek", #"player.title "one" Seek"#, #"player.title "two" Skip"#,
        "player.time 2.0 Skip",
      ])
  }

  @Test func aFlushAfterASuspensionLeavesNothingStale() async throws {
    session.follow(player, as: "player", properties: \.time)
    var shown = -1.0
    session.projection("Time") { _ in
      shown = player.time
      return shown
    }
    var stale = 0
    for number in 1...100 {
      player.time = Double(number)
      await Task.yield()
      player.time = Double(number) + 0.5
      session.flush()
      if shown != player.time { stale += 1 }
      try await Task.sleep(for: .microseconds(100))
    }
    #expect(stale == 0)
    #expect(try events().count { $0.body.kind == .set } == 201)
  }

  @Test func aViewThatReadsItOnlySometimesRunsWhenItDoes() throws {
    let store = Store()
    session.attach(store, as: "store")
    session.follow(player, as: "player", properties: \.time)
    var shown: [String] = []
    session.projection("Sometimes") { _ in
      shown.append(store.count.isMultiple(of: 2) ? "\(player.time)" : "-")
    }
    player.time = 1
    store.count = 1
    player.time = 2
    store.count = 2
    player.time = 3
    #expect(shown == ["0.0", "1.0", "-", "2.0", "3.0"])
    let reads = try events().compactMap { event -> String? in
      if case .reads(_, let change) = event.body { "\(change)" } else { nil }
    }
    #expect(reads.contains { $0.contains("time") })
  }

  @Test func setsFromAnotherThreadAreRecordedThereAndRunTheirReadersThere() async throws {
    let track = Track("song")
    session.follow(track, as: "track", properties: \.title)
    nonisolated(unsafe) let shared = track
    nonisolated(unsafe) var shown: [String] = []
    nonisolated(unsafe) var threads: [Thread] = []
    session.projection("Title") { @Sendable _ in
      shown.append(shared.title)
      threads.append(Thread.current)
    }
    let setter = await withCheckedContinuation { (continuation: CheckedContinuation<Thread, Never>) in
      Thread.detachNewThread {
        shared.title = "other"
        shared.title = "third"
        nonisolated(unsafe) let thread = Thread.current
        continuation.resume(returning: thread)
      }
    }
    #expect(shown == ["song", "other", "third"])
    #expect(threads.count == 3 && threads[1] === setter && threads[2] === setter)
    #expect(try events().count { $0.body.kind == .set } == 3)
  }

  @Test func setsWithinATransactionAreOneUnit() throws {
    session.follow(player, as: "player", properties: \.time, \.title)
    var runs = 0
    session.projection("Both") { _ in
      runs += 1
      return "\(player.time) \(player.title)"
    }
    session.transaction {
      player.time = 1
      player.title = "one"
      #expect(runs == 1)
    }
    #expect(runs == 2)
    session.transaction {
      player.time = 2
      player.time = 1
    }
    #expect(runs == 2)
    _ = try events()
  }

  @Test func withManualDeliveryEachSetIsRecordedAndItsReadersRunAtTheFlush() throws {
    let session = Session(delivery: .manual)
    session.follow(player, as: "player", properties: \.time)
    var seen: [Double] = []
    session.projection("Time") { _ in seen.append(player.time) }
    player.time = 1
    player.time = 2
    #expect(seen == [0])
    #expect(session.engine.coreState.value(at: try Path(parsing: "player.time")) == 2.0)
    session.flush()
    #expect(seen == [0, 2])
  }

  @Test func anObjectThatIsReplacedIsFollowedAnewByWhoFollowsIt() throws {
    session.follow(player, as: "player", properties: \.current)
    var titles: [String] = []
    session.projection("Title") { _ in titles.append(player.current?.title ?? "-") }
    for name in ["a", "b"] {
      let track = Track(name)
      session.follow(track, as: "track-\(name)", properties: \.title)
      player.current = track
      track.title = name + "!"
    }
    #expect(titles == ["-", "a", "a!", "b", "b!"])
    _ = try events()
  }

  /// A path of several steps is observed anew at each step that is replaced.
  @Test func aPathThroughAnObjectThatIsReplacedIsOneProperty() throws {
    session.follow(player, as: "player", properties: \.current?.title)
    let (first, second) = (Track("a"), Track("b"))
    player.current = first
    first.title = "a!"
    player.current = second
    first.title = "unheard"
    second.title = "b!"
    let writes = try events().compactMap { event -> String? in
      if case .set(_, let value, false) = event.body, event.seq > 1 { value.json } else { nil }
    }
    #expect(writes == [#""a""#, #""a!""#, #""b""#, #""b!""#])
  }

  @Test func anObjectThatHasEndedIsFollowedNoMoreAfterAFlush() throws {
    session.projection("Title") { _ in 0 }
    var track: Track? = Track("song")
    session.follow(track!, as: "track", properties: \.title)
    track = nil
    session.flush()
    #expect(session.engine.withLock { $0.followed?.count } == 0)
    let removed = try events().compactMap { event in
      if case .remove(let path, _) = event.body { path.description } else { nil }
    }
    #expect(removed == ["track"])
  }

  /// A body that only sets a property does not read it, although the session does.
  @Test func aBodyThatSetsItIsNotItsReader() throws {
    let store = Store()
    session.attach(store, as: "store")
    session.follow(player, as: "player", properties: \.time)
    var runs = 0
    session.projection("Writer") { _ in
      runs += 1
      player.time = Double(store.count)
    }
    player.time = 7
    #expect(runs == 1)
    store.count = 3
    #expect(runs == 2)
    _ = try events()
  }

  @Test func aBodyThatChangesWhatItHasReadRunsAgain() throws {
    session.follow(player, as: "player", properties: \.time)
    var seen: [Double] = []
    session.projection("Clamp") { _ in
      seen.append(player.time)
      if player.time > 10 { player.time = 10 }
    }
    player.time = 12
    #expect(seen == [0, 12, 10])
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

  @Test func anObjectThatIsFollowedIsAReference() throws {
    let track = Track("song")
    let store = Store()
    session.attach(store, as: "store")
    session.follow(track, as: "track", properties: \.title)
    session.follow(player, as: "player", properties: \.current)
    player.current = track
    store.choice = track
    session.flush()
    try session.close()
    let reader = try LogReader(path: place.url.path)
    let state = try reader.state(at: .max)
    #expect(
      state.value(at: try Path(parsing: "player.current"))?.json
        == state.value(at: try Path(parsing: "track"))?.json)
    #expect(
      state.value(at: try Path(parsing: "store.choice"))?.json
        == state.value(at: try Path(parsing: "track"))?.json)
  }

  @Test func itIsNotRetainedAndItsEndIsInTheLog() throws {
    var track: Track? = Track("song")
    weak let weakTrack = track
    session.follow(track!, as: "track", properties: \.title)
    session.projection("Title") { [weak track] _ in track?.title }
    track!.title = "other"
    session.flush()
    track = nil
    #expect(weakTrack == nil)
    let removed = try events().compactMap { event in
      if case .remove(let path, _) = event.body { path.description } else { nil }
    }
    #expect(removed == ["track"])
  }

  @Test func itsSetsHaveTheirCallStack() throws {
    let store = Store()
    session.attach(store, as: "store")
    session.recordOrigins()
    session.follow(player, as: "player", properties: \.time)
    player.time = 1
    session.flush()
    store.count = 1
    let sets = try events().filter { $0.body.kind == .set }.suffix(2)
    #expect(sets.map { $0.origin == nil } == [false, false])
  }

  @Test func nothingIsRecordedOfItAfterItsEnd() throws {
    let followed = session.follow(player, as: "player", properties: \.time)
    player.time = 1
    session.flush()
    followed.cancel()
    player.time = 2
    session.flush()
    #expect(try events().count { $0.body.kind == .set } == 2)
    player.time = 3
  }

  @Test func whoReadsWhatIsNotFollowedRunsAndIsReported() throws {
    let other = Track("other")
    session.follow(player, as: "player", properties: \.time)
    var runs = 0
    session.projection("Mixed") { _ in
      runs += 1
      return other.title + "\(player.time)"
    }
    other.title = "new"
    session.flush()
    #expect(runs == 2)
    player.time = 1
    session.flush()
    #expect(runs == 3)
    let reported = session.diagnostics.map(\.message)
    #expect(reported.count == 1 && reported[0].contains("follow it: session.follow"))
    _ = try events()
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

  @Test func whatPublishesItsChangesIsReadThroughTheHandle() throws {
    final class Legacy {
      var listeners: [() -> Void] = []
      var count = 0 { willSet { for listener in listeners { listener() } } }
      var name = "a" { willSet { for listener in listeners { listener() } } }
    }
    let legacy = Legacy()
    let followed = session.follow(legacy, as: "legacy", properties: \.count, \.name) { notice in
      legacy.listeners.append(notice)
    }
    var counts: [Int] = []
    session.projection("Count") { _ in counts.append(followed.count) }
    legacy.name = "b"
    session.flush()
    legacy.count = 2
    session.flush()
    #expect(counts == [0, 2])
    let writes = try events().compactMap { event -> String? in
      guard case .set(let path, let value, let same) = event.body, event.seq > 1 else { return nil }
      return same ? nil : "\(path) = \(value.json)"
    }
    #expect(writes == [#"legacy.name = "b""#, "legacy.count = 2"])
  }
}
