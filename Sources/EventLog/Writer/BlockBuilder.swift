/// Turns staged rows into the columns of blocks. Pure: no file, no clock, no lock.
struct BlockBuilder {
  // What a session defined so far, by staged id.
  private var names: [String] = []
  private var paths: [StagedPath] = []

  // The block in the making.
  private var strings = StringTable()
  private var localNames = LocalIDs()
  private var localPaths = LocalIDs()
  private var pathCount = 0
  private var pathSteps = 0
  private var pathIDs = ValueColumns()
  private var values = ValueColumns()
  private var columns: [[UInt8]] = Array(repeating: [], count: Column.limit)
  private var timeDeltas: [Int64] = []
  private var lastIndex: Int64 = 0
  private var lastReadPath = 0
  private var lastCause: UInt64 = 0
  private var nextSplice: [Int64] = []
  private var listEntries = 0
  /// Bytes of the rows so far, a measure of the payload to come.
  private var rowBytes = 0
  /// What the events of the block are about, for the index of the segment.
  private(set) var usage = BlockUsage()
  private var isWritten: [Bool] = []
  private var seenProjections = LocalIDs()
  private(set) var events = 0
  private(set) var firstSeq: UInt64 = 1
  private(set) var baseTime: UInt64 = 0
  private var lastTime: UInt64 = 0

  /// Whether the next event goes into another block, lest this one grow over a limit.
  var isFull: Bool {
    events >= LogFormat.eventsMax || rowBytes > 4 << 20 || items > LogFormat.itemsMax / 4
  }

  /// What counts against ``LogFormat/itemsMax``.
  var items: Int { strings.count + pathSteps + pathIDs.items + values.items + listEntries }

  /// Objects that the values of the block define.
  var objects: Int { values.objects }

  /// Takes in one staged row, whose seq and time are given if it is an event.
  ///
  /// The row comes from this process, so a fault is a bug and not damage.
  mutating func add(from row: inout ByteReader, seq: UInt64, time: inout UInt64) throws(DecodeFault) -> Bool {
    let start = row.position
    let code = try row.byte()
    if code == StagedCode.name {
      names.append(try row.text(try row.varint(), "a staged name"))
      return false
    }
    if code == StagedCode.path {
      try addPath(from: &row)
      return false
    }
    time &+= UInt64(bitPattern: try row.zigzag())
    if events == 0 {
      firstSeq = seq
      baseTime = time
      lastTime = time
    }
    columns[Column.kinds.rawValue].append(code)
    usage.note(code, time)
    timeDeltas.append(Int64(bitPattern: time &- lastTime))
    lastTime = time
    addCause(try row.varint(), seq: seq)
    let site = try row.varint()
    put(.sites, site == 0 ? 0 : localName(site - 1) + 1)
    try addBody(code, from: &row)
    events += 1
    rowBytes += row.position - start
    return true
  }

  private mutating func addCause(_ distance: UInt64, seq: UInt64) {
    if distance == 0 {
      put(.causes, 0)
    } else if seq - distance == lastCause {
      put(.causes, 1)
    } else {
      lastCause = seq - distance
      columns[Column.causes.rawValue].appendVarint(distance + 1)
    }
  }

  private mutating func addBody(_ code: UInt8, from row: inout ByteReader) throws(DecodeFault) {
    switch code & 0x0F {
    case EventCode.set:
      let path = try addSubject(from: &row)
      try values.append(from: &row, context: .path(path), strings: &strings)
    case EventCode.splice:
      let path = try addSubject(from: &row)
      let offset = Int64(bitPattern: try row.varint())
      let deleted = try row.varint()
      let inserted = UInt64(
        try values.append(from: &row, context: .path(path), strings: &strings, isInsert: true))
      // Typing goes on behind the last insert, and the delete key goes back from there.
      let expected = nextSplice[path] &- Int64(bitPattern: deleted)
      columns[Column.spliceOffsets.rawValue].appendZigzag(offset &- expected)
      addSpliceSizes(deleted, inserted)
      nextSplice[path] = offset &+ Int64(bitPattern: inserted)
    case EventCode.remove:
      _ = try addSubject(from: &row)
    case EventCode.projection:
      addProjection(try row.varint())
      if code & EventFlag.named != 0 { put(.parents, localName(try row.varint())) }
    case EventCode.reads:
      addProjection(try row.varint())
      try addReads(from: &row)
    case EventCode.invalidate:
      addProjection(try row.varint())
      let count = try row.varint()
      columns[Column.causeCounts.rawValue].appendVarint(count)
      listEntries += Int(count)
      for _ in 0..<count { columns[Column.causeDistances.rawValue].appendVarint(try row.varint()) }
    case EventCode.evaluate:
      addProjection(try row.varint())
      columns[Column.durations.rawValue].appendVarint(try row.varint())
    case EventCode.dispose:
      addProjection(try row.varint())
    case EventCode.begin, EventCode.mark:
      if code & 0x0F == EventCode.mark || code & EventFlag.named != 0 {
        put(.labels, strings.intern(try row.text(try row.varint(), "a staged label")))
      }
    default: break
    }
  }

