/// What the threads that append share, under one lock: the open chunk and the ids it may refer to.
struct Stage {
  private(set) var chunk = Chunk()
  /// The seq of the next event.
  private(set) var nextSeq: UInt64
  /// The session's paths, by their id in its table.
  private var sessionPaths = StagedPaths()
  /// Paths of events that came whole, by their id in `table`.
  private var ownPaths = StagedPaths()
  private var table = PathTable()
  /// Staged ids of paths that were defined, and how deep each path is.
  private var depths: [UInt8] = []
  private var names: [ExactString: UInt32] = [:]
  private var lastTime: UInt64 = 0
  /// Who makes the event of the next row, if that is to be kept.
  private var origin: StagedOrigin?
  private var rowItems = 0
  /// The file, for errors.
  let path: String
  /// What tells the interned paths of this writer from those of another.
  let owner = UInt32.random(in: .min ... .max)

  init(path: String, nextSeq: UInt64 = 1) {
    self.path = path
    self.nextSeq = nextSeq
  }

  func invalid(_ message: String) -> LogError {
    LogError(.invalidEvent, path: path, message: "\(message); the event was not recorded")
  }

  func tooLarge(_ message: String) -> LogError {
    LogError(.tooLarge, path: path, message: "\(message); the event was not recorded")
  }

  // MARK: Rows

  /// Starts the row of the next event. Definitions it needs must have been staged before.
  @inline(__always)
  mutating func beginRow(_ code: UInt8, time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError) {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(code, delta, distance, site.map { UInt64($0) + 1 } ?? 0)
  }

  /// The whole row of a set of an integer, as ``beginRow(_:time:cause:site:)`` and what comes behind it make it.
  @inline(__always)
  mutating func setInt(
    _ path: UInt64, _ value: Int64, _ code: UInt8, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let (delta, distance) = try startRow(time, cause)
    let site = site.map { UInt64($0) + 1 } ?? 0
    chunk.rows.append(code, delta, distance, site, path, ValueTag.int, Zigzag.encode(value))
    rowItems = 1
    return endRow()
  }

  /// The whole row of an event that takes two numbers.
  @inline(__always)
  mutating func row(
    _ code: UInt8, _ first: UInt64, _ second: UInt64, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(code, delta, distance, site.map { UInt64($0) + 1 } ?? 0, first, second)
    return endRow()
  }

  /// The whole row of an invalidation by the one event that is also its cause.
  @inline(__always)
  mutating func invalidation(_ projection: UInt64, by cause: UInt64, time: UInt64) throws(LogError) -> UInt64
  {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(EventCode.invalidate, delta, distance, 0, projection, 1, distance)
    rowItems = 1
    return endRow()
  }

  /// What a row says of its time and its cause.
  @inline(__always)
  private mutating func startRow(
    _ time: UInt64, _ cause: UInt64?
  ) throws(LogError) -> (delta: UInt64, distance: UInt64) {
    var distance: UInt64 = 0
    if let cause {
      guard cause > 0, cause < nextSeq else {
        throw invalid("cause \(cause) of event \(nextSeq) is not before it")
      }
      distance = nextSeq - cause
    }
    if chunk.events == 0 {
      chunk.firstSeq = nextSeq
      chunk.baseTime = time
      lastTime = time
    }
    rowItems = 0
    if let origin { chunk.rows.append(origin) }
    let delta = Zigzag.encode(Int64(bitPattern: time &- lastTime))
    lastTime = time
    return (delta, distance)
  }

  @inline(__always)
  mutating func put(_ number: UInt64) { chunk.rows.append(varint: number) }

  @inline(__always)
  mutating func put(_ value: Value) { rowItems += StagedValue.append(value, to: &chunk.rows) }

  /// A text that is not worth an id of its own.
  mutating func put(label: String) { chunk.rows.append(label) }

