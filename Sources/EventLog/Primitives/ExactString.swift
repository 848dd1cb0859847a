// Strings that are compared by their bytes, and fast comparisons of bytes.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A string that is equal to another only if all bytes are equal, and that is ordered by its bytes.
///
/// Swift's own equality treats two spellings of an accented letter as the same string, and so as one key of a
/// dictionary. A log must return exactly what was recorded, so all names in it are compared by bytes.
public struct ExactString: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The string itself.
  public let string: String

  /// Creates an exact string.
  public init(_ string: String) { self.string = string }

  /// Whether the bytes are the same. Cost: linear in them; constant if the lengths differ.
  public static func == (a: ExactString, b: ExactString) -> Bool { a.string.hasSameBytes(as: b.string) }

  /// Compares the bytes lexicographically.
  public static func < (a: ExactString, b: ExactString) -> Bool {
    a.string.utf8.comesFirst(beside: b.string.utf8)
  }

  /// Hashes the bytes. Cost: linear in them.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: string) }

  /// The string itself.
  public var description: String { string }
}

extension Hasher {
  /// Hashes the bytes of a string, and a terminator.
  package mutating func combine(bytesOf string: String) {
    // Only bridged strings are not contiguous.
    let isDone: Void? = string.utf8.withContiguousStorageIfAvailable {
      combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { for byte in string.utf8 { combine(byte) } }
    // This byte does not occur in UTF-8.
    combine(0xFF as UInt8)
  }
}

extension Set<ExactString> {
  /// Creates a set of names.
  package init(names: some Sequence<String>) { self.init(names.lazy.map { ExactString($0) }) }

  /// Whether a name is in the set.
  package func contains(_ name: String) -> Bool { contains(ExactString(name)) }

  /// Adds a name; returns whether it is new.
  @discardableResult package mutating func insert(_ name: String) -> Bool {
    insert(ExactString(name)).inserted
  }

  /// Removes a name; returns whether it was in the set.
  @discardableResult package mutating func remove(_ name: String) -> Bool { remove(ExactString(name)) != nil }
}

// MARK: Comparing bytes

extension String {
  /// Whether two strings are equal byte for byte. Swift's own equality treats two spellings of an accented
  /// letter as the same.
  ///
  /// Cost: linear in the bytes, many at a time; constant if the lengths differ.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Only bridged strings are not contiguous.
    let same = utf8.withContiguousStorageIfAvailable { a in
      other.utf8.withContiguousStorageIfAvailable { b in
        a.commonPrefixCount(with: b, limit: a.count) == a.count
      }
    }
    return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

extension String.UTF8View {
  /// Whether the bytes come before others, byte by byte. Cost: linear in what both begin with, many bytes at a time.
  fileprivate func comesFirst(beside other: Self) -> Bool {
    let comesFirst = withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let limit = Swift.min(a.count, b.count)
        let common = a.commonPrefixCount(with: b, limit: limit)
        return common < limit ? a[common] < b[common] : a.count < b.count
      }
    }
    return (comesFirst ?? nil) ?? lexicographicallyPrecedes(other)
  }
}

extension String? {
  /// Whether both are nil, or both are equal byte for byte.
  package func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (let a?, let b?): a.hasSameBytes(as: b)
    case (nil, nil): true
    default: false
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The number of equal bytes at the beginnings.
  ///
  /// - Precondition: Both have at least `limit` bytes.
  package func commonPrefixCount(with other: Self, limit: Int) -> Int {
    precondition(limit <= count && limit <= other.count)
    let (a, b) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var common = 0
    while limit - common >= chunk, a.isChunk(at: common, equalIn: b, at: common) { common += chunk }
    while limit - common >= 32, a.agrees(at: common, with: b, at: common) { common += 32 }
    while limit - common >= 8 {
      let difference = a.word(at: common) ^ b.word(at: common)
      if difference != 0 { return common + difference.trailingZeroBitCount / 8 }
      common += 8
    }
    while common < limit, self[common] == other[common] { common += 1 }
    return common
  }

  /// The number of equal bytes at the ends.
  ///
  /// - Precondition: Both have at least `limit` bytes.
  package func commonSuffixCount(with other: Self, limit: Int) -> Int {
    precondition(limit <= count && limit <= other.count)
    let (a, b) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var common = 0
    while limit - common >= chunk,
      a.isChunk(at: count - common - chunk, equalIn: b, at: other.count - common - chunk)
    { common += chunk }
    while limit - common >= 32, a.agrees(at: count - common - 32, with: b, at: other.count - common - 32) {
      common += 32
    }
    while limit - common >= 8 {
      let difference = a.word(at: count - common - 8) ^ b.word(at: other.count - common - 8)
      if difference != 0 { return common + difference.leadingZeroBitCount / 8 }
      common += 8
    }
    while common < limit, self[count - 1 - common] == other[other.count - 1 - common] { common += 1 }
    return common
  }
}

/// The number of bytes that one call of the C library compares, which uses the widest registers.
private let chunk = 512

extension UnsafeRawBufferPointer {
  /// Whether the bytes of a chunk are equal.
  fileprivate func isChunk(at offset: Int, equalIn other: Self, at otherOffset: Int) -> Bool {
    guard let a = baseAddress, let b = other.baseAddress else { return false }
    return memcmp(a + offset, b + otherOffset, chunk) == 0
  }

  /// Whether 32 bytes are equal.
  fileprivate func agrees(at offset: Int, with other: Self, at otherOffset: Int) -> Bool {
    loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
      == other.loadUnaligned(fromByteOffset: otherOffset, as: SIMD4<UInt64>.self)
  }

  /// Eight bytes, the first of them the least significant.
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
