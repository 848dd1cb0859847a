import Algorithms
import EventLog
import Invalidation

/// Looks for the nearest event that meets a condition, forwards or backwards.
///
/// Blocks that, by the log's index, contain no such event are skipped. A backward search reads ranges of
/// blocks forwards, each range twice as long as the one after it in the log, so that all of them together
/// cost about one pass.
struct EventSearch {
  struct Found {
    var seq: UInt64
    /// The indices of the conditions that the event meets.
    var conditions: [Int]
  }

  private let log: LogSource
  private let conditions: [StopCondition]
  private let progress: AnalysisProgress
  private let isInterrupted: () -> Bool
  private let needsState: Bool
  /// For each block, whether it may contain an event that meets a condition.
  private let mayMeet: [Bool]
  private let blocks: [BlockInfo]

  /// - Parameter isInterrupted: Called every few thousand events; the search stops if it returns true.
  init(
    _ log: LogSource, for conditions: [StopCondition], progress: AnalysisProgress,
    isInterrupted: @escaping () -> Bool
  ) {
    self.log = log
    self.conditions = conditions
    self.progress = progress
    self.isInterrupted = isInterrupted
    needsState = conditions.contains { $0.needsTimeline || $0.watched != nil }
    mayMeet = Self.candidates(log, conditions)
    blocks = log.blocks
  }

  /// The first event after this one that meets a condition.
  func next(after seq: UInt64) throws -> Found? {
    defer { progress.finish() }
    var block = index(of: seq + 1)
    while let first = mayMeet[min(block, mayMeet.count)...].firstIndex(of: true) {
      let end = self.end(of: first, atMost: mayMeet.count)
      if let found = try self.first(in: first..<end, after: seq) { return found }
      block = end
    }
    return nil
  }

  /// The last event before this one that meets a condition.
  func previous(before seq: UInt64) throws -> Found? {
    defer { progress.finish() }
    var end = min(index(of: seq) + 1, mayMeet.count)
    var length = 1
    while let last = mayMeet[..<end].lastIndex(of: true) {
      let start = max(0, last + 1 - length)
      if let found = try self.last(in: start..<last + 1, before: seq) { return found }
      end = start
      length *= 2
    }
    return nil
  }

  /// The index of the block that holds a seq, or of the first after it, among the blocks known when the
  /// search was created.
  private func index(of seq: UInt64) -> Int { blocks.partitioningIndex { $0.endSeq > seq } }

  /// The end of a range of blocks to read at once. Gaps of up to 15 other blocks are read too.
  private func end(of first: Int, atMost limit: Int) -> Int {
    var end = first + 1
    while let next = mayMeet[end..<min(end + 16, limit)].firstIndex(of: true) { end = next + 1 }
    return end
  }

  private func first(in blocks: Range<Int>, after seq: UInt64) throws -> Found? {
    var found: Found?
    try scan(blocks) { at, met in
      if at > seq, !met.isEmpty { found = Found(seq: at, conditions: met) }
      return found == nil
    }
    return found
  }

  private func last(in blocks: Range<Int>, before seq: UInt64) throws -> Found? {
    var found: Found?
    try scan(blocks) { at, met in
      if at >= seq { return false }
      if !met.isEmpty { found = Found(seq: at, conditions: met) }
      return true
    }
    return found
  }

  /// Visits every event of some blocks, until the body returns false. Reading may begin earlier, where no
  /// transaction is open.
  private func scan(_ range: Range<Int>, _ body: (UInt64, [Int]) -> Bool) throws {
    let from = blocks[range.lowerBound].firstSeq
    let part = try log.part(from: from, before: blocks[range.upperBound - 1].endSeq, hasState: needsState)
    var scan = EventScan(part, for: conditions)
    while let met = try scan.next() {
      if scan.seq & 4095 == 0 {
        if isInterrupted() { throw StepError("interrupted at event \(scan.seq.grouped)") }
        progress.report(scan.seq, of: log.lastSeq, "looking through \(log.path)")
      }
      if scan.seq >= from, !body(scan.seq, met) { return }
    }
  }

  private static func candidates(_ log: LogSource, _ conditions: [StopCondition]) -> [Bool] {
    var mayMeet = log.blocks.map { _ in false }
    for condition in conditions {
      guard let offsets = condition.blocks(of: log) else { return log.blocks.map { _ in true } }
      for (index, block) in log.blocks.enumerated() where offsets.contains(block.offset) {
        mayMeet[index] = true
        // An invalidation recorded at the beginning of a block may follow from an event in the block before.
        if condition.needsTimeline, index > 0 { mayMeet[index - 1] = true }
      }
    }
    return mayMeet
  }
}

extension LogSource {
  /// The last event before this one that meets one of the conditions.
  func last(_ conditions: StopCondition..., before seq: UInt64, progress: AnalysisProgress) throws -> UInt64?
  {
    try retried {
      try EventSearch(self, for: conditions, progress: progress) { false }.previous(before: seq)?.seq
    }
  }

  /// The first event after this one that meets a condition.
  func next(_ condition: StopCondition, after seq: UInt64, progress: AnalysisProgress) throws -> UInt64? {
    try retried {
      try EventSearch(self, for: [condition], progress: progress) { false }.next(after: seq)?.seq
    }
  }
}

