/// Turns staged rows into the columns of blocks. It is pure: it uses no file, no clock and no lock.
///
/// The parts of each row are appended to the columns for their kind. Ids of the log become ids of the block,
/// which count from 0. Cost: 15 ns for a set of a number.
///
/// ```
///  staged rows                        columns                            block
///
///  [name 7 "store.a"]  ─────────────▶ strings, steps    (tables)
///  [set, path 7, 0.4 ms, cause 3, 1] ▶ kinds     set set invalidate ...
///  [set, path 7, 0.2 ms, -, 2]         times     0.4 0.2 ...             prefix with the hash chain
///  [invalidate, name 9, causes 1]      causes    3 - ...            ───▶ column lengths, columns
///        ⋮                             subjects  0 0 ...                 (then one zstd frame)
///                                      values    1 2 ...
/// ```
///
/// A row adds to `kinds`, `times`, `causes` and `sites`, and to the columns that its kind has. A column holds numbers
/// of one sort, which differ little from one to the next, so zstd finds what repeats.
struct BlockBuilder: ~Copyable {
  private var tables = BlockTablesBuilder()
  private var values = ValueColumns()
  private var columns = ColumnBuffers()
  private var times = TimeColumn()
  private var origins = OriginColumns()
  private var lastReadPath = 0
  private var lastCause: UInt64 = 0
  /// For each path, the offset at which its next splice begins if it continues the last one.
  private var nextSplice = DenseMap<Int, Int64>(default: 0)
  private var listEntries = 0
  private var usageSoFar = BlockUsage()
  // The written paths by their ids in the block, and the named projections by their staged ids.
  private var written = EpochMap<Int, Void>()
  private var seenProjections = EpochMap<Int, Void>()
  /// Bytes of the rows so far, from which the size of the payload is estimated.
  private var rowBytes = 0
  private(set) var events = 0
  private(set) var firstSeq: UInt64 = 1
  private(set) var baseTime: UInt64 = 0
  /// Whether the next event gets a block of its own, or the block has an event that does.
  private var standsAlone = false

  /// Whether the next event must go into another block, because this one is close to a limit.
  var isFull: Bool {
    events >= LogFormat.eventsMax || rowBytes + tables.textBytes > 4 << 20 || items > LogFormat.itemsMax / 4
      || standsAlone && events > 0
  }

  /// The number that ``LogFormat/itemsMax`` limits.
  var items: Int { tables.items + values.items + listEntries }

  /// The number of objects that the values of the block define.
  var objects: Int { values.objects }

  /// The paths, projections and times of the block's events, for the index of the segment.
  var usage: BlockUsage {
    var usage = usageSoFar
    usage.epoch = tables.epoch
    columns.withBytes(.kinds) { usage.count($0) }
    return usage
  }

  /// The epoch of the staged ids.
  var epoch: UInt32 { tables.epoch }

  /// The number of staged names and paths that are remembered.
  var stagedEntries: Int { tables.stagedEntries }

  /// The id in the block of a staged path, which is added to the block's table if it is new.
  mutating func localPath(_ staged: UInt64) -> Int { tables.path(staged) }

  /// The id in the block of a staged name, which is added to the block's table if it is new.
  mutating func localName(_ staged: UInt64) -> Int { tables.name(staged) }

  /// Adds the rows of a chunk from a position on, until the block is full or no rows are left.
  mutating func append(_ chunk: borrowing Chunk, from position: inout RowPosition) {
    tables.enter(chunk.epoch)
    position.read(chunk) { row, position in
      // Local copies stay in registers.
      var (reader, at) = (row, position)
      while !reader.isAtEnd, !isFull { append(&reader, &at) }
      (row, position) = (reader, at)
    }
  }

