import EventLog
import Foundation
import Observation
import Projection
import Testing

/// A recording with a followed object is driven through its key paths, and applied to it.
@MainActor @Suite struct FollowedDriveTests {
  struct Spot: Codable, Equatable { var x = 0, y = 0 }

  @Observable final class Player {
    var time = 0.0
    var title = "none"
    var queue: [String] = []
    var spot = Spot()
    var label: String { "\(title) at \(time)" }
  }

  @Recorded final class Store {
    var count = 0
    var shown = 0
  }

  private func mount(_ player: Player, _ store: Store, in session: Session) {
    session.projection("Time") { _ in player.time }
    session.projection("Label") { _ in player.label }
    session.projection("Both") { _ in "\(player.title) \(store.count)" }
    session.onChange(of: \.count, in: store) { store.shown = $1 }
  }

  private func record(_ drive: SelfDrive) throws {
    try drive.record { session in
      let (player, store) = (Player(), Store())
      player.title = "start"
      session.attach(store, as: "store")
      session.follow(player, as: "player", properties: \.time, \.title, \.queue, \.spot, \.label)
      mount(player, store, in: session)
      for number in 1...20 {
        store.count = number
        player.time = Double(number)
        if number.isMultiple(of: 3) { player.title = "title \(number)" }
        session.flush()
        player.queue.append("track \(number)")
        player.spot.y += number
        session.flush()
        if number.isMultiple(of: 5) { player.queue.removeFirst(2) }
        session.flush()
      }
    }
  }

  @Test func aDriveSetsItThroughItsKeyPaths() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try record(drive)
    let player = Player()
    let problems = try drive.drive { drive in
      let store = try drive.attach(Store.self, root: "store")
      try drive.follow(player, root: "player", properties: \.time, \.title, \.queue, \.spot, \.label)
      #expect(player.title == "start")
      mount(player, store, in: drive.session)
    }
    #expect(problems == [])
    #expect(player.time == 20 && player.title == "title 18" && player.spot == Spot(x: 0, y: 210))
    #expect(player.queue.count == 12)
    let recorded = try SelfDrive.evaluations(in: drive.recorded)
    #expect(try SelfDrive.evaluations(in: drive.driven) == recorded)
    let states = try [drive.recorded, drive.driven].map { url in
      let state = try LogReader(path: url.path).state(at: .max)
      return try [
        "player.time", "player.title", "player.queue", "player.spot", "player.label", "store.shown",
      ].map {
        try state.value(at: Path(parsing: $0))?.json
      }
    }
    #expect(states[0] == states[1])
  }

  @Test func aRecordingIsAppliedToIt() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try record(drive)
    let session = Session()
    let (player, store) = (Player(), Store())
    session.attach(store, as: "store")
    session.follow(player, as: "player", properties: \.time, \.title, \.queue, \.spot, \.label)
    var labels: [String] = []
    session.projection("Label") { _ in labels.append(player.label) }
    let problems = try session.apply(Recording(drive.recorded), through: .max)
    session.flush()
    #expect(problems.isEmpty)
    #expect(player.label == "title 18 at 20.0")
    #expect(labels == ["none at 0.0", "title 18 at 20.0"])
    try session.close()
  }
}
