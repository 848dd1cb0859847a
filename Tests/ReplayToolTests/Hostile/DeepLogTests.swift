import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Logs in which each thing follows from another, some thousand times.
struct DeepLog: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The lines for a depth; the last projection that ran is `P`, or an instance of it.
  let lines: @Sendable (Int) -> [String]

  static let all = [causes, derived, branches, parents, transactions, references, actions]

  private static func start(_ projections: [String]) -> [String] {
    [#"{"kind":"set","path":"a","value":{"$object":"A","x":0,"y":0}}"#]
      + projections.flatMap {
        [
          #"{"kind":"projection","projection":"\#($0)"}"#,
          #"{"kind":"reads","projection":"\#($0)","paths":["a.x","a.y"]}"#,
          #"{"kind":"evaluate","projection":"\#($0)","duration_ns":10}"#,
        ]
      }
  }

  /// A callback that sets what it reads.
  static let causes = DeepLog(testDescription: "causes") { depth in
    var lines = start(["P"]) + [#"{"kind":"set","path":"a.x","value":1}"#]
    for value in 2...depth {
      let cause = lines.count
      lines += [
        #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(cause)}"#,
        #"{"kind":"set","path":"a.x","value":\#(value),"cause":\#(cause + 1)}"#,
      ]
    }
    let last =
      #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(lines.count)}"#
    return lines + [last]
  }

  /// Values each of which is derived from the one before.
  private static let derived = DeepLog(testDescription: "derived values") { depth in
    var lines = [#"{"kind":"set","path":"d0","value":{"value":0}}"#]
    for number in 1...depth {
      lines += [
        #"{"kind":"reads","projection":"P#\#(number)","paths":["d\#(number - 1).value"]}"#,
        #"{"kind":"evaluate","projection":"P#\#(number)","duration_ns":10}"#,
        #"{"kind":"set","path":"d\#(number)","value":{"value":0}}"#,
      ]
    }
    lines.append(#"{"kind":"set","path":"d0.value","value":1}"#)
    for number in 1...depth {
      let cause = lines.count
      lines += [
        #"{"kind":"evaluate","projection":"P#\#(number)","duration_ns":10,"changed":true,"cause":\#(cause)}"#,
        #"{"kind":"set","path":"d\#(number).value","value":1,"cause":\#(cause + 1)}"#,
      ]
    }
    return lines
  }

  /// Transactions of two writes, each caused by a run that the transaction before led to.
  private static let branches = DeepLog(testDescription: "branches") { depth in
    var lines = start(["P", "Q"]) + [#"{"kind":"set","path":"a.x","value":1}"#]
    for value in 2...depth {
      let cause = lines.count
      lines += [
        #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(cause)}"#,
        #"{"kind":"evaluate","projection":"Q","duration_ns":10,"changed":true,"cause":\#(cause)}"#,
        #"{"kind":"begin"}"#,
        #"{"kind":"set","path":"a.x","value":\#(value),"cause":\#(cause + 1)}"#,
        #"{"kind":"set","path":"a.y","value":\#(value),"cause":\#(cause + 2)}"#,
        #"{"kind":"end"}"#,
      ]
    }
    let last =
      #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(lines.count)}"#
    return lines + [last]
  }

  /// Projections each of which is the parent of another, and which run with it.
  private static let parents = DeepLog(testDescription: "parents") { depth in
    var lines = start(["P"])
    for number in 1...depth {
      let parent = number == 1 ? "P" : "P#\(number - 1)"
      lines.append(#"{"kind":"projection","projection":"P#\#(number)","parent":"\#(parent)"}"#)
    }
    lines.append(#"{"kind":"set","path":"a.x","value":1}"#)
    let cause = lines.count
    for number in (1...depth).reversed() {
      lines.append(#"{"kind":"evaluate","projection":"P#\#(number)","duration_ns":1,"cause":\#(cause)}"#)
    }
    lines.append(#"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(cause)}"#)
    // The parents of this one do not run.
    lines.append(#"{"kind":"set","path":"a.y","value":1}"#)
    let next = lines.count
    for number in (depth / 2...depth).reversed() where number % 2 == 0 {
      lines.append(#"{"kind":"evaluate","projection":"P#\#(number)","duration_ns":1,"cause":\#(next)}"#)
    }
    return lines
  }

  private static let transactions = DeepLog(testDescription: "transactions") { depth in
    var lines = start(["P"])
    for value in 1...depth {
      lines += [#"{"kind":"begin","label":"t\#(value)"}"#, #"{"kind":"set","path":"a.x","value":\#(value)}"#]
    }
    lines += Array(repeating: #"{"kind":"end"}"#, count: depth)
    let last =
      #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(lines.count)}"#
    return lines + [last]
  }

  /// Actions each of which is within the one before, and writes.
  private static let actions = DeepLog(testDescription: "actions") { depth in
    var lines = start(["P"]) + [#"{"kind":"action","label":"outermost"}"#]
    for value in 1...depth {
      lines += [
        #"{"kind":"action","label":"action \#(value % 7)","cause":\#(lines.count - (value > 1 ? 1 : 0))}"#,
        #"{"kind":"set","path":"a.x","value":\#(value),"cause":\#(lines.count + 1)}"#,
      ]
    }
    let last =
      #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(lines.count)}"#
    return lines + [last]
  }

  /// Objects each of which refers to the next one.
  private static let references = DeepLog(testDescription: "references") { depth in
    var lines: [String] = []
    for number in (1...depth).reversed() {
      let next = number == depth ? "null" : ##"{"$ref":"#\##(number + 1)"}"##
      let value = #"{"$object":"N#\#(number)","next":\#(next),"x":0}"#
      lines.append(##"{"kind":"set","path":"#\##(number)","value":\##(value)}"##)
    }
    lines += [
      ##"{"kind":"set","path":"a","value":{"$ref":"#1"}}"##,
      ##"{"kind":"reads","projection":"P","added":["#\##(depth).x","#\##(depth / 2).next"],"dropped":[]}"##,
      #"{"kind":"evaluate","projection":"P","duration_ns":10}"#,
      ##"{"kind":"set","path":"#\##(depth).x","value":1}"##,
    ]
    lines.append(
      #"{"kind":"evaluate","projection":"P","duration_ns":10,"changed":true,"cause":\#(lines.count)}"#)
    for number in (1...depth).reversed() where number % 2 == 0 {
      lines.append(##"{"kind":"remove","path":"#\##(number).next"}"##)
    }
    return lines + [#"{"kind":"remove","path":"a"}"#]
  }
}

@Suite struct DeepLogTests {
  private static let depth = 6000

  private static let commands: [[String]] =
    [
      ["timeline", "LOG"], ["state", "LOG"], ["state", "LOG", "--at", "3000"], ["cascades", "LOG"],
      ["why", "LOG", "P"], ["why", "LOG", "P", "--limit", "0"], ["hot", "LOG"], ["verify", "LOG"],
      ["lint", "LOG"], ["hot", "LOG", "--by", "action"], ["hot", "LOG", "--by", "transaction"],
      ["cascades", "LOG", "--action", "action 3"], ["events", "LOG", "--action", "action 3"],
      ["diff", "LOG", "OTHER"], ["what-if", "LOG", "--tracking", "object"],
      ["what-if", "LOG", "--isolate", "P:a.x"], ["what-if", "LOG", "--input", "P:a.x"],
    ].flatMap { [$0, $0 + ["--format", "json"]] }
    + ["jsonl", "csv", "perfetto", "sqlite"].map {
      ["export", "LOG", "--format", $0, "-o", "WORK/out.\($0)"]
    }
    + [
      ["compact", "LOG", "-o", "WORK/small.evlog"],
      ["cut", "LOG", "-o", "WORK/part.evlog", "--from", "3000"],
      ["cut", "LOG", "-o", "WORK/less.evlog", "--projection", "P"],
      ["recover", "LOG", "-o", "WORK/saved.evlog"],
      ["merge", "LOG", "OTHER", "-o", "WORK/both.evlog", "--prefix", "a_", "--prefix", "b_"],
      ["report", "LOG", "-o", "WORK/page.html"], ["diff", "LOG", "OTHER", "--html", "WORK/diff.html"],
      ["summarize", "LOG", "-o", "WORK/tables"],
    ]

  @Test(arguments: DeepLog.all) func noCommandGoesAsDeepAsALog(log: DeepLog) throws {
    let workspace = try Workspace()
    let lines = log.lines(Self.depth)
    let path = try workspace.log(lines.joined(separator: "\n") + "\n", "deep.evlog")
    let other = try workspace.log(lines.dropLast(2).joined(separator: "\n") + "\n", "other.evlog")
    for arguments in Self.commands {
      let run = ToolRun(
        arguments.map {
          $0.replacing("LOG", with: path).replacing("OTHER", with: other)
            .replacing("WORK", with: workspace.path)
        })
      // That a command ends is what counts: one that recursed would end the tests.
      #expect([.done, .found, .refused].contains(run.status), "\(arguments): \(run.errors.prefix(300))")
    }
  }

  @Test func whyShowsBothEndsOfALongChain() throws {
    let workspace = try Workspace()
    let lines = DeepLog.causes.lines(Self.depth)
    let path = try workspace.log(lines.joined(separator: "\n") + "\n")
    let run = ToolRun("why", path, "P")
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.lines.first?.hasSuffix("event \(lines.count)") == true, "\(run.lines.first ?? "")")
    #expect(
      run.lines.contains("  <- ... 5,980 more runs led to it; see --limit ..."), "\(run.output.prefix(5000))")
    #expect(
      run.lines.last { $0.contains("<- set") }?.contains("0 -> 1  event 5") == true,
      "\(run.output.suffix(500))")
    #expect(run.lines.count { $0.contains("evaluated at") } == 20)
    let shorter = try workspace.log(
      DeepLog.causes.lines(1000).joined(separator: "\n") + "\n", "shorter.evlog")
    let all = ToolRun("why", shorter, "P", "--limit", "0")
    #expect(all.lines.count { $0.contains("evaluated at") } == 1000)
  }

  @Test func aChainAsLongAsTheLogIsAFlatListWithBothEnds() throws {
    let workspace = try Workspace()
    let path = try workspace.log(DeepLog.causes.lines(Self.depth).joined(separator: "\n") + "\n")
    let run = ToolRun("why", path, "P", "--format", "json")
    #expect(run.status == .done, "\(run.errors)")
    let chain = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let steps = try #require(chain["steps"] as? [[String: Any]])
    // A run, its invalidation and the write that led to it.
    #expect(steps.count == 4001)
    let omitted = steps[2000]
    #expect(omitted["kind"] as? String == "omitted")
    #expect(omitted["omitted"] as? Int == 3 * Self.depth - 4000)
    let shown = steps.count { $0["kind"] as? String == "evaluation" }
    #expect(omitted["omitted_evaluations"] as? Int == Self.depth - shown)
    #expect(steps.last?["seq"] as? Int == 5)
    #expect(steps.last?["old"] as? Int == 0 && steps.last?["new"] as? Int == 1)
    #expect(steps.allSatisfy { $0["because"] == nil })
  }
}
