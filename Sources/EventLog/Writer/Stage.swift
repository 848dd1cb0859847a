/// The state that the appending threads share, under one lock: the open chunk, and the ids that its rows may
/// use.
///
/// Rows are staged in the format described at ``Chunk``. Functions check everything before they stage a row,
/// so that one that throws leaves no part of a row.
struct Stage {
  /// The rows that are not queued yet.
  private(set) var chunk = Chunk()
  private(set) var nextSeq: UInt64
  private var tableEpoch: TableEpoch
  private var paths: StagedPaths
  private var pinned = PinnedPaths()
  /// The staged ids of names.
  private var names: [ExactString: UInt32] = [:]
  /// The last name that was looked up, because the next event is often about the same projection.
  private var lastName: (text: String, id: UInt32)?
  private var nameBytes = 0
  private var lastTime: UInt64 = 0
  /// The origin of the event of the next row; nil if it is not recorded.
  private var origin: StagedOrigin?
  /// The strand of the next events.
  private var strand = 0
  /// The precision of times and durations.
  private let timeUnit: LogOptions.TimeUnit
  /// The path of the file, for errors.
  private let file: String
  /// Whether events may be as large as a block can hold, with an error for larger ones. Otherwise the limits
  /// are lower, and a value above its limit is replaced, so that a recording continues.
  private let isExact: Bool

  /// Creates an empty stage. Times and durations are kept exactly, unless another unit is given.
  ///
  /// - Parameter tableBytes: As ``LogOptions/tableBytes``.
  init(
    path: String, nextSeq: UInt64 = 1, timeUnit: LogOptions.TimeUnit = .nanoseconds, isExact: Bool = false,
    tableBytes: Int
  ) {
    file = path
    tableEpoch = TableEpoch(size: tableBytes)
    chunk.epoch = tableEpoch.number
    paths = StagedPaths(file: path, isExact: isExact)
    self.nextSeq = nextSeq
    self.timeUnit = timeUnit
    self.isExact = isExact
  }

  /// Returns the chunk and starts another, which reuses a buffer if one is given.
  mutating func popChunk(reusing spare: StagedBytes?) -> Chunk {
    var popped = Chunk()
    swap(&popped, &chunk)
    if popped.events == 0 { popped.firstSeq = nextSeq }
    if let spare { chunk.rows = StagingBuffer(reusing: spare) }
    if tableEpoch.isOver(at: tableSize) { startTablesOver() }
    chunk.epoch = epoch
    chunk.strand = strand
    return popped
  }

  /// Sets the strand of the events from here on.
  mutating func setStrand(_ number: Int) {
    if number == strand { return }
    strand = number
    chunk.rows.append(StagedCode.strand)
    chunk.rows.append(varint: UInt64(number))
  }

  /// The epoch of staged ids.
  var epoch: UInt32 { @inline(__always) get { tableEpoch.number } }

  /// The number of paths and names that are remembered.
  var tableEntries: Int { paths.count + names.count }

  /// About how many bytes the paths and names take.
  private var tableSize: Int { nameBytes + paths.bytes + TableEpoch.entrySize * tableEntries }

  private mutating func startTablesOver() {
    tableEpoch.advance()
    paths.removeAll()
    names = [:]
    lastName = nil
    nameBytes = 0
  }

  func invalid(_ message: String) -> LogError { LogError(unrecorded: .invalidEvent, file, message) }

  private func tooLarge(_ message: String) -> LogError { LogError(unrecorded: .tooLarge, file, message) }
}

extension LogError {
  /// The error for an event that cannot be recorded.
  init(unrecorded code: Code, _ path: String, _ message: String) {
    self.init(code, path: path, message: "\(message); the event was not recorded")
  }
}

// MARK: Whole events

