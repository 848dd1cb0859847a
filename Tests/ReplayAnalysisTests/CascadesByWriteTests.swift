import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// `cascades --by-write`: what actions led to, with their writes at the roots.
@Suite struct CascadesByWriteTests {
  @Test func eachWriteOfAnActionIsARootByItself() throws {
    let workspace = try Workspace()
    let log = try LogSource(
      path: workspace.log(
        """
        {"kind":"set","path":"app","value":{"a":1,"b":1}}
        {"kind":"projection","projection":"A"}
        {"kind":"reads","projection":"A","paths":["app.a"]}
        {"kind":"evaluate","projection":"A","duration_ns":5}
        {"kind":"projection","projection":"B"}
        {"kind":"reads","projection":"B","paths":["app.b"]}
        {"kind":"evaluate","projection":"B","duration_ns":5}
        {"kind":"action","label":"Tap"}
        {"kind":"set","path":"app.a","value":2,"cause":8}
        {"kind":"evaluate","projection":"A","duration_ns":70,"changed":false,"cause":9}
        {"kind":"action","label":"Save","cause":8}
        {"kind":"set","path":"app.b","value":2,"cause":11}
        {"kind":"evaluate","projection":"B","duration_ns":30,"cause":12}
        {"kind":"set","path":"app.a","value":3,"cause":11}
        {"kind":"evaluate","projection":"A","duration_ns":50,"changed":true,"cause":14}
        """, "lines.evlog"))
    let report = try CascadeReport(log, Selection(in: log))
    #expect(report.lines.map(\.root) == ["action \"Tap\""])
    let lines = report.byWrite(rankedBy: .evaluations).lines
    #expect(lines.map(\.root) == ["set app.a", "set app.b"])
    #expect(lines.map(\.evaluations) == [2, 1])
    #expect(lines.map(\.time) == [120, 30])
    #expect(lines.map(\.wastedTime) == [70, 0])
    #expect(lines.map(\.depth) == [1, 1])
  }

  @Test(arguments: 1...30)
  func nothingIsLostOrCountedTwice(seed: UInt64) throws {
    let workspace = try Workspace()
    var session = ValidSession(seed: seed)
    let log = try workspace.log(of: session.events(1_500))
    let report = try CascadeReport(log, Selection(in: log))
    let split = report.byWrite(rankedBy: .time)
    func sums(_ report: CascadeReport) -> [UInt64] {
      report.lines.reduce(into: [0, 0, 0, 0, 0, 0]) { sums, line in
        let amounts = [line.invalidations, line.superseded, line.evaluations, line.wasted].map { UInt64($0) }
        for (index, amount) in (amounts + [line.time, line.wastedTime]).enumerated() {
          sums[index] += amount
        }
      }
    }
    #expect(sums(report) == sums(split), "seed \(seed)")
    for line in split.lines where line.root.hasPrefix("action ") {
      #expect(line.tree.allSatisfy { $0.kind == .projection }, "seed \(seed), \(line.root)")
    }
    for (line, next) in zip(split.lines, split.lines.dropFirst()) { #expect(line.time >= next.time) }
  }
}
