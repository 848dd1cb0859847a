import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Counting for a budget in one pass gives the same result as a pass for each scope.
@Suite struct BudgetMeasuresTests {
  private func texts(_ amounts: [ExactString: BudgetMeasures.Amounts]) -> [String] {
    amounts.map { "\($0.key) \(text($0.value))" }.sorted()
  }

  private func text(_ amounts: BudgetMeasures.Amounts) -> String {
    let measures = Budget.Measure.allCases.map { "\($0) \(amounts[$0]) at \(amounts.roots[$0] ?? 0)" }
    return measures.joined(separator: ", ")
  }

  @Test func scopesThatGoTogetherCountWhatTheyCountAlone() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var cascades = 0
    for number in 0..<8 {
      let path = try workspace.session(number, &random)
      let log = try LogSource(path: path)
      var selection = try Selection(in: log)
      if number % 2 == 1 {
        let first = UInt64.random(in: log.firstSeq...log.lastSeq, using: &random)
        selection.seqs = first..<UInt64.random(in: first...log.lastSeq, using: &random) + 1
      }
      func measures(_ scopes: Set<Budget.Scope>) throws -> BudgetMeasures {
        try BudgetMeasures(LogSource(path: path), selection, scopes, progress: .hidden)
      }
      let (both, hot, worst) = try (
        measures([.total, .projection, .cascade]), measures([.projection]), measures([.cascade])
      )
      #expect(text(both.total) == text(hot.total), "log \(number), seed \(seed)")
      #expect(texts(both.projections) == texts(hot.projections), "log \(number), seed \(seed)")
      #expect(texts(both.cascades) == texts(worst.cascades), "log \(number), seed \(seed)")
      #expect(hot.cascades.isEmpty && worst.projections.isEmpty)
      cascades += worst.cascades.count
    }
    #expect(cascades > 0, "seed \(seed)")
  }
}
