import EventLog
import Foundation
@testable import Projection
import Synchronization
import Testing

@Recorded private final class Meter {
  var level = 0
  var shown = 0
  var names: [String] = []
}

/// Where a drive stops on its way, the time of the session there, and what it leaves undone.
@Suite struct DriveMomentTests {
  private static let root =
    #"{"kind":"set","path":"meter","value":{"$object":"Meter#1","level":0,"shown":0,"names":[]}}"#

  /// Drives lines.
  private func drive(_ lines: String, _ body: (Drive, Meter) throws -> Void) throws {
    let files = try SelfDrive()
    defer { files.remove() }
    try files.write(Self.root + "\n" + lines)
    let drive = try Drive(Recording(files.recorded), recordingTo: files.driven)
    try body(drive, try drive.attach(Meter.self, root: "meter"))
    try drive.session.close()
  }

  private static let three = """
    {"time_ns":1000,"kind":"set","path":"meter.level","value":1}
    {"time_ns":2000,"kind":"mark","label":"middle"}
    {"time_ns":3000,"kind":"set","path":"meter.level","value":2}
    """

  @Test func momentsThatArePastOrMissingAreErrorsAndNothingIsDriven() throws {
    try drive(Self.three) { drive, meter in
      #expect(throws: DriveError.self) { try drive.run(through: 5) }
      #expect(throws: DriveError.self) { try drive.run(through: "mark:end") }
      #expect(throws: DriveError.self) { try drive.run(through: .time(.seconds(-1))) }
      #expect(meter.level == 0)
      try drive.run(through: 3)
      #expect(meter.level == 1)
      for past: DriveMoment in [1, 2, "mark:middle", .time(.nanoseconds(1_500))] {
        #expect(throws: DriveError.self) { try drive.run(through: past) }
      }
      #expect(meter.level == 1)
      // Time may stand still, and continues after the last event.
      try drive.run(through: .time(.nanoseconds(2_000)))
      try drive.run(through: .time(.seconds(3)))
      #expect(meter.level == 2)
      #expect(drive.now == .seconds(3))
    }
  }

  @Test func whatTheUserDidInAnActionIsDriven() throws {
    let lines = """
      {"kind":"action","label":"Tap"}
      {"kind":"set","path":"meter.level","value":7,"cause":2}
      {"kind":"set","path":"meter.shown","value":7,"cause":3}
      {"kind":"finish","outcome":"returned","cause":2}
      """
    // What followed from the write is up to the callbacks of this program, which has none.
    try drive(lines) { drive, meter in
      try drive.run()
      #expect(meter.level == 7 && meter.shown == 0)
    }
  }

  @Test func aStepPassesOverWhatFollowedFromIt() throws {
    let lines = """
      {"kind":"projection","projection":"P"}
      {"kind":"set","path":"meter.level","value":1}
      {"kind":"invalidate","projection":"P","causes":[3]}
      {"kind":"set","path":"meter.shown","value":1,"cause":3}
      {"kind":"evaluate","projection":"P","duration_ns":1,"changed":true,"cause":3}
      {"kind":"set","path":"meter.level","value":2}
      """
    try drive(lines) { drive, meter in
      let first = try drive.step()
      #expect(first?.seq == 3)
      #expect(drive.nextSeq == 7)
      #expect((meter.level, meter.shown) == (1, 0))
      let second = try drive.step()
      #expect(second?.seq == 7)
      let third = try drive.step()
      #expect(third == nil)
    }
  }

  @Test func anErrorOnTheWayLeavesASessionThatRuns() throws {
    let lines = """
      {"kind":"set","path":"meter.level","value":1}
      {"kind":"set","path":"meter.level","value":2,"site":"with the write before"}
      {"kind":"splice","path":"meter.names","offset":5,"delete":0,"insert":["x"]}
      """
    try drive(lines) { drive, meter in
      var levels: [Int] = []
      drive.session.projection("Level") { _ in levels.append(meter.level) }
      #expect(throws: LogError.self) { try drive.run(through: 4) }
      // The delayed calls have run, once.
      #expect(levels == [0, 2])
      meter.level = 7
      #expect(levels == [0, 2, 7])
    }
  }

  /// A clock that notes the times that it is asked to wait for, and never waits.
  private final class NotingClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    let deadlines = Mutex<[Duration]>([])
    let now = Instant(offset: .zero)
    let minimumResolution = Duration.nanoseconds(1)

