import EventLog
import Invalidation

/// What a run keeps beside the row. Each costs time a row, so an analysis asks for what it uses.
package struct RunNeeds: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// What the invalidation core derives: ``LogRun/hits`` and ``LogRun/root(of:)``.
  package static let hits = RunNeeds(rawValue: 1)
  /// The latest quarter of a million events: ``LogRun/entry(_:)`` and what rests on it.
  package static let lookback = RunNeeds(rawValue: 2)
  /// The projections that live: ``LogRun/registry``, without what they read.
  package static let lives = RunNeeds(rawValue: 4)
  /// The projections that live, and what they read; with the state, by which reads are bound.
  package static let reads = RunNeeds(rawValue: 8 | 4 | 16)
  /// The state: ``LogRun/state``.
  package static let state = RunNeeds(rawValue: 16)
  /// The names of what is read: ``LogRun/name(ofRead:)``, from the state as far as the events fit it. Nothing more where
  /// there are hits or the state.
  package static let names = RunNeeds(rawValue: 64)
  /// Ids of projections that hold for as long as the run: memory then grows with every name.
  package static let lastingProjections = RunNeeds(rawValue: 32)
}

extension RunNeeds {
  /// Each of them has the state in the fold.
  fileprivate static let folds: RunNeeds = [.state, .names]
  /// Each of them has what rows are carried out on.
  fileprivate static let carriedOut: RunNeeds = [.lives, .state, .names]
}

