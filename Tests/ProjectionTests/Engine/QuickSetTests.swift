import EventLog
import Foundation
import Invalidation
import Testing

@testable import Projection

/// Repeated sets of numbers, Booleans and short strings take a shortcut, which must have the same effect as any other
/// set.
@Suite struct QuickSetTests {
  /// The state at the end of a log, and its derived invalidations with the recorded ones.
  static func replayed(_ play: (Session, Player) throws -> Void) throws -> (state: State, agrees: Bool) {
    let url = FileManager.default.temporaryDirectory.appending(path: "quick-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let player = Player()
    session.attach(player, as: "player")
    try play(session, player)
    #expect(session.diagnostics.isEmpty)
    try closeAndCheck(session, url)
    var timeline = Timeline()
    var derived: [String] = []
    var recorded: [String] = []
    try LogReader(path: url.path).forEachEvent { event in
      derived += try timeline.apply(event).map { "\($0.seq) \($0.projection) \($0.causes)" }
      if case .invalidate(let name, let causes) = event.body {
        recorded.append("\(event.cause ?? 0) \(name) \(causes)")
      }
    }
    return (timeline.state, derived == recorded)
  }

  @Test func theLastOfManySetsIsInTheState() throws {
    let (state, agrees) = try Self.replayed { _, player in
      for number in 0..<100 { player.level = Double(number) }
      for _ in 0..<10 { player.title = "b" }
    }
    #expect(agrees)
    #expect(state.value(at: try Path(parsing: "player.level")) == .double(99))
    #expect(state.value(at: try Path(parsing: "player.title")) == .string("b"))
  }

  @Test func aRepeatedSetInvalidatesItsReadersEachTime() throws {
    var seen: [Double] = []
    let (_, agrees) = try Self.replayed { session, player in
      session.projection("P") { _ in seen.append(player.level) }
      session.projection("Q") { _ in _ = player.level }
      for number in 1...5 { player.level = Double(number) }
    }
    #expect(seen == [0, 1, 2, 3, 4, 5])
    #expect(agrees)
  }

  @Test func aTransactionComparesWithWhatWasSetBeforeIt() throws {
    var runs = 0
    let (_, agrees) = try Self.replayed { session, player in
      for number in 1...5 { player.level = Double(number) }
      session.projection("P") { _ in
        runs += 1
        _ = player.level
      }
      for number in 1...5 { player.level = Double(number) }
      session.transaction {
        player.level = 9
        player.level = 5
      }
      session.transaction { player.level = 6 }
    }
    #expect(runs == 7)
    #expect(agrees)
  }

  @Test func aReaderThatComesLaterIsInvalidated() throws {
    var seen: [Double] = []
    let (_, agrees) = try Self.replayed { session, player in
      for number in 1...5 { player.level = Double(number) }
      session.transaction {
        for number in 6...9 { player.level = Double(number) }
        session.projection("P") { _ in seen.append(player.level) }
        player.level = 10
      }
      player.level = 11
    }
    #expect(seen == [9, 10, 11])
    #expect(agrees)
  }

  @Test func aReceiverThatComesLaterReceivesEverySet() throws {
    var heard: [Double] = []
    let (_, agrees) = try Self.replayed { session, player in
      for number in 1...5 { player.level = Double(number) }
      let receiver = session.onReceive(of: \.level, in: player) { heard.append($0) }
      player.level = 5
      player.level = 6
      receiver.cancel()
      for number in 1...5 { player.level = Double(number) }
    }
    #expect(heard == [5, 6])
    #expect(agrees)
  }

  @Test func aCallbackThatWritesWhatIsSetQuicklyIsItsCause() throws {
    var chain: [String] = []
    let (state, agrees) = try Self.replayed { session, player in
      for number in 1...3 { player.level = Double(number) }
      session.onChange(of: \.title, in: player) { _, new in
        chain.append(new)
        player.level += 1
      }
      for title in ["x", "y", "z"] { player.title = title }
    }
    #expect(chain == ["x", "y", "z"])
    #expect(agrees)
    #expect(state.value(at: try Path(parsing: "player.level")) == .double(6))
  }

  @Test func aZeroOfTheOtherSignIsKeptToTheBit() throws {
    let (state, agrees) = try Self.replayed { session, player in
      session.projection("P") { _ in _ = player.level }
      for _ in 0..<4 { player.level = 0 }
      player.level = -0.0
    }
    #expect(agrees)
    guard case .double(let level)? = state.value(at: try Path(parsing: "player.level")) else {
      Issue.record("there is no level")
      return
    }
    #expect(level.sign == .minus)
  }

  @Test func anObjectThatIsReadWhileItIsSetQuicklyShowsItsState() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "quick-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let model = Model()
    session.attach(model, as: "app")
    let player = Player()
    model.selected = player
    for number in 1...5 { player.level = Double(number) }
    // The path of the object changes, and with it those of its properties.
    model.players["a"] = player
    model.selected = nil
    for number in 6...9 { player.level = Double(number) }
    try session.close()
    let state = try LogReader(path: url.path).state(at: .max)
    #expect(state.value(at: try Path(parsing: #"app.players["a"].level"#)) == .double(9))
  }
}
