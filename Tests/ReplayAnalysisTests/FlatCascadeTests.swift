import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A flat cascade has the same tree whether it is built from its slot or as any other.
@Suite struct FlatCascadeTests {
  @Test func flatCascadesCountAsOthersDo() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var repeated = 0
    for number in 0..<8 {
      var session = ValidSession(seed: random.next())
      let path = workspace.file("\(number).evlog")
      let writer = try LogWriter(creating: path)
      for event in session.events(1500) { try writer.append(event) }
      try writer.close()
      let flat = try CascadeReport(LogSource(path: path), Selection(in: LogSource(path: path)))
      // If projections are named, each is built as any other.
      let built = try CascadeReport(
        LogSource(path: path), Selection(projection: ProjectionPattern("*"), in: LogSource(path: path)))
      let texts = try [flat, built].map { try PrintedJSON(encoding: $0).text }
      #expect(texts[0] == texts[1], "seed \(seed), log \(number)")
      repeated += flat.lines.count { $0.count > 1 && $0.depth == 1 }
    }
    #expect(repeated > 0, "seed \(seed)")
  }
}