extension Stage {
  /// Stages an event and the definitions that it needs, and returns its seq.
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?, origin: Origin?
  ) throws(LogError) -> UInt64 {
    guard let origin else { return try append(body, time: time, cause: cause, site: site) }
    guard (0..<OpenTransactions.strandsMax).contains(origin.strand) else {
      throw invalid("there is no strand \(origin.strand)")
    }
    let present = strand
    if origin.strand != 0 { setStrand(origin.strand) }
    defer { setStrand(present) }
    if origin.isUnnamed { return try append(body, time: time, cause: cause, site: site) }
    return try withOrigin(self.origin(origin)) { stage throws(LogError) in
      try stage.append(body, time: time, cause: cause, site: site)
    }
  }

  /// Stages an event with the current origin; otherwise as ``append(_:time:cause:site:origin:)``.
  mutating func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?
  ) throws(LogError) -> UInt64 {
    var siteID: UInt32?
    if let site { siteID = try nameID(of: site) }
    switch body {
    case .set(let path, let value, let sameValue):
      return try set(self.path(path), value, sameValue: sameValue, time: time, cause: cause, site: siteID)
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      return try splice(
        self.path(path), offset: offset, delete: delete, insert: insert, sameValue: sameValue, time: time,
        cause: cause, site: siteID)
    case .remove(let path, let sameValue):
      return try remove(self.path(path), sameValue: sameValue, time: time, cause: cause, site: siteID)
    case .projection(let name, let parent, let tracking):
      var parentID: UInt32?
      if let parent { parentID = try nameID(of: parent) }
      return try projection(
        nameID(of: name), parent: parentID, tracking: tracking, time: time, cause: cause, site: siteID)
    case .reads(let projection, .paths(let paths)):
      try checkReads(paths, [])
      let staged = try staged(paths)
      return try reads(nameID(of: projection), paths: staged, time: time, cause: cause, site: siteID)
    case .reads(let projection, .change(let added, let dropped)):
      try checkReads(added, dropped)
      let (added, dropped) = (try staged(added), try staged(dropped))
      return try changeReads(
        nameID(of: projection), added: added, dropped: dropped, time: time, cause: cause, site: siteID)
    case .invalidate(let projection, let causes):
      return try invalidate(nameID(of: projection), causes: causes, time: time, cause: cause, site: siteID)
    case .evaluate(let projection, let duration, let changed, let inputChanged, let comparing):
      return try evaluate(
        nameID(of: projection), duration: duration, comparing: comparing,
        EventFlags(changed: changed, inputChanged: inputChanged), time: time, cause: cause, site: siteID)
    case .dispose(let projection):
      return try dispose(nameID(of: projection), time: time, cause: cause, site: siteID)
    case .begin(let label): return try begin(label, time: time, cause: cause, site: siteID)
    case .end: return try end(time: time, cause: cause, site: siteID)
    case .mark(let label): return try put(.mark, label, time: time, cause: cause, site: siteID)
    case .action(let label): return try put(.action, label, time: time, cause: cause, site: siteID)
    case .finish(let outcome): return try finish(outcome, time: time, cause: cause, site: siteID)
    }
  }
}

// MARK: Names, origins and paths

/// An ``Origin`` as staged ids of names plus 1; 0 for a missing part.
package struct StagedOrigin: Hashable, Sendable {
  let epoch: UInt32
  var thread: UInt64 = 0
  var task: UInt64 = 0
  var stack: UInt64 = 0
}

extension Stage {
  /// Sets the origin of the events that the body appends.
  mutating func withOrigin<T>(
    _ origin: StagedOrigin?, _ body: (inout Stage) throws(LogError) -> T
  ) throws(LogError) -> T {
    if let origin, origin.epoch != epoch { throw invalid("the origin was defined for earlier events") }
    self.origin = origin
    defer { self.origin = nil }
    return try body(&self)
  }

  /// An origin with its names staged. Cost: a hash of each text.
  mutating func origin(_ origin: Origin, isRenewal: Bool = false) throws(LogError) -> StagedOrigin {
    var staged = StagedOrigin(epoch: epoch)
    if let thread = origin.thread { staged.thread = UInt64(try nameID(of: thread)) + 1 }
    if let task = origin.task { staged.task = UInt64(try nameID(of: task)) + 1 }
    if let stack = origin.stack {
      staged.stack = UInt64(try nameID(of: stack, isRenewal: isRenewal)) + 1
    }
    return staged
  }

