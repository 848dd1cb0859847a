import EventLog
import Foundation
import Projection
import Testing

@Suite struct ThreadTests {
  @Test func mutationsFromSeveralThreadsGetOneOrder() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let players = (0..<8).map { _ in Player() }
    for (number, player) in players.enumerated() { session.attach(player, as: "player\(number)") }
    await withTaskGroup(of: Void.self) { group in
      for player in players {
        nonisolated(unsafe) let player = player
        group.addTask {
          for level in 1...200 { player.level = Double(level) }
          player.title = "done"
        }
      }
    }
    try session.close()

    let log = try LogReader(path: url.path)
    #expect(log.eventCount == 8 + 8 * 201)
    var state = State()
    var last = [Double](repeating: 0, count: 8)
    try log.forEachEvent { event in
      try state.apply(event)
      guard case .set(let path, .double(let level), _) = event.body, case .named(let name) = path.root,
        let number = name.last?.wholeNumberValue
      else { return }
      // Each thread's own order is kept.
      #expect(level == last[number] + 1)
      last[number] = level
    }
    for number in 0..<8 {
      #expect(state.value(at: try Path(parsing: "player\(number).level")) == 200.0)
      #expect(state.value(at: try Path(parsing: "player\(number).title")) == "done")
    }
  }
}
