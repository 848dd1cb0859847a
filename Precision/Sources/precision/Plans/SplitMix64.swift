/// A random number generator whose numbers depend on its seed alone, on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number whose order of magnitude is random, since lists of 8 and of 80 rows are equally common.
  mutating func magnitude(_ range: ClosedRange<Int>) -> Int {
    let power = Double.random(in: 0...1, using: &self)
    let ratio = Double(range.upperBound) / Double(range.lowerBound)
    var scaled = Double(range.lowerBound)
    // Sixteen square roots of the ratio, since `pow` is not the same on every machine.
    var root = ratio
    var left = power
    for _ in 0..<16 {
      root = root.squareRoot()
      left *= 2
      if left >= 1 {
        scaled *= root
        left -= 1
      }
    }
    return min(max(Int(scaled), range.lowerBound), range.upperBound)
  }

  mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }

  mutating func one<Choice>(of choices: [Choice]) -> Choice { choices[int(0...(choices.count - 1))] }
}
