import EventLog
import LogGenerator
import ReplayAnalysis
import Testing

/// A projection that several writes put out of date before it ran: all of them are causes of its run.
@Suite struct SupersededTests {
  let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private static let end = [
    #"{"kind":"evaluate","projection":"View","duration_ns":10,"changed":true,"cause":7}"#,
    #"{"kind":"set","path":"app.a","value":2}"#,
  ]

  /// A host that sets `a` and `b` and then draws a frame; at the end it sets `a` for a view that is off screen.
  private func log(
    _ middle: [String] = [], end: [String] = Self.end, _ name: String = "run.evlog"
  ) throws -> String {
    let lines =
      [
        #"{"kind":"set","path":"app","value":{"$object":"App#1","a":0,"b":0}}"#,
        #"{"kind":"projection","projection":"View"}"#,
        #"{"kind":"reads","projection":"View","added":["app.a","app.b"],"dropped":[]}"#,
        #"{"kind":"evaluate","projection":"View","duration_ns":10}"#,
        #"{"kind":"set","path":"app.a","value":1}"#,
        #"{"kind":"invalidate","projection":"View","causes":[5],"cause":5}"#,
        #"{"kind":"set","path":"app.b","value":1}"#,
        #"{"kind":"invalidate","projection":"View","causes":[7],"cause":7}"#,
      ] + middle + end
    return try workspace.log(lines.joined(separator: "\n"), name)
  }

  @Test func whyNamesAllWritesSinceTheLastRun() throws {
    let path = try log()
    let run = ToolRun("why", path, "View", "--at", "9")
    #expect(
      run.lines == [
        "View evaluated at 0.000 ms in 10 ns, output changed  event 9",
        "  <- View invalidated at 0.000 ms  event 7",
        "  <- set app.b  0 -> 1  event 7",
        "     at 0.000 ms, read as app.b",
        "  and since its last run:",
        "      <- View invalidated at 0.000 ms  event 5",
        "      <- set app.a  0 -> 1  event 5",
        "         at 0.000 ms, read as app.a",
      ])
  }

  @Test func cascadesTellWhatWasSupersededFromWhatDidNotRun() throws {
    // The other set of `a` has no run after it, as the view is off screen then.
    #expect(try ToolRun("cascades", log()).lines.contains("    View (1 superseded, 1 not evaluated)"))
    let frame = ToolRun("cascades", try log(), "--to", "9").lines
    #expect(frame.contains("    View (superseded: ran with another write)"))
    let last = ToolRun("cascades", try log(), "--from", "10").lines
    #expect(last.contains("    View (woken, not evaluated)"))
  }

  @Test func anInvalidationDuringARunIsACauseOfTheNextRun() throws {
    // The first run has 5 as its cause, although 7 came before it ended.
    let path = try log([
      #"{"kind":"evaluate","projection":"View","duration_ns":10,"changed":true,"cause":5}"#
    ])
    let chains = try [9, 10].map { seq in
      try WhyChain(of: "View", at: .seq(UInt64(seq)), in: LogSource(path: path)).steps
    }
    #expect(chains.map { $0.filter { $0.kind == .write }.map(\.seq) } == [[5], [7]])
    #expect(chains.allSatisfy { $0.allSatisfy { $0.others == nil } })
    #expect(!ToolRun("cascades", path).lines.contains { $0.contains("superseded") })
  }

  @Test func anInvalidationThatTheRunHasSeenIsNoCauseOfTheNextRun() throws {
    // As where it reads a derived value, which is computed meanwhile.
    let path = try log(
      [
        #"{"kind":"evaluate","projection":"View","duration_ns":10,"changed":true,"cause":5}"#,
        #"{"kind":"set","path":"app.a","value":3}"#,
      ], end: [#"{"kind":"evaluate","projection":"View","duration_ns":10,"changed":true,"cause":10}"#])
    let steps = try WhyChain(of: "View", at: .seq(11), in: LogSource(path: path)).steps
    #expect(steps.filter { $0.kind == .write }.map(\.seq) == [10])
    #expect(steps.allSatisfy { $0.others == nil })
    let lines = ToolRun("cascades", path, "--path", "app.b").lines
    #expect(lines.contains("    View (superseded: ran with another write)"))
  }

  @Test func ofManyTheLatestAreListedAndTheOthersCounted() throws {
    var lines = [
      #"{"kind":"set","path":"app","value":{"$object":"App#1","a":0}}"#,
      #"{"kind":"projection","projection":"View"}"#,
      #"{"kind":"reads","projection":"View","added":["app.a"],"dropped":[]}"#,
      #"{"kind":"evaluate","projection":"View","duration_ns":10}"#,
    ]
    for value in 1...200 { lines.append(#"{"kind":"set","path":"app.a","value":\#(value)}"#) }
    lines.append(#"{"kind":"evaluate","projection":"View","duration_ns":10,"cause":204}"#)
    let log = try LogSource(path: workspace.log(lines.joined(separator: "\n")))
    let step = try #require(
      try WhyChain(of: "View", at: nil, in: log).steps.first { $0.kind == .invalidation })
    #expect(step.others?.map(\.seq) == (0..<50).map { UInt64(203 - $0) })
    #expect(step.moreOthers == 149)
  }

  @Test func aProjectionThatMovesHasRunBefore() throws {
    let path = try log([
      #"{"kind":"dispose","projection":"View"}"#,
      #"{"kind":"projection","projection":"View","cause":9}"#,
      #"{"kind":"reads","projection":"View","added":["app.a","app.b"],"dropped":[]}"#,
    ])
    let steps = try WhyChain(of: "View", at: .seq(12), in: LogSource(path: path)).steps
    #expect(steps.filter { $0.kind == .write }.map(\.seq) == [7])
    #expect(steps.flatMap { $0.others ?? [] }.map(\.seq) == [5])
    // A new projection with the name has none of that.
    let other = try log(
      [
        #"{"kind":"dispose","projection":"View"}"#,
        #"{"kind":"projection","projection":"View"}"#,
        #"{"kind":"reads","projection":"View","added":["app.a","app.b"],"dropped":[]}"#,
      ], "other.evlog")
    let chain = try WhyChain(of: "View", at: .seq(12), in: LogSource(path: other))
    #expect(chain.steps.allSatisfy { $0.others == nil })
  }
}
