// Staged rows: what is in a chunk, and how the thread that seals reads it.
//
// Rows follow each other without gaps; numbers are varints, text is a length and UTF-8. A row begins with its code:
//
//     event       code with flags, time since the row before (zigzag), distance to the cause or 0, site + 1 or 0,
//                 then by the kind, where ? stands for what a flag says is there
//       set         path, value
//       splice      path, offset, bytes or elements deleted, value
//       remove      path
//       projection  name, parent?
//       reads       name, count, path...
//       invalidate  name, count, distance to the cause...
//       evaluate    name, duration
//       dispose     name
//       begin       label?
//       mark        label
//       end
//     origin      0x0D, thread + 1 or 0, task + 1 or 0, stack + 1 or 0: who makes the event of the next row
//     path        0x0E, kind, parent where it is no root, operand: its staged id is that of the path before plus 1
//     name        0x0F, text: its staged id is that of the name before plus 1
//
// A value is as `StagedValue` has it. Paths, names and sites are staged ids.
//
// Pointers are confined to this file. Rows come from this process: to read beyond their end is a bug, and traps.

/// Staged rows on their way from the threads that append to the thread that seals.
///
/// Rows refer to paths and names by staged ids. The definition of an id stands in the same stream before its
/// first use, so the two sides share no table.
struct Chunk: Sendable {
  var rows = StagingBuffer()
  /// The seq of the first row.
  var firstSeq: UInt64 = 0
  /// The time of the first row; the rows hold deltas.
  var baseTime: UInt64 = 0
  /// Rows that are events.
  var events = 0
  /// Values, keys and list entries in the rows; see ``LogFormat/itemsMax``.
  var items = 0

  /// Nothing to seal. Definitions alone count as something: rows to come rely on them.
  var isEmpty: Bool { rows.isEmpty }
  /// The seq of the last row, or of the one before the first.
  var lastSeq: UInt64 { firstSeq + UInt64(events) - 1 }
}

/// What a staged row that is no event starts with. The code of an event is its ``EventKind`` with its flags.
enum StagedCode {
  static let origin: UInt8 = 0x0D
  static let path: UInt8 = 0x0E
  static let name: UInt8 = 0x0F
}

/// A cursor over staged rows.
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

/// How far the rows of a chunk were read: the offset of the next row, and its seq and time if it is an event.
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
