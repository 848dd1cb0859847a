import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// What an app does within an action is analysed as what it does by itself.
@Suite struct ActionTests {
  @Test(arguments: ["chat-wide", "list-object", "mailbox", "stream-wide", "scopes"])
  func anActionAroundARunChangesNoFindingAndNoPrediction(name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let plain = try LogSource(path: folder.appending(path: "../../SampleLogs/\(name).evlog").path)
    let workspace = try Workspace()
    let acted = try LogSource(path: within(plain, workspace.file("acted.evlog")))
    #expect(try findings(plain) == findings(acted))
    for change in [[], [Change(.tracking, "property")], [Change(.transaction, "2ms")]] {
      #expect(try prediction(plain, change) == prediction(acted, change), "\(change)")
    }
  }

  @Test func aChainOfCausesEndsAtTheAction() throws {
    let workspace = try Workspace()
    let lines = [
      #"{"kind":"set","path":"app","value":{"a":1,"b":1}}"#, #"{"kind":"projection","projection":"Row"}"#,
      #"{"kind":"reads","projection":"Row","paths":["app.a"]}"#,
      #"{"kind":"evaluate","projection":"Row","duration_ns":5}"#, #"{"kind":"action","label":"Refresh"}"#,
      #"{"kind":"set","path":"app.a","value":2,"cause":5}"#,
      #"{"kind":"evaluate","projection":"Row","duration_ns":5,"cause":6}"#,
      #"{"kind":"finish","outcome":"threw","cause":5}"#,
    ]
    let steps = try WhyChain(of: "Row", at: nil, in: log(of: lines, in: workspace)).steps
    #expect(steps.map(\.kind) == [.evaluation, .invalidation, .write, .origin])
    #expect(steps.last?.text == "action Refresh")
  }

  /// A task that a callback started writes after the callback's flush, with its cause.
  @Test func whatATaskWritesLaterIsAFlushOfItsOwn() throws {
    let lines = [
      #"{"kind":"set","path":"app","value":{"a":1,"b":1}}"#, #"{"kind":"set","path":"app.a","value":2}"#,
      #"{"kind":"set","path":"app.b","value":2,"cause":2}"#, #"{"kind":"set","path":"app.a","value":3}"#,
      #"{"kind":"set","path":"app.b","value":3,"cause":2}"#, #"{"kind":"action","label":"Tap"}"#,
      #"{"kind":"set","path":"app.a","value":4,"cause":6}"#,
      #"{"kind":"set","path":"app.b","value":4,"cause":7}"#,
    ]
    let workspace = try Workspace()
    var run = LogRun(try log(of: lines, in: workspace), [.hits, .lookback, .lives])
    var bounds = FlushBounds()
    bounds.begin(run)
    var begins: [UInt64] = []
    while try run.next() {
      if bounds.isOver(before: run.row) {
        begins.append(run.row.seq)
        bounds.restart()
      }
      bounds.observe(run.row)
    }
    #expect(begins == [1, 2, 4, 5, 6, 7])
  }

  private func log(of lines: [String], in workspace: Workspace) throws -> LogSource {
    let path = workspace.file("lines.evlog")
    let writer = try LogWriter(creating: path)
    for (index, line) in lines.enumerated() {
      let parsed = try ParsedEvent(parsing: line)
      try writer.append(parsed.event(seq: UInt64(index + 1), time: UInt64(index), sameValue: false))
    }
    try writer.close()
    return try LogSource(path: path)
  }

  /// A copy of a log in which all that has no cause follows from an action at the beginning.
  private func within(_ log: LogSource, _ path: String) throws -> String {
    let writer = try LogWriter(creating: path)
    try writer.append(Event(seq: 1, time: 0, body: .action(label: "all")))
    try log.reader.forEachEvent { event in
      var event = event
      event.seq += 1
      event.cause = event.cause.map { $0 + 1 } ?? (event.body.kind.beginsAnew ? 1 : nil)
      if case .invalidate(let name, let causes) = event.body {
        event.body = .invalidate(projection: name, causes: causes.map { $0 + 1 })
      }
      try writer.append(event)
    }
    try writer.close()
    return path
  }

  private func findings(_ log: LogSource) throws -> [String] {
    try LintReport(log, LintRule.allCases, LintThresholds(), in: 0..<UInt64.max).findings.map { finding in
      "\(finding.rule) \(finding.projection ?? "-") \(finding.path ?? "-") \(finding.changes) "
        + "\(finding.baseline as Any) \(finding.predicted as Any) \(finding.isNote)"
    }
  }

  private func prediction(_ log: LogSource, _ changes: [Change]) throws -> [String] {
    try WhatIf(log, WhatIfRules(changes), counting: 0..<(.max)).lines.map { "\($0)" }
  }
}
