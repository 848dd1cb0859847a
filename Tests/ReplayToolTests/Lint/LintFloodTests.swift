import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// A path that is set as often as a display draws is no flood, unless that takes its time.
@Suite struct LintFloodTests {
  /// Some seconds of sets and of a view that shows each, or a callback.
  private func findings(
    every microseconds: UInt64, taking nanoseconds: UInt64, inAction: Bool = false,
    lasting time: UInt64 = 3_000_000,
    by reader: String = "Ghost"
  ) throws -> [LintReport.Finding] {
    let workspace = try Workspace()
    var lines = [
      #"{"kind":"set","path":"drag","value":{"x":0}}"#, #"{"kind":"projection","projection":"\#(reader)"}"#,
      #"{"kind":"reads","projection":"\#(reader)","paths":["drag.x"]}"#,
      #"{"kind":"evaluate","projection":"\#(reader)","duration_ns":1000,"changed":true}"#,
    ]
    for step in 1...(time / microseconds) {
      let time = #""time_ns":\#(step * microseconds * 1000)"#
      if inAction { lines.append(#"{"kind":"action","label":"Drag",\#(time)}"#) }
      let cause = inAction ? #","cause":\#(lines.count)"# : ""
      lines.append(#"{"kind":"set","path":"drag.x","value":\#(step),\#(time)\#(cause)}"#)
      let run = #""kind":"evaluate","projection":"\#(reader)","duration_ns":\#(nanoseconds),"changed":true"#
      lines.append(#"{\#(run),"cause":\#(lines.count),\#(time)}"#)
    }
    return try LintReport.of(workspace.log(lines.joined(separator: "\n") + "\n")).findings
  }

  @Test(arguments: [60, 120], [false, true]) func aHandThatDragsIsFine(rate: UInt64, inAction: Bool) throws {
    #expect(try findings(every: 1_000_000 / rate + 1, taking: 30_000, inAction: inAction).isEmpty)
  }

  @Test(arguments: [false, true]) func whatIsFasterThanTheDisplayIsThrottledToIt(inAction: Bool) throws {
    let found = try findings(every: 5_000, taking: 30_000, inAction: inAction)
    #expect(found.map(\.rule) == [.flood] && found.first?.isNote == false)
    #expect(found.first?.changes == [Change(.throttle, "drag.x=16ms")])
    let (before, after) = (try #require(found.first?.baseline), try #require(found.first?.predicted))
    #expect(before.runs == 601)
    // One of four at most is left of each 16 ms.
    #expect((150...301).contains(after.runs))
  }

  /// A sensor that is on for less than a second, until the end of the session.
  @Test(arguments: [700_000, 1_700_000]) func whatIsStillGoingOnAtTheEndCounts(time: UInt64) throws {
    let found = try findings(every: 2_500, taking: 30_000, lasting: time)
    #expect(found.map(\.rule) == [.flood])
    #expect(
      found.first?.message.hasPrefix("drag.x was set up to \(min(time / 2_500, 400)) times a second") == true)
    #expect(try findings(every: 2_500, taking: 30_000, lasting: 400_000).isEmpty)
  }

  @Test func whatOnlyCallbacksFollowIsFine() throws {
    #expect(try findings(every: 2_500, taking: 10_000, by: "onChange(drag.x)").isEmpty)
    // Unless that takes its time.
    #expect(try findings(every: 2_500, taking: 1_000_000, by: "onChange(drag.x)").map(\.rule) == [.flood])
  }

  @Test func whatTakesATenthOfTheTimeIsSetTooOften() throws {
    let dear = try findings(every: 16_667, taking: 3_000_000)
    #expect(dear.map(\.rule) == [.flood])
    #expect(dear.first?.changes == [Change(.throttle, "drag.x=250ms")])
    #expect(try findings(every: 16_667, taking: 1_000_000).isEmpty)
  }
}
