import Foundation

/// The seed of a random test, below 2^63, which the test prints when it fails.
///
/// The seed differs in each run, so that more inputs are tried over time, unless `TEST_SEED` is set. On CI it
/// is always the same for a line of a test, so that CI tests the change and not random inputs.
///
/// - Parameter trial: Selects one of several trials, each of which has another seed.
package func testSeed(trial: Int = 0, file: String = #fileID, line: UInt = #line) -> UInt64 {
  let environment = ProcessInfo.processInfo.environment
  if let seed = environment["TEST_SEED"].flatMap({ UInt64($0) }) { return seed &+ UInt64(trial) }
  if environment["CI"] == nil { return .random(in: 0...UInt64.max >> 1) }
  // Swift's own hashes differ in each process.
  var hash = UInt64(line)
  for byte in file.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  var random = SplitMix64(seed: hash &+ UInt64(trial))
  return random.next() >> 1
}
