import EventLog
import Synchronization

#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// Which bytes hold the values of a type, without the gaps that alignment leaves between them; found out once for each
/// type.
///
/// Two values that agree in them are recorded alike: a text, an array or an object that both hold is one and the same
/// in memory, and what both hold on to is not changed in place. The reverse is not true: equal texts may lie at two
/// places. So this tells what need not be encoded, many times faster than encoding tells what is equal.
///
/// On Apple's systems the standard library does not say where properties are, and the gaps count too.
struct StoredBytes: Sendable {
  /// From one element of an array to the next.
  private let stride: Int
  /// From front to back; none touch each other.
  private let ranges: [Range<Int>]

  /// The bytes of a type. Cost: a hash, once it was asked for.
  static func of<T>(_ type: T.Type) -> StoredBytes {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    let bytes = StoredBytes(type)
    known.withLock { $0[key] = bytes }
    return bytes
  }

  private static let known = Mutex<[ObjectIdentifier: StoredBytes]>([:])

  private init<T>(_ type: T.Type) {
    stride = MemoryLayout<T>.stride
    var ranges: [Range<Int>] = []
    Self.collect(type, at: 0, into: &ranges)
    self.ranges = ranges
  }

  private static func collect(_ type: Any.Type, at offset: Int, into ranges: inout [Range<Int>]) {
    func size<T>(_ type: T.Type) -> Int { MemoryLayout<T>.size }
    let size = _openExistential(type, do: size)
    if size == 0 || collectProperties(of: type, at: offset, into: &ranges) { return }
    if let last = ranges.last, last.upperBound == offset {
      ranges[ranges.count - 1] = last.lowerBound..<(offset + size)
    } else {
      ranges.append(offset..<(offset + size))
    }
  }

  /// False where a type is not made of properties that could be told apart.
  private static func collectProperties(of type: Any.Type, at offset: Int, into ranges: inout [Range<Int>])
    -> Bool
  {
    #if canImport(Darwin)
      return false
    #else
      guard StructLayout.kind(of: type) == .struct else { return false }
      var fields: [(type: Any.Type, offset: Int)] = []
      let areAllTold = _forEachField(of: type) { _, offset, type, _ in
        fields.append((type, offset))
        return true
      }
      guard areAllTold, !fields.isEmpty else { return false }
      for field in fields { collect(field.type, at: offset + field.offset, into: &ranges) }
      return true
    #endif
  }

  /// Whether two values agree.
  func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    ranges.allSatisfy { range in
      let (a, b) = (bytes(a + range.lowerBound, range.count), bytes(b + range.lowerBound, range.count))
      return a.commonPrefixCount(with: b, limit: range.count) == range.count
    }
  }

  /// The first of some positions at which two arrays hold values that do not agree; the end where there is none.
  ///
  /// Cost: linear, some bytes a nanosecond.
  func firstDifference(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, in positions: Range<Int>) -> Int {
    var position = positions.lowerBound
    while position < positions.upperBound {
      let (offset, count) = (position * stride, (positions.upperBound - position) * stride)
      position +=
        bytes(a + offset, count).commonPrefixCount(with: bytes(b + offset, count), limit: count) / stride
      // What differs may be a gap.
      guard position < positions.upperBound, agree(a + position * stride, b + position * stride) else {
        break
      }
      position += 1
    }
    return position
  }

  /// How many values agree at the ends of two arrays.
  ///
  /// - Parameters:
  ///   - a: Where one ends, and `b` the other.
  ///   - limit: How many both have at least.
  func commonSuffixCount(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, limit: Int) -> Int {
    var common = 0
    while common < limit {
      let (a, b) = (a - common * stride, b - common * stride)
      let count = (limit - common) * stride
      let agreeing =
        bytes(a - count, count).commonSuffixCount(with: bytes(b - count, count), limit: count) / stride
      common += agreeing
      let offset = (agreeing + 1) * stride
      guard common < limit, agree(a - offset, b - offset) else { break }
      common += 1
    }
    return common
  }

  /// Hashes a value consistently with ``agree(_:_:)``.
  func hash(_ value: UnsafeRawPointer) -> Int {
    var hasher = Hasher()
    for range in ranges {
      hasher.combine(bytes: UnsafeRawBufferPointer(start: value + range.lowerBound, count: range.count))
    }
    return hasher.finalize()
  }

  private func bytes(_ start: UnsafeRawPointer, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
  }
}
