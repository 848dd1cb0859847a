/// Turns staged rows into the columns of blocks. Pure: no file, no clock, no lock.
///
/// Cost: 15 ns for a set of a number.
struct BlockBuilder: ~Copyable {
  private var tables = BlockTablesBuilder()
  private var values = ValueColumns()
  private var columns = ColumnBuffers()
  private var times = TimeColumn()
  private var origins = OriginColumns()
  private var lastReadPath = 0
  private var lastCause: UInt64 = 0
  /// Where the next splice of each path begins, if it goes on behind the last.
  private var nextSplice = DenseMap<Int, Int64>(default: 0)
  private var listEntries = 0
  private var usageSoFar = BlockUsage()
  // The paths that were written, by their ids in the block, and the projections that were named, by their staged ids.
  private var written = EpochMap<Int, Void>()
  private var seenProjections = EpochMap<Int, Void>()
  /// Bytes of the rows so far, a measure of the payload to come.
  private var rowBytes = 0
  private(set) var events = 0
  private(set) var firstSeq: UInt64 = 1
  private(set) var baseTime: UInt64 = 0

  /// Whether the next event goes into another block, lest this one grow over a limit.
  var isFull: Bool {
    events >= LogFormat.eventsMax || rowBytes + tables.textBytes > 4 << 20 || items > LogFormat.itemsMax / 4
  }

  /// What counts against ``LogFormat/itemsMax``.
  var items: Int { tables.items + values.items + listEntries }

  /// Objects that the values of the block define.
  var objects: Int { values.objects }

  /// What the events of the block are about, for the index of the segment.
  var usage: BlockUsage {
    var usage = usageSoFar
    columns.withBytes(.kinds) { usage.count($0) }
    return usage
  }

  /// The number in the block of a staged path, which enters the table if need be.
  mutating func localPath(_ staged: UInt64) -> Int { tables.path(staged) }

  /// The number in the block of a staged name, which enters the table if need be.
  mutating func localName(_ staged: UInt64) -> Int { tables.name(staged) }

  /// Takes in the rows of a chunk from a position on, until the block is full or there are no more.
  mutating func take(_ chunk: borrowing Chunk, from position: inout RowPosition) {
    position.read(chunk) { row, position in
      while !row.isAtEnd, !isFull { take(&row, &position) }
    }
  }

  @inline(__always)
  private mutating func take(_ row: inout RowReader, _ position: inout RowPosition) {
    let start = row.position
    var code = row.byte()
    if code & 0x0F >= StagedCode.origin {
      switch code {
      case StagedCode.name: return tables.addName(from: &row)
      case StagedCode.path: return tables.addPath(from: &row)
      default:
        // Its event follows, and goes into the same block.
        origins.add(from: &row, at: events, &columns, &tables)
        code = row.byte()
      }
    }
    position.time &+= UInt64(bitPattern: row.zigzag())
    if events == 0 {
      firstSeq = position.seq
      baseTime = position.time
    }
    columns.putByte(.kinds, code)
    times.append(position.time, isFirst: events == 0)
    usageSoFar.latestTime = max(usageSoFar.latestTime, position.time)
    addCause(row.varint(), seq: position.seq)
    let site = row.varint()
    columns.put(.sites, site == 0 ? 0 : tables.name(site - 1) + 1)
    if code & 0x0F == EventCode.set {
      let path = addSubject(from: &row)
      values.append(from: &row, context: .path(path), strings: &tables.strings)
    } else {
      addBody(code, from: &row)
    }
    events += 1
    rowBytes += row.position - start
    position.seq += 1
  }

  @inline(__always)
  private mutating func addCause(_ distance: UInt64, seq: UInt64) {
    if distance == 0 {
      columns.put(.causes, 0)
    } else if seq - distance == lastCause {
      columns.put(.causes, 1)
    } else {
      lastCause = seq - distance
      columns.put(.causes, distance + 1)
    }
  }

