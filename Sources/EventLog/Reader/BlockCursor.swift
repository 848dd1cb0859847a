/// The events of one block, one at a time.
///
/// The tables of the block are decoded at once. A path is built when it is first named, and an event that names it
/// again only retains it. A block decodes alone, without any other.
package struct BlockCursor {
  /// The paths of the block by local id, as parent and step; a parent comes before its children.
  package let entries: [PathTable.Entry]
  /// The local path of the last event, if its kind has one.
  package private(set) var subject: Int?
  /// The local paths of the last event, if it was `reads`.
  package private(set) var readPaths: [Int] = []

  private var columns: BlockColumns
  // What every event takes from, without the detour through `columns`.
  private var times: ByteReader
  private var causes: ByteReader
  private var sites: ByteReader
  private var subjects: ByteReader
  private var values: ValueReader
  private let strings: [String]
  private let kinds: ByteReader
  private let timeScale: Int64
  private let firstSeq: UInt64
  private let eventCount: Int
  private var index = 0
  private var time: UInt64
  private var lastCause: UInt64 = 0
  private var lastReadPath = 0
  private var nextSplice: [Int64]
  private var paths: [Path?]

  /// Opens a payload whose prefix was checked.
  init(payload: [UInt8], prefix: BlockPrefix) throws(DecodeFault) {
    var columns = try BlockColumns(payload)
    firstSeq = prefix.firstSeq
    eventCount = prefix.eventCount
    time = prefix.baseTime
    kinds = columns[.kinds]
    guard kinds.remaining == eventCount else {
      throw kinds.fault("there are \(kinds.remaining) kinds of \(eventCount) events")
    }
    let scale = try columns[.timeScale].varint()
    guard scale <= UInt64(Int64.max) else { throw columns[.timeScale].fault("the time scale is \(scale)") }
    timeScale = scale == 0 ? 1 : Int64(scale)
    strings = try StringTableReader.strings(&columns)
    values = try ValueReader(&columns, strings: strings)
    try values.spend(strings.count)
    entries = try PathTableReader.read(&columns, &values, strings)
    paths = Array(repeating: nil, count: entries.count)
    nextSplice = Array(repeating: 0, count: entries.count)
    times = columns.take(.times)
    causes = columns.take(.causes)
    sites = columns.take(.sites)
    subjects = columns.take(.subjects)
    self.columns = columns
  }

  /// The next event, or nil when there are no more and nothing is left over.
  package mutating func next() throws(DecodeFault) -> Event? {
    if index == eventCount {
      try columns.expectEnd()
      try times.expectEnd("column times")
      try causes.expectEnd("column causes")
      try sites.expectEnd("column sites")
      try subjects.expectEnd("column subjects")
      try values.expectEnd()
      return nil
    }
    let code = kinds.bytes[kinds.position + index]
    let seq = firstSeq + UInt64(index)
    time &+= UInt64(bitPattern: try times.zigzag() &* timeScale)
    let cause = try cause(of: seq)
    let site = try sites.varint(below: strings.count + 1, "a site")
    index += 1
    let body = try body(code, seq: seq)
    return Event(seq: seq, time: time, cause: cause, site: site == 0 ? nil : strings[site - 1], body: body)
  }

  private mutating func cause(of seq: UInt64) throws(DecodeFault) -> UInt64? {
    let code = try causes.varint()
    if code == 0 { return nil }
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

  private mutating func body(_ code: UInt8, seq: UInt64) throws(DecodeFault) -> Event.Body {
    subject = nil
    let flags = code & 0xF0
    func allow(_ mask: UInt8) throws(DecodeFault) {
      if flags & ~mask != 0 {
        throw kinds.fault("event \(seq) has flags \(flags) that its kind does not have")
      }
    }
    switch code & 0x0F {
    case EventCode.set:
      try allow(EventFlag.sameValue)
      let path = try readSubject()
      return .set(self.path(path), try values.next(.path(path)), sameValue: flags != 0)
    case EventCode.splice:
      try allow(EventFlag.sameValue)
      return try splice(sameValue: flags != 0)
    case EventCode.remove:
      try allow(EventFlag.sameValue)
      return .remove(path(try readSubject()), sameValue: flags != 0)
    case EventCode.projection:
      try allow(0x70)
      guard let tracking = Tracking(code: flags >> EventFlag.trackingShift) else {
        throw kinds.fault("event \(seq) has an unknown tracking")
      }
      let name = try string(.projections)
      let parent = flags & EventFlag.named == 0 ? nil : try string(.parents)
      return .projection(name: name, parent: parent, tracking: tracking)
    case EventCode.reads:
      try allow(0)
      return try reads()
    case EventCode.invalidate:
      try allow(0)
      return .invalidate(projection: try string(.projections), causes: try causes(before: seq))
    case EventCode.evaluate:
      try allow(0x30)
      let changed = flags >> EventFlag.changedShift
      if changed == 3 { throw kinds.fault("event \(seq) has an unknown outcome") }
      let name = try string(.projections)
      return .evaluate(
        projection: name, duration: try columns[.durations].varint(),
        changed: changed == 0 ? nil : changed == 2)
    case EventCode.dispose:
      try allow(0)
      return .dispose(projection: try string(.projections))
    case EventCode.begin:
      try allow(EventFlag.named)
      return .begin(label: flags == 0 ? nil : try string(.labels))
    case EventCode.end:
      try allow(0)
      return .end
    case EventCode.mark:
      try allow(0)
      return .mark(label: try string(.labels))
    default:
      throw kinds.fault("event \(seq) has kind \(code & 0x0F), which a newer version must have made")
    }
  }

  /// The path with a local id, which must be below the number of entries. Cost: linear in its depth the first time.
  package mutating func path(_ id: Int) -> Path {
    if let path = paths[id] { return path }
    var components: [PathComponent] = []
    var place = id
    // Parents come before their children, so this goes down to a root.
    while case .step(let parent, let component) = entries[place] {
      components.append(component)
      place = Int(parent.index)
    }
    components.reverse()
    guard case .root(let root) = entries[place] else { preconditionFailure("a path ends in a root") }
    let path = Path(root: root, components: components)
    paths[id] = path
    return path
  }

  private mutating func string(_ column: Column) throws(DecodeFault) -> String {
    strings[try columns[column].varint(below: strings.count, "a string")]
  }

  private mutating func readSubject() throws(DecodeFault) -> Int {
    let path = try subjects.varint(below: entries.count, "a path")
    subject = path
    return path
  }

  private mutating func splice(sameValue: Bool) throws(DecodeFault) -> Event.Body {
    let path = try readSubject()
    let (deleted, inserted) = try spliceSizes()
    let expected = nextSplice[path] &- Int64(deleted)
    let offset = expected &+ (try columns[.spliceOffsets].zigzag())
    guard offset >= 0, let start = Int(exactly: offset) else {
      throw columns[.spliceOffsets].fault("a splice is at \(offset)")
    }
    let insert = try values.next(.path(path), insertSize: inserted)
    nextSplice[path] = offset &+ Int64(inserted)
    return .splice(self.path(path), offset: start, delete: deleted, insert: insert, sameValue: sameValue)
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

  private mutating func reads() throws(DecodeFault) -> Event.Body {
    let name = try string(.projections)
    let count = try columns[.readCounts].varint(below: LogFormat.itemsMax + 1, "a number of reads")
    try values.spend(count)
    readPaths.removeAll(keepingCapacity: true)
    var places: [Path] = []
    places.reserveCapacity(count)
    for _ in 0..<count {
      let delta = try columns[.readPaths].zigzag()
      let (path, overflow) = Int64(lastReadPath).addingReportingOverflow(delta)
      guard !overflow, path >= 0, path < Int64(entries.count) else {
        throw columns[.readPaths].fault("a read is of path \(path) of \(entries.count)")
      }
      lastReadPath = Int(path)
      readPaths.append(lastReadPath)
      places.append(self.path(lastReadPath))
    }
    return .reads(projection: name, paths: places)
  }

  private mutating func causes(before seq: UInt64) throws(DecodeFault) -> [UInt64] {
    let count = try columns[.causeCounts].varint(below: LogFormat.itemsMax + 1, "a number of causes")
    try values.spend(count)
    var causes: [UInt64] = []
    causes.reserveCapacity(count)
    for _ in 0..<count {
      let distance = try columns[.causeDistances].varint()
      guard distance > 0, distance < seq else {
        throw columns[.causeDistances].fault("event \(seq) was caused \(distance) events before it")
      }
      causes.append(seq - distance)
    }
    return causes
  }
}
