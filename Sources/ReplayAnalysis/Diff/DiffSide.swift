import EventLog

/// One of two runs that are compared, as it is gone through.
struct DiffSide: ~Copyable {
  private var run: LogRun
  private var maker = SignatureMaker()
  private var filter: DiffFilter
  private var tally = DiffTally()
  /// What the last event says.
  private(set) var signature = EventSignature()

  init(_ log: LogSource, _ filter: DiffFilter) {
    run = LogRun(log, .names)
    self.filter = filter
  }

  private init(copying other: borrowing DiffSide) {
    run = other.run.fork()
    maker = other.maker
    filter = other.filter
    tally = other.tally
    signature = other.signature
  }

  /// A side that goes on from here by itself, to look ahead.
  func fork() -> DiffSide { DiffSide(copying: self) }

  /// The number of the last event.
  var seq: UInt64 { run.row.seq }

  /// The ids that it made, as far as it was gone through.
  var ids: FreshIDs { maker.ids }

  /// What it did so far.
  var counts: DiffCounts { tally.counts(run) }

  /// Goes on to the next event that is compared; false at the end.
  @inline(__always)
  mutating func next() throws -> Bool {
    while try run.next(), run.row.seq < filter.selection.seqs.upperBound {
      guard filter.passes(run) else {
        // Objects and ids that are met in it are known by it all the same.
        if run.path != nil, !run.row.value.isScalar || FreshIDs.mayHold(run.row.value) { note() }
        continue
      }
      note()
      tally.add(&run)
      return true
    }
    return false
  }

  @inline(__always)
  private mutating func note() { signature = maker.signature(of: &run, &filter) }

  /// Refuses a selection that names nothing in the log.
  func check() throws { try filter.check(run.log) }
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
  private var knownProjections = ProjectionMap<Bool?>(default: nil)

  var selection: Selection { names.selection }

  /// What to ignore are patterns of paths, and of projections.
  init(_ selection: Selection, ignoring patterns: [String], skipsInvalidations: Bool) {
    names = SelectedNames(selection)
    ignoredPaths = patterns.compactMap { try? PathPattern(parsing: $0) }
    ignoredNames = patterns.map { ProjectionPattern($0) }
    self.skipsInvalidations = skipsInvalidations
  }

  func check(_ log: LogSource) throws { try names.check(log) }

  /// Whether the last row of a run is compared.
  @inline(__always)
  mutating func passes(_ run: borrowing LogRun) -> Bool {
    if run.row.seq < selection.seqs.lowerBound { return false }
    if let path = run.path {
      // When a session lets go of released objects differs from run to run.
      if run.row.kind == .remove, run.tables.path(path).isOfWholeObject { return false }
      return (selection.projection == nil || selection.path != nil) && passes(path: path, run.tables)
    }
    if let projection = run.projection {
      if run.row.kind == .invalidate, skipsInvalidations { return false }
      return (selection.path == nil || selection.projection != nil)
        && passes(projection: projection, run.tables)
    }
    return selection.path == nil && selection.projection == nil
  }

  /// Whether a path counts among those that are compared.
  @inline(__always)
  mutating func passes(path: PathID, _ tables: borrowing RunTables) -> Bool {
    if let passes = knownPaths[path] { return passes }
    return find(path: path, tables)
  }

  private mutating func find(path: PathID, _ tables: borrowing RunTables) -> Bool {
    var passes = names.passes(path: path, tables)
    if passes, !ignoredPaths.isEmpty { passes = !isIgnored(tables.path(path)) }
    knownPaths[path] = passes
    return passes
  }

  @inline(__always)
  private mutating func passes(projection: ProjectionID, _ tables: borrowing RunTables) -> Bool {
    if let passes = knownProjections[projection] { return passes }
    return find(projection: projection, tables)
  }

  private mutating func find(projection: ProjectionID, _ tables: borrowing RunTables) -> Bool {
    var passes = names.passes(projection: projection, tables)
    if passes, !ignoredNames.isEmpty {
      let text = tables.name(projection)
      passes = !ignoredNames.contains { $0.matches(text) }
    }
    knownProjections[projection] = passes
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

extension Path {
  /// Whether it is the number of an object, and no more.
  fileprivate var isOfWholeObject: Bool {
    if case .object = root { components.isEmpty } else { false }
  }
}