  mutating func putList<T>(_ list: [T], _ number: (T) -> UInt64) {
    chunk.rows.append(varint: UInt64(list.count))
    for element in list { chunk.rows.append(varint: number(element)) }
    rowItems += list.count
  }

  /// Ends the row and returns its seq.
  @inline(__always)
  mutating func endRow() -> UInt64 {
    let seq = nextSeq
    nextSeq += 1
    chunk.events += 1
    chunk.items += rowItems
    return seq
  }

  /// Gives the chunk away and starts another, in a buffer that was used before if there is one.
  mutating func takeChunk(reusing spare: [UInt8]?) -> Chunk {
    var taken = Chunk()
    swap(&taken, &chunk)
    if taken.events == 0 { taken.firstSeq = nextSeq }
    if let spare { chunk.rows = StagingBuffer(reusing: spare) }
    return taken
  }

  // MARK: Names

  /// Appends rows that say who made them.
  mutating func withOrigin<T>(
    _ origin: StagedOrigin?, _ body: (inout Stage) throws(LogError) -> T
  ) throws(LogError) -> T {
    self.origin = origin
    defer { self.origin = nil }
    return try body(&self)
  }

  /// The staged names of an origin. Cost: a hash of each text.
  mutating func origin(_ origin: Origin) throws(LogError) -> StagedOrigin {
    var staged = StagedOrigin()
    if let thread = origin.thread { staged.thread = UInt64(try name(thread)) + 1 }
    if let task = origin.task { staged.task = UInt64(try name(task)) + 1 }
    if let stack = origin.stack { staged.stack = UInt64(try name(stack)) + 1 }
    return staged
  }

  /// The staged id of a name, defined if it is new. Cost: one hash.
  mutating func name(_ name: String) throws(LogError) -> UInt32 {
    if let id = names[ExactString(name)] { return id }
    try check(name, "a name")
    let id = UInt32(names.count)
    names[ExactString(name)] = id
    chunk.rows.append(StagedCode.name)
    chunk.rows.append(name)
    return id
  }

  func check(_ text: String, _ what: String) throws(LogError) {
    if text.utf8.count > StageLimit.nameBytesMax {
      throw tooLarge("\(what) of \(text.utf8.count) bytes is over \(StageLimit.nameBytesMax)")
    }
  }

  func check(name: UInt32?) throws(LogError) {
    if let name, name >= names.count { throw invalid("name \(name) was never defined") }
  }

  // MARK: Paths

  /// The staged id of a path of the session's table. Cost: one array access, once it is defined.
  @inline(__always)
  mutating func path(_ id: PathTable.ID, in table: PathTable) throws(LogError) -> UInt64 {
    if let staged = sessionPaths[id] { return UInt64(staged) }
    return UInt64(try define(id, in: table, \.sessionPaths))
  }

  /// The staged id of a path. Cost: one hash a component.
  mutating func path(_ path: Path) throws(LogError) -> UInt64 {
    if path.components.count > Path.maximumDepth {
      throw tooLarge("a path of \(path.components.count) components is over \(Path.maximumDepth)")
    }
    return UInt64(try staged(table.intern(path)))
  }

  private mutating func staged(_ id: PathTable.ID) throws(LogError) -> UInt32 {
    if let staged = ownPaths[id] { return staged }
    return try define(id, in: table, \.ownPaths)
  }

  /// A path with its number.
  mutating func interned(_ path: Path) throws(LogError) -> LogWriter.InternedPath {
    let staged = UInt32(try self.path(path))
    return LogWriter.InternedPath(staged: staged, id: table.intern(path), owner: owner)
  }

  /// A path one step below another, with its number. Cost: one hash.
  mutating func interned(
    _ component: PathComponent, under parent: LogWriter.InternedPath
  ) throws(LogError) -> LogWriter.InternedPath {
    let id = table.intern(component, under: parent.id)
    return LogWriter.InternedPath(staged: try staged(id), id: id, owner: owner)
  }