  private mutating func addSubject(from row: inout ByteReader) throws(DecodeFault) -> Int {
    let staged = try row.varint()
    let path = try localPath(staged)
    put(.subjects, path)
    if !isWritten[path] {
      isWritten[path] = true
      usage.writtenPaths.append(UInt32(staged))
    }
    return path
  }

  /// Both in one byte where they are small: whoever deletes seldom inserts.
  private mutating func addSpliceSizes(_ deleted: UInt64, _ inserted: UInt64) {
    let sizes = Column.spliceSizes.rawValue
    columns[sizes].append(UInt8(min(deleted, 15) << 4 | min(inserted, 15)))
    if deleted >= 15 { columns[sizes].appendVarint(deleted - 15) }
    if inserted >= 15 { columns[sizes].appendVarint(inserted - 15) }
  }

  private mutating func addReads(from row: inout ByteReader) throws(DecodeFault) {
    let count = try row.varint()
    columns[Column.readCounts.rawValue].appendVarint(count)
    listEntries += Int(count)
    for _ in 0..<count {
      let path = try localPath(try row.varint())
      columns[Column.readPaths.rawValue].appendZigzag(Int64(path - lastReadPath))
      lastReadPath = path
    }
  }

  private mutating func put(_ column: Column, _ number: Int) {
    columns[column.rawValue].appendVarint(number)
  }

  private mutating func addProjection(_ staged: UInt64) {
    put(.projections, localName(staged))
    if seenProjections[Int(staged)] == nil {
      seenProjections[Int(staged)] = 0
      usage.projections.append(UInt32(staged))
    }
  }

  // MARK: Tables

  /// The number in the block of a name, which enters the table if need be.
  mutating func localName(_ staged: UInt64) -> Int {
    let staged = Int(staged)
    if let id = localNames[staged] { return id }
    let id = strings.intern(names[staged])
    localNames[staged] = id
    rowBytes += names[staged].utf8.count
    return id
  }

  private mutating func addPath(from row: inout ByteReader) throws(DecodeFault) {
    let kind = try row.byte()
    let isRoot = kind == PathCode.namedRoot || kind == PathCode.objectRoot
    let parent = isRoot ? nil : try row.varint()
    let operand: StagedPath.Operand
    switch kind {
    case PathCode.namedRoot, PathCode.property, PathCode.key:
      operand = .name(try row.text(try row.varint(), "a staged component"))
    case PathCode.objectRoot: operand = .number(try row.varint())
    case PathCode.index: operand = .index(try row.zigzag())
    case PathCode.id: operand = .value(Array(row.bytes[try row.take(try row.varint(), "a staged id")]))
    default: operand = .none
    }
    let depth = parent.map { paths[Int($0)].depth + 1 } ?? 0
    paths.append(StagedPath(kind: kind, parent: parent, operand: operand, depth: depth))
  }

  /// The number in the block of a path, which enters the table if need be.
  mutating func localPath(_ staged: UInt64) throws(DecodeFault) -> Int {
    let staged = Int(staged)
    if let id = localPaths[staged] { return id }
    let path = paths[staged]
    let parent = try path.parent.map { parent throws(DecodeFault) in try localPath(parent) }
    columns[Column.pathKinds.rawValue].append(path.kind)
    if let parent { put(.pathParents, parent == pathCount - 1 ? 0 : parent + 1) }
    switch path.operand {
    case .none: break
    case .name(let name):
      put(.pathOperands, strings.intern(name))
      rowBytes += name.utf8.count
    case .number(let number):
      columns[Column.pathOperands.rawValue].appendVarint(number)
    case .index(let index):
      columns[Column.pathOperands.rawValue].appendZigzag(index &- lastIndex)
      lastIndex = index
    case .value(let bytes):
      var reader = ByteReader(bytes)
      try pathIDs.append(from: &reader, context: .pathTable, strings: &strings)
      rowBytes += bytes.count
    }
    let id = pathCount
    pathCount += 1
    pathSteps += path.depth + 1
    nextSplice.append(0)
    isWritten.append(false)
    localPaths[staged] = id
    return id
  }

