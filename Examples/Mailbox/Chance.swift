import Foundation

/// A small generator of random numbers that starts over from the same seed (SplitMix64).
struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Some number from 0 up to a limit, which must be above 0.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// A separate generator, seeded by this one.
  mutating func split() -> SplitMix { SplitMix(seed: next()) }
}

/// A source of ids. It has a generator of its own, so that nothing else that is random depends on it.
package enum MailIDs: Sendable {
  /// Different in each run, as in an app.
  case random
  /// The same in each run, for a log that is to be compared.
  case seeded(UInt64)

  /// A new id.
  mutating func next() -> UUID {
    guard case .seeded(let seed) = self else { return UUID() }
    var random = SplitMix(seed: seed)
    let numbers = (random.next(), random.next())
    self = .seeded(seed &+ 1)
    return withUnsafeBytes(of: numbers) { bytes in
      UUID(
        uuid: (
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
          bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
        ))
    }
  }

  /// A second source, which gives other ids than this one.
  func another() -> MailIDs {
    if case .seeded(let seed) = self { .seeded(seed ^ 0xA5A5_A5A5_0000_0000) } else { .random }
  }
}