  func depth(_ staged: UInt64) -> Int { Int(depths[Int(staged)]) }

  private mutating func define(
    _ id: PathTable.ID, in table: PathTable, _ ids: WritableKeyPath<Stage, StagedPaths>
  ) throws(LogError) -> UInt32 {
    // Parents first; the chain is as long as the part of the path that is new.
    var chain: [PathTable.ID] = []
    var above: UInt32?
    var next: PathTable.ID? = id
    while let id = next {
      above = self[keyPath: ids][id]
      if above != nil { break }
      chain.append(id)
      if case .step(let parent, _) = table[id] { next = parent } else { next = nil }
    }
    for id in chain.reversed() {
      above = try define(table[id], under: above)
      self[keyPath: ids][id] = above
    }
    return above ?? 0
  }

  private mutating func define(_ entry: PathTable.Entry, under parent: UInt32?) throws(LogError) -> UInt32 {
    var row = StagingBuffer(room: 64)
    row.append(StagedCode.path)
    var depth = 0
    switch entry {
    case .root(.named(let name)):
      try check(name, "the name of a root")
      row.append(PathCode.namedRoot)
      row.append(name)
    case .root(.object(let id)):
      row.append(PathCode.objectRoot)
      row.append(varint: id.number)
    case .step(_, let component):
      let above = parent ?? 0
      depth = Int(depths[Int(above)]) + 1
      if depth > Path.maximumDepth { throw tooLarge("a path is deeper than \(Path.maximumDepth) components") }
      try append(component, under: above, to: &row)
    }
    chunk.rows.append(raw: row.bytes[..<row.count])
    depths.append(UInt8(depth))
    return UInt32(depths.count - 1)
  }

  private func append(_ component: PathComponent, under parent: UInt32, to row: inout StagingBuffer)
    throws(LogError)
  {
    func start(_ code: UInt8) {
      row.append(code)
      row.append(varint: UInt64(parent))
    }
    switch component {
    case .property(let name), .key(let name):
      try check(name, "a component of a path")
      if case .key = component { start(PathCode.key) } else { start(PathCode.property) }
      row.append(name)
    case .index(let index):
      if index < 0 { throw invalid("the index \(index) in a path is negative") }
      start(PathCode.index)
      row.append(varint: Zigzag.encode(Int64(index)))
    case .id(let value):
      if !value.canBeID { throw invalid("the id of an element in a path is not a scalar") }
      start(PathCode.id)
      var id = StagingBuffer()
      _ = StagedValue.append(value, to: &id)
      if id.count > StageLimit.nameBytesMax {
        throw tooLarge("an id in a path is over \(StageLimit.nameBytesMax) bytes")
      }
      row.append(id.bytes[..<id.count])
    case .count: start(PathCode.count)
    case .order: start(PathCode.order)
    case .exists: start(PathCode.exists)
    }
  }
}

/// An ``Origin`` by staged names: their ids plus 1, or 0.
package struct StagedOrigin: Hashable, Sendable {
  var thread: UInt64 = 0
  var task: UInt64 = 0
  var stack: UInt64 = 0
}

extension StagingBuffer {
  fileprivate mutating func append(_ origin: StagedOrigin) {
    append(StagedCode.origin)
    append(varint: origin.thread)
    append(varint: origin.task)
    append(varint: origin.stack)
  }
}

/// Staged ids by the ids of one path table.
struct StagedPaths {
  private var ids: [UInt32] = []
  private static let none = UInt32.max

  @inline(__always)
  subscript(id: PathTable.ID) -> UInt32? {
    get {
      let index = Int(id.index)
      guard index < ids.count, ids[index] != Self.none else { return nil }
      return ids[index]
    }
    set {
      let index = Int(id.index)
      while index >= ids.count { ids.append(Self.none) }
      ids[index] = newValue ?? Self.none
    }
  }
}
