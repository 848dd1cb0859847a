/// The last number at each place of a block, against which the next one there is written.
///
/// The writer and the reader go through the same values in the same order, so both remember the same.
struct NumberMemory {
  /// A place whose numbers resemble each other.
  struct Context {
    fileprivate let index: Int

    /// The ids in the path table.
    static let pathTable = Context(index: 0)
    /// A value at a path and its elements.
    static func path(_ id: Int) -> Context { Context(index: 1 + 2 * id) }
    /// A field or entry of this name, wherever it is.
    static func key(_ id: Int) -> Context { Context(index: 2 + 2 * id) }
  }

  private var ints: [Int64] = []
  private var doubles: [UInt64] = []

  /// The difference of an integer to the last one in its context. It wraps, so any two have one.
  mutating func delta(_ value: Int64, _ context: Context) -> Int64 {
    Self.reach(context, &ints)
    defer { ints[context.index] = value }
    return value &- ints[context.index]
  }

  /// The integer at this difference.
  mutating func int(at delta: Int64, _ context: Context) -> Int64 {
    Self.reach(context, &ints)
    ints[context.index] &+= delta
    return ints[context.index]
  }

  /// The bits in which a double differs from the last one in its context.
  mutating func difference(_ bits: UInt64, _ context: Context) -> UInt64 {
    Self.reach(context, &doubles)
    defer { doubles[context.index] = bits }
    return bits ^ doubles[context.index]
  }

  /// The bits of the double that differs in these.
  mutating func bits(at difference: UInt64, _ context: Context) -> UInt64 {
    Self.reach(context, &doubles)
    doubles[context.index] ^= difference
    return doubles[context.index]
  }

  /// Forgets all numbers, and keeps the room unless it is much.
  mutating func reset() {
    Self.reset(&ints)
    Self.reset(&doubles)
  }

  private static func reset<T: FixedWidthInteger>(_ numbers: inout [T]) {
    if numbers.count > 1 << 16 { return numbers = [] }
    for index in numbers.indices { numbers[index] = 0 }
  }

  @inline(__always)
  private static func reach<T: FixedWidthInteger>(_ context: Context, _ numbers: inout [T]) {
    if context.index >= numbers.count { grow(&numbers, to: context.index + 1) }
  }

  @inline(never)
  private static func grow<T: FixedWidthInteger>(_ numbers: inout [T], to count: Int) {
    let count = max(count, 2 * numbers.count)
    numbers.append(contentsOf: repeatElement(0, count: count - numbers.count))
  }
}