  /// The staged id of a name; defines it if it is new. Cost: one hash, two if it is new; none if it is the
  /// same name as last time.
  ///
  /// - Parameter isRenewal: Whether the caller has kept an id of it from an earlier epoch.
  mutating func nameID(of name: String, isRenewal: Bool = false) throws(LogError) -> UInt32 {
    if let lastName, lastName.text.hasSameBytes(as: name) { return lastName.id }
    if let id = names[ExactString(name)] {
      lastName = (name, id)
      return id
    }
    try check(name, "a name")
    let id = UInt32(names.count)
    lastName = (name, id)
    names[ExactString(name)] = id
    chunk.rows.append(StagedCode.name)
    chunk.rows.append(name)
    nameBytes += name.utf8.count
    if isRenewal { tableEpoch.countRenewal(name.utf8.count + TableEpoch.entrySize) }
    return id
  }

  private mutating func path(_ path: Path) throws(LogError) -> UInt64 {
    UInt64(try paths.intern(path, into: &chunk.rows))
  }

  private mutating func staged(_ list: [Path]) throws(LogError) -> [UInt64] {
    var staged: [UInt64] = []
    staged.reserveCapacity(list.count)
    for path in list { staged.append(try self.path(path)) }
    return staged
  }

  /// The id of a path; stages its definition if it is new. Cost: one hash a component.
  ///
  /// - Parameter old: The last id of the path that the caller has, if any.
  mutating func logged(
    _ path: Path, renewing old: LogWriter.LoggedPath? = nil
  ) throws(LogError) -> LogWriter.LoggedPath {
    let size = tableSize
    let staged = try paths.intern(path, into: &chunk.rows)
    if let old, old.epoch != epoch { tableEpoch.countRenewal(tableSize - size) }
    return LogWriter.LoggedPath(staged: staged, epoch: epoch)
  }

  /// The id of the path one step below another; nil if the id of the parent is no longer valid. Cost: one
  /// hash.
  mutating func logged(
    _ component: PathComponent, under parent: LogWriter.LoggedPath
  ) throws(LogError) -> LogWriter.LoggedPath? {
    guard parent.epoch == epoch else { return nil }
    let staged = try paths.intern(component, under: parent.staged, into: &chunk.rows)
    return LogWriter.LoggedPath(staged: staged, epoch: epoch)
  }

  /// Interns a path for the app. Cost: two hashes a component.
  mutating func interned(_ path: Path) throws(LogError) -> LogWriter.InternedPath {
    pinned.pin(path, try logged(path))
  }

  /// The last known id of a path.
  @inline(__always)
  func latest(_ path: LogWriter.InternedPath) -> LogWriter.LoggedPath {
    path.logged.epoch == epoch ? path.logged : pinned[path] ?? path.logged
  }

  /// The id of a path in this epoch. Throws `invalidEvent` for a path that another writer interned.
  mutating func staged(_ path: LogWriter.InternedPath) throws(LogError) -> UInt64 {
    let latest = latest(path)
    if latest.epoch == epoch { return UInt64(latest.staged) }
    guard path.owner == pinned.owner else {
      throw invalid("the path was interned by the writer of another log")
    }
    let text = pinned.path(path)
    let now = try logged(text, renewing: latest)
    _ = pinned.pin(text, now)
    return UInt64(now.staged)
  }

  private func check(_ text: String, _ what: String) throws(LogError) {
    if !isExact, !text.isRecordable {
      throw tooLarge("\(what) of \(text.utf8.count) bytes is over \(LogFormat.nameBytesMax)")
    }
  }
}

// MARK: The row of each kind of event

extension Stage {
  mutating func set(
    _ path: UInt64, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    if isExact {
      try check(value)
    } else if !value.sharesBlock {
      return try appendLarge(
        .set(paths.path(path), value, sameValue: sameValue), path, time: time, cause: cause, site: site)
    }
    return try putSet(path, value, sameValue, time: time, cause: cause, site: site)
  }

