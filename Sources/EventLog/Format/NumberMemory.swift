/// The last number in each context of a block. The next number in that context is written as the difference
/// from it.
///
/// The writer and the reader visit the same values in the same order, so both have the same numbers.
struct NumberMemory {
  /// A group of values that are likely to be similar: all values at one path, or under one key.
  struct Context: DenseKey {
    let denseIndex: Int

    /// The context of the ids in the path table.
    static let pathTable = Context(denseIndex: 0)
    /// The context of a value at a path, and of its elements.
    static func path(_ id: Int) -> Context { Context(denseIndex: 1 + 2 * id) }
    /// The context of a field or entry with this name, in any object or map.
    static func key(_ id: Int) -> Context { Context(denseIndex: 2 + 2 * id) }
  }

  private var ints = DenseMap<Context, Int64>(default: 0)
  private var doubles = DenseMap<Context, UInt64>(default: 0)

  /// The difference between an integer and the last one in its context. It wraps around, so every pair has
  /// one.
  @inline(__always)
  mutating func delta(_ value: Int64, _ context: Context) -> Int64 {
    value &- Self.exchange(&ints[context], for: value)
  }

  /// The integer with this difference from the last one.
  @inline(__always)
  mutating func int(at delta: Int64, _ context: Context) -> Int64 { Self.add(delta, to: &ints[context]) }

  /// The bits in which a double differs from the last one in its context.
  mutating func difference(_ bits: UInt64, _ context: Context) -> UInt64 {
    bits ^ Self.exchange(&doubles[context], for: bits)
  }

  /// The bits of the double that differs from the last one in these bits.
  mutating func bits(at difference: UInt64, _ context: Context) -> UInt64 {
    Self.flip(difference, in: &doubles[context])
  }

  /// Removes all numbers, and keeps the storage unless it is large.
  mutating func reset() {
    ints.removeAll(keepingCapacity: ints.values.count <= 1 << 16)
    doubles.removeAll(keepingCapacity: doubles.values.count <= 1 << 16)
  }

  // Each of these looks up the number once, where a read and a write would do so twice.

  @inline(__always)
  private static func exchange<T>(_ number: inout T, for other: T) -> T {
    defer { number = other }
    return number
  }

  @inline(__always)
  private static func add(_ delta: Int64, to number: inout Int64) -> Int64 {
    number &+= delta
    return number
  }

  @inline(__always)
  private static func flip(_ difference: UInt64, in bits: inout UInt64) -> UInt64 {
    bits ^= difference
    return bits
  }
}
