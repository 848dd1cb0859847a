import Projection

/// An entity's view reads its position beside other properties, so all of it is built again at each move.
struct GameMixed: SampleApp {
  static let name = "game-mixed"
  static let summary = "50 entities move 60 times a second: each view reads x and y beside what stays."

  private let game = Game()

  init(in session: Session) {
    session.attach(game, as: "game")
    GameViews.overlays(of: game, in: session)
    session.projection("Board", tracking: .property) { [game] board in
      for entity in game.entities {
        board.child("EntityView", id: entity.id) { view in
          GameViews.nameplate(of: entity, in: view)
          GameViews.healthBar(of: entity, in: view)
          return "\(entity.kind) \(GameViews.position(of: entity))"
        }
      }
      return "\(game.entities.count) entities"
    }
  }

  var steps: [Step] { game.steps }
}
