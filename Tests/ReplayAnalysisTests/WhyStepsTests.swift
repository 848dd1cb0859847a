import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Of the steps of a chain both ends are kept, and the others are counted.
@Suite struct WhyStepsTests {
  @Test func bothEndsAreKeptAndTheOthersCounted() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let ends = Int.random(in: 1...6, using: &random)
      let count = Int.random(in: 0...40, using: &random)
      var steps = WhySteps(ends: ends)
      let kinds = (0..<count).map { _ in
        [WhyStep.Kind.evaluation, .write, .invalidation].randomElement(using: &random) ?? .write
      }
      for (seq, kind) in kinds.enumerated() { steps.append(WhyStep(kind: kind, seq: UInt64(seq))) }
      #expect(steps.count == count, "seed \(seed)")
      let kept = steps.kept()
      if count <= 2 * ends {
        #expect(kept.map(\.seq) == (0..<count).map { UInt64($0) })
        continue
      }
      let between = ends..<(count - ends)
      #expect(kept.prefix(ends).map(\.seq) == (0..<ends).map { UInt64($0) })
      #expect(kept.suffix(ends).map(\.seq) == (between.upperBound..<count).map { UInt64($0) })
      #expect(kept.count == 2 * ends + 1 && kept[ends].kind == .omitted)
      #expect(kept[ends].omitted == between.count)
      #expect(kept[ends].omittedRuns == kinds[between].count { $0 == .evaluation })
    }
  }
}
