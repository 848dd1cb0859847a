// Staged rows: what is in a chunk, and how the sealing thread reads it.
//
// Rows follow each other without gaps; numbers are varints, text is a length and UTF-8. A row begins with its
// code:
//
//     event       code with flags, time since the previous row (zigzag), distance to the cause or 0,
//                 site + 1 or 0, then by the kind; ? marks parts that are present only if a flag is set
//       set         path, value
//       splice      path, offset, bytes or elements deleted, value
//       remove      path
//       projection  name, parent?
//       reads       name, count, path...
//       invalidate  name, count, distance to the cause...
//       evaluate    name, duration, the part of it that went into comparing
//       dispose     name
//       begin       label?
//       mark        label
//       end
//     alone       0x0F: the next event gets a block of its own
//     origin      0x1F, thread + 1 or 0, task + 1 or 0, stack + 1 or 0: the origin of the next row's event
//     path        0x2F, kind, parent unless it is a root, operand: the path with the next staged id
//     name        0x3F, text: the name with the next staged id
//     strand      0x4F, number: the strand of the events from here on
//
// `StagedValue` describes the format of values. Paths, names and sites are staged ids.
//
// Pointers for reading are confined to this file. Rows come from this process, so reading beyond their end is
// a bug, and traps.

/// Staged rows on their way from the appending threads to the sealing thread.
///
/// Rows refer to paths and names by staged ids. The definition of an id comes before its first use in the
/// same stream, so the two sides share no table. Ids start over with the first chunk of another epoch.
struct Chunk: Sendable {
  var rows = StagingBuffer()
  var firstSeq: UInt64 = 0
  /// The time of the first row; the rows hold deltas.
  var baseTime: UInt64 = 0
  /// The strand of the first row.
  var strand = 0
  /// The number of rows that are events.
  var events = 0
  /// The number of values, keys and list entries in the rows; see ``LogFormat/itemsMax``.
  var items = 0
  /// The epoch in which its staged ids are valid; see ``TableEpoch``.
  var epoch: UInt32 = 0

  /// Whether there is nothing to seal. Definitions without events must be sealed, too, because later rows use
  /// them.
  var isEmpty: Bool { rows.isEmpty }
  /// The seq of the last row; if there are no rows, that of the event before the chunk.
  var lastSeq: UInt64 { firstSeq + UInt64(events) - 1 }
}

/// The first byte of a staged row that is not an event. The first byte of an event is its ``EventKind`` with
/// its flags, and no kind is 15.
enum StagedCode {
  static let alone: UInt8 = 0x0F
  static let origin: UInt8 = 0x1F
  static let path: UInt8 = 0x2F
  static let name: UInt8 = 0x3F
  static let strand: UInt8 = 0x4F

  /// Whether a first byte is that of a row that is not an event.
  @inline(__always)
  static func contains(_ code: UInt8) -> Bool { code & 0x0F == 0x0F }
}

/// A cursor over staged rows.
struct RowReader {
  private let base: UnsafePointer<UInt8>
  private(set) var position: Int
  private let end: Int

  /// A cursor over bytes that must outlive it.
  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
    precondition(position >= 0 && position <= bytes.count)
    // The buffer is empty in this case, so the invalid address is never read.
    base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    self.position = position
    end = bytes.count
  }

  var isAtEnd: Bool { position == end }

  @inline(__always)
  mutating func byte() -> UInt8 {
    precondition(position < end)
    let byte = base[position]
    position += 1
    return byte
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    let first = byte()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = byte()
      value |= UInt64(next & 0x7F) &<< shift
      if next < 0x80 { return value }
      shift += 7
      precondition(shift < 70)
    }
  }

  /// The next varint, without advancing.
  @inline(__always)
  func peekVarint() -> UInt64 {
    var copy = self
    return copy.varint()
  }

  @inline(__always)
  mutating func skipVarint() { while byte() >= 0x80 {} }

  /// Skips bytes.
  @inline(__always)
  mutating func skip(_ count: Int) {
    precondition(count >= 0 && count <= end - position)
    position += count
  }

  /// A cursor at another position in the same rows.
  func at(_ position: Int) -> RowReader {
    precondition(position >= 0 && position <= end)
    var copy = self
    copy.position = position
    return copy
  }

  @inline(__always)
  mutating func zigzag() -> Int64 { Zigzag.decode(varint()) }

  /// Eight bytes, the lowest one first.
  @inline(__always)
  mutating func word() -> UInt64 {
    precondition(end - position >= 8)
    defer { position += 8 }
    return UInt64(
      littleEndian: UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self))
  }

  /// A length and the bytes that follow it.
  @inline(__always)
  mutating func text() -> UnsafeBufferPointer<UInt8> {
    let count = varint()
    precondition(count <= UInt64(end - position))
    defer { position += Int(count) }
    return UnsafeBufferPointer(start: base + position, count: Int(count))
  }

  /// A length and the text that follows it.
  mutating func string() -> String { String(decoding: text(), as: UTF8.self) }
}

/// A position in the rows of a chunk: the offset of the next row, and its seq and time if it is an event.
struct RowPosition {
  private(set) var byte = 0
  var seq: UInt64
  var time: UInt64
  var strand: UInt64
  private let end: Int

  /// The first row of a chunk.
  init(startOf chunk: borrowing Chunk) {
    seq = chunk.firstSeq
    time = chunk.baseTime
    strand = UInt64(chunk.strand)
    end = chunk.rows.count
  }

  /// Whether all rows were read.
  var isAtEnd: Bool { byte == end }

  /// Reads rows from this position on and advances it.
  mutating func read(_ chunk: borrowing Chunk, _ body: (inout RowReader, inout RowPosition) -> Void) {
    chunk.rows.withBytes { bytes in
      var reader = RowReader(UnsafeBufferPointer(rebasing: bytes[..<end]), from: byte)
      body(&reader, &self)
      byte = reader.position
    }
  }
}
