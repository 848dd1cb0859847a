// Pointers are confined to this file. Rows come from this process: to read beyond their end is a bug, and traps.

/// A cursor over staged rows, for the thread that seals.
struct RowReader {
  private let base: UnsafePointer<UInt8>
  private(set) var position: Int
  private let end: Int

  /// A cursor over bytes that must outlive it.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
    precondition(position >= 0 && position <= bytes.count)
    // No byte is ever read through an address that stands for none.
    base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    self.position = position
    end = bytes.count
  }

  var isAtEnd: Bool { position == end }

  @inline(__always)
  mutating func byte() -> UInt8 {
    precondition(position < end)
    defer { position += 1 }
    return base[position]
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    let first = byte()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
      precondition(shift < 70)
    }
  }

  @inline(__always)
  mutating func zigzag() -> Int64 { Zigzag.decode(varint()) }

  /// Eight bytes, the low one first.
  @inline(__always)
  mutating func word() -> UInt64 {
    precondition(end - position >= 8)
    defer { position += 8 }
    return UInt64(
      littleEndian: UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self))
  }

  /// The bytes behind a length.
  @inline(__always)
  mutating func text() -> UnsafeBufferPointer<UInt8> {
    let count = varint()
    precondition(count <= UInt64(end - position))
    defer { position += Int(count) }
    return UnsafeBufferPointer(start: base + position, count: Int(count))
  }

  /// The text behind a length.
  mutating func string() -> String { String(decoding: text(), as: UTF8.self) }
}

/// How far the rows of a chunk were read: where the next row is, and its seq and time if it is an event.
struct RowPosition {
  private(set) var byte = 0
  var seq: UInt64
  var time: UInt64
  private let end: Int

  /// The first row of a chunk.
  init(startOf chunk: borrowing Chunk) {
    seq = chunk.firstSeq
    time = chunk.baseTime
    end = chunk.rows.count
  }

  /// Whether all rows were read.
  var isAtEnd: Bool { byte == end }

  /// Reads rows from here on.
  mutating func read(_ chunk: borrowing Chunk, _ body: (inout RowReader, inout RowPosition) -> Void) {
    chunk.rows.bytes.withUnsafeBufferPointer { bytes in
      var reader = RowReader(UnsafeBufferPointer(rebasing: bytes[..<end]), from: byte)
      body(&reader, &self)
      byte = reader.position
    }
  }
}
