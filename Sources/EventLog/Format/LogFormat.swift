/// The numbers of the format on which the writer and the reader must agree. FORMAT.md explains them.
enum LogFormat {
  /// The first four bytes of every payload: `EVLB`.
  static let magic: UInt32 = 0x424C_5645
  /// The version that is written, and the only one that is read.
  static let version: UInt8 = 3
  /// The number of bytes of the fixed prefix of every payload.
  static let prefixSize = 64
  /// The size of the largest payload, including the prefix.
  static let payloadBytesMax = 16 << 20
  /// The size of the largest body, which is the largest payload without its prefix.
  static let bodyBytesMax = payloadBytesMax - prefixSize
  /// The size of the largest compressed frame: zstd's worst case for the largest payload, rounded up.
  static let frameBytesMax = 17 << 20
  /// The most zstd blocks in a frame: 32 times what the largest payload needs.
  static let zstdBlocksMax = 4096
  /// The largest content of a skippable frame, in bytes.
  static let skippableBytesMax = 16 << 20
  /// The largest window of a frame: `windowLog` 20.
  static let windowBytesMax = 1 << 20
  static let windowLog: Int32 = 20
  /// The most events in one block.
  static let eventsMax = 1 << 16
  /// The most strings, values, map keys, list entries and path steps in one block. It limits how much memory
  /// a small hostile file can make a reader allocate.
  static let itemsMax = 1 << 20
  /// The most bytes in the names of one path.
  static let pathBytesMax = 16 << 20
  /// The greatest depth of nested values; a scalar has depth 1.
  static let valueDepthMax = 64
  /// The most bytes of a name, a label or one step of a path that this writer accepts.
  static let nameBytesMax = 64 << 10
  /// The first optional block kind: a reader skips optional kinds that it does not know.
  static let firstOptionalKind: UInt8 = 128

  static let zstdMagic: UInt32 = 0xFD2F_B528
  static let skippableMagic: UInt32 = 0x184D_2A50
  static let seekTableMagic: UInt32 = 0x184D_2A5E
  static let seekFooterMagic: UInt32 = 0x8F92_EAB1
}

enum BlockKind {
  static let header: UInt8 = 1
  static let events: UInt8 = 2
  /// The state after the events so far, written as events. It can be made again from the blocks of events.
  static let checkpoint: UInt8 = 128
  /// An index of a segment's blocks. It can be made again from these blocks.
  static let index: UInt8 = 129
}

// MARK: Columns

/// The columns of a block of events, by their number in the file. FORMAT.md defines what each holds.
enum Column: Int, CaseIterable {
  case stringLengths = 1
  case stringBytes = 2
  case pathKinds = 3
  case pathParents = 4
  case pathOperands = 5
  case kinds = 6
  case timeScale = 7
  case times = 8
  case causes = 9
  case sites = 10
  case subjects = 11
  case projections = 12
  case parents = 13
  case labels = 14
  case durations = 15
  case readCounts = 16
  case readPaths = 17
  case causeCounts = 18
  case causeDistances = 19
  case spliceOffsets = 20
  case spliceSizes = 21
  case valueTags = 22
  case valueInts = 23
  case valueUInts = 24
  case valueDoubles = 25
  case valueLengths = 26
  case valueCounts = 27
  case valueKeys = 28
  case valueBytes = 29
  case text = 30
  case threads = 31
  case tasks = 32
  case stacks = 33
  case inputs = 34
  case strands = 35
  case comparing = 36

  /// The number after the largest one.
  static let limit = 37

  /// Whether the column is left out if all its numbers are zero, so that a missing column is read as zeros.
  ///
  /// For the other columns, the length determines the amount of data.
  var isZeroWhenAbsent: Bool {
    switch self {
    case .stringLengths, .stringBytes, .pathKinds, .kinds, .valueTags, .valueDoubles, .valueBytes, .text:
      false
    default: true
    }
  }

  /// Whether the column may be packed, see ``PackedColumn``: it contains only varints.
  var isPackable: Bool { isZeroWhenAbsent && self != .spliceSizes }
}

/// The columns of an index that event blocks do not have, by their number in the file; see FORMAT.md. The
/// tables of strings and paths use the same columns as in an event block.
enum IndexColumn: Int, CaseIterable {
  case blockKinds = 40
  case eventCounts = 41
  case baseTimes = 42
  case durableSeqs = 43
  case totals = 44
  case writtenPaths = 45
  case pathRunCounts = 46
  case pathRuns = 47
  case projections = 48
  case projectionRunCounts = 49
  case projectionRuns = 50
  case hashes = 51
  case tableHash = 52
  case openTransactions = 53

  /// The same as ``Column/isZeroWhenAbsent``.
  var isZeroWhenAbsent: Bool {
    switch self {
    case .blockKinds, .totals, .pathRunCounts, .projectionRunCounts, .hashes, .tableHash: false
    default: true
    }
  }
}

// MARK: Codes

/// The kind of a value in the `valueTags` column, and in the staging buffer of the writer.
enum ValueTag {
  static let null: UInt8 = 0
  static let `false`: UInt8 = 1
  static let `true`: UInt8 = 2
  static let int: UInt8 = 3
  static let uint: UInt8 = 4
  static let double: UInt8 = 5
  static let string: UInt8 = 6
  static let bytes: UInt8 = 7
  static let array: UInt8 = 8
  static let map: UInt8 = 9
  static let object: UInt8 = 10
  static let reference: UInt8 = 11
  static let redacted: UInt8 = 12
  static let opaque: UInt8 = 13
  static let date: UInt8 = 14
}

/// The kind of an entry of the path table.
enum PathCode {
  static let namedRoot: UInt8 = 0
  static let objectRoot: UInt8 = 1
  static let property: UInt8 = 2
  static let index: UInt8 = 3
  static let key: UInt8 = 4
  static let id: UInt8 = 5
  static let count: UInt8 = 6
  static let order: UInt8 = 7
  static let exists: UInt8 = 8
}
