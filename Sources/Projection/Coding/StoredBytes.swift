import EventLog

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// The bytes that hold the values of a type, without the padding between them; computed once for each type.
///
/// Two values agree if these bytes are the same. Such values have the same recorded form, because they refer
/// to the same strings, arrays and objects, and data shared by two values is not changed in place. Strings
/// and arrays with equal contents at different addresses agree, too; other references are compared by address
/// only. So values that do not agree may still be equal, but values that agree need not be encoded, and
/// comparing them is many times faster than encoding.
///
/// On Apple platforms the standard library does not report the offsets of properties, so padding is compared,
/// too.
struct StoredBytes: Sendable {
  /// The distance between two elements of an array.
  private let stride: Int
  /// The ranges of bytes, in ascending order; no two are adjacent.
  private var ranges: [Range<Int>] = []
  /// The parts that may be equal although their bytes differ.
  private var elsewhere: [(offset: Int, type: any StoredElsewhere.Type)] = []

  /// Whether all bytes are compared, and no other memory, so that values agree exactly if their bytes are the same.
  var areWhole: Bool { elsewhere.isEmpty && ranges == [0..<stride] }

  /// Whether the values are of any type behind protocols.
  private var areExistentials = false

  /// The bytes of a type. Cost: a hash, after the first call for the type.
  static func of<T>(_ type: T.Type) -> StoredBytes { known.fact(of: type) { StoredBytes(type) } }

  private static let known = TypeTable<StoredBytes>()

  private init<T>(_ type: T.Type) {
    stride = MemoryLayout<T>.stride
    collect(type, at: 0)
    #if !canImport(Darwin)
      areExistentials = ExistentialContainer.holds(type)
    #endif
  }

  private mutating func collect(_ type: Any.Type, at offset: Int) {
    func size<T>(_ type: T.Type) -> Int { MemoryLayout<T>.size }
    let size = _openExistential(type, do: size)
    if let type = type as? any StoredElsewhere.Type {
      elsewhere.append((offset, type))
      return
    }
    #if !canImport(Darwin)
      if ExistentialContainer.holds(type) {
        elsewhere.append((offset, ExistentialContainer.self))
        return
      }
    #endif
    if size == 0 || collectProperties(of: type, at: offset) { return }
    if let last = ranges.last, last.upperBound == offset {
      ranges[ranges.count - 1] = last.lowerBound..<(offset + size)
    } else {
      ranges.append(offset..<(offset + size))
    }
  }