  private mutating func putSet(
    _ path: UInt64, _ value: Value, _ sameValue: Bool, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(
      EventKind.set.code(EventFlags(sameValue: sameValue)), time: time, cause: cause, site: site)
    put(path)
    return endRow(items: put(value))
  }

  /// Stages a set or a splice whose value does not share a block, without the parts that do not fit.
  private mutating func appendLarge(
    _ body: Event.Body, _ path: UInt64, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    guard let fitted = FittedEvent(body)?.body else {
      throw tooLarge("an object with that many parts, or nested that deep, does not fit an event")
    }
    if !fitted.sharesBlock { standAlone() }
    switch fitted {
    case .set(_, let value, let sameValue):
      return try putSet(path, value, sameValue, time: time, cause: cause, site: site)
    case .splice(_, let offset, let delete, let insert, let sameValue):
      return try putSplice(path, offset, delete, insert, sameValue, time: time, cause: cause, site: site)
    default: preconditionFailure("only sets and splices have values")
    }
  }

  /// Gives the next event a block of its own.
  mutating func standAlone() { chunk.rows.append(StagedCode.alone) }

  private mutating func splice(
    _ path: UInt64, offset: Int, delete: Int, insert: Value, sameValue: Bool, time: UInt64, cause: UInt64?,
    site: UInt32?
  ) throws(LogError) -> UInt64 {
    if offset < 0 || delete < 0 { throw invalid("a splice at \(offset) that deletes \(delete) is negative") }
    if isExact {
      try check(insert)
    } else if !insert.sharesBlock {
      return try appendLarge(
        .splice(paths.path(path), offset: offset, delete: delete, insert: insert, sameValue: sameValue), path,
        time: time, cause: cause, site: site)
    }
    return try putSplice(path, offset, delete, insert, sameValue, time: time, cause: cause, site: site)
  }

  private mutating func putSplice(
    _ path: UInt64, _ offset: Int, _ delete: Int, _ insert: Value, _ sameValue: Bool, time: UInt64,
    cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(sameValue: sameValue)
    try beginRow(EventKind.splice.code(flags), time: time, cause: cause, site: site)
    put(path)
    put(UInt64(offset))
    put(UInt64(delete))
    return endRow(items: put(insert))
  }

  private mutating func remove(
    _ path: UInt64, sameValue: Bool, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(sameValue: sameValue)
    try beginRow(EventKind.remove.code(flags), time: time, cause: cause, site: site)
    put(path)
    return endRow()
  }

  private mutating func projection(
    _ id: UInt32, parent: UInt32?, tracking: Tracking, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(tracking, hasParent: parent != nil)
    try beginRow(EventKind.projection.code(flags), time: time, cause: cause, site: site)
    put(UInt64(id))
    if let parent { put(UInt64(parent)) }
    return endRow()
  }

  private mutating func reads(
    _ projection: UInt32, paths: [UInt64], time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(EventKind.reads.code(), time: time, cause: cause, site: site)
    put(UInt64(projection))
    putList(paths) { $0 }
    return endRow(items: paths.count)
  }

  private mutating func changeReads(
    _ projection: UInt32, added: [UInt64], dropped: [UInt64], time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(isChange: true)
    try beginRow(EventKind.reads.code(flags), time: time, cause: cause, site: site)
    put(UInt64(projection))
    putList(added) { $0 }
    putList(dropped) { $0 }
    return endRow(items: added.count + dropped.count)
  }

  /// Throws `tooLarge` for more reads than an event can hold.
  private mutating func checkReads(_ list: [Path], _ other: [Path]) throws(LogError) {
    if isExact { return }
    let size = ValueSize(of: list, other)
    if size.isWithin(.shared) { return }
    guard size.isWithin(.event) || (list + other).exactSize.isWithin(.event) else {
      throw tooLarge("a projection that reads \(list.count + other.count) paths is over a limit")
    }
    standAlone()
  }

