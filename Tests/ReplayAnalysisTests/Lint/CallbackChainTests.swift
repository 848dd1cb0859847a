import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A view that runs for a change, and again for what a callback sets because of it, is found whatever made the change.
@Suite struct CallbackChainTests {
  private static let chain =
    "Label ran 12 times for app.a and 12 more for app.b, which onChange(app.a) set because of it."

  private func chains(_ log: ChainLog) throws -> [LintReport.Finding] {
    try log.report([.callbackChain]).findings
  }

  @Test(arguments: ChainLog.Form.allCases, [nil, 5] as [UInt64?])
  func theSameIsSaidInAllForms(form: ChainLog.Form, delay: UInt64?) throws {
    var log = ChainLog()
    for value in 1...12 { log.addRound(form, value, taskAfter: delay) }
    let found = try chains(log)
    #expect(found.map(\.message) == [Self.chain])
    #expect(found.first?.isNote == false)
    #expect(found.first?.changes == [Change(.derived, "onChange(app.a)")])
    let replaced = try log.replacedRuns(of: "Label", within: 16)
    #expect(replaced == 12)
    let finding = try #require(found.first)
    let (before, after) = (try #require(finding.baseline), try #require(finding.predicted))
    #expect(before.runs - after.runs == replaced)
  }

  /// The view shows only what callbacks set, one after another.
  @Test(arguments: ChainLog.Form.allCases) func aChainIsFoundFromItsEnd(form: ChainLog.Form) throws {
    var log = ChainLog()
    log.addProjection("onChange(app.b)", reading: ["app.b"])
    log.addProjection("Total", reading: ["app.b", "app.c"])
    for value in 1...12 {
      let change = log.begin(form, "\(value)")
      let first = log.set("app.b", "\(value)", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.run("Total", cause: first)
      let second = log.set("app.c", "\(value)", cause: first)
      log.run("onChange(app.b)", cause: first)
      log.run("Total", cause: second)
      log.pass(200)
    }
    #expect(
      try chains(log).map(\.message) == [
        "Total ran 12 times for app.b and 12 more for app.c, which onChange(app.b) set because of it."
      ])
  }

  /// What cannot be predicted, since the app did something else in between, has the price that its own runs show.
  @Test func runsOfAnotherFlushAreCounted() throws {
    var log = ChainLog()
    log.addProjection("Clock", reading: ["app.c"])
    for value in 1...12 {
      let change = log.begin(.action, "\(value)")
      log.run("Label", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.run("Clock", cause: log.set("app.c", "\(value)"))
      log.run("Label", cause: log.set("app.b", "\(value)", cause: change))
      log.pass(200)
    }
    let report = try log.report([.callbackChain])
    let found = try #require(report.findings.first)
    #expect(found.message == Self.chain && found.changes.isEmpty && found.whatIf.isEmpty)
    let replaced = try log.replacedRuns(of: "Label", within: 16)
    #expect(found.baseline.map { $0.runs - (found.predicted?.runs ?? 0) } == replaced)
    #expect(found.baseline?.runs == report.account?.runs)
  }

  @Test func whatIsWaitedForIsFine() throws {
    for delay in [60, 400] as [UInt64] {
      var log = ChainLog()
      for value in 1...30 { log.addRound(.action, value, taskAfter: delay) }
      #expect(try chains(log).isEmpty, "\(delay) ms")
    }
  }

  @Test func aCallbackThatCorrectsWhatWokeItIsFine() throws {
    var log = ChainLog()
    for value in 1...30 {
      let change = log.begin(.action, "\(1000 + value)")
      log.run("Label", cause: change)
      let corrected = log.set("app.a", "\(1000 - value)", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.run("Label", cause: corrected)
      log.pass(200)
    }
    #expect(try chains(log).isEmpty)
  }

  @Test func whatAnotherViewShowsIsFine() throws {
    var log = ChainLog()
    log.addProjection("Saved", reading: ["app.c"])
    for value in 1...30 {
      let change = log.begin(.action, "\(value)")
      log.run("Label", cause: change)
      let saved = log.set("app.c", "\(value)", cause: change)
      log.run("onChange(app.a)", cause: change)
      log.run("Saved", cause: saved)
      log.pass(200)
    }
    #expect(try chains(log).isEmpty)
  }

  /// A task that a callback started moves two places with each frame.
  @Test func whatOneTaskWritesAgainAndAgainIsNoChain() throws {
    var log = ChainLog()
    let change = log.begin(.action, "1")
    log.run("onChange(app.a)", cause: change)
    for value in 1...60 {
      log.run("Label", cause: log.set(value % 2 == 0 ? "app.a" : "app.b", "\(value)", cause: change))
      log.pass(8)
    }
    #expect(try chains(log).isEmpty)
  }

  @Test func countsAreThoseOfTheRunsOneByOne() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      var log = ChainLog()
      for value in 1...60 {
        let form = ChainLog.Form.allCases.randomElement(using: &random) ?? .bare
        let delays: [UInt64?] = [nil, nil, 2, 9, 40, 300]
        log.addRound(form, value, taskAfter: delays.randomElement(using: &random) ?? nil)
      }
      let replaced = try log.replacedRuns(of: "Label", within: 16)
      let found = try chains(log)
      #expect(
        found.first?.message.contains("and \(replaced) more for app.b") == true,
        "\(found.map(\.message)), not \(replaced), seed \(seed)")
    }
  }
}
