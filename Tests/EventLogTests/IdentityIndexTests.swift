import LogGenerator
import Testing

@testable import EventLog

/// An updated index of ids gives the same results as a search of all elements.
@Suite struct IdentityIndexTests {
  @Test(arguments: [false, true]) func anIndexThatIsKeptIsAsOneThatIsMadeAnew(repeatsIDs: Bool) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for trial in 0..<200 {
      var (ids, next): ([Value?], Int64) = ([], 0)
      func newIDs(_ count: Int) -> [Value?] {
        (0..<count).map { _ in
          next += 1
          if Int.random(in: 0..<10, using: &random) == 0 { return nil }
          return .int(repeatsIDs ? Int64.random(in: 0..<30, using: &random) : next)
        }
      }
      ids = newIDs(Int.random(in: 0..<20, using: &random))
      var index: IdentityIndex<Value>? = IdentityIndex(ids) { _ in }
      for step in 0..<100 {
        let offset = Int.random(in: 0...ids.count, using: &random)
        let end = min(ids.count, offset + Int.random(in: 0..<4, using: &random))
        let (removed, inserted) = (Array(ids[offset..<end]), newIDs(Int.random(in: 0..<4, using: &random)))
        if index?.splice(at: offset, removed: removed, inserted: inserted, of: ids.count) != true {
          index = nil
        }
        ids.replaceSubrange(offset..<end, with: inserted)
        guard let kept = index else {
          index = IdentityIndex(ids) { _ in }
          continue
        }
        for id in Set(ids.compactMap(\.self) + removed.compactMap(\.self)) {
          #expect(kept[id] == ids.firstIndex(of: id), "seed \(seed), trial \(trial), step \(step): \(id)")
        }
        #expect(kept.count == Set(ids.compactMap(\.self)).count, "seed \(seed), trial \(trial), step \(step)")
      }
    }
  }

  @Test func manyInsertionsAtTheFrontAreFollowedForLong() {
    var index = IdentityIndex<Value>((0..<1000).map { .int($0) }) { _ in }
    var isKept = 0
    for number in 0..<64 {
      if index.splice(at: 0, removed: [], inserted: [.int(Int64(-1 - number))], of: 1000 + number) {
        isKept += 1
      }
    }
    #expect(isKept == 64 && index[.int(999)] == 1063 && index[.int(-1)] == 63)
    let isKeptOnceMore = index.splice(at: 0, removed: [], inserted: [.int(-100)], of: 1064)
    #expect(!isKeptOnceMore)
  }
}
