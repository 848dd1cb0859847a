import EventLog

/// One of two runs that are compared, as it is gone through.
struct DiffSide {
  private var cursor: RowCursor
  private var tables = RunTables()
  private var maker = SignatureMaker()
  private var filter: DiffFilter
  /// What it did so far.
  private(set) var counts = DiffCounts()
  /// What the last event says.
  private(set) var signature = EventSignature()

  init(_ log: LogSource, _ filter: DiffFilter) {
    cursor = RowCursor(log)
    self.filter = filter
  }

  /// The number of the last event.
  var seq: UInt64 { cursor.row.seq }

  /// Goes on to the next event that is compared; false at the end.
  @inline(__always)
  mutating func next() -> Bool {
    while cursor.next(&tables), cursor.row.seq < filter.selection.seqs.upperBound {
      guard filter.passes(&cursor, &tables) else {
        // Objects that are met in it are known by it all the same.
        if cursor.path != nil, !cursor.row.value.isScalar { note() }
        continue
      }
      note()
      counts.add(&cursor, &tables)
      return true
    }
    return false
  }

  @inline(__always)
  private mutating func note() { signature = maker.signature(of: &cursor, &tables, &filter) }

  /// Refuses a selection that names nothing in the log.
  func check() throws { try filter.check(cursor.log) }
}

/// Which events of two runs are compared.
struct DiffFilter {
  private var names: SelectedNames
  private let ignoredPaths: [PathPattern]
  private let ignoredNames: [ProjectionPattern]
  /// Where only one of two runs records its timeline.
  private let skipsInvalidations: Bool
  /// Whether each is compared; nil where that was not asked yet.
  private var knownPaths = PathMap<Bool?>(default: nil)
  private var knownNames = DenseMap<Int, Bool?>(default: nil)

  var selection: Selection { names.selection }

  /// What to ignore are patterns of paths, and of projections.
  init(_ selection: Selection, ignoring patterns: [String], skipsInvalidations: Bool) {
    names = SelectedNames(selection)
    ignoredPaths = patterns.compactMap { try? PathPattern(parsing: $0) }
    ignoredNames = patterns.map { ProjectionPattern($0) }
    self.skipsInvalidations = skipsInvalidations
  }

  func check(_ log: LogSource) throws { try names.check(log) }

  /// Whether the row of a cursor is compared.
  @inline(__always)
  mutating func passes(_ cursor: inout RowCursor, _ tables: inout RunTables) -> Bool {
    if cursor.row.seq < selection.seqs.lowerBound { return false }
    if let path = cursor.path {
      return (selection.projection == nil || selection.path != nil) && passes(path: path, tables)
    }
    if let name = cursor.name(&tables) {
      if cursor.row.kind == .invalidate, skipsInvalidations { return false }
      return (selection.path == nil || selection.projection != nil) && passes(name: name, tables)
    }
    return selection.path == nil && selection.projection == nil
  }

  /// Whether a path counts among those that are compared.
  @inline(__always)
  mutating func passes(path: Int, _ tables: borrowing RunTables) -> Bool {
    if let passes = knownPaths[path, tables.generation] { return passes }
    return find(path: path, tables)
  }

  private mutating func find(path: Int, _ tables: borrowing RunTables) -> Bool {
    var passes = names.passes(path: path, tables)
    if passes, !ignoredPaths.isEmpty { passes = !isIgnored(tables.paths.path(path)) }
    knownPaths[path, tables.generation] = passes
    return passes
  }

  @inline(__always)
  private mutating func passes(name: Int, _ tables: borrowing RunTables) -> Bool {
    if let passes = knownNames[name] { return passes }
    return find(name: name, tables)
  }

  private mutating func find(name: Int, _ tables: borrowing RunTables) -> Bool {
    var passes = names.passes(projection: name, tables)
    if passes, !ignoredNames.isEmpty {
      let text = tables.names[name]
      passes = !ignoredNames.contains { $0.matches(text) }
    }
    knownNames[name] = passes
    return passes
  }

  /// Whether a place, or one that it lies in, is ignored.
  func isIgnored(_ path: Path) -> Bool {
    if ignoredPaths.isEmpty { return false }
    var path = path
    while true {
      if ignoredPaths.contains(where: { $0.matches(path) }) { return true }
      if path.components.popLast() == nil { return false }
    }
  }

  /// Whether a place that differs in the end is told: it, or one that it lies in, is selected.
  func tells(_ path: Path) -> Bool {
    if isIgnored(path) { return false }
    if selection.projection != nil, selection.path == nil { return false }
    guard let pattern = selection.path else { return true }
    var path = path
    while !pattern.matches(path) { if path.components.popLast() == nil { return false } }
    return true
  }
}
