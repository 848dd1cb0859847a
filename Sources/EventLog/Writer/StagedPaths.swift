/// The paths that a writer has staged, each once, as a step below its parent.
struct StagedPaths {
  /// All paths that events have named.
  private var table = PathTable()
  /// The staged id of each; nil for a path with a step that no log can hold.
  private var ids = DenseMap<PathTable.ID, UInt32?>(default: nil)
  /// How many steps each has below its root, by its staged id.
  private var depths: [UInt8] = []
  /// Distinguishes interned paths of this writer from those of others.
  private let owner = UInt32.random(in: .min ... .max)
  /// The file, for errors.
  private let file: String
  private let isExact: Bool

  /// - Parameter isExact: Whether paths may be as large as a block can hold.
  init(file: String, isExact: Bool) {
    self.file = file
    self.isExact = isExact
  }

  /// How many steps a path has below its root.
  func depth(_ staged: UInt64) -> Int { Int(depths[Int(staged)]) }

  /// Whether this writer interned a path.
  @inline(__always)
  func owns(_ path: LogWriter.InternedPath) -> Bool { path.owner == owner }

  /// Throws `invalidEvent` for a path that another writer interned.
  func check(_ path: LogWriter.InternedPath) throws(LogError) {
    if !owns(path) { throw invalid("the path was interned by the writer of another log") }
  }

  /// A path with its ids. Its row and those of its parents are appended if they are new. Cost: one hash a component.
  mutating func intern(
    _ path: Path, into rows: inout StagingBuffer
  ) throws(LogError) -> LogWriter.InternedPath {
    if path.components.count > Path.maximumDepth {
      throw tooLarge("a path of \(path.components.count) components is over \(Path.maximumDepth)")
    }
    return try intern(table.intern(path), into: &rows)
  }

  /// A path one step below another, with its ids. Cost: one hash.
  mutating func intern(
    _ component: PathComponent, under parent: LogWriter.InternedPath, into rows: inout StagingBuffer
  ) throws(LogError) -> LogWriter.InternedPath {
    try intern(table.intern(component, under: parent.id), into: &rows)
  }

  private mutating func intern(
    _ id: PathTable.ID, into rows: inout StagingBuffer
  ) throws(LogError) -> LogWriter.InternedPath {
    var staged = ids[id]
    if staged == nil { staged = try define(id, in: &rows) }
    return LogWriter.InternedPath(staged: staged ?? 0, id: id, owner: owner)
  }

  /// Stages a path, and before it those of its parents that are new.
  private mutating func define(_ id: PathTable.ID, in rows: inout StagingBuffer) throws(LogError) -> UInt32 {
    var new = [id]
    var above: UInt32?
    while above == nil, case .step(let parent, _) = table[new[new.count - 1]] {
      above = ids[parent]
      if above == nil { new.append(parent) }
    }
    var staged: UInt32 = 0
    for id in new.reversed() {
      staged = try define(table[id], under: above, in: &rows)
      ids[id] = staged
      above = staged
    }
    return staged
  }

  private mutating func define(
    _ entry: PathTable.Entry, under parent: UInt32?, in rows: inout StagingBuffer
  ) throws(LogError) -> UInt32 {
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
      depth = self.depth(UInt64(above)) + 1
      if depth > Path.maximumDepth { throw tooLarge("a path is deeper than \(Path.maximumDepth) components") }
      try append(component, under: above, to: &row)
    }
    rows.append(raw: row.bytes[..<row.count])
    depths.append(UInt8(depth))
    return UInt32(depths.count - 1)
  }

  private func append(
    _ component: PathComponent, under parent: UInt32, to row: inout StagingBuffer
  ) throws(LogError) {
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
      _ = StagedValue.append(value, to: &id, isExact: isExact)
      if !isExact, id.count > StageLimit.nameBytesMax {
        throw tooLarge("an id in a path is over \(StageLimit.nameBytesMax) bytes")
      }
      row.append(id.bytes[..<id.count])
    case .count: start(PathCode.count)
    case .order: start(PathCode.order)
    case .exists: start(PathCode.exists)
    }
  }

  private func check(_ name: String, _ what: String) throws(LogError) {
    if !isExact, !name.isRecordable {
      throw tooLarge("\(what) of \(name.utf8.count) bytes is over \(StageLimit.nameBytesMax)")
    }
  }

  private func invalid(_ message: String) -> LogError { LogError(unrecorded: .invalidEvent, file, message) }

  private func tooLarge(_ message: String) -> LogError { LogError(unrecorded: .tooLarge, file, message) }
}
