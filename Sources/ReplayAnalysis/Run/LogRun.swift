import EventLog
import Invalidation

/// What a run provides besides the rows. Each option costs time per row, so an analysis requests only what it
/// uses.
package struct RunNeeds: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The results of the invalidation core: ``LogRun/hits`` and ``LogRun/root(of:)``.
  package static let hits = RunNeeds(rawValue: 1)
  /// The latest quarter of a million events: ``LogRun/entry(_:)`` and what uses it.
  package static let lookback = RunNeeds(rawValue: 2)
  /// The projections that live, without their reads: ``LogRun/registry``.
  package static let lives = RunNeeds(rawValue: 4)
  /// The projections that live, with their reads. Includes the state, in which reads are resolved.
  package static let reads = RunNeeds(rawValue: 8 | 4 | 16)
  /// The state: ``LogRun/state``.
  package static let state = RunNeeds(rawValue: 16)
  /// The names of reads: ``LogRun/name(ofRead:)``, from the state as long as the events fit it. Costs nothing
  /// extra with `.hits` or `.state`.
  package static let names = RunNeeds(rawValue: 64)
  /// Ids of projections that stay valid for the whole run. Memory then grows with every name.
  package static let lastingProjections = RunNeeds(rawValue: 32)
}

extension RunNeeds {
  /// The options that need a state in ``LogRun``.
  fileprivate static let folds: RunNeeds = [.state, .names]
  /// The options for which rows are applied to the state or the registry.
  fileprivate static let carriedOut: RunNeeds = [.lives, .state, .names]
}