  @inline(__always)
  private mutating func append(_ row: inout RowReader, _ position: inout RowPosition) {
    let start = row.position
    var code = row.byte()
    if StagedCode.contains(code) {
      switch code {
      case StagedCode.alone:
        standsAlone = true
        // The events so far make a block, and this row is read again for the next one.
        if events > 0 { row = row.at(start) }
        return
      case StagedCode.name: return tables.addName(from: &row)
      case StagedCode.path: return tables.addPath(from: &row)
      case StagedCode.strand: return position.strand = row.varint()
      default:
        // The event with this origin follows, and goes into the same block.
        origins.add(from: &row, at: events, &columns, &tables)
        code = row.byte()
      }
    }
    position.time &+= UInt64(bitPattern: row.zigzag())
    if events == 0 {
      firstSeq = position.seq
      baseTime = position.time
    }
    times.append(position.time, isFirst: events == 0)
    if position.strand != 0 { origins.add(strand: position.strand, at: events, &columns) }
    usageSoFar.latestTime = max(usageSoFar.latestTime, position.time)
    addCause(row.varint(), seq: position.seq)
    let site = row.varint()
    columns.put(.sites, site == 0 ? 0 : tables.name(site - 1) + 1)
    if code & 0x0F == EventKind.set.rawValue {
      columns.putByte(.kinds, code)
      let path = addSubject(from: &row)
      values.append(from: &row, context: .path(path), strings: &tables.strings)
    } else {
      addBody(code, from: &row)
    }
    events &+= 1
    rowBytes &+= row.position &- start
    position.seq &+= 1
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

  @inline(__always)
  private mutating func addBody(_ code: UInt8, from row: inout RowReader) {
    let kind = EventKind(code: code)
    let flags = EventFlags(code: code)
    if kind?.subject == .projection { addProjection(row.varint()) }
    // The change of the input has a column of its own.
    columns.putByte(.kinds, kind == .evaluate ? code & 0x3F : code)
    switch kind {
    case .evaluate:
      columns.put(.durations, row.varint())
      columns.put(.comparing, row.varint())
      columns.putByte(.inputs, code >> 6)
    case .invalidate:
      let count = row.varint()
      columns.put(.causeCounts, count)
      listEntries += Int(count)
      for _ in 0..<count { columns.put(.causeDistances, row.varint()) }
    default: addRareBody(kind, flags, from: &row)
    }
  }

  private mutating func addRareBody(_ kind: EventKind?, _ flags: EventFlags, from row: inout RowReader) {
    switch kind {
    case .splice: addSplice(from: &row)
    case .remove: _ = addSubject(from: &row)
    case .projection:
      if flags.isNamed { columns.put(.parents, tables.name(row.varint())) }
    case .reads:
      addReads(from: &row)
      if flags.isChange { addReads(from: &row) }
    case .begin, .mark, .action:
      if kind != .begin || flags.isNamed {
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
    if !written.contains(path) {
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
    // Predicts the offset: typing continues after the last insert, and the delete key moves back from there.
    let expected = nextSplice[path] &- Int64(bitPattern: deleted)
    columns.putZigzag(.spliceOffsets, offset &- expected)
    nextSplice[path] = offset &+ Int64(bitPattern: inserted)
    // Both sizes share a byte if they are small, because a splice that deletes rarely inserts much.
    columns.putByte(.spliceSizes, UInt8(min(deleted, 15) << 4 | min(inserted, 15)))
    if deleted >= 15 { columns.put(.spliceSizes, deleted - 15) }
    if inserted >= 15 { columns.put(.spliceSizes, inserted - 15) }
  }

  @inline(__always)
  private mutating func addProjection(_ staged: UInt64) {
    columns.put(.projections, tables.name(staged))
    if !seenProjections.contains(Int(staged)) {
      seenProjections.set(Int(staged), ())
      usageSoFar.projections.append(UInt32(staged))
    }
  }

  /// Adds a list of paths: all paths read, or those that a change adds or drops.
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

  /// Returns the columns of the block as its body with the offsets to split it at, and starts the next block.
  /// Read all other properties of the block first.
  mutating func popBody() -> (body: [UInt8], splits: [Int]) {
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
    standsAlone = false
  }
}

// MARK: For the index

/// The paths, projections and times that the events of one block name, by staged ids.
struct BlockUsage {
  /// The epoch of the ids.
  fileprivate(set) var epoch: UInt32 = 0
  /// The paths that are set, spliced or removed, each once.
  var writtenPaths: [UInt32] = []
  /// The names of projections, each once.
  var projections: [UInt32] = []
  /// The latest time of an event.
  var latestTime: UInt64 = 0
  /// The number of events of each kind, indexed by ``EventKind``.
  private(set) var kindCounts = Array(repeating: 0, count: 16)
  /// The number of transactions that the events open minus those that they close, and the minimum of that
  /// difference after any event.
  private var (opened, openedLeast) = (0, 0)

  /// Counts the events of each kind from their codes.
  mutating func count(_ codes: UnsafeBufferPointer<UInt8>) {
    for code in codes { kindCounts[Int(code & 0x0F)] += 1 }
    opened = kindCounts[Int(EventKind.begin.rawValue)] - kindCounts[Int(EventKind.end.rawValue)]
    guard kindCounts[Int(EventKind.end.rawValue)] > 0 else { return }
    var sum = 0
    for code in codes {
      if code & 0x0F == EventKind.begin.rawValue { sum += 1 }
      if code & 0x0F == EventKind.end.rawValue { sum -= 1 }
      openedLeast = min(openedLeast, sum)
    }
  }

  /// The number of transactions that are open after the events if `open` were open before. An `end` without
  /// an open transaction does nothing.
  func openTransactions(after open: Int) -> Int { max(open, -openedLeast) + opened }

  mutating func removeAll() {
    writtenPaths.removeAll(keepingCapacity: true)
    projections.removeAll(keepingCapacity: true)
    latestTime = 0
  }
}

// MARK: Columns that are written at the end of the block

/// The times of a block, held back until their scale is known.
private struct TimeColumn: ~Copyable {
  private var deltas = WordBuffer()
  private var last: UInt64 = 0

  @inline(__always)
  mutating func append(_ time: UInt64, isFirst: Bool) {
    deltas.append(isFirst ? 0 : Int64(bitPattern: time &- last))
    last = time
  }

  /// Writes the columns in units of the largest scale that divides all times, because most clocks tick in
  /// microseconds or more.
  func fill(_ columns: inout ColumnBuffers) {
    var scale: UInt64 = 0
    for index in 0..<deltas.count {
      let delta = deltas[index].magnitude
      if delta == 0 || scale != 0 && delta % scale == 0 { continue }
      scale = gcd(scale, delta)
      if scale == 1 { break }
    }
    let divisor = scale == 0 || scale > UInt64(Int64.max) ? 1 : Int64(scale)
    if divisor == 1 {
      for index in 0..<deltas.count { columns.putZigzag(.times, deltas[index]) }
    } else {
      columns.put(.timeScale, UInt64(divisor))
      for index in 0..<deltas.count {
        let delta = deltas[index]
        columns.putZigzag(.times, delta == 0 ? 0 : delta / divisor)
      }
    }
  }

  mutating func removeAll() { deltas.removeAll() }
}

private func gcd(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// The columns for the origins of events. Most blocks have no origins, so an event without one costs nothing.
private struct OriginColumns {
  private static let columns: [Column] = [.threads, .tasks, .stacks, .strands]
  /// The number of events that each column has entries for.
  private var ends = [0, 0, 0, 0]

  /// Adds the origin of an event from its staged row.
  mutating func add(
    from row: inout RowReader, at event: Int, _ columns: inout ColumnBuffers,
    _ tables: inout BlockTablesBuilder
  ) {
    for index in 0..<3 {
      let name = row.varint()
      if name > 0 { put(UInt64(tables.name(name - 1) + 1), index, at: event, &columns) }
    }
  }

  mutating func add(strand: UInt64, at event: Int, _ columns: inout ColumnBuffers) {
    put(strand, 3, at: event, &columns)
  }

  private mutating func put(_ number: UInt64, _ index: Int, at event: Int, _ columns: inout ColumnBuffers) {
    pad(index, upTo: event, &columns)
    columns.put(Self.columns[index], number)
    ends[index] = event + 1
  }

  /// Extends the columns that have entries to all events.
  mutating func fill(upTo events: Int, _ columns: inout ColumnBuffers) {
    for index in ends.indices where ends[index] > 0 { pad(index, upTo: events, &columns) }
  }

  mutating func removeAll() { ends = [0, 0, 0, 0] }

  private func pad(_ index: Int, upTo event: Int, _ columns: inout ColumnBuffers) {
    for _ in ends[index]..<max(event, ends[index]) { columns.put(Self.columns[index], 0) }
  }
}

// MARK: The body

/// Assembles the body of a block from its columns in the order of their numbers.
///
///     [ number | length | bytes ] [ number | length | bytes ] ...     numbers and lengths are varints
///
/// A packed column has its number plus ``PackedColumn/mark``.
private struct BlockBody {
  private(set) var bytes: [UInt8] = []
  /// The offsets in the body at which a larger part with other statistics begins. zstd compresses each part
  /// separately.
  private(set) var splits: [Int] = []
  /// A part with fewer bytes is not split off.
  private static let splitBytesMin = 1024

  /// Appends one column as the concatenation of three sets of columns, unless the format lets it be left out.
  mutating func append(
    _ column: Column, _ a: borrowing ColumnBuffers, _ b: borrowing ColumnBuffers, _ c: borrowing ColumnBuffers
  ) {
    let count = a.count(column) + b.count(column) + c.count(column)
    if count == 0 { return }
    if column.isZeroWhenAbsent, a.isZero(column), b.isZero(column), c.isZero(column) { return }
    let start = bytes.count
    bytes.appendVarint(column.rawValue)
    bytes.appendVarint(count)
    let content = bytes.count
    a.withBytes(column) { bytes.append(contentsOf: $0) }
    b.withBytes(column) { bytes.append(contentsOf: $0) }
    c.withBytes(column) { bytes.append(contentsOf: $0) }
    if column == .valueDoubles { transpose(from: content) }
    if column.isPackable, count >= PackedColumn.bytesMin, let packed = PackedColumn.pack(bytes[content...]) {
      bytes.removeSubrange(start...)
      append(packed.bytes, of: column, numbersStart: packed.numbersStart)
    } else if count >= Self.splitBytesMin {
      splits.append(content)
    }
  }

  private mutating func append(_ packed: [UInt8], of column: Column, numbersStart: Int) {
    bytes.appendVarint(column.rawValue + PackedColumn.mark)
    bytes.appendVarint(packed.count)
    if numbersStart >= Self.splitBytesMin { splits.append(bytes.count) }
    if packed.count - numbersStart >= Self.splitBytesMin { splits.append(bytes.count + numbersStart) }
    bytes += packed
  }

  /// Writes the first bytes of all words, then all second bytes, and so on, because bytes at the same
  /// position are alike.
  private mutating func transpose(from start: Int) {
    let words = Array(bytes[start...])
    let count = words.count / 8
    for plane in 0..<8 {
      for index in 0..<count { bytes[start + plane * count + index] = words[8 * index + plane] }
    }
  }
}