  // MARK: Sealing

  /// The columns of the block as its body and where in it much text begins, and a fresh start for the next
  /// block.
  mutating func takeBody() -> (body: [UInt8], textStart: Int?) {
    fillColumns()
    var body: [UInt8] = []
    var textStart: Int?
    body.reserveCapacity(columns.reduce(0) { $0 + $1.count + 4 })
    for column in Column.allCases {
      let bytes = columns[column.rawValue]
      if bytes.isEmpty || (column.isZeroWhenAbsent && !bytes.contains { $0 != 0 }) { continue }
      body.appendVarint(column.rawValue)
      body.appendVarint(bytes.count)
      if column == .text, bytes.count >= 512 { textStart = body.count }
      body += bytes
    }
    reset()
    return (body, textStart)
  }

  private mutating func fillColumns() {
    columns[Column.stringLengths.rawValue] = strings.lengths
    columns[Column.stringBytes.rawValue] = strings.bytes
    // Clocks tick in microseconds or seconds more often than in nanoseconds.
    let scale = timeDeltas.reduce(0) { gcd($0, $1.magnitude) }
    let divisor = scale == 0 || scale > UInt64(Int64.max) ? 1 : Int64(scale)
    if divisor > 1 { columns[Column.timeScale.rawValue].appendVarint(UInt64(divisor)) }
    for delta in timeDeltas { columns[Column.times.rawValue].appendZigzag(delta / divisor) }

    columns[Column.valueTags.rawValue] = pathIDs.tags + values.tags
    columns[Column.valueInts.rawValue] = pathIDs.ints + values.ints
    columns[Column.valueUInts.rawValue] = pathIDs.uints + values.uints
    columns[Column.valueLengths.rawValue] = pathIDs.lengths + values.lengths
    columns[Column.valueCounts.rawValue] = pathIDs.counts + values.counts
    columns[Column.valueKeys.rawValue] = pathIDs.keys + values.keys
    columns[Column.valueBytes.rawValue] = pathIDs.bytes + values.bytes
    columns[Column.text.rawValue] = pathIDs.text + values.text
    // All first bytes, then all second bytes: neighbours resemble each other.
    let doubles = pathIDs.doubles + values.doubles
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      columns[Column.valueDoubles.rawValue] += doubles.map { UInt8(truncatingIfNeeded: $0 >> shift) }
    }
  }

  private mutating func reset() {
    strings.removeAll()
    localNames.removeAll()
    localPaths.removeAll()
    pathCount = 0
    pathSteps = 0
    pathIDs.removeAll()
    values.removeAll()
    for index in columns.indices {
      columns[index].removeAll(keepingCapacity: columns[index].capacity < 1 << 16)
    }
    timeDeltas.removeAll(keepingCapacity: true)
    lastIndex = 0
    lastReadPath = 0
    lastCause = 0
    nextSplice.removeAll(keepingCapacity: true)
    isWritten.removeAll(keepingCapacity: true)
    seenProjections.removeAll()
    usage.removeAll()
    listEntries = 0
    rowBytes = 0
    events = 0
  }
}

private func gcd(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// A path as the sealing thread knows it.
private struct StagedPath {
  enum Operand {
    case none
    case name(String)
    case number(UInt64)
    case index(Int64)
    /// A staged value.
    case value([UInt8])
  }

  let kind: UInt8
  let parent: UInt64?
  let operand: Operand
  let depth: Int
}

/// Local ids of one block by staged id; forgetting them all costs nothing.
private struct LocalIDs {
  private var entries: [(block: UInt32, id: UInt32)] = []
  private var block: UInt32 = 1

  subscript(staged: Int) -> Int? {
    get {
      guard staged < entries.count, entries[staged].block == block else { return nil }
      return Int(entries[staged].id)
    }
    set {
      if staged >= entries.count {
        entries.append(contentsOf: repeatElement((block: 0, id: 0), count: staged + 1 - entries.count))
      }
      if let newValue { entries[staged] = (block, UInt32(newValue)) }
    }
  }

  mutating func removeAll() {
    block &+= 1
    // Once in four billion blocks the numbers start over.
    if block == 0 {
      entries.removeAll()
      block = 1
    }
  }
}
