/// The paths that a writer has staged since its tables last started over, each stored once as a step below
/// its parent.
///
/// The staged id of a path is its id in the table.
struct StagedPaths {
  private var table = PathTable()
  /// The number of steps below the root, by path id.
  private var depths: [UInt8] = []
  /// The size in bytes of the rows that define them.
  private(set) var bytes = 0
  /// The last path that was looked up, and the ids of its root and first steps, because the next path often
  /// begins alike.
  private var last = Path(root: .named(""))
  private var lastIDs: [PathTable.ID] = []
  private var lastCount = 0
  /// The path of the file, for errors.
  private let file: String
  private let isExact: Bool

  /// - Parameter isExact: Whether paths may be as large as a block can hold.
  init(file: String, isExact: Bool) {
    self.file = file
    self.isExact = isExact
  }

  /// The number of paths.
  var count: Int { depths.count }

  /// The path with a staged id. Cost: linear in its depth.
  func path(_ staged: UInt64) -> Path { table.path(PathTable.ID(index: Int32(staged))) }

  /// The number of steps that a path has below its root.
  func depth(_ staged: UInt64) -> Int { Int(depths[Int(staged)]) }

  /// Removes all paths. The next path gets the first id.
  mutating func removeAll() {
    table = PathTable()
    depths = []
    bytes = 0
    lastCount = 0
  }

  /// The id of a path. Appends the rows of the path and its parents if they are new. Cost: one hash a
  /// component, or a comparison as long as it begins like the path before.
  mutating func intern(_ path: Path, into rows: inout StagingBuffer) throws(LogError) -> UInt32 {
    if path.components.count > Path.maximumDepth {
      throw tooLarge("a path of \(path.components.count) components is over \(Path.maximumDepth)")
    }
    let shared = sharedCount(with: path)
    // Drop the ids of the old path that the new one does not share, in case adding the new one fails.
    lastCount = shared
    lastIDs.removeLast(lastIDs.count - shared)
    if shared == 0 { lastIDs.append(try intern(.root(path.root), into: &rows)) }
    var id = lastIDs[lastIDs.count - 1]
    for component in path.components[(lastIDs.count - 1)...] {
      id = try intern(.step(parent: id, component), into: &rows)
      lastIDs.append(id)
    }
    last = path
    lastCount = lastIDs.count
    return UInt32(id.index)
  }

  /// The number of ids of the last path that the beginning of another path shares.
  private func sharedCount(with path: Path) -> Int {
    guard lastCount > 0, last.root == path.root else { return 0 }
    let end = min(lastCount - 1, path.components.count)
    for step in 0..<end where last.components[step] != path.components[step] { return step + 1 }
    return end + 1
  }

  /// The id of the path one step below another. Cost: one hash.
  mutating func intern(
    _ component: PathComponent, under parent: UInt32, into rows: inout StagingBuffer
  ) throws(LogError) -> UInt32 {
    let parent = PathTable.ID(index: Int32(parent))
    return UInt32(try intern(.step(parent: parent, component), into: &rows).index)
  }

  private mutating func intern(
    _ entry: PathTable.Entry, into rows: inout StagingBuffer
  ) throws(LogError) -> PathTable.ID {
    let hash = entry.hashValue
    if let known = table.find(entry, hash) { return known }
    try define(entry, in: &rows)
    return table.add(entry, hash)
  }

  private mutating func define(
    _ entry: PathTable.Entry, in rows: inout StagingBuffer
  ) throws(LogError) {
    let start = rows.count
    let depth: Int
    do throws(LogError) { depth = try append(entry, to: &rows) } catch {
      rows.truncate(to: start)
      throw error
    }
    bytes += rows.count - start
    depths.append(UInt8(depth))
  }

  /// Appends the row that defines a path; on an error a part of it may have been appended. Returns the depth
  /// of the path.
  private func append(_ entry: PathTable.Entry, to rows: inout StagingBuffer) throws(LogError) -> Int {
    rows.append(StagedCode.path)
    switch entry {
    case .root(.named(let name)):
      try check(name, "the name of a root")
      rows.append(PathCode.namedRoot)
      rows.append(name)
      return 0
    case .root(.object(let id)):
      rows.append(PathCode.objectRoot)
      rows.append(varint: id.number)
      return 0
    case .step(let parent, let component):
      let depth = self.depth(UInt64(parent.index)) + 1
      if depth > Path.maximumDepth { throw tooLarge("a path is deeper than \(Path.maximumDepth) components") }
      try append(component, under: UInt32(parent.index), to: &rows)
      return depth
    }
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
      _ = StagedValue.append(value, to: &id)
      if !isExact, id.count > LogFormat.nameBytesMax {
        throw tooLarge("an id in a path is over \(LogFormat.nameBytesMax) bytes")
      }
      row.append(bytesOf: id)
    case .count: start(PathCode.count)
    case .order: start(PathCode.order)
    case .exists: start(PathCode.exists)
    }
  }

  private func check(_ name: String, _ what: String) throws(LogError) {
    if !isExact, !name.isRecordable {
      throw tooLarge("\(what) of \(name.utf8.count) bytes is over \(LogFormat.nameBytesMax)")
    }
  }

  private func invalid(_ message: String) -> LogError { LogError(unrecorded: .invalidEvent, file, message) }

  private func tooLarge(_ message: String) -> LogError { LogError(unrecorded: .tooLarge, file, message) }
}
