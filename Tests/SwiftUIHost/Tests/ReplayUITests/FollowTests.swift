import Observation
import Projection
import ReplayUI
import SwiftUI
import Testing

/// Views that read a followed object, a recorded one and one that is neither run as often as without a session.
@MainActor @Suite struct FollowTests {
  @Observable final class Player {
    var time = 0
    var title = "none"
  }

  @Observable final class Theme { var color = "red" }

  struct Deck: View {
    let player: Player
    let theme: Theme
    let inbox: Inbox
    let tally: Tally
    var body: some View {
      recorded("Deck") {
        let _ = tally.count("Deck")
        VStack {
          Clock(player: player, tally: tally)
          Title(player: player, inbox: inbox, tally: tally)
          Mixed(player: player, theme: theme, inbox: inbox, tally: tally)
        }
      }
    }
  }

  struct Clock: View {
    let player: Player
    let tally: Tally
    var body: some View {
      recorded("Clock") {
        let _ = tally.count("Clock")
        Text("\(player.time)")
      }
    }
  }

  struct Title: View {
    let player: Player
    let inbox: Inbox
    let tally: Tally
    var body: some View {
      recorded("Title") {
        let _ = tally.count("Title")
        // Reads the title only sometimes.
        Text(inbox.count.isMultiple(of: 2) ? player.title : "odd")
      }
    }
  }

  struct Mixed: View {
    let player: Player
    let theme: Theme
    let inbox: Inbox
    let tally: Tally
    var body: some View {
      recorded("Mixed") {
        let _ = tally.count("Mixed")
        Text("\(player.title) \(theme.color) \(inbox.count)")
      }
    }
  }

  /// What a seed decides: the changes of each turn, after which the next frame is shown.
  private func use(_ player: Player, _ theme: Theme, _ inbox: Inbox, seed: Int, endTurn: () -> Void) {
    var number = seed
    func below(_ count: Int) -> Int {
      number = (number &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
      return number / 7 % count
    }
    for _ in 0..<60 {
      for _ in 0...below(3) {
        switch below(5) {
        case 0: player.time = below(4)
        case 1: player.title = ["a", "b", "none"][below(3)]
        case 2: theme.color = ["red", "blue"][below(2)]
        case 3: inbox.count = below(5)
        default: break
        }
      }
      endTurn()
    }
  }

  @Test(arguments: 1...20) func bodiesRunAsOftenAsWithoutASession(seed: Int) throws {
    var plain: [String: Int] = [:]
    do {
      let (player, theme, inbox, tally) = (Player(), Theme(), Inbox(), Tally())
      let host = Host(Deck(player: player, theme: theme, inbox: inbox, tally: tally))
      use(player, theme, inbox, seed: seed) { host.update() }
      plain = tally.counts
    }
    let (player, theme, inbox, tally) = (Player(), Theme(), Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      session.follow(player, as: "player", properties: \.time, \.title)
      let host = Host(Deck(player: player, theme: theme, inbox: inbox, tally: tally).recorded(by: session))
      use(player, theme, inbox, seed: seed) {
        // The turn of the main actor, which precedes the next frame.
        session.flush()
        host.update()
      }
    }
    #expect(tally.counts == plain)
    #expect(log.evaluations == tally.counts)
  }

  @Test func aRunBecauseOfAFollowedObjectHasItsSetAsCause() throws {
    let (player, theme, inbox, tally) = (Player(), Theme(), Inbox(), Tally())
    let log = try RecordedLog { session in
      session.attach(inbox, as: "inbox")
      session.follow(player, as: "player", properties: \.time, \.title)
      let host = Host(Deck(player: player, theme: theme, inbox: inbox, tally: tally).recorded(by: session))
      for time in 1...3 {
        player.time = time
        session.flush()
        host.update()
      }
      theme.color = "blue"
      session.flush()
      host.update()
      inbox.count = 1
      host.update()
      player.title = "new"
      session.flush()
      host.update()
      #expect(host.texts == ["3", "odd", "new blue 1"])
    }
    #expect(log.causes(of: "Clock") == ["-", "player.time", "player.time", "player.time"])
    #expect(log.causes(of: "Mixed") == ["-", "-", "inbox.count", "player.title"])
    #expect(log.causes(of: "Title") == ["-", "inbox.count"])
    #expect(try log.why("Clock").last == "set player.time")
  }
}
