import LogGenerator
import Testing

@testable import Projection

/// The oracle applies the splices one after the other to a plain array.
@Suite struct RearrangementTests {
  @Test func theSplicesMakeOneOrderOfAnotherAndNothingIsThereTwice() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for trial in 0..<500 {
      let before = Array(0..<Int.random(in: 0..<30, using: &random))
      var after = before.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
      for _ in 0..<Int.random(in: 0..<4, using: &random) where !after.isEmpty {
        let moved = after.remove(at: Int.random(in: after.indices, using: &random))
        after.insert(moved, at: Int.random(in: 0...after.count, using: &random))
      }
      for new in 100..<(100 + Int.random(in: 0..<4, using: &random)) {
        after.insert(new, at: Int.random(in: 0...after.count, using: &random))
      }
      let steps = Rearrangement(after.map { $0 < 100 ? $0 : nil }, from: before.count)
      for splices in [steps.splices, steps.simplified().splices] {
        var elements = before
        for splice in splices {
          elements.replaceSubrange(splice.removed, with: after[splice.inserted])
          #expect(Set(elements).count == elements.count, "seed \(seed), trial \(trial): \(elements)")
        }
        #expect(elements == after, "seed \(seed), trial \(trial)")
      }
      #expect(steps.isEmpty == (before == after), "seed \(seed), trial \(trial)")
    }
  }

  @Test func replacedElementsAreOneSplice() {
    let steps = Rearrangement([0, nil, 2, nil, nil, 5], from: 6)
    #expect(steps.splices.map(\.removed) == [3..<5, 1..<2])
    #expect(steps.splices.map(\.inserted) == [3..<5, 1..<2])
  }
}
