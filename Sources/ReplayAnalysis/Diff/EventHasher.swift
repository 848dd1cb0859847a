/// Hashes the contents of events, with one multiplication for each number, since `Hasher` took a third of the
/// time of `diff`.
///
/// The seed differs in each process, so that a log cannot be made to cause collisions.
struct EventHasher {
  private static let seed = UInt64.random(in: .min ... .max)
  private var state = EventHasher.seed

  @inline(__always)
  mutating func combine(_ number: UInt64) {
    let (high, low) = (state ^ number).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = high ^ low &+ Self.seed
  }

  @inline(__always)
  mutating func combine(_ isTrue: Bool) { combine(isTrue ? 1 : 2 as UInt64) }

  @inline(__always)
  mutating func combine(_ number: Int) { combine(UInt64(bitPattern: Int64(number))) }

  /// Adds a value by its own hash.
  mutating func combine(hashOf value: some Hashable) {
    var hasher = Hasher()
    hasher.combine(value)
    combine(hasher.finalize())
  }

  /// The hash, which is never 0.
  @inline(__always)
  func finalize() -> UInt64 {
    let (high, low) = state.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return max(1, high ^ low)
  }
}
