import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// A path that is set as often as a display draws is no flood, unless that takes its time.
@Suite struct LintFloodTests {
  /// Three seconds of sets and of a view that shows each.
  private func findings(
    every microseconds: UInt64, taking nanoseconds: UInt64, inAction: Bool = false
  ) throws -> [LintReport.Finding] {
    let workspace = try Workspace()
    var lines = [
      #"{"kind":"set","path":"drag","value":{"x":0}}"#, #"{"kind":"projection","projection":"Ghost"}"#,
      #"{"kind":"reads","projection":"Ghost","paths":["drag.x"]}"#,
      #"{"kind":"evaluate","projection":"Ghost","duration_ns":1000,"changed":true}"#,
    ]
    for step in 1...(3_000_000 / microseconds) {
      let time = #""time_ns":\#(step * microseconds * 1000)"#
      if inAction { lines.append(#"{"kind":"action","label":"Drag",\#(time)}"#) }
      let cause = inAction ? #","cause":\#(lines.count)"# : ""
      lines.append(#"{"kind":"set","path":"drag.x","value":\#(step),\#(time)\#(cause)}"#)
      let run = #""kind":"evaluate","projection":"Ghost","duration_ns":\#(nanoseconds),"changed":true"#
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

  @Test func whatTakesATenthOfTheTimeIsSetTooOften() throws {
    let dear = try findings(every: 16_667, taking: 3_000_000)
    #expect(dear.map(\.rule) == [.flood])
    #expect(dear.first?.changes == [Change(.throttle, "drag.x=250ms")])
    #expect(try findings(every: 16_667, taking: 1_000_000).isEmpty)
  }
}
