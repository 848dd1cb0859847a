import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The table of waiting places, compared with a dictionary.
@Suite struct WaitingPlacesTests {
  @Test func whatIsPutAndFreedIsWhatADictionaryHolds() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var table = WaitingPlaces(capacity: 16)
    var model: [UInt64: Int32] = [:]
    var signatures: [Int32: UInt64] = [:]
    // Few different low bits, so that many keys collide; and some keys that differ only in the high bits.
    let near = (0..<20).map { UInt64($0 * 3) }
    let known = near + near.map { $0 | 1 << 40 }
    for step in 0..<5000 {
      let signature = known[Int.random(in: 0..<known.count, using: &random)]
      let slot = table.slot(of: signature) { signatures[$0] == signature }
      #expect(table[slot]?.first == model[signature], "seed \(seed), step \(step)")
      if let place = model[signature] {
        table.free(slot)
        model[signature] = nil
        signatures[place] = nil
      } else if model.count < 16 {
        let place = Int32(step)
        table.put(.init(first: place, last: place), of: signature, in: slot)
        model[signature] = place
        signatures[place] = signature
      }
    }
  }
}