  mutating func invalidate(
    _ projection: UInt32, causes: [UInt64], time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    if !isExact, causes.count > StageLimit.eventItemsMax {
      throw tooLarge("an invalidation by \(causes.count) events is over a limit")
    }
    let seq = nextSeq
    for cause in causes where cause == 0 || cause >= seq {
      throw invalid("cause \(cause) of event \(seq) is not before it")
    }
    if !isExact, causes.count > StageLimit.sharedItemsMax { standAlone() }
    try beginRow(EventKind.invalidate.code(), time: time, cause: cause, site: site)
    put(UInt64(projection))
    putList(causes) { seq - $0 }
    return endRow(items: causes.count)
  }

  mutating func evaluate(
    _ projection: UInt32, duration: UInt64, comparing: UInt64, _ flags: EventFlags, time: UInt64,
    cause: UInt64?,
    site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(EventKind.evaluate.code(flags), time: time, cause: cause, site: site)
    put(UInt64(projection))
    put(timeUnit.duration(duration))
    put(timeUnit.duration(comparing))
    return endRow()
  }

  mutating func dispose(
    _ projection: UInt32, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(EventKind.dispose.code(), time: time, cause: cause, site: site)
    put(UInt64(projection))
    return endRow()
  }

  private mutating func begin(
    _ label: String?, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    if let label { try check(label, "a label") }
    let flags = EventFlags(hasLabel: label != nil)
    try beginRow(EventKind.begin.code(flags), time: time, cause: cause, site: site)
    if let label { chunk.rows.append(label) }
    return endRow()
  }

  private mutating func end(time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError) -> UInt64 {
    try beginRow(EventKind.end.code(), time: time, cause: cause, site: site)
    return endRow()
  }

  /// Stages an event that has only a label.
  private mutating func put(
    _ kind: EventKind, _ label: String, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try check(label, "a label")
    try beginRow(kind.code(), time: time, cause: cause, site: site)
    chunk.rows.append(label)
    return endRow()
  }

  private mutating func finish(
    _ outcome: ActionOutcome, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    try beginRow(EventKind.finish.code(EventFlags(outcome)), time: time, cause: cause, site: site)
    return endRow()
  }
}

// MARK: Parts of a row

extension Stage {
  /// Starts the row of the next event. The definitions that it needs must already be staged.
  private mutating func beginRow(
    _ code: UInt8, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) {
    guard Self.isBefore(nextSeq, cause) else {
      throw invalid("cause \(cause ?? 0) of event \(nextSeq) is not before it")
    }
    if let origin {
      var row = chunk.rows.begin()
      row.put(StagedCode.origin)
      row.put(varint: origin.thread)
      row.put(varint: origin.task)
      row.put(varint: origin.stack)
      chunk.rows.end(row)
    }
    chunk.rows.end(head(code, time: time, cause: cause, site: site.map { UInt64($0) + 1 } ?? 0))
  }

  /// Whether an event has no cause, or one with a smaller seq.
  @inline(__always)
  private static func isBefore(_ seq: UInt64, _ cause: UInt64?) -> Bool {
    guard let cause else { return true }
    return cause &- 1 < seq &- 1
  }

  /// Writes the beginning of the next event's row, which becomes staged only when the row ends.
  @inline(__always)
  private mutating func head(_ code: UInt8, time: UInt64, cause: UInt64?, site: UInt64) -> RowPointer {
    if chunk.events == 0 { beginChunk(at: time) }
    var row = chunk.rows.begin()
    row.put(code)
    // A time in the same unit as the last one is stored as that, which saves the division for most events of
    // a burst.
    if time &- lastTime < timeUnit.rounding {
      row.put(0)
    } else {
      let time = timeUnit.time(time)
      row.put(varint: Zigzag.encode(Int64(bitPattern: time &- lastTime)))
      lastTime = time
    }
    if let cause { row.put(varint: nextSeq &- cause) } else { row.put(0) }
    row.put(varint: site)
    return row
  }