  /// Adds the bytes of a type's properties. Returns false if the runtime does not report them.
  private mutating func collectProperties(of type: Any.Type, at offset: Int) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      guard [.struct, .tuple].contains(StructLayout.kind(of: type)) else { return false }
      var fields: [(type: Any.Type, offset: Int)] = []
      let areAllVisited = _forEachField(of: type) { _, offset, type, _ in
        fields.append((type, offset))
        return true
      }
      guard areAllVisited, !fields.isEmpty else { return false }
      for field in fields { collect(field.type, at: offset + field.offset) }
      return true
    #endif
  }

  func address(of index: Int, in array: UnsafeRawPointer) -> UnsafeRawPointer { array + index * stride }

  /// Whether two values agree.
  func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    for range in ranges where !agree(a, b, in: range) { return false }
    for (offset, type) in elsewhere where !agree(a, b, in: offset..<(offset + type.size)) {
      if !type.agree(a + offset, b + offset) { return false }
    }
    return true
  }

  /// Whether two values agree.
  func agree<T>(_ a: T, _ b: T) -> Bool {
    withUnsafeBytes(of: a) { a in
      withUnsafeBytes(of: b) { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return true }
        return agree(a, b)
      }
    }
  }

  private func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, in range: Range<Int>) -> Bool {
    let (a, b) = (bytes(a + range.lowerBound, range.count), bytes(b + range.lowerBound, range.count))
    return a.commonPrefixCount(with: b, limit: range.count) == range.count
  }

  /// The first index in a range at which two arrays hold values that do not agree; the end of the range if
  /// there is none.
  ///
  /// Cost: linear, some bytes a nanosecond.
  func firstDifference(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, in positions: Range<Int>) -> Int {
    #if !canImport(Darwin)
      if areExistentials {
        return ExistentialContainer.firstDifference(a, b, in: positions, stride: stride)
      }
    #endif
    var position = positions.lowerBound
    while position < positions.upperBound {
      let (offset, count) = (position * stride, (positions.upperBound - position) * stride)
      position +=
        bytes(a + offset, count).commonPrefixCount(with: bytes(b + offset, count), limit: count) / stride
      // The bytes that differ may be padding.
      guard position < positions.upperBound, agree(a + position * stride, b + position * stride) else {
        break
      }
      position += 1
    }
    return position
  }

  /// The indices at which two arrays of a length hold values that do not agree.
  ///
  /// Cost: linear, some bytes a nanosecond where they agree, and a nanosecond for each number that differs.
  func differences(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> [Int] {
    var positions: [Int] = []
    let areWhole = areWhole
    var position = firstDifference(a, b, in: 0..<count)
    while position < count {
      positions.append(position)
      position += 1
      // Samples of a series differ one after the other, and each search would begin anew.
      while areWhole, position < count, memcmp(a + position * stride, b + position * stride, stride) != 0 {
        positions.append(position)
        position += 1
      }
      position = firstDifference(a, b, in: position..<count)
    }
    return positions
  }

  /// The number of values that agree at the beginnings of two array slices.
  func commonCount<T>(_ a: ArraySlice<T>, _ b: ArraySlice<T>) -> Int {
    a.withUnsafeBytes { start in
      b.withUnsafeBytes { other in
        guard let start = start.baseAddress, let other = other.baseAddress else { return 0 }
        return firstDifference(start, other, in: 0..<min(a.count, b.count))
      }
    }
  }

  /// The number of values that agree at the ends of two arrays.
  ///
  /// - Parameters:
  ///   - a: The address of the end of one array; `b` is that of the other.
  ///   - limit: The number of values that both arrays have at least.
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

  /// The index in a range of one array at which the first values of a range of another begin; nil if they do not
  /// occur. The bytes must be whole.
  ///
  /// Cost: linear, some bytes a nanosecond.
  func find(
    first few: UnsafeRawPointer, _ fewRange: Range<Int>, in array: UnsafeRawPointer, _ range: Range<Int>
  ) -> Int? {
    let needle = bytes(few + fewRange.lowerBound * stride, min(8, fewRange.count) * stride)
    // Zeros are the most common byte.
    let probe = needle.firstIndex { $0 != 0 } ?? 0
    var start = range.lowerBound * stride + probe
    let end = range.upperBound * stride - needle.count + probe
    while start <= end, let found = memchr(array + start, Int32(needle[probe]), end - start + 1) {
      let offset = array.distance(to: UnsafeRawPointer(found)) - probe
      if offset % stride == 0, memcmp(array + offset, few + fewRange.lowerBound * stride, needle.count) == 0 {
        return offset / stride
      }
      start = offset + probe + 1
    }
    return nil
  }

  /// Hashes a value consistently with ``agree(_:_:)``.
  func hash(_ value: UnsafeRawPointer) -> Int {
    var hasher = Hasher()
    for range in ranges {
      hasher.combine(bytes: UnsafeRawBufferPointer(start: value + range.lowerBound, count: range.count))
    }
    for (offset, type) in elsewhere { type.hash(value + offset, into: &hasher) }
    return hasher.finalize()
  }

  private func bytes(_ start: UnsafeRawPointer, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
  }
}

/// A value whose contents are elsewhere in memory, and which is compared by its contents instead of its
/// address.
private protocol StoredElsewhere: SendableMetatype {
  static func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool
  static func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher)
}

extension StoredElsewhere {
  fileprivate static var size: Int { MemoryLayout<Self>.size }
}

extension String: StoredElsewhere {
  fileprivate static func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    a.assumingMemoryBound(to: String.self).pointee.hasSameBytes(
      as: b.assumingMemoryBound(to: String.self).pointee)
  }

  fileprivate static func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
    ExactString(value.assumingMemoryBound(to: String.self).pointee).hash(into: &hasher)
  }
}

extension Array {
  /// Whether two arrays have the same count and their elements agree one by one.
  func agrees(with other: Self) -> Bool {
    if count != other.count { return false }
    return withUnsafeBytes { a in
      other.withUnsafeBytes { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return true }
        return StoredBytes.of(Element.self).firstDifference(a, b, in: indices) == count
      }
    }
  }
}

