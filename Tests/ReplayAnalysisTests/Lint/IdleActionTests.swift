import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Actions that change nothing each time are found, and those of which the log has nothing are not.
@Suite struct IdleActionTests {
  /// Actions of one label beside a view that something runs.
  private func findings(_ act: (inout ChainLog, _ action: Int, _ number: Int) -> Void) throws
    -> [LintReport.Finding]
  {
    var log = ChainLog()
    for number in 1...12 {
      let action = log.action("Remove photo")
      act(&log, action, number)
      log.pass(300)
      log.run("Label", cause: log.set("app.a", "\(number)"))
    }
    return try log.report([.idleAction]).findings
  }

  private static let album = #"{"$opaque":"Album","identity":1}"#

  @Test func onlySetsOfAnObjectThatIsNotRecordedToItself() throws {
    let found = try findings { log, action, _ in log.set("app.c", Self.album, cause: action, isSame: true) }
    #expect(
      found.map(\.message) == [
        #"12 of 12 "Remove photo" changed nothing: all that they set, app.c, an object that is not recorded, was set to what"#
          + " it was."
      ])
    #expect(found.first?.isNote == false)
  }

  @Test func onlySetsOfEqualValuesAreANote() throws {
    let found = try findings { log, action, _ in log.set("app.c", "0", cause: action, isSame: true) }
    #expect(found.map(\.isNote) == [true])
  }

  @Test func changesThatNobodyReadsAreANote() throws {
    let found = try findings { log, action, number in log.set("app.c", "\(number)", cause: action) }
    #expect(
      found.map(\.message) == [
        #"12 of 12 "Remove photo" changed app.c and nothing else, which no projection reads."#
      ])
    #expect(found.map(\.isNote) == [true])
  }

  @Test func actionsOfWhichNothingIsRecordedAreFine() throws { #expect(try findings { _, _, _ in }.isEmpty) }

  @Test func oneThatIsSeenIsEnough() throws {
    #expect(
      try findings { log, action, number in
        log.set("app.c", Self.album, cause: action, isSame: true)
        if number == 7 { log.run("Label", cause: log.set("app.b", "7", cause: action)) }
      }.isEmpty)
  }

  @Test func whatFollowsCounts() throws {
    #expect(
      try findings { log, action, number in
        let write = log.set("app.trigger", "\(number)", cause: action)
        log.run("onChange(app.trigger)", cause: write)
        log.pass(400)
        log.run("Label", cause: log.set("app.b", "\(number)", cause: write))
      }.isEmpty)
  }
}