/// Reads a part of a log, and determines which conditions each row meets.
private struct EventScan: ~Copyable {
  private let conditions: [StopCondition]
  private var run: LogRun
  /// A core whose only readers are the watched paths; a reader's id is the index of its condition.
  ///
  /// Each write is a unit of its own here. So a change that a transaction takes back is found too, and so is
  /// a write to the slot by another path.
  private var watch = LogTimeline()
  private let isWatching: Bool
  /// For each condition, whether a projection or a path matches it, by id; nil if not determined yet.
  private var projections: [ProjectionMap<Bool?>]
  private var paths: [PathMap<Bool?>]

  init(_ part: LogSource, for conditions: [StopCondition]) {
    self.conditions = conditions
    run = LogRun(part, conditions.contains(where: \.needsTimeline) ? .hits : [])
    projections = conditions.map { _ in ProjectionMap(default: nil) }
    paths = conditions.map { _ in PathMap(default: nil) }
    isWatching = conditions.contains { $0.watched != nil }
    guard isWatching else { return }
    watch = LogTimeline(part.base?.state ?? State(), limits: part.limits)
    for index in conditions.indices { follow(index) }
  }

  /// Makes the watch read what the path of a condition leads to now, and each reference on the way, so that it can be
  /// followed again once one of them has changed.
  private mutating func follow(_ index: Int) {
    guard let path = conditions[index].watched else { return }
    let state = watch.state
    var reads: [Path] = []
    var end = Path(root: path.root)
    for component in path.components {
      if component != .exists, let object = state.reference(at: end) {
        reads.append(end)
        end = Path(root: .object(object))
      }
      end = end.appending(component)
    }
    reads.append(end)
    // A root stands for everything in its object.
    if path.components.isEmpty, let object = state.reference(at: end) {
      reads.append(Path(root: .object(object)))
    }
    watch.setReads(reads, of: ProjectionID(index))
  }

  /// The seq of the current event.
  var seq: UInt64 { run.row.seq }

  /// Advances to the next event and returns the indices of the conditions that it meets; nil at the end.
  mutating func next() throws -> [Int]? {
    guard try run.next() else { return nil }
    let isWatched = isWatching && run.row.kind.isWrite
    if isWatched { try applyToWatch() }
    var met: [Int] = []
    for index in conditions.indices where isMet(index, isWatched) { met.append(index) }
    return met
  }

  private mutating func applyToWatch() throws {
    do throws(StateError) {
      try run.apply(to: &watch)
    } catch {
      throw StepError("event \(seq) does not fit the events before it: \(error)")
    }
    for hit in watch.hits { follow(Int(hit.projection.index)) }
  }

  private mutating func isMet(_ index: Int, _ isWatched: Bool) -> Bool {
    switch conditions[index] {
    case .change: isWatched && watch.hits.contains { $0.projection == ProjectionID(index) }
    case .write(let pattern): writes(index, pattern)
    case .run(let pattern): runs(index, pattern)
    case .created(let pattern): creates(index, pattern)
    case .woken(let pattern): wakes(index, pattern)
    case .woke(let pattern): wakes(index, pattern) || runs(index, pattern)
    case .mark(let label): run.row.kind == .mark && (label == nil || label == run.label)
    }
  }

  private mutating func writes(_ index: Int, _ pattern: PathPattern) -> Bool {
    guard let path = run.path else { return false }
    if let isMeant = paths[index][path] { return isMeant }
    let isMeant = pattern.matches(run.tables.path(path))
    paths[index][path] = isMeant
    return isMeant
  }

  private mutating func runs(_ index: Int, _ pattern: ProjectionPattern) -> Bool {
    guard run.row.kind == .evaluate, let projection = run.projection else { return false }
    return isMeant(projection, index, pattern)
  }

  private mutating func creates(_ index: Int, _ pattern: ProjectionPattern) -> Bool {
    guard run.row.kind == .projection, let projection = run.projection else { return false }
    // The cause of a move is the end before it. What else was created so only looks like a move.
    let mayBeMove = run.row.cause > 0 && run.row.cause == run.row.seq - 1
    return !mayBeMove && isMeant(projection, index, pattern)
  }

  private mutating func wakes(_ index: Int, _ pattern: ProjectionPattern) -> Bool {
    for hit in run.hits where isMeant(hit.projection, index, pattern) { return true }
    return false
  }

  private mutating func isMeant(
    _ projection: ProjectionID, _ index: Int, _ pattern: ProjectionPattern
  ) -> Bool {
    if let isMeant = projections[index][projection] { return isMeant }
    let isMeant = pattern.matches(run.tables.name(projection))
    projections[index][projection] = isMeant
    return isMeant
  }
}

extension State {
  /// The object to which the value at a path refers; nil for a path that consists of an object alone.
  fileprivate func reference(at path: Path) -> ObjectID? {
    if path.components.isEmpty, case .object = path.root { return nil }
    guard case .reference(let object)? = value(at: path) else { return nil }
    return object
  }
}
