/// The events of one block as rows. It is the only decoder of event blocks; all other ways of reading use it.
///
/// ```swift
/// var row = Row()
/// while try rows.next(&row) { use(row, rows.tables) }
/// ```
///
/// The tables are complete from the start. A block can be decoded without any other. Cost: some 25 ns for a
/// row that sets an integer.
public struct BlockRows: Sendable {
  /// The strings and paths that the ids in rows refer to.
  public let tables: BlockTables
  /// For `reads`, the paths of the last row: all paths read, or those that a change adds.
  public private(set) var readPaths: [BlockPathID] = []
  /// For a change of reads, the paths that the last row drops.
  public private(set) var droppedPaths: [BlockPathID] = []
  /// For `invalidate`, the causes of the last row.
  public private(set) var invalidationCauses: [UInt64] = []
  /// The number of rows in the block.
  public let count: Int

  private var columns: BlockColumns
  // The columns that every event reads, moved out of `columns` to avoid indexing it.
  private var times: ByteReader
  private var causes: ByteReader
  private var sites: ByteReader
  private var subjects: ByteReader
  private var values: ValueReader
  private let hasOrigins: Bool
  private let hasInputs: Bool
  private let hasComparing: Bool
  private let kinds: ByteReader
  private let timeScale: Int64
  let firstSeq: UInt64
  private let stringCount: Int
  private var index = 0
  private var time: UInt64
  private var lastCause: UInt64 = 0
  private var lastReadPath = 0
  private var nextSplice: [Int64] = []

  /// No rows.
  package init() {
    var columns = BlockColumns()
    let values = ValueReader(&columns, strings: StringSlices())
    self.init(&columns, BlockTables(), values, firstSeq: 1, time: 0, timeScale: 1)
  }

  /// Opens a payload whose prefix has been checked.
  init(payload: [UInt8], prefix: BlockPrefix) throws(DecodeFault) {
    var columns = try BlockColumns(payload)
    let kinds = columns[.kinds]
    let count = kinds.remaining
    // In other kinds of blocks the prefix does not give the number of rows.
    let expected = prefix.kind == BlockKind.events ? prefix.eventCount : min(count, LogFormat.eventsMax)
    guard count == expected else { throw kinds.fault("there are \(count) kinds of \(expected) events") }
    let scale = try columns[.timeScale].varint()
    guard scale <= UInt64(Int64.max) else { throw columns[.timeScale].fault("the time scale is \(scale)") }
    let (tables, values) = try BlockTables.read(&columns)
    self.init(
      &columns, tables, values, firstSeq: prefix.firstSeq, time: prefix.baseTime,
      timeScale: scale == 0 ? 1 : Int64(scale))
  }

  private init(
    _ columns: inout BlockColumns, _ tables: BlockTables, _ values: ValueReader, firstSeq: UInt64,
    time: UInt64, timeScale: Int64
  ) {
    self.tables = tables
    self.values = values
    self.firstSeq = firstSeq
    self.time = time
    self.timeScale = timeScale
    kinds = columns[.kinds]
    count = kinds.remaining
    stringCount = tables.stringCount
    times = columns.remove(.times)
    causes = columns.remove(.causes)
    sites = columns.remove(.sites)
    subjects = columns.remove(.subjects)
    hasOrigins = [Column.threads, .tasks, .stacks, .strands].contains { columns[$0].remaining > 0 }
    hasInputs = !columns[.inputs].isAbsent
    hasComparing = !columns[.comparing].isAbsent
    self.columns = columns
  }

