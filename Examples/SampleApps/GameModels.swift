import Projection

/// A piece that moves on the board.
@Recorded final class Entity: Identifiable {
  let id: Int
  var kind: String
  var name: String
  var health = 100
  /// Points from the left.
  var x: Double
  /// Points from the top.
  var y: Double
  /// Points per frame. Neither is 0, so that both coordinates change in each frame.
  let dx: Double
  let dy: Double

  init(number: Int) {
    let kind = ["drone", "crate", "spark", "wasp"][number % 4]
    id = number
    self.kind = kind
    name = "\(kind) \(number)"
    x = Double(200 + 8 * (number % 10))
    y = Double(200 + 8 * (number / 10))
    dx = [1, -2, 3][number % 3]
    dy = [-1, 2][number % 2]
  }
}

@Recorded final class Game {
  var entities: [Entity] = (0..<50).map(Entity.init)
  var frame = 0
  var score = 0
}

extension Game {
  static let framesPerSecond = 60

  /// Moves everything.
  func advance() {
    for entity in entities {
      entity.x += entity.dx
      entity.y += entity.dy
    }
    frame += 1
  }

  func play(seconds: Int, _ ticker: Ticker) {
    ticker.tick(seconds * Self.framesPerSecond, perSecond: Self.framesPerSecond) { _ in advance() }
  }

  /// What happens in the game, the same for each way of drawing it.
  var steps: [Step] {
    [
      Step("play") { [self] ticker in play(seconds: 1, ticker) },
      Step("an entity is hit") { [self] in entities[7].health -= 10 },
      Step("a crate is opened") { [self] in score += 50 },
    ]
  }
}

/// The views of both games.
enum GameViews {
  /// The overlays on the board, each of which reads what it shows.
  static func overlays(of game: Game, in session: Session) {
    session.projection("HUD", tracking: .property) { _ in "score \(game.score)" }
    session.projection("FrameCounter", tracking: .property) { _ in "frame \(game.frame)" }
  }

  static func nameplate(of entity: Entity, in view: Scope) {
    view.child("Nameplate") { _ in "[\(entity.name)]" }
  }

  static func healthBar(of entity: Entity, in view: Scope) {
    view.child("HealthBar") { _ in String(repeating: "#", count: entity.health / 10) }
  }

  static func position(of entity: Entity) -> String { "at \(entity.x), \(entity.y)" }
}
