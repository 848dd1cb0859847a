import EventLog
import Foundation
import Projection
import ReplayAnalysis
import Testing

@Recorded private final class Player {
  var position = 0.0
  var shown = 0.0
  var level = 0
  var isLoud = false
  var names: [String] = []
  var tracks: RecordedArray<Track> = []
  var current: Track?
  var token = Token()
  @Redacted var secret = "s"
  var volume = 1 {
    didSet { isLoud = volume > 5 }
  }
}

@Recorded private final class Track: Identifiable {
  let id: Int
  var title = ""

  init(id: Int) { self.id = id }
}

@Recorded private final class Song: Codable {
  var title: String

  init(title: String) { self.title = title }

  enum CodingKeys: String, CodingKey { case _title = "title" }
}

private struct Seat: Codable {
  var note = ""
  var extra = ""
  var count = 0
  var song: Song?
}

@Recorded private final class Stage {
  var level = 0
  var seat = Seat()
}

@Recorded private final class Deck {
  let left = Player()
}

@Recorded private final class Gauge {
  @Compared(by: { (a: Double, b: Double) in abs(a - b) < 0.5 }) var level = 0.0
  @Compared(by: { (a: Spot, b: Spot) in abs(a.x - b.x) < 0.5 }) var spot = Spot()
}

private struct Spot: Codable, Equatable {
  var x = 0.0
  var name = "a"
}

/// Not `Equatable`, so that each set is a change.
private struct Token: Codable { var text = "" }

/// A recording of one program, driven through another.
@Suite struct DrivenFixTests {
  private func count(_ name: String, in log: URL) throws -> Int {
    try SelfDrive.evaluations(in: log)[name] ?? 0
  }

  @Test func whatAClassDoesInItsDidSetIsOneStepAsRecorded() throws {
    let counts = try SelfDrive.expectSame(Player()) { player, session in
      session.projection("Both") { _ in "\(player.volume) \(player.isLoud)" }
    } script: { player, _ in
      for volume in [3, 7, 8, 2] { player.volume = volume }
    }
    #expect(counts["Both"] == 5)
  }

