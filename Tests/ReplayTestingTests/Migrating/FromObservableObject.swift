import Projection
import ReplayTesting
import Testing

// The snippets of MIGRATING.md, "From `ObservableObject`", in their order.

@Recorded final class Player {
  var position = 0.0
  var isPlaying = false
}

@MainActor final class PlayerLog {
  private(set) var lines: [String] = []

  func follow(_ player: Player, in session: Session) {
    session.onReceive(of: \.position, in: player) { self.lines.append("at \($0)") }
    session.onChange(of: \.isPlaying, in: player) { _, new in self.lines.append(new ? "plays" : "stops") }
  }
}

func positions(of player: Player, in session: Session) -> AsyncStream<Session.Change<Double>> {
  session.changes(of: \.position, in: player, throttledTo: .milliseconds(250))
}

@Test func aButtonNoLongerRunsWithThePosition() throws {
  try withRecordedSession { session in
    let player = Player()
    session.attach(player, as: "player")
    session.projection("Before", tracking: .object) { _ in player.isPlaying ? "||" : ">" }
    session.projection("Button") { _ in player.isPlaying ? "||" : ">" }
    session.expectEvaluations(["Before": 60, "Button": 0]) {
      for tick in 1...60 { player.position = Double(tick) / 60 }
    }
    session.expectEvaluations(["Before": 1, "Button": 1]) { player.isPlaying = true }
  }
}

// The statements in the text of the guide.

@Suite struct FromObservableObject {
  @MainActor @Test func everySetIsReceivedAndOnlyAChangeIsAChange() {
    let session = Session()
    let player = Player()
    session.attach(player, as: "player")
    let log = PlayerLog()
    log.follow(player, in: session)
    player.position = 1
    player.position = 1
    player.isPlaying = true
    player.isPlaying = true
    #expect(log.lines == ["at 1.0", "at 1.0", "plays"])
  }

  /// `@Published` publishes before the property has its new value; callbacks of a session come after.
  @Test func aCallbackSeesTheNewValue() {
    let session = Session()
    let player = Player()
    session.attach(player, as: "player")
    var seen: [Double] = []
    session.onReceive(of: \.position, in: player) { _ in seen.append(player.position) }
    player.position = 7
    #expect(seen == [7])
  }

  @Test func theSequenceHasWhatChanged() async throws {
    let session = Session(clock: ManualClock())
    let player = Player()
    session.attach(player, as: "player")
    let changes = positions(of: player, in: session)
    player.position = 2
    try session.close()
    var seen: [Double] = []
    for await change in changes { seen.append(change.new) }
    #expect(seen == [2])
  }
}