  /// Reads the next row into `row`; returns false at the end, and throws if the block has leftover bytes.
  /// Reusing a row saves allocations.
  public mutating func next(_ row: inout Row) throws(DecodeFault) -> Bool {
    guard index < count else {
      try expectEnd()
      return false
    }
    let code = kinds.bytes[kinds.position + index]
    let seq = firstSeq &+ UInt64(index)
    index += 1
    time &+= UInt64(bitPattern: try times.zigzag() &* timeScale)
    row.seq = seq
    row.time = time
    row.cause = try cause(of: seq)
    row.siteNumber = Self.number(try sites.varint(below: stringCount + 1, "a site"))
    row.origin = hasOrigins ? try origin() : Row.Origin()
    guard let kind = EventKind(code: code) else {
      throw kinds.fault("event \(seq) has kind \(code & 0x0F), which a newer version must have made")
    }
    row.kind = kind
    row.flags = EventFlags(code: code)
    if !kind.allows(row.flags) {
      throw kinds.fault("event \(seq) has flags \(row.flags.bits) that its kind does not have")
    }
    switch kind {
    case .set:
      let path = try readSubject(&row)
      row.value = try values.next(.path(path))
    case .splice:
      let path = try readSubject(&row)
      try readSplice(&row, at: path)
    case .remove:
      _ = try readSubject(&row)
      row.value = .null
    default: try readRest(&row)
    }
    return true
  }

  private func expectEnd() throws(DecodeFault) {
    try columns.expectEnd()
    try times.expectEnd("column times")
    try causes.expectEnd("column causes")
    try sites.expectEnd("column sites")
    try subjects.expectEnd("column subjects")
    try values.expectEnd()
  }

  private mutating func origin() throws(DecodeFault) -> Row.Origin {
    Row.Origin(
      threadNumber: Self.number(try columns[.threads].varint(below: stringCount + 1, "a thread")),
      taskNumber: Self.number(try columns[.tasks].varint(below: stringCount + 1, "a task")),
      stackNumber: Self.number(try columns[.stacks].varint(below: stringCount + 1, "a stack")),
      strandNumber: UInt32(try columns[.strands].varint(below: OpenTransactions.strandsMax, "a strand")))
  }

  /// The number of an id in a row, from a column that stores it plus 1, with 0 for none.
  @inline(__always)
  private static func number(_ code: Int) -> UInt32 { UInt32(truncatingIfNeeded: code) &- 1 }

  @inline(__always)
  private mutating func cause(of seq: UInt64) throws(DecodeFault) -> UInt64 {
    let code = try causes.varint()
    if code == 0 { return 0 }
    if code > 1 {
      guard code - 1 < seq else {
        throw causes.fault("the cause of event \(seq) is before the first event")
      }
      lastCause = seq - (code - 1)
    } else if lastCause == 0 {
      throw causes.fault("the cause of event \(seq) repeats one that is not in the block")
    }
    return lastCause
  }

  @inline(__always)
  private mutating func readSubject(_ row: inout Row) throws(DecodeFault) -> Int {
    let path = try subjects.varint(below: tables.steps.count, "a path")
    row.pathNumber = UInt32(truncatingIfNeeded: path)
    row.nameNumber = .max
    row.parentNumber = .max
    return path
  }

  private mutating func readSplice(_ row: inout Row, at path: Int) throws(DecodeFault) {
    if nextSplice.isEmpty { nextSplice = Array(repeating: 0, count: tables.steps.count) }
    let (deleted, inserted) = try spliceSizes()
    let expected = nextSplice[path] &- Int64(deleted)
    let offset = expected &+ (try columns[.spliceOffsets].zigzag())
    guard offset >= 0, let start = Int(exactly: offset) else {
      throw columns[.spliceOffsets].fault("a splice is at \(offset)")
    }
    row.offset = start
    row.delete = deleted
    row.value = try values.next(.path(path), insertSize: inserted)
    nextSplice[path] = offset &+ Int64(inserted)
  }

  private mutating func spliceSizes() throws(DecodeFault) -> (deleted: Int, inserted: Int) {
    let low = try columns[.spliceSizes].varintByte()
    func whole(_ nibble: UInt8, _ reader: inout ByteReader) throws(DecodeFault) -> Int {
      if nibble < 15 { return Int(nibble) }
      let more = try reader.varint()
      guard more <= UInt64(Int.max) - 15 else { throw reader.fault("a splice is larger than there can be") }
      return Int(more) + 15
    }
    let deleted = try whole(low >> 4, &columns[.spliceSizes])
    return (deleted, try whole(low & 15, &columns[.spliceSizes]))
  }

