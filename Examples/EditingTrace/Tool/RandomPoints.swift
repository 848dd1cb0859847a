/// A small generator of random numbers that starts over from the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Some different points of a range, in ascending order; all of them if there are fewer.
  mutating func points(_ count: Int, in range: Range<Int>) -> [Int] {
    var points: Set<Int> = []
    while points.count < min(count, range.count) { points.insert(Int.random(in: range, using: &self)) }
    return points.sorted()
  }
}
