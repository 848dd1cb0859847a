/// Paths as a chunk has them: each is defined once, below the one it is a step from.
extension Stage {
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
}
