import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Two callbacks of one action that set one place to different values are found, and what only looks like it is not.
@Suite struct RivalWriteTests {
  private static let other = "onChange(app.trigger)"

  /// Actions that set two places, whose callbacks set a third: one at once, the other after a while.
  ///
  /// - Parameter effect: Adds what both callbacks do for the two changes.
  private func findings(
    times: Int = 4, _ effect: (inout ChainLog, _ first: Int, _ second: Int) -> Void
  ) throws -> [LintReport.Finding] {
    var log = ChainLog()
    for value in 1...times {
      let action = log.action("Cancel")
      let first = log.set("app.trigger", "\(value)", cause: action)
      let second = log.set("app.a", "\(value)", cause: action)
      effect(&log, first, second)
      log.pass(200)
    }
    return try log.report([.rivalWrites]).findings
  }

  private func late(_ log: inout ChainLog, _ first: Int, _ second: Int) {
    log.set("app.c", #""all""#, cause: second)
    log.run("onChange(app.a)", cause: second)
    log.pass(60)
    log.set("app.c", #""none""#, cause: first)
    log.run(Self.other, cause: first)
  }

  @Test func aCallbackThatComesLaterOverwritesWhatAnotherSet() throws {
    let found = try findings(late)
    #expect(
      found.map(\.message) == [
        #"After "Cancel" two callbacks set app.c: onChange(app.a) to "all", and then onChange(app.trigger) to "none", 4 times."#
      ])
    #expect(found.first?.path == "app.c" && found.first?.isNote == false)
    #expect(found.first?.events.prefix(2) == [14, 16])
    #expect(try findings(times: 2, late).isEmpty)
  }

  @Test func twoCallbacksOfOneWriteAreFoundInAllForms() throws {
    for form in ChainLog.Form.allCases {
      var log = ChainLog()
      log.addProjection("onChange(app.a) in Sheet", reading: ["app.a"])
      for value in 1...3 {
        let change = log.begin(form, "\(value)")
        log.set("app.c", #""\#(value) kept""#, cause: change)
        log.run("onChange(app.a)", cause: change)
        log.set("app.c", #""\#(value) sent""#, cause: change)
        log.run("onChange(app.a) in Sheet", cause: change)
        log.pass(200)
      }
      let found = try log.report([.rivalWrites]).findings
      #expect(found.count == 1, "\(form)")
      #expect(found.first?.message.hasSuffix(#", 3 times, at first to "1 kept" and to "1 sent"."#) == true)
    }
  }

  /// Callbacks of one name, which a session numbers.
  private func ofOneName(following paths: [String], times: Int = 4) throws -> [LintReport.Finding] {
    var log = ChainLog()
    log.addProjection("Status", reading: ["app.c"])
    let callbacks = ["onChange(app.a)#7", "onChange(app.a)#8"]
    for (name, path) in zip(callbacks, paths) {
      log.addProjection(name, reading: [path], at: "Sheet.swift:7")
    }
    for value in 1...times {
      let change = log.begin(.transaction, "\(value)")
      log.run("Label", cause: change)
      for (name, word) in zip(callbacks, ["kept", "sent"]) {
        let write = log.set("app.c", #""\#(value) \#(word)""#, cause: change)
        log.run(name, cause: change)
        log.run("Status", cause: write)
      }
      log.pass(200)
    }
    return try log.report([.rivalWrites]).findings
  }

  @Test func twoCallbacksOfOneNameAreFoundWithTheRunsThatOneTooManyMakes() throws {
    let found = try ofOneName(following: ["app.a", "app.a"])
    #expect(
      found.map(\.message) == [
        "After a transaction two callbacks set app.c: onChange(app.a) and then another onChange(app.a), 4 times, at first to"
          + #" "1 kept" and to "1 sent"."#
      ])
    let (before, after) = (try #require(found.first?.baseline), try #require(found.first?.predicted))
    // The first callback, and the status that is replaced at once.
    #expect(before.runs - after.runs == 4 * 2)
    // Each speaks of what it follows, as those of the rows of a list do.
    #expect(try ofOneName(following: ["app.a", "app.b"]).isEmpty)
  }

  @Test func theSameValueIsFine() throws {
    #expect(
      try findings { log, first, second in
        log.set("app.c", #""all""#, cause: second)
        log.run("onChange(app.a)", cause: second)
        log.set("app.c", #""all""#, cause: first, isSame: true)
        log.run(Self.other, cause: first)
      }.isEmpty)
  }

  @Test func flagsAndNumbersAreFine() throws {
    for (one, two) in [("true", "false"), ("1", "2")] {
      #expect(
        try findings { log, first, second in
          log.set("app.c", one, cause: second)
          log.run("onChange(app.a)", cause: second)
          log.set("app.c", two, cause: first)
          log.run(Self.other, cause: first)
        }.isEmpty)
    }
  }

  /// What the second callback follows was set after the first had written: its news is newer.
  @Test func oneStateAfterAnotherIsFine() throws {
    var log = ChainLog()
    for value in 1...12 {
      let action = log.action("Load")
      let start = log.set("app.a", "\(value)", cause: action)
      log.set("app.c", #""loading""#, cause: start)
      log.run("onChange(app.a)", cause: start)
      log.pass(100)
      let end = log.set("app.trigger", "\(value)", cause: action)
      log.set("app.c", #""ready""#, cause: end)
      log.run(Self.other, cause: end)
    }
    #expect(try log.report([.rivalWrites]).findings.isEmpty)
  }

  @Test func whatATaskSetsWhenItIsDoneIsFine() throws {
    var log = ChainLog()
    log.addProjection("onChange(app.a) in Sheet", reading: ["app.a"])
    for value in 1...12 {
      let change = log.begin(.action, "\(value)")
      log.set("app.c", #""checking""#, cause: change)
      log.run("onChange(app.a)", cause: change)
      log.run("onChange(app.a) in Sheet", cause: change)
      log.pass(100)
      log.set("app.c", #""valid""#, cause: change)
      log.pass(200)
    }
    #expect(try log.report([.rivalWrites]).findings.isEmpty)
  }

  @Test func whatTheAppSetInBetweenIsFine() throws {
    #expect(
      try findings { log, first, second in
        log.set("app.c", #""all""#, cause: second)
        log.run("onChange(app.a)", cause: second)
        log.set("app.c", #""""#)
        log.set("app.c", #""none""#, cause: first)
        log.run(Self.other, cause: first)
      }.isEmpty)
  }
}