    /// Throws if it is called so often that the calls seem endless.
    func sleep(until deadline: Instant, tolerance: Duration?) throws {
      let count = deadlines.withLock { deadlines in
        deadlines.append(deadline.offset)
        return deadlines.count
      }
      if count > 100 { throw CancellationError() }
    }
  }

  @Test func whoWatchesSeesWhatFallsDueAtItsTime() async throws {
    let files = try SelfDrive()
    defer { files.remove() }
    try files.write(
      Self.root + "\n" + """
        {"time_ns":1000000000,"kind":"set","path":"meter.level","value":1}
        {"time_ns":5000000000,"kind":"mark","label":"later"}
        """)
    let drive = try Drive(Recording(files.recorded))
    let meter = try drive.attach(Meter.self, root: "meter")
    let clock = NotingClock()
    var shownAfter: Int?
    drive.session.onChange(of: \.level, in: meter, debouncedFor: .milliseconds(500)) {
      meter.shown = $1
      shownAfter = clock.deadlines.withLock { $0.count }
    }
    try await drive.run(atSpeed: 2, by: clock)
    #expect(
      clock.deadlines.withLock { $0 } == [.milliseconds(500), .milliseconds(750), .milliseconds(2_500)])
    #expect(shownAfter == 2)
    #expect(meter.shown == 1)
    try drive.session.close()
  }

  enum Ending: CaseIterable { case atTheTime, later, laterAndWatched }

  /// Changes that are collected for a duration of zero are delivered at the time of their write, before
  /// everything later.
  @Test(arguments: Ending.allCases)
  func whatFallsDueAtOnceDoesSo(ending: Ending) async throws {
    let files = try SelfDrive()
    defer { files.remove() }
    let later = #"{"time_ns":2000,"kind":"mark","label":"later"}"#
    try files.write(
      Self.root + "\n" + #"{"time_ns":1000,"kind":"set","path":"meter.level","value":1}"#
        + (ending == .atTheTime ? "" : "\n" + later))
    let drive = try Drive(Recording(files.recorded), delivery: .every(.zero))
    let meter = try drive.attach(Meter.self, root: "meter")
    var times: [Duration] = []
    drive.session.onChange(of: \.level, in: meter) { _, _ in times.append(drive.now) }
    if ending == .laterAndWatched {
      try await drive.run(atSpeed: 1, by: NotingClock())
    } else {
      try drive.run()
    }
    #expect(times == [.nanoseconds(1_000)])
    try drive.session.close()
  }

  /// A class sets one property and then, in its `didSet`, another; a timer ran before both or after both.
  @Test(arguments: [false, true])
  func nothingFallsDueBetweenWritesThatWereMadeInOneGo(hasReader: Bool) throws {
    let lines = """
      {"time_ns":1000000,"kind":"set","path":"meter.level","value":1}
      {"time_ns":1500000,"kind":"set","path":"meter.names","value":["a"]}
      {"time_ns":2500000,"kind":"set","path":"meter.shown","value":1,"site":"with the write before"}
      {"time_ns":4000000,"kind":"set","path":"meter.shown","value":2}
      """
    try drive(lines) { drive, meter in
      var seen: [String] = []
      if hasReader { drive.session.projection("Names") { _ in meter.names.count } }
      drive.session.onChange(of: \.level, in: meter, debouncedFor: .milliseconds(1)) { _, _ in
        seen.append("\(meter.names) \(meter.shown) at \(drive.now)")
      }
      try drive.run()
      #expect(seen == [#"["a"] 1 at \#(Duration.microseconds(2_500))"#])
    }
  }

  /// Another thread writes while this one is between a store and the end of the class's `didSet`.
  @Test func whatAnotherThreadWroteIsNoWriteBefore() throws {
    let files = try SelfDrive()
    defer { files.remove() }
    try files.record { session in
      let (meter, other) = (Meter(), Meter())
      session.attach(meter, as: "meter")
      session.attach(other, as: "other")
      session.engine.hold()
      onAnotherThread { other.level = 1 }
      meter.level = 1
      onAnotherThread { other.level = 2 }
      meter.shown = 1
      session.engine.release()
      meter.level = 2
    }
    var continuing: [String] = []
    try LogReader(path: files.recorded.path).forEachEvent {
      if $0.site == "with the write before", let path = $0.body.writtenPath { continuing.append("\(path)") }
    }
    #expect(continuing == ["meter.shown"])
  }

  @Test func callbacksWithoutEndFallDueTogetherFromANumberOn() throws {
    let lines = """
      {"time_ns":1,"kind":"set","path":"meter.level","value":1}
      {"time_ns":1000000000,"kind":"set","path":"meter.names","value":["a"]}
      """
    try drive(lines) { drive, meter in
      drive.fallsMax = 10
      // Each call leads to the next a millisecond later.
      drive.session.onChange(of: \.level, in: meter, throttledTo: .milliseconds(1)) { _, _ in meter.level += 1
      }
      try drive.run()
      #expect(meter.level == 13)
      #expect(meter.names == ["a"])
      #expect(drive.problems.map(\.event) == [3])
      #expect(drive.problems[0].reason.hasPrefix("10 callbacks fell due before it"))
    }
  }
}

private func onAnotherThread(_ body: @escaping () -> Void) {
  nonisolated(unsafe) let body = body
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  done.wait()
}
