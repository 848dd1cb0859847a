import Projection

/// The game of `game-mixed`, with x and y read by a view that does nothing else.
struct GameSplit: SampleApp {
  static let name = "game-split"
  static let summary = "The fix of game-mixed: a view of its own reads x and y, and only that runs."

  let game = Game()

  init(in session: Session) {
    session.attach(game, as: "game")
    GameViews.overlays(of: game, in: session)
    session.projection("Board", tracking: .property) { [game] board in
      for entity in game.entities {
        board.child("EntityView", id: entity.id) { view in
          view.child("Position") { _ in GameViews.position(of: entity) }
          GameViews.nameplate(of: entity, in: view)
          GameViews.healthBar(of: entity, in: view)
          return entity.kind
        }
      }
      return "\(game.entities.count) entities"
    }
  }

  var steps: [Step] { game.steps }
}
