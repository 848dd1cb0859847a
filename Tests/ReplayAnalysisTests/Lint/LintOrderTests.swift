import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// What is wrong comes before what only costs.
@Suite struct LintOrderTests {
  @Test func faultsComeBeforeCosts() throws {
    var log = ChainLog()
    for value in 1...100 { log.addRound(.action, value) }
    let (older, newer) = (log.action("Search"), log.action("Search"))
    log.set("app.c", #""new""#, cause: newer)
    log.set("app.c", #""old""#, cause: older)
    let findings = try log.report().findings
    #expect(findings.first?.rule == .staleAnswer)
    #expect(findings.dropFirst().first?.rule == .callbackChain)
    #expect(findings.dropFirst().first?.predicted != nil)
    let ranks = findings.map(\.rank)
    #expect(ranks == ranks.sorted())
  }
}