extension Array: StoredElsewhere {
  fileprivate static func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    a.assumingMemoryBound(to: Self.self).pointee.agrees(with: b.assumingMemoryBound(to: Self.self).pointee)
  }

  fileprivate static func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
    hasher.combine(value.assumingMemoryBound(to: Self.self).pointee.count)
  }
}

extension Optional: StoredElsewhere where Wrapped: StoredElsewhere {
  fileprivate static func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
    switch (a.assumingMemoryBound(to: Self.self).pointee, b.assumingMemoryBound(to: Self.self).pointee) {
    case (let a?, let b?):
      withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in agree(wrapped: a, b) } }
    case (nil, nil): true
    default: false
    }
  }

  private static func agree(wrapped a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard let a = a.baseAddress, let b = b.baseAddress else { return true }
    return Wrapped.agree(a, b)
  }

  fileprivate static func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
    guard let wrapped = value.assumingMemoryBound(to: Self.self).pointee else { return hasher.combine(0) }
    withUnsafeBytes(of: wrapped) { bytes in
      if let start = bytes.baseAddress { Wrapped.hash(start, into: &hasher) }
    }
  }
}

#if !canImport(Darwin)
  /// A value of any type behind protocols: three words that hold the value or a reference to a box with it, then
  /// the type. Words that a value does not fill keep the bytes that the memory had before, so they are not compared.
  ///
  /// The layout is part of the ABI, like all that is read here of the metadata of types.
  private struct ExistentialContainer: StoredElsewhere {
    private let words: (UInt, UInt, UInt)
    private let type: UnsafeRawPointer

    /// Whether values of a type are such containers. Those for classes or errors alone are references.
    static func holds(_ type: Any.Type) -> Bool {
      let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
      guard metadata.load(as: UInt.self) == 0x303 else { return false }
      let flags = metadata.load(fromByteOffset: 8, as: UInt32.self)
      return flags & 0x8000_0000 != 0 && flags & 0x3F00_0000 == 0
    }

    private var valueType: Any.Type { unsafeBitCast(type, to: Any.Type.self) }

    private var witnesses: UnsafeRawPointer { type.load(fromByteOffset: -8, as: UnsafeRawPointer.self) }

    private var valueSize: Int { witnesses.load(fromByteOffset: 64, as: Int.self) }

    private var isInBox: Bool { witnesses.load(fromByteOffset: 80, as: UInt32.self) & 0x2_0000 != 0 }

    static func agree(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
      let (one, other) = (
        a.assumingMemoryBound(to: Self.self).pointee, b.assumingMemoryBound(to: Self.self).pointee
      )
      guard one.type == other.type else { return false }
      if one.isInBox { return one.words.0 == other.words.0 }
      if memcmp(a, b, one.valueSize) == 0 { return true }
      func agree<T>(_ type: T.Type) -> Bool { StoredBytes.of(type).agree(a, b) }
      return _openExistential(one.valueType, do: agree)
    }

    /// The first index in a range at which two arrays of containers hold values that do not agree; the end of the
    /// range if there is none.
    ///
    /// Neighbours are mostly of one type, of which the metadata is then read once. Containers with the same words
    /// hold the same value; others may do so too, because a value need not fill its last word.
    static func firstDifference(
      _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, in positions: Range<Int>, stride: Int
    ) -> Int {
      var known: UnsafeRawPointer?
      var words = 0
      for position in positions {
        let (x, y) = (a + position * stride, b + position * stride)
        let (one, other) = (
          x.assumingMemoryBound(to: Self.self).pointee, y.assumingMemoryBound(to: Self.self).pointee
        )
        if one.type == known, other.type == known, one.words.0 == other.words.0,
          words < 2 || one.words.1 == other.words.1, words < 3 || one.words.2 == other.words.2
        {
          continue
        }
        if !agree(x, y) { return position }
        known = one.type
        words = one.isInBox ? 1 : (one.valueSize + 7) / 8
      }
      return positions.upperBound
    }

    static func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
      let container = value.assumingMemoryBound(to: Self.self).pointee
      hasher.combine(container.type)
      if container.isInBox { return hasher.combine(container.words.0) }
      func hash<T>(_ type: T.Type) -> Int { StoredBytes.of(type).hash(value) }
      hasher.combine(_openExistential(container.valueType, do: hash))
    }
  }
#endif
