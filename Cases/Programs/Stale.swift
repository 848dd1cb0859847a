import Projection

// Views that should have run and did not.

@Recorded private final class Player {
  var song = "one"
  var volume = 5
  var isPlaying = false
}

@Recorded private final class Room {
  var player = Player()
  var count = 0
  var names: RecordedDictionary<String, String> = [:]
}

/// Two with the same number count as the same, whatever their text.
private struct Draft: Equatable {
  var number = 0
  var text = ""
  static func == (a: Draft, b: Draft) -> Bool { a.number == b.number }
}

private struct WholeDraft: Equatable {
  var number = 0
  var text = ""
}

@Recorded private final class Desk {
  var draft = Draft()
  var whole = WholeDraft()
  @Compared(by: \WholeDraft.number) var compared = WholeDraft()
  var score = 0
}

extension Case {
  static let stale = [
    Case(
      "draft-equal", "== leaves out the text that is shown", .lint(.hiddenChange, "desk.draft"),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.draft.text }
        tick(12) { desk.draft = Draft(number: 0, text: "text \($0)") }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.whole.text }
        tick(12) { desk.whole = WholeDraft(number: 0, text: "text \($0)") }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.draft.number }
        tick(12) { desk.draft = Draft(number: $0 + 1, text: "text \($0)") }
      }),
    Case(
      "draft-compared", "@Compared(by:) names too little", .lint(.hiddenChange, "desk.compared"),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.compared.text }
        tick(12) { desk.compared = WholeDraft(number: 0, text: "text \($0)") }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.whole.text }
        tick(12) { desk.whole = WholeDraft(number: 0, text: "text \($0)") }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Editor") { desk.compared.number }
        tick(12) { desk.compared = WholeDraft(number: $0 + 1, text: "text \($0)") }
      }),
    Case(
      "player-other", "a view keeps the player that it was made with, and the room gets another",
      .whyNot("Song", write: "room.player.song", .unread),
      bad: { session in
        let room = Room()
        session.attach(room, as: "room")
        let player = room.player
        session.projection("Song") { player.song }
        room.player = Player()
        tick(5) { room.player.song = "song \($0)" }
      },
      fixed: { session in
        let room = Room()
        session.attach(room, as: "room")
        session.projection("Song") { room.player.song }
        room.player = Player()
        tick(5) { room.player.song = "song \($0)" }
      },
      healthy: { session in
        let room = Room()
        session.attach(room, as: "room")
        session.projection("Song") { room.player.song }
        tick(5) { room.player.song = "song \($0)" }
      }),
    Case(
      "player-untracked", "what is shown is read in an untracked block",
      .whyNot("Volume", write: "player.volume", .unread),
      bad: { session in
        let player = Player()
        session.attach(player, as: "player")
        session.projection("Volume") { "\(player.song) \(untracked { player.volume })" }
        tick(5) { player.volume = $0 + 10 }
      },
      fixed: { session in
        let player = Player()
        session.attach(player, as: "player")
        session.projection("Volume") { "\(player.song) \(player.volume)" }
        tick(5) { player.volume = $0 + 10 }
      },
      healthy: { session in
        let player = Player()
        session.attach(player, as: "player")
        session.projection("Volume") { "\(player.volume)" }
        tick(5) { player.volume = $0 + 10 }
      }),
    Case(
      "player-copy", "a view shows a copy that was taken before",
      .whyNot("Title", write: "player.song", .unread),
      bad: { session in
        let player = Player()
        session.attach(player, as: "player")
        let song = player.song
        session.projection("Title") { "\(song) \(player.isPlaying)" }
        tick(5) { player.song = "song \($0)" }
      },
      fixed: { session in
        let player = Player()
        session.attach(player, as: "player")
        session.projection("Title") { "\(player.song) \(player.isPlaying)" }
        tick(5) { player.song = "song \($0)" }
      },
      healthy: { session in
        let player = Player()
        session.attach(player, as: "player")
        session.projection("Title") { player.song }
        tick(5) { player.song = "song \($0)" }
      }),
    Case(
      "names-key", "a view asks for a key that is written in another way",
      .whyNot("Name", write: "room.names.**", .unread),
      bad: { session in
        let room = Room()
        session.attach(room, as: "room")
        session.projection("Name") { room.names["Anna"] ?? "-" }
        tick(5) { room.names["anna"] = "Anna \($0)" }
      },
      fixed: { session in
        let room = Room()
        session.attach(room, as: "room")
        session.projection("Name") { room.names["anna"] ?? "-" }
        tick(5) { room.names["anna"] = "Anna \($0)" }
      },
      healthy: { session in
        let room = Room()
        session.attach(room, as: "room")
        session.projection("Name") { room.names["anna"] ?? "-" }
        tick(5) { room.names["anna"] = "Anna \($0)" }
      }),
    Case(
      "row-input", "a row is handed an id alone, and its parent what it shows",
      .whyNot("Row", write: "desk.score", .inputSame),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Table") { table in
          let score = desk.score
          table.child("Row", id: 1, input: 1) { "\(score)" }
          return score
        }
        tick(5) { desk.score = $0 + 1 }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Table") { table in
          let score = desk.score
          table.child("Row", id: 1, input: score) { "\(score)" }
          return score
        }
        tick(5) { desk.score = $0 + 1 }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Table") { table in
          table.child("Row", id: 1, input: 1) { "\(desk.score)" }
        }
        tick(5) { desk.score = $0 + 1 }
      }),
    Case(
      "grade-derived", "a derived value rounds away what should be seen",
      .whyNot("Grade", write: "desk.score", .derivedSame),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        let grade = session.derived("grade") { desk.score / 100 }
        session.projection("Grade") { "\(grade.value)" }
        tick(5) { desk.score = 10 * ($0 + 1) }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        let grade = session.derived("grade") { desk.score / 10 }
        session.projection("Grade") { "\(grade.value)" }
        tick(5) { desk.score = 10 * ($0 + 1) }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Grade") { "\(desk.score)" }
        tick(5) { desk.score = 10 * ($0 + 1) }
      }),
    Case(
      "badge-cancelled", "a view was ended, and is still looked at",
      .whyNot("Badge", write: "desk.score", .ended),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        let badge = session.projection("Badge") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
        badge.cancel()
        tick(3) { desk.score = $0 + 10 }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Badge") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
        tick(3) { desk.score = $0 + 10 }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        let badge = session.projection("Badge") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
        badge.cancel()
      }),
    Case(
      "panel-late", "a view is made after the write that it is to show, with what was there before",
      .whyNot("Panel", write: "desk.score", .notBegun),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        let score = desk.score
        tick(3) { desk.score = $0 + 1 }
        session.projection("Panel") { "\(score)" }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        tick(3) { desk.score = $0 + 1 }
        session.projection("Panel") { "\(desk.score)" }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Panel") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
      }),
    Case(
      "score-undone", "a transaction takes back what it did", .whyNot("Score", write: "desk.score", .undone),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(5) { step in
          session.transaction {
            desk.score = step + 1
            desk.score = 0
          }
        }
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(5) { step in session.transaction { desk.score = step + 1 } }
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(5) { step in
          session.transaction {
            desk.score = 0
            desk.score = step + 1
          }
        }
      }),
    Case(
      "score-equal", "the new value is the one that was there", .whyNot("Score", write: "desk.score", .equal),
      bad: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
        desk.score = min(desk.score + 1, 3)
      },
      fixed: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
        desk.score = min(desk.score + 1, 10)
      },
      healthy: { session in
        let desk = Desk()
        session.attach(desk, as: "desk")
        session.projection("Score") { "\(desk.score)" }
        tick(3) { desk.score = $0 + 1 }
      }),
  ]
}