  private mutating func readRest(_ row: inout Row) throws(DecodeFault) {
    row.pathNumber = .max
    row.nameNumber = .max
    row.parentNumber = .max
    row.value = .null
    switch row.kind {
    case .projection:
      if row.flags.tracking == nil { throw kinds.fault("event \(row.seq) has an unknown tracking") }
      row.nameNumber = try string(.projections)
      if row.flags.isNamed { row.parentNumber = try string(.parents) }
    case .reads:
      row.nameNumber = try string(.projections)
      try readPathLists(isChange: row.flags.isChange)
    case .invalidate:
      row.nameNumber = try string(.projections)
      try readCauseList(before: row.seq)
    case .evaluate:
      if row.flags.changed == nil, row.flags != EventFlags() {
        throw kinds.fault("event \(row.seq) has an unknown outcome")
      }
      row.nameNumber = try string(.projections)
      row.duration = try columns[.durations].varint()
      row.comparing = hasComparing ? try columns[.comparing].varint() : 0
      if hasInputs { row.flags = row.flags.withInput(try columns[.inputs].varint(below: 3, "an input")) }
    case .begin:
      if row.flags.isNamed { row.nameNumber = try string(.labels) }
    case .mark, .action: row.nameNumber = try string(.labels)
    case .finish:
      if row.flags.outcome == nil { throw kinds.fault("event \(row.seq) has an unknown outcome") }
    default: if row.kind.subject == .projection { row.nameNumber = try string(.projections) }
    }
  }

  private mutating func string(_ column: Column) throws(DecodeFault) -> UInt32 {
    UInt32(truncatingIfNeeded: try columns[column].varint(below: stringCount, "a string"))
  }

  /// Reads both lists of a change of reads, or the single list of all paths.
  private mutating func readPathLists(isChange: Bool) throws(DecodeFault) {
    readPaths.removeAll(keepingCapacity: true)
    droppedPaths.removeAll(keepingCapacity: true)
    for _ in 0..<(try readCount()) { readPaths.append(try readPath()) }
    if isChange { for _ in 0..<(try readCount()) { droppedPaths.append(try readPath()) } }
  }

  private mutating func readCount() throws(DecodeFault) -> Int {
    let count = try columns[.readCounts].varint(below: LogFormat.itemsMax + 1, "a number of reads")
    try values.spend(count)
    return count
  }

  private mutating func readPath() throws(DecodeFault) -> BlockPathID {
    let delta = try columns[.readPaths].zigzag()
    let (path, overflow) = Int64(lastReadPath).addingReportingOverflow(delta)
    guard !overflow, path >= 0, path < Int64(tables.steps.count) else {
      throw columns[.readPaths].fault("a read is of path \(path) of \(tables.steps.count)")
    }
    lastReadPath = Int(path)
    return BlockPathID(index: lastReadPath)
  }

  private mutating func readCauseList(before seq: UInt64) throws(DecodeFault) {
    let count = try columns[.causeCounts].varint(below: LogFormat.itemsMax + 1, "a number of causes")
    try values.spend(count)
    invalidationCauses.removeAll(keepingCapacity: true)
    invalidationCauses.reserveCapacity(count)
    for _ in 0..<count {
      let distance = try columns[.causeDistances].varint()
      guard distance > 0, distance < seq else {
        throw columns[.causeDistances].fault("event \(seq) was caused \(distance) events before it")
      }
      invalidationCauses.append(seq - distance)
    }
  }
}

extension BlockRows: RowTexts {
  package func path(_ id: BlockPathID) -> Path { tables.path(id) }

  package func string(_ id: StringID) -> String { tables.string(id) }

  /// Whether the paths that the last row lists may take much memory.
  var listsMuch: Bool { readPaths.count + droppedPaths.count > 4096 || tables.hasLongNames }

  /// About the bytes that the paths take which the last row lists. Cost: linear in their steps.
  var listedPathBytes: Int { (readPaths + droppedPaths).reduce(0) { $0 + tables.bytes(ofPath: $1) } }

  package func body(of row: borrowing Row) -> Event.Body { Event.Body(row, self) }
}
