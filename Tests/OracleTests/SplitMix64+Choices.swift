import LogGenerator

extension SplitMix64 {
  /// True with a probability in percent.
  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &self)] }

  mutating func upTo(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &self) }
}