  private mutating func addBody(_ code: UInt8, from row: inout RowReader) {
    switch code & 0x0F {
    case EventCode.splice: addSplice(from: &row)
    case EventCode.remove: _ = addSubject(from: &row)
    case EventCode.projection:
      addProjection(row.varint())
      if code & EventFlag.named != 0 { columns.put(.parents, tables.name(row.varint())) }
    case EventCode.reads:
      addProjection(row.varint())
      addReads(from: &row)
    case EventCode.invalidate:
      addProjection(row.varint())
      let count = row.varint()
      columns.put(.causeCounts, count)
      listEntries += Int(count)
      for _ in 0..<count { columns.put(.causeDistances, row.varint()) }
    case EventCode.evaluate:
      addProjection(row.varint())
      columns.put(.durations, row.varint())
    case EventCode.dispose:
      addProjection(row.varint())
    case EventCode.begin, EventCode.mark:
      if code & 0x0F == EventCode.mark || code & EventFlag.named != 0 {
        columns.put(.labels, tables.strings.intern(row.text()))
      }
    default: break
    }
  }

  @inline(__always)
  private mutating func addSubject(from row: inout RowReader) -> Int {
    let staged = row.varint()
    let path = tables.path(staged)
    columns.put(.subjects, path)
    if written[path] == nil {
      written.set(path, ())
      usageSoFar.writtenPaths.append(UInt32(staged))
    }
    return path
  }

  private mutating func addSplice(from row: inout RowReader) {
    let path = addSubject(from: &row)
    let offset = Int64(bitPattern: row.varint())
    let deleted = row.varint()
    let inserted = UInt64(
      values.append(from: &row, context: .path(path), strings: &tables.strings, isInsert: true))
    // Typing goes on behind the last insert, and the delete key goes back from there.
    let expected = nextSplice[path] &- Int64(bitPattern: deleted)
    columns.putZigzag(.spliceOffsets, offset &- expected)
    nextSplice[path] = offset &+ Int64(bitPattern: inserted)
    // Both sizes in one byte where they are small: whoever deletes seldom inserts.
    columns.putByte(.spliceSizes, UInt8(min(deleted, 15) << 4 | min(inserted, 15)))
    if deleted >= 15 { columns.put(.spliceSizes, deleted - 15) }
    if inserted >= 15 { columns.put(.spliceSizes, inserted - 15) }
  }

  private mutating func addProjection(_ staged: UInt64) {
    columns.put(.projections, tables.name(staged))
    if seenProjections[Int(staged)] == nil {
      seenProjections.set(Int(staged), ())
      usageSoFar.projections.append(UInt32(staged))
    }
  }

  private mutating func addReads(from row: inout RowReader) {
    let count = row.varint()
    columns.put(.readCounts, count)
    listEntries += Int(count)
    for _ in 0..<count {
      let path = tables.path(row.varint())
      columns.putZigzag(.readPaths, Int64(path - lastReadPath))
      lastReadPath = path
    }
  }

  /// The columns of the block as its body and where to split it, and a fresh start for the next
  /// block. What else is to be known of the block must be asked for before.
  mutating func takeBody() -> (body: [UInt8], splits: [Int]) {
    tables.fill(&columns)
    times.fill(&columns)
    origins.fill(upTo: events, &columns)
    var body = BlockBody()
    for column in Column.allCases {
      body.append(column, tables.ids.columns, values.columns, columns)
    }
    reset()
    return (body.bytes, body.splits)
  }

  private mutating func reset() {
    tables.removeAll()
    values.removeAll()
    columns.removeAll()
    times.removeAll()
    origins.removeAll()
    lastReadPath = 0
    lastCause = 0
    nextSplice.removeAll(keepingCapacity: true)
    listEntries = 0
    usageSoFar.removeAll()
    written.removeAll()
    seenProjections.removeAll()
    rowBytes = 0
    events = 0
  }
}
