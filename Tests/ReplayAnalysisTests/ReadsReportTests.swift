import EventLog
import LogGenerator
import ReplayAnalysis
import Testing

/// What a projection reads, and what that was good for.
@Suite struct ReadsReportTests {
  private static let lines = [
    #"{"kind":"set","path":"app","value":{"$object":"App#1","a":0,"b":{"x":0,"y":0},"c":0,"rows":[{"n":1},{"n":2}]}}"#,
    #"{"kind":"projection","projection":"Row#1"}"#,
    #"{"kind":"reads","projection":"Row#1","paths":["app.a","app.b","app.rows[0].n","app.rows[1].n"]}"#,
    #"{"kind":"evaluate","projection":"Row#1","duration_ns":5}"#,
    #"{"kind":"projection","projection":"Row#2"}"#,
    #"{"kind":"reads","projection":"Row#2","paths":["app.a","app.c"]}"#,
    #"{"kind":"evaluate","projection":"Row#2","duration_ns":5}"#,
    #"{"kind":"set","path":"app.a","value":1}"#,
    #"{"kind":"invalidate","projection":"Row#1","causes":[8],"cause":8}"#,
    #"{"kind":"invalidate","projection":"Row#2","causes":[8],"cause":8}"#,
    #"{"kind":"evaluate","projection":"Row#1","duration_ns":10,"changed":false,"cause":8}"#,
    #"{"kind":"evaluate","projection":"Row#2","duration_ns":10,"changed":true,"cause":8}"#,
    #"{"kind":"set","path":"app.b.x","value":1}"#,
    #"{"kind":"invalidate","projection":"Row#1","causes":[13],"cause":13}"#,
    #"{"kind":"evaluate","projection":"Row#1","duration_ns":30,"changed":false,"cause":13}"#,
    #"{"kind":"dispose","projection":"Row#2"}"#,
  ]

  private func report(_ projection: String, at: UInt64? = nil) throws -> ReadsReport {
    let workspace = try Workspace()
    let path = try workspace.log(Self.lines.joined(separator: "\n"), "run.evlog")
    return try ReadsReport(of: projection, at: at.map { .seq($0) }, in: LogSource(path: path))
  }

  private func text(_ report: ReadsReport) -> [String] {
    report.lines.map { "\($0.path) \($0.count) \($0.evaluations) \($0.wasted) \($0.time) \($0.wastedTime)" }
  }

  @Test func aRunCountsForTheReadThatTheWriteWasOf() throws {
    #expect(
      try text(report("Row#1")) == [
        "app.b 1 1 1 30 30", "app.a 1 1 1 10 10", "app.rows[*].n 2 0 0 0 0",
      ])
  }

  @Test func aGroupStandsForAllItsInstances() throws {
    let all = try report("Row", at: 15)
    #expect(all.instances == 2 && all.seq == 15)
    #expect(
      text(all) == [
        "app.b 1 1 1 30 30", "app.a 2 2 1 20 10", "app.rows[*].n 2 0 0 0 0", "app.c 1 0 0 0 0",
      ])
  }

  @Test func theReadsOfOneThatEndedAreKept() throws {
    let ended = try report("Row#2")
    #expect(ended.instances == 0)
    #expect(text(ended) == ["app.a 1 1 0 10 0", "app.c 1 0 0 0 0"])
  }

  @Test func aNameThatTheLogDoesNotHaveIsRefused() {
    #expect(throws: AnalysisError.self) { try report("Rwo") }
  }
}