/// One pass over a log: its rows one by one, and with each row what was requested.
///
/// State and registry are those before the row. Paths and projections are ids, which ``tables`` maps to
/// names. An unreadable event ends the run, and `log.damage` describes the reason.
///
/// A run cannot be copied implicitly, since copying its tables by mistake would cost as much as the pass; see
/// ``fork()``. It is not passed by value either, because it holds an existential (the progress); without one,
/// each call of a getter from another module copied two kilobytes. For the same reason some functions that
/// change nothing are `mutating`, here and in the parts of a run: within a mutating function, a nonmutating
/// call copies the struct that it is made on.
package struct LogRun: ~Copyable {
  package let log: LogSource
  /// Maps the ids to names.
  package private(set) var tables: RunTables
  /// The projections that live before the row.
  private(set) var registry: ProjectionRegistry
  let progress: AnalysisProgress
  private let needs: RunNeeds
  private var cursor: RowCursor
  private var timeline: LogTimeline
  private var fold: StateFold
  /// The epoch of the path ids in the state.
  private var epoch: UInt32 = 0
  /// The last `dispose`, and its projection.
  private var lastEnd: (seq: UInt64, projection: ProjectionID)?
  /// Whether the row is still to be applied to the state and the registry.
  private var isAhead = false
  private var recent = RecentRing<RecentRow>(keeping: 1 << 18)
  /// The groups under which paths and projections are counted.
  private(set) var groups = RunGroups()
  private var readNames = ReadNames()
  /// The projections whose reads are kept; nil for all.
  private var readersKept: ProjectionMap<Bool>?
  private let firstSeq: UInt64
  private let total: UInt64

  /// - Parameters:
  ///   - pathsMax: As for ``RunTables``.
  ///   - projectionsKept: As for ``RunTables``; more events than ``entry(_:)`` remembers.
  package init(
    _ log: LogSource, _ needs: RunNeeds, pathsMax: Int = 1 << 18, projectionsKept: UInt64 = 1 << 19,
    progress: AnalysisProgress = .hidden
  ) {
    self.log = log
    // In the middle of a session, a state that began empty would assign other ids to objects.
    self.needs = log.base == nil && log.firstSeq > 1 ? needs.subtracting(.names) : needs
    self.progress = progress
    let kept = needs.contains(.lastingProjections) ? nil : projectionsKept
    tables = RunTables(pathsMax: pathsMax, projectionsKept: kept)
    cursor = RowCursor(log)
    registry = ProjectionRegistry()
    timeline = LogTimeline(limits: log.limits)
    fold = StateFold(limits: log.limits)
    if let base = log.base {
      if needs.contains(.hits) { timeline = LogTimeline(resuming: base, &tables, limits: log.limits) }
      if needs.contains(.lives) { registry = ProjectionRegistry(base, &tables) }
      if !needs.isDisjoint(with: .folds) { fold = base }
    }
    fold.forgetKeys()
    firstSeq = log.firstSeq
    total = UInt64(log.eventCount)
  }

  /// An independent run that continues from here. Cost: the tables are copied when one of the two adds to
  /// them.
  func fork() -> LogRun { LogRun(copying: self) }

  private init(copying other: borrowing LogRun) {
    log = other.log
    tables = other.tables
    registry = other.registry
    progress = other.progress
    needs = other.needs
    cursor = other.cursor
    timeline = other.timeline.copy()
    fold = other.fold
    epoch = other.epoch
    isAhead = other.isAhead
    recent = other.recent
    groups = other.groups
    readNames = other.readNames
    readersKept = other.readersKept
    lastEnd = other.lastEnd
    firstSeq = other.firstSeq
    total = other.total
  }

  /// Advances to the next row. Returns false at the end.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it, and `CancellationError` if the
  ///   result is no longer wanted.
  @inline(__always)
  package mutating func next() throws -> Bool {
    if isAhead { try carryOut() }
    guard cursor.next(&tables) else {
      progress.finish()
      try checkFit()
      try checkNames()
      return false
    }
    if cursor.row.seq & 4095 == 0 { try look() }
    isAhead = !needs.isDisjoint(with: .carriedOut)
    if needs.contains(.lookback) {
      recent.append(
        cursor.row.seq,
        RecentRow(
          cause: cursor.row.cause, kind: cursor.row.kind, path: cursor.path, projection: cursor.projection))
    }
    if needs.contains(.hits) { try derive() }
    return true
  }

  /// Reports the progress, and checks whether to continue.
  @inline(never)
  private func look() throws {
    progress.report(cursor.row.seq - firstSeq, of: total, "replaying \(log.path)")
    if log.isWanted() { return }
    progress.finish()
    throw CancellationError()
  }

  /// Passes the row to the timeline. It does not use ``RowCursor/apply(to:_:)``, which would be called on a
  /// copy of the cursor.
  @inline(__always)
  private mutating func derive() throws {
    do throws(StateError) {
      let isApplied = try timeline.apply(
        cursor.row.kind, seq: cursor.row.seq, cause: cursor.row.cause, strand: cursor.row.origin.strand,
        path: cursor.path, projection: cursor.projection, value: cursor.row.value,
        isSameValue: cursor.row.isSameValue)
      if !isApplied { try deriveRest() }
    } catch {
      progress.finish()
      throw AnalysisError(log, .misfit(seq: cursor.row.seq, error))
    }
  }

  private mutating func deriveRest() throws(StateError) { try cursor.applyRest(to: &timeline, tables) }

  /// Applies the row to the state and the registry, which are then those after it. If it is not called,
  /// ``next()`` does this.
  @inline(__always)
  mutating func carryOut() throws {
    if !isAhead { return }
    isAhead = false
    if needs.contains(.lives), cursor.projection != nil { try carryOutLife() }
    if !needs.isDisjoint(with: .folds) { try carryOutWrite() }
  }

  private mutating func carryOutLife() throws {
    guard let projection else { return }
    switch cursor.row.kind.lifeChange {
    case .begins: registry.create(projection, parent: parent, cursor.row.tracking, isMove: isMove)
    case .ends:
      registry.end(projection)
      lastEnd = (cursor.row.seq, projection)
    case nil:
      if cursor.row.kind == .evaluate { registry.countRun(projection) }
      if cursor.row.kind == .reads, needs.contains(.reads), readersKept?[projection] ?? true {
        try carryOutReads(of: projection)
      }
    }
  }

  private mutating func carryOutReads(of projection: ProjectionID) throws {
    do throws(StateError) { try cursor.checkReads() } catch {
      throw AnalysisError(log, .misfit(seq: row.seq, error))
    }
    if let reads = cursor.reads { registry.applyReads(reads, of: projection, &fold) }
    guard let limits = log.limits, registry.pathCount > limits.stateBytes / 192 else { return }
    throw overLimit("the paths that projections read would take over \(limits.stateBytes >> 20) MiB")
  }

  /// Throws if the run has ended because the names of projections take too much memory.
  private func checkNames() throws {
    guard let limits = log.limits, tables.projectionBytes > limits.nameBytes else { return }
    throw overLimit("the names of projections would take over \(limits.nameBytes >> 20) MiB")
  }

  /// The error for a log that takes more at this row than its limits allow.
  func overLimit(_ reason: String) -> AnalysisError {
    AnalysisError(log, .misfit(seq: row.seq, .overLimit(reason)))
  }

  @inline(__always)
  private mutating func carryOutWrite() throws {
    if epoch != tables.epoch {
      epoch = tables.epoch
      fold.forgetKeys()
    }
    if cursor.apply(to: &fold) || cursor.row.seq & 1023 == 0 { try checkFit() }
  }

  /// - Throws: `AnalysisError` if the state is needed and an event did not fit those before it, or if the state takes
  ///   more than the limits allow.
  func checkFit() throws {
    guard let failure = fold.failure, needs.contains(.state) || failure.error.isOverLimit else { return }
    throw AnalysisError(log, .misfit(seq: failure.seq, failure.error))
  }

  // MARK: The row

  /// The current row.
  package var row: EventLog.Row {
    @inline(__always) _read { yield cursor.row }
  }

  /// The path that the row writes.
  package var path: PathID? { @inline(__always) get { cursor.path } }

  /// The projection that the row is about.
  package var projection: ProjectionID? { @inline(__always) get { cursor.projection } }

  /// Whether the row creates a projection that has only moved to another parent: the row before it, which is its
  /// cause, ended the projection. Needs `.lives`.
  var isMove: Bool {
    guard row.kind == .projection, row.cause > 0, let lastEnd else { return false }
    return row.cause == row.seq - 1 && lastEnd.seq == row.cause && lastEnd.projection == projection
  }

  /// Whether the row is no write of the app: the session removes an object that the app has released, or what that refers to.
  var isRelease: Bool {
    guard row.kind == .remove, let path = cursor.path else { return false }
    let place = tables.path(path)
    if case .object = place.root { return place.components.count <= 1 }
    return false
  }

  /// The parent of the projection that the row creates.
  package var parent: ProjectionID? { mutating get { cursor.parent(&tables) } }

  /// The label of a transaction or a mark.
  package var label: String? { cursor.string(row.label) }

  /// The first event of the block that has the row; ids of strings are those of a block.
  var blockSeq: UInt64 { cursor.blockSeq }

  /// The site in the source where the event was made.
  package var site: String? { cursor.string(row.site) }

  /// The paths that the projection reads from now on: all of them, or only the added ones.
  package var readPaths: [PathID] { cursor.readPaths }

  /// The paths that the projection no longer reads, if the row records a change of reads.
  package var droppedPaths: [PathID] { cursor.droppedPaths }

  /// The reads that the row records; nil if it is not a row of kind `reads`.
  var reads: Reads? { cursor.reads }

  /// The readable name of a path of ``readPaths`` or ``droppedPaths``. If the path begins with an object's
  /// id, this is the path that leads to the object now, if there is one. Needs `.names`.
  ///
  /// Cost: a hash, as long as the object cannot have got another name; see ``ReadNames``.
  package mutating func name(ofRead path: PathID) -> PathID {
    if needs.contains(.hits) { return timeline.currentName(of: path, &readNames, &tables) }
    if needs.isDisjoint(with: .folds) || fold.failure != nil { return path }
    return fold.currentName(of: path, &readNames, &tables)
  }

  package var recordedCauses: Causes { @inline(__always) get { cursor.recordedCauses } }

  /// Appends the row as a JSON line, without the line break.
  func print(with printer: inout RowPrinter, to output: inout [UInt8], statesSameValue: Bool) {
    cursor.print(with: &printer, to: &output, statesSameValue: statesSameValue)
  }

  // MARK: Effects of the row

  /// The projections that the row invalidates, according to the invalidation core. Needs `.hits`.
  package var hits: [LogTimeline.Hit] {
    @inline(__always) _read { yield timeline.hits }
  }

  /// The rank of the row's projection in the order of creation. Needs `.hits`.
  var orderOfProjection: UInt64? { projection.flatMap { timeline.order(of: $0) } }

  /// How what the app called the same value or a change differs from what the row recorded, if it does. Needs `.hits`.
  var contradiction: InvalidationCore.Contradiction? { timeline.contradiction }

  /// Passes the row to another timeline, of other rules or other readers.
  @inline(__always)
  mutating func apply(to other: inout LogTimeline) throws(StateError) { try cursor.apply(to: &other, tables) }

  // MARK: The state

  /// Whether the run derives ``hits``, and with them the state.
  var derives: Bool { needs.contains(.hits) }

  /// The value at a path after the row, which writes it; a scalar, or nil. Needs `.hits`, except for a set.
  func valueAfter(_ path: PathID) -> Value? {
    if row.kind == .set { return row.value.isScalar ? row.value : nil }
    return timeline.state.value(at: tables.path(path)).flatMap { $0.isScalar ? $0 : nil }
  }

  /// How many elements the array or the dictionary has that is at a path after the row; nil if there is none. Needs `.hits`.
  func elementCount(at path: Path) -> Int? {
    switch timeline.state.value(at: path) {
    case .array(let elements)?: elements.count
    case .map(let entries)?: entries.count
    default: nil
    }
  }

  /// Whether a property of the object that the row stores is redacted, or a part of it. Needs `.hits`.
  var storesRedacted: Bool {
    guard row.kind == .set, case .reference(let id) = row.value else { return row.value.holdsRedacted }
    return timeline.state.objects[id]?.fields.values.contains { $0.holdsRedacted } ?? false
  }

  /// The state before the row, or after it once ``carryOut()`` was called. Needs `.state`.
  var state: State { fold.state }

  /// Whether the row, which must be a write, would leave every value as it is. Needs `.state`.
  mutating func wouldStaySame() -> Bool {
    if row.kind == .set, let path, epoch == path.epoch, let value = fold.value(at: Int(path.index)) {
      return value == row.value
    }
    guard let body = cursor.writeBody else { return false }
    return fold.state.wouldStaySame(body)
  }

  /// The positions of the reads that the row, which must be a write, concerns. They have the state before the row.
  func positions(touchedIn reads: inout TouchedReads) throws -> [Int] {
    guard let write = cursor.writeBody else { return [] }
    do throws(StateError) { return try reads.positions(touchedBy: write) } catch {
      throw AnalysisError(log, .misfit(seq: row.seq, error))
    }
  }

  /// The number that the next new object would have got before the row. Needs `.hits`.
  var objectsBefore: UInt64 {
    timeline.state.freeObjectID.number - UInt64(timeline.state.newObjects.count)
  }

  // MARK: Earlier events

  /// The root of an event's cause chain, as far back as it is known, and the number of steps to it. Needs
  /// `.hits`.
  @inline(__always)
  package mutating func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    let known = timeline.root(of: seq)
    return known.seq < firstSeq ? root(before: known) : known
  }

  /// Continues a cause chain in the events before a part of a log.
  private func root(before known: (seq: UInt64, depth: Int)) -> (seq: UInt64, depth: Int) {
    let (seq, depth) = log.root(of: known.seq)
    return (seq, known.depth + depth)
  }

  /// A summary of an event; nil if there is none. Cost: reading a block if the event is not recent. Needs
  /// `.lookback`.
  mutating func entry(_ seq: UInt64) -> RecentRow? {
    // An entry from before the path ids started over is looked up again.
    if let known = recent[seq], known.path?.epoch ?? tables.epoch == tables.epoch { return known }
    return old(seq)
  }

  private mutating func old(_ seq: UInt64) -> RecentRow? {
    guard let event = log.event(seq) else { return nil }
    return RecentRow(
      cause: event.cause ?? 0, kind: event.body.kind, path: event.body.writtenPath.map { tables.id(of: $0) },
      projection: event.body.projectionName.map { tables.id(ofProjection: $0) })
  }

  /// The path that an event wrote; nil if it is not a write. Needs `.lookback`.
  package mutating func writtenPath(of seq: UInt64) -> PathID? { entry(seq)?.path }

  /// The unit of a cause: for a recorded invalidation, the event that led to it; else the cause itself. Needs
  /// `.lookback`.
  mutating func unit(_ cause: UInt64) -> UInt64 {
    guard let entry = entry(cause), entry.kind == .invalidate, entry.cause > 0 else { return cause }
    return entry.cause
  }

  /// The units because of which a projection is invalidated: one, but at the end of what a session collected of several actions
  /// the last write of each that has a part in it. The run that follows names the last.
  mutating func units(of hit: LogTimeline.Hit) -> [(seq: UInt64, causes: Causes)] {
    if hit.unit == row.seq || hit.causes.only != nil { return [(hit.unit, hit.causes)] }
    var known: Set = [root(of: hit.unit).seq]
    var units = [(seq: hit.unit, causes: hit.causes)]
    for cause in hit.causes.all.dropLast().reversed() {
      let root = root(of: cause)
      if root.depth > 0, known.insert(root.seq).inserted { units.append((cause, Causes(cause))) }
    }
    return units.reversed()
  }

  /// As ``LogTimeline/Hit/unit``, for the row, which must be a recorded invalidation. Needs `.lookback`.
  mutating func recordedUnit() -> UInt64 {
    let unit = row.cause > 0 ? row.cause : row.seq
    guard row.origin.strand == OpenTransactions.session, let last = recordedCauses.all.last, last < unit,
      entry(unit)?.kind == .end, let write = entry(last), write.cause > 0
    else { return unit }
    return last
  }

  /// Whether an event with this cause is one of the app's own: it has none, or an action. Needs `.lookback`.
  mutating func isOwn(_ cause: UInt64) -> Bool { cause == 0 || entry(cause)?.kind == .action }

  // MARK: Ids

  /// The id of the projection with this name; added if there is none.
  mutating func id(ofProjection name: String) -> ProjectionID { tables.id(ofProjection: name) }

  /// The same, with an id that stays valid for the whole run. For projections that a user asked about.
  mutating func keptID(ofProjection name: String) -> ProjectionID { tables.keptID(ofProjection: name) }

  /// Keeps only the reads of these projections from now on. Their ids must stay valid for the whole run.
  /// Needs `.reads`.
  mutating func keepReads(of projections: [ProjectionID]) {
    var kept = ProjectionMap<Bool>(default: false)
    for projection in projections { kept[projection] = true }
    readersKept = kept
  }

  /// The group under which a path is counted. Cost: an array access; the first time, formatting a text.
  @inline(__always)
  package mutating func group(of path: PathID) -> GroupID<PathID> {
    groups.known(path) ?? findGroup(of: path)
  }

  /// The group under which a projection is counted. Cost: as for a path.
  @inline(__always)
  package mutating func group(of projection: ProjectionID) -> GroupID<ProjectionID> {
    groups.known(projection) ?? findGroup(of: projection)
  }

  // The calls that pass the tables copy them, so they are not inlined into the usual case.
  @inline(never)
  private mutating func findGroup(of path: PathID) -> GroupID<PathID> { groups.find(path, tables) }

  @inline(never)
  private mutating func findGroup(of projection: ProjectionID) -> GroupID<ProjectionID> {
    groups.find(projection, tables)
  }

  /// The group of projections with this name; added if there is none.
  mutating func projectionGroup(called text: String) -> GroupID<ProjectionID> {
    groups.projectionGroup(called: text)
  }

  /// The name of a group.
  package func text(_ group: GroupID<PathID>) -> String { groups.text(group) }

  /// The name of a group.
  package func text(_ group: GroupID<ProjectionID>) -> String { groups.text(group) }

  /// The names of all groups of projections, by the group's index.
  var projectionGroups: [String] { groups.projectionTexts }

  /// The names of all groups of paths, by the group's index.
  var pathGroups: [String] { groups.pathTexts }
}

/// A summary of an earlier event, in 24 bytes.
struct RecentRow {
  /// 0 if there is none.
  let cause: UInt64
  let kind: EventKind
  private let subject: UInt32
  /// The epoch of a path's id, or the use of a projection's id.
  private let epoch: UInt32

  @inline(__always)
  init(cause: UInt64, kind: EventKind, path: PathID?, projection: ProjectionID?) {
    self.cause = cause
    self.kind = kind
    subject = path?.index ?? projection?.index ?? .max
    epoch = path?.epoch ?? projection?.use ?? 0
  }

  /// The path that the event wrote.
  var path: PathID? { kind.isWrite && subject != .max ? PathID(subject, epoch: epoch) : nil }

  /// The projection that the event was about.
  var projection: ProjectionID? {
    kind.isWrite || subject == .max ? nil : ProjectionID(Int(subject), use: epoch)
  }
}