  /// No projection ran in the recorded session, so nothing shows where a `didSet` ended.
  @Test func whatAClassDoesInItsDidSetIsOneStepForNewReadersToo() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      for volume in [3, 7, 8, 2] {
        player.volume = volume
        player.level = volume
        player.level += 1
      }
    }
    var continuing: [String] = []
    try LogReader(path: drive.recorded.path).forEachEvent {
      if $0.site == "with the write before", let path = $0.body.writtenPath { continuing.append("\(path)") }
    }
    #expect(continuing == Array(repeating: "player.isLoud", count: 4))
    try drive.drive { drive in
      let player = try drive.attach(Player.self, root: "player")
      drive.session.projection("Both") { _ in "\(player.volume) \(player.isLoud)" }
      drive.session.projection("Level") { _ in player.level }
    }
    #expect(try count("Both", in: drive.driven) == 5)
    // Once at first, and once for each set except the set to 8, the value that it has already.
    #expect(try count("Level", in: drive.driven) == 8)
    // The new log has the same writes, so it can be driven in its turn.
    let said = try SelfDrive.lines(drive.driven).filter { $0.contains("with the write before") }
    #expect(said.count == 4)
  }

  /// A callback that is new has put an object where the recording gets one later: that is another.
  @Test func anObjectThatAWriteBringsAlongIsMadeWhateverIsInItsPlace() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      player.level = 1
      let track = Track(id: 7)
      track.title = "seven"
      player.current = track
      player.tracks.append(Track(id: 8))
      player.current?.title = "again"
    }
    var (shown, made): ([Int], Track?) = ([], nil)
    let problems = try drive.drive { drive in
      let player = try drive.attach(Player.self, root: "player")
      drive.session.onChange(of: \.level, in: player) { _, _ in
        made = Track(id: 1)
        player.current = made
      }
      drive.session.onChange(of: \.current?.id, in: player) { _, new in shown.append(new ?? 0) }
    }
    #expect(problems == [])
    #expect(shown == [1, 7])
    #expect(made?.title == "")
  }

  @Test func redactedSetsWakeAsRecorded() throws {
    try SelfDrive.expectSame(Player()) { player, session in
      session.projection("Secret") { _ in player.secret.count }
    } script: { player, _ in
      player.secret = "other"
      player.secret += "!"
    }
  }

  /// 60 updates a second for a second, through a callback that passes on four of them.
  @Test func throttledCallbacksFallDueByTheRecordedTime() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    let fields =
      #"{"$object":"Player#1","position":0.0,"shown":0.0,"level":0,"isLoud":false,"names":[],"tracks":[],"current":null,"token":{"text":""},"volume":1}"#
    var lines = [#"{"kind":"set","path":"player","value":\#(fields)}"#]
    for tick in 1...60 {
      let time = tick * 1_000_000_000 / 60
      lines.append(
        #"{"time_ns":\#(time),"kind":"set","path":"player.position","value":\#(Double(tick))}"#)
    }
    lines.append(#"{"time_ns":1500000000,"kind":"mark","label":"later"}"#)
    try drive.write(lines.joined(separator: "\n"))
    var shown: [(time: UInt64, value: Double)] = []
    let problems = try drive.drive { drive in
      let player = try drive.attach(Player.self, root: "player")
      drive.session.onChange(of: \.position, in: player, throttledTo: .milliseconds(250)) {
        player.shown = $1
      }
      drive.session.projection("Shown") { _ in player.shown }
    }
    #expect(problems == [])
    try LogReader(path: drive.driven.path).forEachEvent {
      if case .set(let path, .double(let value), _) = $0.body, "\(path)" == "player.shown" {
        shown.append((time: $0.time / 1_000_000, value: value))
      }
    }
    #expect(shown.map(\.time) == [16, 266, 516, 766, 1016])
    #expect(shown.map(\.value) == [1, 15, 30, 45, 60])
    #expect(try count("Shown", in: drive.driven) == 6)
  }

  @Test func objectsThatInitializersMakeForConstantsAreThoseOfTheRecording() throws {
    let deck = Deck()
    deck.left.level = 3
    try SelfDrive.expectSame(deck) { deck, session in
      session.projection("Deck") { _ in "\(deck.left.level) \(deck.left.names)" }
    } script: { deck, _ in
      deck.left.level = 4
      deck.left.names.append("a")
    }
  }

  @Test func equalityOfTheNewCodeDecidesWhatIsAChange() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      session.projection("Names") { _ in player.names.count }
      session.projection("Token") { _ in player.token.text }
      // Without `Equatable`, nothing shows that these values are equal.
      for _ in 0..<3 { player.token = Token(text: "a") }
    }
    #expect(try count("Token", in: drive.recorded) == 4)
    try drive.drive { drive in
      let player = try drive.attach(Fixed.Player.self, root: "player")
      drive.session.projection("Token") { _ in player.token.text }
    }
    #expect(try count("Token", in: drive.driven) == 2)
  }

  /// Consecutive sets at the same path, of which the later ones are changes only by this class's own
  /// comparison.
  @Test func whatAPropertyIsComparedByDecidesForLaterSetsToo() throws {
    let counts = try SelfDrive.expectSame(Gauge()) { gauge, session in
      session.projection("Level") { _ in gauge.level }
      session.projection("Spot") { _ in gauge.spot.x }
    } script: { gauge, _ in
      for level in [10, 10.1, 10.2, 10.2, 20, 20.25] { gauge.level = level }
      for x in [10, 10.1, 10.2, 10.2, 20, 20.25] { gauge.spot.x = x }
    }
    #expect(counts["Level"] == 3)
    #expect(counts["Spot"] == 3)
  }

  /// Programs whose classes have the same names.
  enum Fixed {
    @Recorded final class Player {
      var token = Token()
      var level = 0
      var names: [String] = []

      struct Token: Codable, Equatable { var text = "" }
    }
  }

  @Test func whatNewCodeHasNoMoreIsReportedOnceAndTheRestGoesOn() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      player.level = 1
      player.position = 2
      player.names = ["a"]
    }
    var level = 0
    let problems = try drive.drive { drive in
      let player = try drive.attach(Fixed.Player.self, root: "player")
      drive.session.onChange(of: \.level, in: player) { level = $1 }
      drive.session.onChange(of: \.names, in: player) { level += $1.count }
    }
    #expect(level == 2)
    let missing = problems.filter { $0.reason.contains("no property position") }
    // The write at event 3 does not fit for the same reason.
    #expect(missing.map(\.event) == [1] && missing.map(\.count) == [2])
    #expect(problems.allSatisfy { $0.path?.hasPrefix("player.") ?? false })
    // The new log has it too.
    #expect(try SelfDrive.lines(drive.driven).contains { $0.contains("drive: event 1, player.position: ") })
  }

  @Test func migrationsApplyToWrites() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      player.position = 2
      player.names = ["a", "b"]
      player.names.append("c")
      player.level = 4
    }
    var result = ""
    let problems = try drive.drive(migrations: [
      .rename("Player.names", to: "titles"),
      .retype("Player.level") { (old: Int) in "level \(old)" },
      .remove("Player.position"), .remove("Player.shown"), .remove("Player.isLoud"), .remove("Player.tracks"),
      .remove("Player.current"), .remove("Player.token"), .remove("Player.secret"), .remove("Player.volume"),
    ]) { drive in
      let player = try drive.attach(Migrated.Player.self, root: "player")
      drive.session.projection("All") { _ in result = "\(player.titles) \(player.level)" }
    }
    #expect(result == #"["a", "b", "c"] level 4"#)
    #expect(problems.map(\.reason) == ["a migration has removed it"])
  }

  enum Migrated {
    @Recorded final class Player {
      var titles: [String] = []
      var level = ""
    }
  }

  /// A callback of each program creates a track; the user then edits that track.
  @Test func objectsThatCallbacksMadeArePaired() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    func mount(_ player: Player, _ session: Session, title: String) {
      session.onChange(of: \.level, in: player) { _, new in
        let track = Track(id: 10 * new)
        track.title = title
        player.tracks.append(track)
        player.current = track
      }
    }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      mount(player, session, title: "old")
      player.level = 1
      player.level = 2
      player.tracks[id: 10]?.title += " by hand"
      player.current?.title += " and current"
      player.tracks.swapAt(0, 1)
      player.tracks[0].title += " first"
      player.level = 3
      player.tracks.remove(at: 2)
      player.current?.title += " removed"
    }
    var titles: [String] = []
    let problems = try drive.drive { drive in
      let player = try drive.attach(Player.self, root: "player")
      mount(player, drive.session, title: "new")
      drive.session.projection("Titles") { _ in
        titles = player.tracks.map(\.title) + [player.current?.title ?? ""]
      }
    }
    #expect(problems == [])
    #expect(titles == ["new and current first", "new by hand", "new removed"])
    let comparison = try DriveComparison(
      LogSource(path: drive.recorded.path), LogSource(path: drive.driven.path))
    #expect(comparison.reactions.map(\.change.rawValue).contains("different"))
    #expect(!comparison.isIdentical)
  }

  @Test func whatReactionsOfNewCodeTookAwayIsReportedAndTheRestGoesOn() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      player.names = ["a", "b", "c"]
      player.level = 1
      player.names[2] = "C"
      player.names[0] = "A"
    }
    var names: [String] = []
    let problems = try drive.drive { drive in
      let player = try drive.attach(Player.self, root: "player")
      drive.session.onChange(of: \.level, in: player) { _, _ in player.names.removeLast() }
      drive.session.projection("Names") { _ in names = player.names }
    }
    #expect(names == ["A", "b"])
    #expect(problems.map(\.path) == ["player.names[2]"])
  }

  @Test func allWritesAreAppliedWithCallbacksOffWhereThatIsAskedFor() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      session.onChange(of: \.level, in: player) { player.names.append("\($1)") }
      player.level = 1
      player.level = 2
    }
    var names: [String] = []
    var calls = 0
    try drive.drive(applying: .all) { drive in
      let player = try drive.attach(Player.self, root: "player")
      drive.session.onChange(of: \.level, in: player) { _, _ in calls += 1 }
      drive.session.projection("Names") { _ in names = player.names }
    }
    #expect(names == ["1", "2"])
    #expect(calls == 0)
  }

  enum Pace: CaseIterable { case atOnce, byStep, byEvent, watched }

  /// Drives the rest, and closes the session.
  private func run(
    _ drive: Drive, _ pace: Pace, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    switch pace {
    case .atOnce: try drive.run()
    case .byStep: while try drive.step() != nil {}
    case .byEvent:
      for seq in drive.nextSeq...drive.recording.lastSeq where seq >= drive.nextSeq {
        try drive.run(through: .event(seq))
      }
      try drive.run()
    case .watched: try await drive.run(atSpeed: 1e9)
    }
    try drive.session.close()
    #expect(drive.problems == [])
  }

  /// Callbacks do not run here, but bodies do.
  @Test(arguments: Pace.allCases)
  func whatBodiesWriteIsNotWrittenTwiceWhereAllWritesAreApplied(pace: Pace) async throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    func mount(_ player: Player, _ session: Session) {
      session.projection("Filler") { _ in
        if player.names.count < player.level { player.names.append("by the body") }
      }
      session.onChange(of: \.level, in: player) { player.names.append("by a callback of \($1)") }
    }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      mount(player, session)
      for level in [1, 4, 6] { player.level = level }
    }
    let driving = try Drive(Recording(drive.recorded), recordingTo: drive.driven, applying: .all)
    mount(try driving.attach(Player.self, root: "player"), driving.session)
    try await run(driving, pace)
    let path = try Path(parsing: "player.names")
    let (a, b) = (try LogReader(path: drive.recorded.path), try LogReader(path: drive.driven.path))
    guard case .array(let names)? = try a.state(at: .max).value(at: path),
      case .array(let driven)? = try b.state(at: .max).value(at: path)
    else {
      Issue.record("there are no names")
      return
    }
    #expect(names.count == 6)
    #expect(driven.count == names.count)
  }

  /// Writes that a callback makes together invalidate a reader once, also if the callback is off and its writes are
  /// driven.
  @Test(arguments: Pace.allCases)
  func whatACallbackWroteInOneGoWakesOnceWhereAllWritesAreApplied(pace: Pace) async throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    func mount(_ player: Player, _ session: Session) {
      session.projection("Shown") { _ in "\(player.position) \(player.shown) \(player.names.count)" }
      session.onChange(of: \.level, in: player) { _, level in
        for _ in 0..<20 {
          player.position += 1
          player.shown += 1
        }
        session.transaction { player.names.append("\(level)") }
      }
    }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      mount(player, session)
      for level in 1...3 { player.level = level }
    }
    let driving = try Drive(Recording(drive.recorded), recordingTo: drive.driven, applying: .all)
    let player = try driving.attach(Player.self, root: "player")
    mount(player, driving.session)
    try await run(driving, pace)
    #expect(player.position == 60)
    let expected = try count("Shown", in: drive.recorded)
    #expect(expected == 4)
    // A caller that stops at each event sees the effects of each.
    if pace != .byEvent { #expect(try count("Shown", in: drive.driven) == expected) }
  }

  /// If a field of a struct with an object is written, the whole struct is created anew, from the values that
  /// it has here.
  @Test func whatAWriteDoesNotNameStaysAsThisProgramHasIt() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let stage = Stage()
      session.attach(stage, as: "stage")
      stage.level = 1
      stage.seat.note = "recorded"
      stage.seat.song = Song(title: "b")
      stage.seat.count = 2
    }
    var seat = ""
    let problems = try drive.drive { drive in
      let stage = try drive.attach(Stage.self, root: "stage")
      drive.session.onChange(of: \.seat.note, in: stage) { _, _ in stage.seat.extra = "by new code" }
      drive.session.projection("Seat") { _ in
        seat = "\(stage.seat.note) \(stage.seat.extra) \(stage.seat.count) \(stage.seat.song?.title ?? "")"
      }
    }
    #expect(problems == [])
    #expect(seat == "recorded by new code 2 b")
    // The live state is the state of the new log.
    let state = try LogReader(path: drive.driven.path).state(at: .max)
    func text(_ path: String) throws -> Value? { state.value(at: try Path(parsing: path)) }
    #expect(try text("stage.seat.note") == "recorded")
    #expect(try text("stage.seat.extra") == "by new code")
    #expect(try text("stage.seat.count") == 2)
    #expect(try text("stage.seat.song.title") == "b")
  }

  @Test func aDriveGoesStepByStepAndThroughMarks() throws {
    let drive = try SelfDrive()
    defer { drive.remove() }
    try drive.record { session in
      let player = Player()
      session.attach(player, as: "player")
      player.level = 1
      session.mark("middle")
      session.transaction("two") {
        player.level = 2
        player.position = 1
      }
      player.level = 3
    }
    let recording = try Recording(drive.recorded)
    let driven = try Drive(recording)
    let player = try driven.attach(Player.self, root: "player")
    #expect(player.level == 0)
    try driven.run(through: "mark:middle")
    #expect(player.level == 1)
    #expect(try driven.step()?.body == .begin(label: "two"))
    #expect(player.level == 2 && player.position == 1)
    #expect(throws: DriveError.self) { try driven.run(through: "mark:middle") }
    #expect(try driven.step() != nil)
    #expect(player.level == 3)
    #expect(try driven.step() == nil)
    #expect(try driven.step() == nil)
  }
}
