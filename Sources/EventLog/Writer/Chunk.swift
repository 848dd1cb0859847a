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

/// What a staged row starts with: the code of an event with its flags, or one of these.
enum StagedCode {
  /// Who makes the event of the row that follows: thread, task and stack, each a staged name's id plus 1 or 0.
  static let origin: UInt8 = 0x0D
  /// A path: kind, parent (staged id), operand.
  static let path: UInt8 = 0x0E
  /// A name: length and UTF-8.
  static let name: UInt8 = 0x0F
}

/// Limits on one event of a recording, so that any such event fits a block with others.
enum StageLimit {
  /// Bytes of a staged value; a larger one is replaced by `opaque`.
  static let valueBytesMax = 8 << 20
  /// Items of a value; one with more is replaced by `opaque`.
  static let valueItemsMax = 1 << 19
  /// Entries of a list of reads or of causes.
  static let listMax = 1 << 17
  /// Steps of the paths in a list of reads.
  static let stepsMax = LogFormat.itemsMax / 2
  /// Bytes of a name, a label or one step of a path.
  static let nameBytesMax = 64 << 10
  /// A chunk is sealed at this many items, so that it and the largest value fit a block.
  static let chunkItemsMax = 1 << 17
}
