import Foundation
import Observation
import Projection
import Testing

// The snippet of MIGRATING.md, "Classes that one does not migrate".

/// As if it were of another package.
@Observable final class TapePlayer {
  var time = 0.0
  var title = ""
  var queue: [String] = []
}

private func follow(_ player: TapePlayer, in session: Session) {
  session.follow(player, as: "player", properties: \.time, \.title, \.queue)
}

@Suite struct ForeignClassTests {
  @Test func aClassThatIsNotMigratedWakesWhoReadsIt() {
    let (player, session) = (TapePlayer(), Session())
    follow(player, in: session)
    var titles: [String] = []
    session.projection("Title") { titles.append(player.title) }
    player.title = "song"
    session.flush()
    #expect(titles == ["", "song"])
  }
}
