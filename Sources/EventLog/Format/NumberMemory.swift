/// The last number of each context of a block, to which the next one in that context is written as a difference.
///
/// The writer and the reader visit the same values in the same order, so both keep the same numbers.
struct NumberMemory {
  /// Values that resemble each other: all those at one path, or under one key.
  struct Context: DenseKey {
    let denseIndex: Int

    /// The ids in the path table.
    static let pathTable = Context(denseIndex: 0)
    /// A value at a path and its elements.
    static func path(_ id: Int) -> Context { Context(denseIndex: 1 + 2 * id) }
    /// A field or entry of this name, in any object or map.
    static func key(_ id: Int) -> Context { Context(denseIndex: 2 + 2 * id) }
  }

  private var ints = DenseMap<Context, Int64>(default: 0)
  private var doubles = DenseMap<Context, UInt64>(default: 0)

  /// The difference of an integer to the last one in its context. It wraps, so any two have one.
  @inline(__always)
  mutating func delta(_ value: Int64, _ context: Context) -> Int64 {
    value &- Self.exchange(&ints[context], for: value)
  }

  /// The integer at this difference.
  @inline(__always)
  mutating func int(at delta: Int64, _ context: Context) -> Int64 { Self.add(delta, to: &ints[context]) }

  /// The bits in which a double differs from the last one in its context.
  mutating func difference(_ bits: UInt64, _ context: Context) -> UInt64 {
    bits ^ Self.exchange(&doubles[context], for: bits)
  }

  /// The bits of the double that differs in these.
  mutating func bits(at difference: UInt64, _ context: Context) -> UInt64 {
    Self.flip(difference, in: &doubles[context])
  }

  /// Removes all numbers. Keeps the storage, unless it is large.
  mutating func reset() {
    ints.removeAll(keepingCapacity: ints.values.count <= 1 << 16)
    doubles.removeAll(keepingCapacity: doubles.values.count <= 1 << 16)
  }

  // Each looks up the number once; a read followed by a write would do so twice.

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
