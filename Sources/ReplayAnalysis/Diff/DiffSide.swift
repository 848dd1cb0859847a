import EventLog

/// One of the two runs of a comparison, with the position up to which it was read.
struct DiffSide: ~Copyable {
  private var run: LogRun
  private var maker = SignatureMaker()
  private var filter: DiffFilter
  private var tally = DiffTally()
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

  /// An independent copy that goes on from this position, to look ahead.
  func fork() -> DiffSide { DiffSide(copying: self) }

  /// The seq of the current event.
  var seq: UInt64 { run.row.seq }

  /// The ids that the run created, up to this position.
  var ids: FreshIDs { maker.ids }

  /// The counts of the run, up to this position.
  var counts: DiffCounts { tally.counts(run) }

  /// Advances to the next event that is compared; false at the end.
  @inline(__always)
  mutating func next() throws -> Bool {
    while try run.next(), run.row.seq < filter.selection.seqs.upperBound {
      guard filter.passes(run) else {
        // Objects and ids that first appear in an event that is not compared still get their signatures from
        // it.
        if run.path != nil, !run.row.value.isScalar || FreshIDs.mayHold(run.row.value) { sign() }
        continue
      }
      sign()
      tally.add(&run)
      return true
    }
    return false
  }

  @inline(__always)
  private mutating func sign() { signature = maker.signature(of: &run, &filter) }

  /// Throws if a pattern of the selection matches nothing in the log.
  func check() throws { try filter.check(run.log) }
}

/// Selects the events of a run that are compared.
struct DiffFilter {
  private var names: SelectedNames
  private let ignoredPaths: [PathPattern]
  private let ignoredNames: [ProjectionPattern]
  /// Set if only one of the two runs records its timeline.
  private let skipsInvalidations: Bool
  /// Whether each path and each projection is compared; nil if not determined yet.
  private var knownPaths = PathMap<Bool?>(default: nil)
  private var knownProjections = ProjectionMap<Bool?>(default: nil)

  var selection: Selection { names.selection }

  /// Creates a filter. Each pattern to ignore is applied both to paths and to names of projections.
  init(_ selection: Selection, ignoring patterns: [String], skipsInvalidations: Bool) {
    names = SelectedNames(selection)
    ignoredPaths = patterns.compactMap { try? PathPattern(parsing: $0) }
    ignoredNames = patterns.map { ProjectionPattern($0) }
    self.skipsInvalidations = skipsInvalidations
  }

  func check(_ log: LogSource) throws { try names.check(log) }

  /// Whether the run's current row is compared.
  @inline(__always)
  mutating func passes(_ run: borrowing LogRun) -> Bool {
    if run.row.seq < selection.seqs.lowerBound { return false }
    if let path = run.path {
      // The time at which a session releases objects differs from run to run.
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

  /// Whether writes to a path and reads of it are compared.
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

  /// Whether a path, or one that contains it, is ignored.
  func isIgnored(_ path: Path) -> Bool {
    if ignoredPaths.isEmpty { return false }
    var path = path
    while true {
      if ignoredPaths.contains(where: { $0.matches(path) }) { return true }
      if path.components.popLast() == nil { return false }
    }
  }

  /// A value that is written at a path, with null in place of its parts that are ignored.
  func compared(_ value: Value, at path: Path) -> Value {
    if ignoredPaths.isEmpty { return value }
    func part(_ value: Value, _ component: PathComponent) -> Value {
      let path = path.appending(component)
      return ignoredPaths.contains { $0.matches(path) } ? .null : compared(value, at: path)
    }
    func parts(_ fields: NamedValues<Value>) -> NamedValues<Value> {
      NamedValues(uniqueKeysWithValues: fields.map { ($0.key, part($0.value, .property($0.key))) })
    }
    switch value {
    case .map(let fields): return .map(parts(fields))
    case .array(let elements): return .array(elements.enumerated().map { part($1, .index($0)) })
    case .object(var definition):
      definition.fields = parts(definition.fields)
      return .object(definition)
    default: return value
    }
  }

  /// Whether something may be ignored within values.
  var looksIntoValues: Bool { !ignoredPaths.isEmpty }

  /// Whether a difference of the final states at this path is reported: whether the path, or one that
  /// contains it, is selected.
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
  /// Whether it consists of an object's id only.
  fileprivate var isOfWholeObject: Bool {
    if case .object = root { components.isEmpty } else { false }
  }
}