/// One pass over a log: its rows one by one, and beside each what was asked for.
///
/// State and registry are those before the row. Paths and projections are ids, of which ``tables`` tells what they
/// stand for. What cannot be read ends the run; `log.damage` then says what. A run cannot be copied, since a copy by
/// mistake of its tables would cost as much as the pass; see ``fork()``. Nor is it passed by value, since it holds an
/// existential (that of the progress): without one, a call of a getter from another module copied two kilobytes.
package struct LogRun: ~Copyable {
  package let log: LogSource
  /// What the ids stand for.
  package private(set) var tables: RunTables
  /// The projections that live before the row.
  private(set) var registry: ProjectionRegistry
  let progress: AnalysisProgress
  private let needs: RunNeeds
  private var cursor: RowCursor
  private var timeline: LogTimeline
  private var fold: StateFold
  /// The epoch of the paths in the fold.
  private var epoch: UInt32 = 0
  /// Whether the row is still to be carried out on state and registry.
  private var isAhead = false
  private var recent = RecentRing<RecentRow>(keeping: 1 << 18)
  /// What paths and projections are counted under.
  private(set) var groups = RunGroups()
  private var readNames = ReadNames()
  /// The projections whose reads are kept; nil for all.
  private var readersKept: ProjectionMap<Bool>?
  private let firstSeq: UInt64
  private let total: UInt64

  /// - Parameters:
  ///   - pathsMax: As that of ``RunTables``.
  ///   - projectionsKept: Likewise; more than is remembered of events.
  package init(
    _ log: LogSource, _ needs: RunNeeds, pathsMax: Int = 1 << 18, projectionsKept: UInt64 = 1 << 19,
    progress: AnalysisProgress = .hidden
  ) {
    self.log = log
    // From the middle of a session, objects have other numbers in a state that began empty.
    self.needs = log.base == nil && log.firstSeq > 1 ? needs.subtracting(.names) : needs
    self.progress = progress
    let kept = needs.contains(.lastingProjections) ? nil : projectionsKept
    tables = RunTables(pathsMax: pathsMax, projectionsKept: kept)
    cursor = RowCursor(log)
    registry = ProjectionRegistry()
    timeline = LogTimeline()
    fold = StateFold()
    if let base = log.base {
      if needs.contains(.hits) { timeline = LogTimeline(resuming: base, &tables) }
      if needs.contains(.lives) { registry = ProjectionRegistry(base, &tables) }
      if !needs.isDisjoint(with: .folds) { fold = base }
    }
    fold.forgetKeys()
    firstSeq = log.firstSeq
    total = UInt64(log.eventCount)
  }

  /// A run that goes on from here by itself. Cost: the tables are copied when one of the two adds to them.
  func fork() -> LogRun { LogRun(copying: self) }

  private init(copying other: borrowing LogRun) {
    log = other.log
    tables = other.tables
    registry = other.registry
    progress = other.progress
    needs = other.needs
    cursor = other.cursor
    timeline = other.timeline
    fold = other.fold
    epoch = other.epoch
    isAhead = other.isAhead
    recent = other.recent
    groups = other.groups
    readNames = other.readNames
    readersKept = other.readersKept
    firstSeq = other.firstSeq
    total = other.total
  }

  /// Goes on to the next row; false at the end.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it, and `CancellationError` where nobody wants to
  ///   know any more.
  @inline(__always)
  package mutating func next() throws -> Bool {
    if isAhead { try carryOut() }
    guard cursor.next(&tables) else {
      progress.finish()
      try checkFit()
      return false
    }
    if cursor.row.seq & 4095 == 0 { try look() }
    isAhead = !needs.isDisjoint(with: .carriedOut)
    if needs.contains(.lookback) {
      recent.note(
        cursor.row.seq,
        RecentRow(
          cause: cursor.row.cause, kind: cursor.row.kind, path: cursor.path, projection: cursor.projection))
    }
    if needs.contains(.hits) { try derive() }
    return true
  }

  /// Says how far it has come, and asks whether to go on.
  @inline(never)
  private func look() throws {
    progress.note(cursor.row.seq - firstSeq, of: total, "replaying \(log.path)")
    if log.isWanted() { return }
    progress.finish()
    throw CancellationError()
  }

  /// Lets the timeline take in the row; not by ``RowCursor/apply(to:_:)``, which would be called on a copy of the cursor.
  @inline(__always)
  private mutating func derive() throws {
    do throws(StateError) {
      let isTaken = try timeline.take(
        cursor.row.kind, seq: cursor.row.seq, cause: cursor.row.cause, path: cursor.path,
        projection: cursor.projection, value: cursor.row.value, isSameValue: cursor.row.isSameValue)
      if !isTaken { try deriveRest() }
    } catch {
      progress.finish()
      throw AnalysisError(log, .misfit(seq: cursor.row.seq, error))
    }
  }

  private mutating func deriveRest() throws(StateError) { try cursor.applyRest(to: &timeline, tables) }

  /// Carries out the row on state and registry, which are then those after it. The next row does it where nobody did.
  @inline(__always)
  mutating func carryOut() throws {
    if !isAhead { return }
    isAhead = false
    if needs.contains(.lives), cursor.projection != nil { carryOutLife() }
    if !needs.isDisjoint(with: .folds) { try carryOutWrite() }
  }

  private mutating func carryOutLife() {
    guard let projection else { return }
    switch cursor.row.kind.lifeChange {
    case .begins: registry.create(projection, parent: parent, cursor.row.tracking)
    case .ends: registry.end(projection)
    case nil:
      if cursor.row.kind == .evaluate { registry.noteRun(projection) }
      if cursor.row.kind == .reads, needs.contains(.reads), readersKept?[projection] ?? true {
        carryOutReads(of: projection)
      }
    }
  }

  private mutating func carryOutReads(of projection: ProjectionID) {
    if cursor.row.isChangeOfReads, let reads = cursor.reads {
      registry.noteReads(reads, of: projection, &fold)
    } else {
      registry.noteReads(cursor.readPaths, of: projection, tables)
    }
  }

  @inline(__always)
  private mutating func carryOutWrite() throws {
    if epoch != tables.epoch {
      epoch = tables.epoch
      fold.forgetKeys()
    }
    cursor.apply(to: &fold)
    if cursor.row.kind != .set || cursor.row.seq & 1023 == 0 { try checkFit() }
  }

  /// - Throws: `AnalysisError` when an event did not fit those before it. That is looked for now and then; a caller that
  ///   must know it at once asks here.
  func checkFit() throws {
    guard needs.contains(.state), let failure = fold.failure else { return }
    throw AnalysisError(log, .misfit(seq: failure.seq, failure.error))
  }

  // MARK: The row

  /// The last row.
  package var row: EventLog.Row {
    @inline(__always) _read { yield cursor.row }
  }

  /// The path that it writes.
  package var path: PathID? { @inline(__always) get { cursor.path } }

  /// The projection that it is about.
  package var projection: ProjectionID? { @inline(__always) get { cursor.projection } }

  /// The parent of the projection that it creates.
  package var parent: ProjectionID? { mutating get { cursor.parent(&tables) } }

  /// The label of a transaction or a mark.
  package var label: String? { cursor.string(row.label) }

  /// Where in the source the event was made.
  package var site: String? { cursor.string(row.site) }

  /// The paths that a projection reads from now on: all of them, or those that it reads besides.
  package var readPaths: [PathID] { cursor.readPaths }

  /// The paths that a projection reads no longer, where the row says what it reads besides.
  package var droppedPaths: [PathID] { cursor.droppedPaths }

  /// What the row says of what a projection reads; nil if it is none of `reads`.
  var reads: Reads? { cursor.reads }

  /// What a path of ``readPaths`` or ``droppedPaths`` is called for people: where the row calls an object by its number,
  /// by the path that leads there now, if one does. Needs `.names`.
  ///
  /// Cost: a hash, as long as the object cannot have got another name; see ``ReadNames``.
  package mutating func name(ofRead path: PathID) -> PathID {
    // Paths that are followed are called as they were recorded.
    if !cursor.row.isChangeOfReads { return path }
    if needs.contains(.hits) { return timeline.currentName(of: path, &readNames, &tables) }
    if needs.isDisjoint(with: .folds) || fold.failure != nil { return path }
    return fold.currentName(of: path, &readNames, &tables)
  }

  /// What an invalidation was recorded to have been caused by.
  package var recordedCauses: Causes { @inline(__always) get { cursor.recordedCauses } }

  /// Adds the row as a JSON line, without the line break.
  func print(with printer: inout RowPrinter, to output: inout [UInt8], statesSameValue: Bool) {
    cursor.print(with: &printer, to: &output, statesSameValue: statesSameValue)
  }

  // MARK: What it does

  /// The projections that the row was found to put out of date. Needs `.hits`.
  package var hits: [LogTimeline.Hit] {
    @inline(__always) _read { yield timeline.hits }
  }

  /// Lets a timeline of other rules, or of other readers, take in the row.
  @inline(__always)
  func apply(to other: inout LogTimeline) throws(StateError) { try cursor.apply(to: &other, tables) }

  /// Lets a check of the log take in the row.
  @inline(__always)
  mutating func apply(to check: inout LogCheckPass) throws { try cursor.apply(to: &check, &tables) }

  /// Ends a check of the log.
  mutating func finish(_ check: inout LogCheckPass) throws(LogError) -> LogCheck { try check.finish(&tables) }

  // MARK: The state

  /// The state before the row, after ``carryOut()`` behind it. Needs `.state`.
  var state: State { fold.state }

  /// Whether the row, which is a write, would leave every value as it is. Needs `.state`.
  mutating func wouldStaySame() -> Bool {
    if row.kind == .set, let path, epoch == path.epoch, let value = fold.value(at: Int(path.index)) {
      return value == row.value
    }
    guard let body = cursor.writeBody else { return false }
    return fold.state.wouldStaySame(body)
  }

  // MARK: Earlier events

  /// The event that began the chain of causes that led to this one, as far back as is remembered, and how many steps
  /// away it is. Needs `.hits`.
  @inline(__always)
  package func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    let known = timeline.root(of: seq)
    return known.seq < firstSeq ? root(before: known) : known
  }

  /// Goes on to what lies before a part of a log.
  private func root(before known: (seq: UInt64, depth: Int)) -> (seq: UInt64, depth: Int) {
    let (seq, depth) = log.root(of: known.seq)
    return (seq, known.depth + depth)
  }

  /// An event in short; nil where there is none. Cost: a block where it was long ago. Needs `.lookback`.
  mutating func entry(_ seq: UInt64) -> RecentRow? {
    // What was noted before the ids of paths started over is looked up again.
    if let known = recent[seq], known.path?.epoch ?? tables.epoch == tables.epoch { return known }
    return old(seq)
  }

  private mutating func old(_ seq: UInt64) -> RecentRow? {
    guard let event = log.event(seq) else { return nil }
    return RecentRow(
      cause: event.cause ?? 0, kind: event.body.kind, path: event.body.writtenPath.map { tables.id(of: $0) },
      projection: event.body.projectionName.map { tables.id(ofProjection: $0) })
  }

  /// The path that an event wrote; nil where it wrote none. Needs `.lookback`.
  package mutating func writtenPath(of seq: UInt64) -> PathID? { entry(seq)?.path }

  /// The event that a cause stands for: a recorded invalidation stands for what it was found after. Needs `.lookback`.
  mutating func unit(_ cause: UInt64) -> UInt64 {
    guard let entry = entry(cause), entry.kind == .invalidate, entry.cause > 0 else { return cause }
    return entry.cause
  }

  // MARK: Ids

  /// The id of a projection, new if need be.
  mutating func id(ofProjection name: String) -> ProjectionID { tables.id(ofProjection: name) }

  /// The id of a projection that is asked for by name: it holds as long as the run.
  mutating func keptID(ofProjection name: String) -> ProjectionID { tables.keptID(ofProjection: name) }

  /// Keeps from now on only what these projections read, which are known by ids that hold as long as the run. Needs
  /// `.reads`.
  mutating func keepReads(of projections: [ProjectionID]) {
    var kept = ProjectionMap<Bool>(default: false)
    for projection in projections { kept[projection] = true }
    readersKept = kept
  }

  /// What a path is counted under.
  @inline(__always)
  package mutating func group(of path: PathID) -> GroupID<PathID> { groups.group(of: path, tables) }

  /// What a projection is counted under.
  @inline(__always)
  package mutating func group(of projection: ProjectionID) -> GroupID<ProjectionID> {
    groups.group(of: projection, tables)
  }

  /// The group of projections that is called so, new if need be.
  mutating func projectionGroup(called text: String) -> GroupID<ProjectionID> {
    groups.projectionGroup(called: text)
  }

  /// What a group is called.
  package func text(_ group: GroupID<PathID>) -> String { groups.text(group) }

  /// What a group is called.
  package func text(_ group: GroupID<ProjectionID>) -> String { groups.text(group) }

  /// What the groups are called, by the number of the group.
  var projectionGroups: [String] { groups.projectionTexts }

  /// What the groups are called, by the number of the group.
  var pathGroups: [String] { groups.pathTexts }
}

/// What an earlier event of a run was, in short: 24 bytes.
struct RecentRow {
  /// 0 where there is none.
  let cause: UInt64
  let kind: EventKind
  private let subject: UInt32
  /// Of a path's id the epoch, of a projection's the use.
  private let epoch: UInt32

  @inline(__always)
  init(cause: UInt64, kind: EventKind, path: PathID?, projection: ProjectionID?) {
    self.cause = cause
    self.kind = kind
    subject = path?.index ?? projection?.index ?? .max
    epoch = path?.epoch ?? projection?.use ?? 0
  }

  /// The path that it wrote.
  var path: PathID? { kind.isWrite && subject != .max ? PathID(subject, epoch: epoch) : nil }

  /// The projection that it was about.
  var projection: ProjectionID? {
    kind.isWrite || subject == .max ? nil : ProjectionID(Int(subject), use: epoch)
  }
}
