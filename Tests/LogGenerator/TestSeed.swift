import Foundation

/// The seed of a random test, below 2^63, which the test prints when it fails.
///
/// Another one in each run, so that more is tried with the days, but `TEST_SEED` if that is set, and on CI always the same for a
/// line of a test: there, what was changed is on trial, and not the luck of the draw.
///
/// - Parameter trial: Which of several trials it is for, each of which has another seed.
package func testSeed(trial: Int = 0, file: String = #fileID, line: UInt = #line) -> UInt64 {
  let environment = ProcessInfo.processInfo.environment
  if let seed = environment["TEST_SEED"].flatMap({ UInt64($0) }) { return seed &+ UInt64(trial) }
  if environment["CI"] == nil { return .random(in: 0...UInt64.max >> 1) }
  // Swift's own hashes are other ones in each process.
  var hash = UInt64(line)
  for byte in file.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  var random = SplitMix64(seed: hash &+ UInt64(trial))
  return random.next() >> 1
}
