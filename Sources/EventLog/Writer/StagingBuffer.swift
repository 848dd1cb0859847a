// Pointers for writing are confined to this file. Checking an array's bounds and unique ownership would cost
// more than writing the rows.

/// A growing buffer of staged rows, which always has room for one more row of a fixed size.
///
/// A copy shares the bytes: after rows were appended to one of two copies, the other must not be used.
struct StagingBuffer: @unchecked Sendable {
  /// The memory, which another buffer can reuse when this one is no longer needed.
  private(set) var storage: StagedBytes
  /// The address of the memory; its first ``count`` bytes are staged.
  private var base: UnsafeMutableRawPointer
  /// The number of staged bytes.
  private(set) var count = 0
  /// While `count` is at most this, another row of a fixed size fits.
  private var rowLimit: Int

  /// The most bytes of a row of a fixed size: an origin of 31 bytes, a header of 31, a path or name, and two
  /// numbers or a short text.
  static let rowBytesMax = 256

  /// Creates a buffer with room for a number of bytes.
  init(room: Int = 0) { self.init(reusing: StagedBytes(capacity: max(room, Self.rowBytesMax))) }

  /// Creates an empty buffer in memory that was used before.
  init(reusing storage: StagedBytes) {
    self.storage = storage
    base = storage.base
    rowLimit = storage.capacity - Self.rowBytesMax
  }

  var isEmpty: Bool { count == 0 }

  /// A copy of the staged bytes.
  var bytes: [UInt8] { withBytes { Array($0) } }

  /// Calls the body with the staged bytes.
  func withBytes<T, E>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T) throws(E) -> T {
    try body(
      UnsafeBufferPointer(start: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), count: count))
  }

  /// Removes all but the first bytes.
  mutating func truncate(to count: Int) { self.count = min(self.count, count) }

  // MARK: Rows of a fixed size

  /// The position of the next row, which may take up to ``rowBytesMax`` bytes and becomes part of the buffer
  /// by ``end(_:)``.
  @inline(__always)
  mutating func begin() -> RowPointer {
    if count > rowLimit { grow(Self.rowBytesMax) }
    return RowPointer(at: (base + count).assumingMemoryBound(to: UInt8.self))
  }

  /// Adds the bytes that were written since ``begin()``.
  @inline(__always)
  mutating func end(_ row: RowPointer) { count = UnsafeMutableRawPointer(row.at) - base }

  // MARK: Parts of any size

  @inline(__always)
  mutating func append(_ code: UInt8, _ number: UInt64) {
    var row = begin()
    row.put(code)
    row.put(varint: number)
    end(row)
  }

  /// Appends a code and eight bytes, the lowest one first.
  @inline(__always)
  mutating func append(_ code: UInt8, word: UInt64) {
    var row = begin()
    row.put(code)
    row.put(word: word)
    end(row)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    var row = begin()
    row.put(byte)
    end(row)
  }

  @inline(__always)
  mutating func append(varint number: UInt64) {
    var row = begin()
    row.put(varint: number)
    end(row)
  }

  /// Appends the length and the UTF-8 of a string.
  mutating func append(_ string: String) {
    let utf8 = string.utf8
    append(varint: UInt64(utf8.count))
    if utf8.withContiguousStorageIfAvailable({ append(raw: $0) }) == nil {
      Array(utf8).withUnsafeBufferPointer { append(raw: $0) }
    }
  }

  /// Appends the length of some bytes, and the bytes.
  mutating func append(_ content: ArraySlice<UInt8>) {
    append(varint: UInt64(content.count))
    append(raw: content)
  }

  /// Appends the length of another buffer's contents, and its bytes.
  mutating func append(bytesOf other: StagingBuffer) {
    append(varint: UInt64(other.count))
    other.withBytes { append(raw: $0) }
  }

  /// Appends bytes as they are.
  mutating func append(raw content: ArraySlice<UInt8>) { content.withUnsafeBufferPointer { append(raw: $0) } }

  private mutating func append(raw content: UnsafeBufferPointer<UInt8>) {
    guard let source = content.baseAddress else { return }
    if storage.capacity - count < content.count { grow(content.count) }
    (base + count).copyMemory(from: source, byteCount: content.count)
    count += content.count
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let old = storage
    storage = StagedBytes(capacity: max(2 * old.capacity, count + more + Self.rowBytesMax))
    base = storage.base
    base.copyMemory(from: old.base, byteCount: count)
    rowLimit = storage.capacity - Self.rowBytesMax
  }
}

/// A block of memory for staged rows. Only one buffer at a time writes to it.
final class StagedBytes: @unchecked Sendable {
  fileprivate let base: UnsafeMutableRawPointer
  /// The size in bytes.
  let capacity: Int

  fileprivate init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}

/// Writes a row of a fixed size without a check for each byte.
///
/// It is written to be fast in unoptimized builds as well: stores through a typed pointer and masking shifts
/// are single instructions there, while most alternatives are calls of generic functions.
struct RowPointer {
  fileprivate private(set) var at: UnsafeMutablePointer<UInt8>

  fileprivate init(at: UnsafeMutablePointer<UInt8>) { self.at = at }

  /// Writes a byte.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    at.pointee = byte
    at += 1
  }

  /// Writes a varint.
  @inline(__always)
  mutating func put(varint number: UInt64) {
    var (number, at) = (number, at)
    while number >= 0x80 {
      at.pointee = UInt8(truncatingIfNeeded: number) | 0x80
      at += 1
      number = number &>> 7
    }
    at.pointee = UInt8(truncatingIfNeeded: number)
    self.at = at + 1
  }

  /// Writes eight bytes, the lowest one first.
  @inline(__always)
  mutating func put(word: UInt64) {
    UnsafeMutableRawPointer(at).storeBytes(of: word.littleEndian, as: UInt64.self)
    at += 8
  }

  /// The most bytes of a text that fits a row of a fixed size with its other parts.
  static let textBytesMax = 128

  /// Writes the length and the bytes of a text of at most ``textBytesMax`` bytes. Returns false and writes
  /// nothing if the text has no contiguous storage.
  @inline(__always)
  mutating func put(_ text: String) -> Bool {
    let end = text.utf8.withContiguousStorageIfAvailable { [at] bytes -> UnsafeMutablePointer<UInt8> in
      var row = RowPointer(at: at)
      row.put(varint: UInt64(bytes.count))
      if let source = bytes.baseAddress { row.at.update(from: source, count: bytes.count) }
      return row.at + bytes.count
    }
    guard let end else { return false }
    at = end
    return true
  }
}
