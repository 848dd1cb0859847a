// Pointers are confined to this file. They are used because an array of arrays costs a check of uniqueness at every
// byte, and columns are appended to several times an event.

/// The columns of the block that is being built, each a buffer that grows.
struct ColumnBuffers: ~Copyable {
  private struct Buffer {
    var bytes: UnsafeMutablePointer<UInt8>
    var count = 0
    var capacity: Int
    /// All numbers, combined by OR: 0 if every one of them is 0.
    var bits: UInt64 = 0
  }

  private let buffers: UnsafeMutablePointer<Buffer>
  /// The initial capacity of a column.
  private static let room = 64
  /// A column that grew beyond this is freed with the block.
  private static let keptMax = 1 << 20

  init() {
    buffers = .allocate(capacity: Column.limit)
    for index in 0..<Column.limit {
      buffers.advanced(by: index).initialize(
        to: Buffer(bytes: .allocate(capacity: Self.room), capacity: Self.room))
    }
  }

  deinit {
    for index in 0..<Column.limit { buffers[index].bytes.deallocate() }
    buffers.deallocate()
  }

  /// Bytes in a column.
  func count(_ column: Column) -> Int { buffers[column.rawValue].count }

  /// Whether every number in a column is 0.
  func isZero(_ column: Column) -> Bool { buffers[column.rawValue].bits == 0 }

  /// Appends a varint.
  @inline(__always)
  mutating func put(_ column: Column, _ number: UInt64) {
    let buffer = buffers + column.rawValue
    if buffer.pointee.capacity - buffer.pointee.count < 10 { Self.grow(buffer, by: 10) }
    buffer.pointee.bits |= number
    var at = buffer.pointee.bytes + buffer.pointee.count
    var rest = number
    while rest >= 0x80 {
      at.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      at += 1
      rest >>= 7
    }
    at.pointee = UInt8(truncatingIfNeeded: rest)
    buffer.pointee.count = at + 1 - buffer.pointee.bytes
  }

  /// Appends a count or an index, which is never negative.
  @inline(__always)
  mutating func put(_ column: Column, _ count: Int) { put(column, UInt64(count)) }

  /// Appends a signed number.
  @inline(__always)
  mutating func putZigzag(_ column: Column, _ number: Int64) { put(column, Zigzag.encode(number)) }

  /// Appends a byte as it is.
  @inline(__always)
  mutating func putByte(_ column: Column, _ byte: UInt8) {
    let buffer = buffers + column.rawValue
    if buffer.pointee.capacity == buffer.pointee.count { Self.grow(buffer, by: 1) }
    buffer.pointee.bits |= UInt64(byte)
    buffer.pointee.bytes[buffer.pointee.count] = byte
    buffer.pointee.count += 1
  }

  /// Appends bytes as they are.
  mutating func put(_ column: Column, bytes: UnsafeBufferPointer<UInt8>, isZero: Bool = false) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let buffer = buffers + column.rawValue
    if buffer.pointee.capacity - buffer.pointee.count < bytes.count { Self.grow(buffer, by: bytes.count) }
    (buffer.pointee.bytes + buffer.pointee.count).update(from: source, count: bytes.count)
    buffer.pointee.count += bytes.count
    if !isZero { buffer.pointee.bits |= 1 }
  }

  /// Appends eight bytes, the low one first.
  mutating func put(_ column: Column, word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { put(column, bytes: $0.assumingMemoryBound(to: UInt8.self)) }
  }

  /// The bytes of a column, until it is changed.
  func withBytes<T>(_ column: Column, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    let buffer = buffers[column.rawValue]
    return body(UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
  }

  /// Removes all bytes, and keeps the storage for the next block.
  mutating func removeAll() {
    for index in 0..<Column.limit {
      let buffer = buffers + index
      buffer.pointee.count = 0
      buffer.pointee.bits = 0
      if buffer.pointee.capacity > Self.keptMax {
        buffer.pointee.bytes.deallocate()
        buffer.pointee.bytes = .allocate(capacity: Self.room)
        buffer.pointee.capacity = Self.room
      }
    }
  }

  @inline(never)
  private static func grow(_ buffer: UnsafeMutablePointer<Buffer>, by more: Int) {
    let capacity = max(2 * buffer.pointee.capacity, buffer.pointee.count + more)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    bytes.update(from: buffer.pointee.bytes, count: buffer.pointee.count)
    buffer.pointee.bytes.deallocate()
    buffer.pointee.bytes = bytes
    buffer.pointee.capacity = capacity
  }
}
