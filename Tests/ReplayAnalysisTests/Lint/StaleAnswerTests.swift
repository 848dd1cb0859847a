import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// An older action's answer that comes after a newer one's is found, and what only looks like it is not.
@Suite struct StaleAnswerTests {
  private static let head = """
    {"kind":"set","path":"app","value":{"list":"","busy":false,"count":0}}
    {"kind":"action","label":"Search"}
    {"kind":"action","label":"Search"}

    """

  private func findings(_ lines: String) throws -> [LintReport.Finding] {
    let workspace = try Workspace()
    let log = try LogSource(path: workspace.log(Self.head + lines, "lines.evlog"))
    return try LintReport(log, [.staleAnswer], LintThresholds(), in: 0..<UInt64.max).findings
  }

  @Test func theAnswerOfTheOlderActionComesLast() throws {
    let found = try findings(
      """
      {"kind":"set","path":"app.list","value":"cats","cause":3,"site":"Feed.swift:7"}
      {"kind":"set","path":"app.list","value":"ca","cause":2,"site":"Feed.swift:7"}
      """)
    #expect(found.count == 1)
    #expect(found.first?.path == "app.list" && found.first?.events == [5] && found.first?.isNote == false)
    #expect(found.first?.sites.write == "Feed.swift:7")
    #expect(
      found.first?.message
        == #""Search" (event 2) wrote app.list ("ca") at event 5, after "Search" (event 3), which began later, had written"#
        + #" it ("cats") at event 4; and that stayed."#)
  }

  @Test func answersInOrderAreFine() throws {
    #expect(
      try findings(
        """
        {"kind":"set","path":"app.list","value":"ca","cause":2}
        {"kind":"set","path":"app.list","value":"cats","cause":3}
        """
      ).isEmpty)
  }

  @Test func whatTheNewerActionWritesOverIsFine() throws {
    #expect(
      try findings(
        """
        {"kind":"set","path":"app.list","value":"","cause":3}
        {"kind":"set","path":"app.list","value":"ca","cause":2}
        {"kind":"set","path":"app.list","value":"cats","cause":3}
        """
      ).isEmpty)
  }

  @Test func whatAThirdActionWritesOverWasStale() throws {
    let found = try findings(
      """
      {"kind":"set","path":"app.list","value":"cats","cause":3}
      {"kind":"set","path":"app.list","value":"ca","cause":2}
      {"kind":"action","label":"Clear"}
      {"kind":"set","path":"app.list","value":"","cause":6}
      """)
    #expect(found.map(\.events) == [[5]])
  }

  @Test func flagsAndCountersThatAreSetBackAreFine() throws {
    #expect(
      try findings(
        """
        {"kind":"set","path":"app.busy","value":true,"cause":2}
        {"kind":"set","path":"app.count","value":1,"cause":2}
        {"kind":"set","path":"app.count","value":2,"cause":3}
        {"kind":"set","path":"app.busy","value":true,"cause":3}
        {"kind":"set","path":"app.busy","value":false,"cause":2}
        {"kind":"set","path":"app.count","value":1,"cause":2}
        """
      ).isEmpty)
  }

  @Test func theSameValueAndWhatFollowsFromAWriteAreFine() throws {
    #expect(
      try findings(
        """
        {"kind":"set","path":"app.list","value":"cats","cause":3}
        {"kind":"set","path":"app.list","value":"cats","same_value":true,"cause":2}
        {"kind":"set","path":"app.count","value":1,"cause":3}
        {"kind":"set","path":"app.busy","value":true,"cause":2}
        {"kind":"set","path":"app.count","value":2,"cause":7}
        """
      ).isEmpty)
  }

  @Test func anActionWithinAnotherIsAsOldAsTheOther() throws {
    // The request of the older search begins after that of the newer one.
    let requests = """
      {"kind":"action","label":"GET","cause":3}
      {"kind":"action","label":"GET","cause":2}

      """
    let stale = try findings(
      requests + """
        {"kind":"set","path":"app.list","value":"cats","cause":4}
        {"kind":"set","path":"app.list","value":"ca","cause":5}
        """)
    #expect(stale.map(\.events) == [[7]])
    #expect(stale.first?.message.hasPrefix(#""Search" (event 2) wrote app.list ("ca") at event 7"#) == true)
    let fine = try findings(
      requests + """
        {"kind":"set","path":"app.list","value":"ca","cause":5}
        {"kind":"set","path":"app.list","value":"cats","cause":4}
        {"kind":"set","path":"app.list","value":"dogs","cause":3}
        """)
    #expect(fine.isEmpty)
  }
}
