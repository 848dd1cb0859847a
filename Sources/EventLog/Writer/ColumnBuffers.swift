// Pointers are confined to this file. An array of arrays would check for unique ownership at every byte, and
// each event appends to several columns.

/// The columns of the block that is being built, each a buffer that grows.
struct ColumnBuffers: ~Copyable {
  private struct Buffer {
    var bytes: UnsafeMutablePointer<UInt8>
    /// The address after the last byte.
    var end: UnsafeMutablePointer<UInt8>
    /// If `end` is at most this, another number fits.
    var limit: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
      bytes = .allocate(capacity: capacity)
      end = bytes
      limit = bytes + (capacity - ColumnBuffers.numberBytesMax)
    }

    var count: Int { end - bytes }
    var capacity: Int { limit - bytes + ColumnBuffers.numberBytesMax }
  }

  private let buffers: UnsafeMutablePointer<Buffer>
  /// The initial capacity of a column.
  private static let room = 64
  /// The buffer of a column that grew beyond this is freed after the block.
  private static let keptMax = 1 << 20
  private static let numberBytesMax = 10

  init() {
    buffers = .allocate(capacity: Column.limit)
    for index in 0..<Column.limit { (buffers + index).initialize(to: Buffer(capacity: Self.room)) }
  }

  deinit {
    for index in 0..<Column.limit { buffers[index].bytes.deallocate() }
    buffers.deallocate()
  }

  /// The number of bytes in a column.
  func count(_ column: Column) -> Int { buffers[column.rawValue].count }

  /// Whether all numbers in a column are 0. Cost: reads the column up to the first other byte.
  func isZero(_ column: Column) -> Bool { withBytes(column) { $0.allSatisfy { $0 == 0 } } }

  /// Appends a varint.
  @inline(__always)
  mutating func put(_ column: Column, _ number: UInt64) {
    let buffer = buffers + column.rawValue
    if buffer.pointee.end > buffer.pointee.limit { Self.grow(buffer, by: Self.numberBytesMax) }
    var at = buffer.pointee.end
    var rest = number
    while rest >= 0x80 {
      at.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      at += 1
      rest = rest &>> 7
    }
    at.pointee = UInt8(truncatingIfNeeded: rest)
    buffer.pointee.end = at + 1
  }

  /// Appends a count or an index, which is never negative.
  @inline(__always)
  mutating func put(_ column: Column, _ count: Int) { put(column, UInt64(bitPattern: Int64(count))) }

  /// Appends a signed number.
  @inline(__always)
  mutating func putZigzag(_ column: Column, _ number: Int64) { put(column, Zigzag.encode(number)) }

  /// Appends a byte as it is.
  @inline(__always)
  mutating func putByte(_ column: Column, _ byte: UInt8) {
    let buffer = buffers + column.rawValue
    if buffer.pointee.end > buffer.pointee.limit { Self.grow(buffer, by: Self.numberBytesMax) }
    buffer.pointee.end.pointee = byte
    buffer.pointee.end += 1
  }

  /// Appends bytes as they are.
  mutating func put(_ column: Column, bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let buffer = buffers + column.rawValue
    if buffer.pointee.capacity - buffer.pointee.count < bytes.count { Self.grow(buffer, by: bytes.count) }
    buffer.pointee.end.update(from: source, count: bytes.count)
    buffer.pointee.end += bytes.count
  }

  /// Appends eight bytes, the lowest one first.
  @inline(__always)
  mutating func put(_ column: Column, word: UInt64) {
    let buffer = buffers + column.rawValue
    if buffer.pointee.end > buffer.pointee.limit { Self.grow(buffer, by: Self.numberBytesMax) }
    UnsafeMutableRawPointer(buffer.pointee.end).storeBytes(of: word.littleEndian, as: UInt64.self)
    buffer.pointee.end += 8
  }

  /// Calls the body with the bytes of a column, which are valid only during the call.
  func withBytes<T>(_ column: Column, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    let buffer = buffers[column.rawValue]
    return body(UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
  }

  /// Removes all bytes, and keeps the buffers for the next block.
  mutating func removeAll() {
    for index in 0..<Column.limit {
      let buffer = buffers + index
      buffer.pointee.end = buffer.pointee.bytes
      if buffer.pointee.capacity > Self.keptMax {
        buffer.pointee.bytes.deallocate()
        buffer.pointee = Buffer(capacity: Self.room)
      }
    }
  }

  @inline(never)
  private static func grow(_ buffer: UnsafeMutablePointer<Buffer>, by more: Int) {
    let old = buffer.pointee
    var new = Buffer(capacity: max(2 * old.capacity, old.count + more + numberBytesMax))
    new.end = new.bytes + old.count
    new.bytes.update(from: old.bytes, count: old.count)
    old.bytes.deallocate()
    buffer.pointee = new
  }
}

/// Eight-byte numbers that are kept until the end of the block.
struct WordBuffer: ~Copyable {
  private var words: UnsafeMutablePointer<Int64>
  /// How many numbers there are.
  private(set) var count = 0
  private var capacity = 64

  init() { words = .allocate(capacity: capacity) }

  deinit { words.deallocate() }

  subscript(index: Int) -> Int64 {
    precondition(index >= 0 && index < count)
    return words[index]
  }

  @inline(__always)
  mutating func append(_ word: Int64) {
    if count == capacity { grow() }
    words[count] = word
    count &+= 1
  }

  /// Removes all numbers, and keeps the buffer.
  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow() {
    let old = words
    words = .allocate(capacity: 2 * capacity)
    words.update(from: old, count: count)
    capacity *= 2
    old.deallocate()
  }
}
