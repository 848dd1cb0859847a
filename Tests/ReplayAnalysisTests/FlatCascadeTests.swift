import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A flat cascade has the same tree whether it is built from its slot or as any other.
@Suite struct FlatCascadeTests {
  @Test func flatCascadesCountAsOthersDo() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var repeated = 0
    for number in 0..<8 {
      var session = ValidSession(seed: random.next())
      let workspace = try Workspace()
      let report = try report(of: workspace.log(of: session.events(1500)), "seed \(seed), log \(number)")
      repeated += report.lines.count { $0.count > 1 && $0.depth == 1 }
    }
    #expect(repeated > 0, "seed \(seed)")
  }

  @Test func whatRanForALaterWriteAndAgainWithItsParentIsSuperseded() throws {
    var lines = [
      #"{"kind":"set","path":"app","value":{"a":0,"b":0}}"#,
      #"{"kind":"projection","projection":"List"}"#,
      #"{"kind":"reads","projection":"List","paths":["app.a"]}"#,
      #"{"kind":"evaluate","projection":"List","duration_ns":5}"#,
      #"{"kind":"projection","projection":"Row","parent":"List"}"#,
      #"{"kind":"reads","projection":"Row","paths":["app.a","app.b"]}"#,
      #"{"kind":"evaluate","projection":"Row","duration_ns":5}"#,
    ]
    for round in 1...3 {
      let write = lines.count + 1
      lines += [
        #"{"kind":"set","path":"app.a","value":\#(round)}"#,
        #"{"kind":"set","path":"app.b","value":\#(round)}"#,
        #"{"kind":"evaluate","projection":"Row","duration_ns":5,"cause":\#(write + 1)}"#,
        #"{"kind":"evaluate","projection":"Row","duration_ns":5,"cause":\#(write)}"#,
        #"{"kind":"evaluate","projection":"List","duration_ns":5,"cause":\#(write)}"#,
      ]
    }
    let workspace = try Workspace()
    let path = try workspace.log(lines.joined(separator: "\n"), "lines.evlog")
    let report = try report(of: LogSource(path: path), "lines")
    let line = report.lines.first { $0.root == "set app.a" }
    #expect(line?.count == 3)
    #expect(line?.invalidations == 6)
    #expect(line?.superseded == 3)
  }

  private func report(of log: LogSource, _ comment: Comment) throws -> CascadeReport {
    let flat = try CascadeReport(log, Selection(in: log))
    // If projections are named, each is built as any other.
    let built = try CascadeReport(log, Selection(projection: ProjectionPattern("*"), in: log))
    let texts = try [flat, built].map { try PrintedJSON(encoding: $0).text }
    #expect(texts[0] == texts[1], comment)
    return flat
  }
}