  @inline(never)
  private mutating func beginChunk(at time: UInt64) {
    let time = timeUnit.time(time)
    chunk.firstSeq = nextSeq
    chunk.baseTime = time
    lastTime = time
  }

  @inline(__always)
  private mutating func put(_ number: UInt64) { chunk.rows.append(varint: number) }

  /// Stages a value and returns the number of its items.
  private mutating func put(_ value: Value) -> Int {
    StagedValue.append(value, to: &chunk.rows)
  }

  private mutating func putList<T>(_ list: [T], _ number: (T) -> UInt64) {
    chunk.rows.append(varint: UInt64(list.count))
    for element in list { chunk.rows.append(varint: number(element)) }
  }

  /// Throws `tooLarge` for a value that no block can hold, if values may not be replaced.
  @inline(__always)
  private func check(_ value: Value) throws(LogError) {
    if isExact, !value.isScalar, !value.nests(atMost: LogFormat.valueDepthMax) {
      throw tooLarge("a value that is nested deeper than \(LogFormat.valueDepthMax) is over a limit")
    }
  }

  /// Ends the row and returns its seq.
  ///
  /// - Parameter items: The number that it adds to ``Chunk/items``.
  @inline(__always)
  @discardableResult
  private mutating func endRow(items: Int = 0) -> UInt64 {
    let seq = nextSeq
    nextSeq = seq &+ 1
    chunk.events &+= 1
    chunk.items &+= items
    return seq
  }
}

// MARK: Rows of a fixed size

/// The rows that a session stages most often, each written at once in fewer than 100 instructions.
///
/// If a row needs more than that, or must be refused, they return false and stage nothing; the caller then
/// uses the functions above, which do the rest or throw the reason. Ids must be valid in this epoch, and
/// there is no origin. Nothing here throws, because an error that is made in the same function would take
/// room on the stack for every row. Nothing here calls a non-mutating method of the stage either, because in
/// unoptimized builds such a call copies the stage.
extension Stage {
  @inline(__always)
  mutating func setQuickly(
    _ path: LogWriter.LoggedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) -> Bool {
    guard path.epoch == tableEpoch.number, Self.isBefore(nextSeq, cause) else { return false }
    let last = lastTime
    var row = head(
      EventKind.set.code(EventFlags(sameValue: sameValue)), time: time, cause: cause, site: 0)
    row.put(varint: UInt64(path.staged))
    if case .int(let number) = value {
      row.put(ValueTag.int)
      row.put(varint: Zigzag.encode(number))
    } else if !row.putShort(value) {
      lastTime = last
      return false
    }
    end(row, items: 1)
    return true
  }

  /// Stages an invalidation by one event, which is also its cause.
  @inline(__always)
  mutating func invalidateQuickly(_ projection: StagedName, by cause: UInt64, time: UInt64) -> Bool {
    guard projection.epoch == tableEpoch.number, Self.isBefore(nextSeq, cause) else { return false }
    var row = head(EventKind.invalidate.code(), time: time, cause: cause, site: 0)
    row.put(varint: UInt64(projection.staged))
    row.put(1)
    row.put(varint: nextSeq &- cause)
    end(row, items: 1)
    return true
  }

  @inline(__always)
  mutating func evaluateQuickly(
    _ projection: StagedName, duration: UInt64, comparing: UInt64, _ flags: EventFlags, time: UInt64,
    cause: UInt64?
  ) -> Bool {
    guard projection.epoch == tableEpoch.number, Self.isBefore(nextSeq, cause) else { return false }
    var row = head(EventKind.evaluate.code(flags), time: time, cause: cause, site: 0)
    row.put(varint: UInt64(projection.staged))
    row.put(varint: timeUnit.duration(duration))
    row.put(varint: comparing == 0 ? 0 : timeUnit.duration(comparing))
    end(row, items: 0)
    return true
  }

  @inline(__always)
  private mutating func end(_ row: RowPointer, items: Int) {
    chunk.rows.end(row)
    endRow(items: items)
  }
}
