// Pointers for writing are confined to this file. Rows are written through them because checking the bounds and the
// uniqueness of an array cost more than the rows.

/// A growing buffer of staged rows, in which there is always room for one more row of a fixed size.
///
/// A copy shares the bytes: once rows were appended to one of two copies, the other may not be used.
struct StagingBuffer: @unchecked Sendable {
  /// The bytes, which can be used again by another buffer when these are no longer needed.
  private(set) var storage: StagedBytes
  /// The address of the bytes, of which the first ``count`` are staged.
  private var base: UnsafeMutableRawPointer
  /// Bytes that are staged.
  private(set) var count = 0
  /// While the count is at most this, a row of a fixed size fits.
  private var rowLimit: Int

  /// No row of a fixed size is larger: an origin of 31 bytes, a header of 31, a path or name, and two numbers or a
  /// short text.
  static let rowBytesMax = 256

  /// A buffer with room for a number of bytes.
  init(room: Int = 0) { self.init(reusing: StagedBytes(capacity: max(room, Self.rowBytesMax))) }

  /// An empty buffer in storage that was used before.
  init(reusing storage: StagedBytes) {
    self.storage = storage
    base = storage.base
    rowLimit = storage.capacity - Self.rowBytesMax
  }

  var isEmpty: Bool { count == 0 }

  /// A copy of the staged bytes.
  var bytes: [UInt8] { withBytes { Array($0) } }

  /// Passes the staged bytes to the body.
  func withBytes<T, E>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T) throws(E) -> T {
    try body(
      UnsafeBufferPointer(start: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), count: count))
  }

  /// Removes all but the first bytes.
  mutating func truncate(to count: Int) { self.count = min(self.count, count) }

  // MARK: Rows of a fixed size

  /// Where the next row goes. It may take up to ``rowBytesMax``, and becomes part of the buffer by ``end(_:)``.
  @inline(__always)
  mutating func begin() -> RowPointer {
    if count > rowLimit { grow(Self.rowBytesMax) }
    return RowPointer(at: (base + count).assumingMemoryBound(to: UInt8.self))
  }

  /// Adds what was written since ``begin()``.
  @inline(__always)
  mutating func end(_ row: RowPointer) { count = UnsafeMutableRawPointer(row.at) - base }

  // MARK: Parts of any size

  /// A code and a number.
  @inline(__always)
  mutating func append(_ code: UInt8, _ number: UInt64) {
    var row = begin()
    row.put(code)
    row.put(varint: number)
    end(row)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    var row = begin()
    row.put(byte)
    end(row)
  }

  /// A varint.
  @inline(__always)
  mutating func append(varint number: UInt64) {
    var row = begin()
    row.put(varint: number)
    end(row)
  }

  /// The length and the UTF-8 of a string.
  mutating func append(_ string: String) {
    let utf8 = string.utf8
    append(varint: UInt64(utf8.count))
    if utf8.withContiguousStorageIfAvailable({ append(raw: $0) }) == nil {
      Array(utf8).withUnsafeBufferPointer { append(raw: $0) }
    }
  }

  /// The length of some bytes and the bytes.
  mutating func append(_ content: ArraySlice<UInt8>) {
    append(varint: UInt64(content.count))
    append(raw: content)
  }

  /// The length of what another buffer holds, and its bytes.
  mutating func append(bytesOf other: StagingBuffer) {
    append(varint: UInt64(other.count))
    other.withBytes { append(raw: $0) }
  }

  /// Bytes as they are.
  mutating func append(raw content: ArraySlice<UInt8>) { content.withUnsafeBufferPointer { append(raw: $0) } }

  private mutating func append(raw content: UnsafeBufferPointer<UInt8>) {
    guard let source = content.baseAddress else { return }
    if storage.capacity - count < content.count { grow(content.count) }
    (base + count).copyMemory(from: source, byteCount: content.count)
    count += content.count
  }

  /// Eight bytes, the low one first.
  mutating func append(littleEndian word: UInt64) {
    var row = begin()
    row.put(word: word)
    end(row)
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

/// A block of memory for staged rows. One buffer at a time writes it.
final class StagedBytes: @unchecked Sendable {
  fileprivate let base: UnsafeMutableRawPointer
  /// How many bytes there are.
  let capacity: Int

  fileprivate init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}

/// Writes a row of a fixed size at once, without a check for each byte.
///
/// It is written so as to be fast where nothing is optimised as well: stores through a typed pointer and shifts that mask
/// are instructions there, and most other means are calls of generic functions.
struct RowPointer {
  fileprivate private(set) var at: UnsafeMutablePointer<UInt8>

  fileprivate init(at: UnsafeMutablePointer<UInt8>) { self.at = at }

  /// A byte.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    at.pointee = byte
    at += 1
  }

  /// A varint.
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

  /// Eight bytes, the low one first.
  @inline(__always)
  mutating func put(word: UInt64) {
    UnsafeMutableRawPointer(at).storeBytes(of: word.littleEndian, as: UInt64.self)
    at += 8
  }

  /// The longest text that fits a row of a fixed size beside its other parts.
  static let textBytesMax = 128

  /// The length and the bytes of a short text; returns false, and writes nothing, if it is not in one piece.
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
