import Algorithms
import EventLog
import Invalidation

/// A condition on events that a search looks for.
enum EventCondition {
  /// A projection is invalidated.
  case invalidated(ProjectionPattern)
  /// A projection runs.
  case run(ProjectionPattern)
  /// A projection is created, and has not only moved to another parent.
  case created(ProjectionPattern)
  /// A path that matches is written by that name, to any value.
  case write(PathPattern)
  /// A mark is set.
  case mark

  /// Whether invalidations must be derived to test the condition.
  var needsTimeline: Bool { if case .invalidated = self { true } else { false } }

  /// The offsets of the blocks that may contain a matching event; nil if any may.
  func blocks(of log: LogSource) -> Set<UInt64>? {
    switch self {
    case .run(let pattern), .created(let pattern): offsets(log.reader.blocks(naming: pattern.matches))
    case .invalidated(let pattern):
      // Without recorded invalidations, any block may contain one.
      log.recordsTimeline ? offsets(log.reader.blocks(naming: pattern.matches)) : nil
    case .write(let pattern): offsets(log.reader.blocks(writing: pattern))
    case .mark: nil
    }
  }

  private func offsets(_ blocks: [BlockInfo]) -> Set<UInt64> { Set(blocks.map(\.offset)) }
}

extension LogSource {
  /// The last event before this one that meets one of the conditions.
  func last(_ conditions: EventCondition..., before seq: UInt64, progress: AnalysisProgress) throws -> UInt64?
  {
    try retried { try EventSearch(self, for: conditions, progress: progress).previous(before: seq) }
  }

  /// The first event after this one that meets a condition.
  func next(_ condition: EventCondition, after seq: UInt64, progress: AnalysisProgress) throws -> UInt64? {
    try retried { try EventSearch(self, for: [condition], progress: progress).next(after: seq) }
  }

  /// Whether the session recorded its invalidations.
  fileprivate var recordsTimeline: Bool { (reader.totals()?.events["invalidate"] ?? 0) > 0 }
}

/// Looks for the nearest event that meets one of some conditions, forwards or backwards.
///
/// Blocks that, by the log's index, contain no such event are skipped. A backward search reads ranges of
/// blocks forwards, each range twice as long as the one after it in the log, so that all of them together
/// cost about one pass.
private struct EventSearch {
  private let log: LogSource
  private let conditions: [EventCondition]
  private let progress: AnalysisProgress
  /// For each block, whether it may contain an event that meets a condition.
  private let mayMeet: [Bool]
  private let blocks: [BlockInfo]

  init(_ log: LogSource, for conditions: [EventCondition], progress: AnalysisProgress) {
    self.log = log
    self.conditions = conditions
    self.progress = progress
    mayMeet = Self.candidates(log, conditions)
    blocks = log.blocks
  }

  /// The first event after this one that meets a condition.
  func next(after seq: UInt64) throws -> UInt64? {
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
  func previous(before seq: UInt64) throws -> UInt64? {
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

  private func first(in blocks: Range<Int>, after seq: UInt64) throws -> UInt64? {
    var found: UInt64?
    try scan(blocks) { at, isMet in
      if at > seq, isMet { found = at }
      return found == nil
    }
    return found
  }

  private func last(in blocks: Range<Int>, before seq: UInt64) throws -> UInt64? {
    var found: UInt64?
    try scan(blocks) { at, isMet in
      if at >= seq { return false }
      if isMet { found = at }
      return true
    }
    return found
  }

  /// Visits every event of some blocks, until the body returns false. Reading may begin earlier, where no
  /// transaction is open.
  private func scan(_ range: Range<Int>, _ body: (UInt64, Bool) -> Bool) throws {
    let from = blocks[range.lowerBound].firstSeq
    let needsTimeline = conditions.contains(where: \.needsTimeline)
    let part = try log.part(from: from, before: blocks[range.upperBound - 1].endSeq, hasState: needsTimeline)
    var run = LogRun(part, needsTimeline ? .hits : [])
    var tests = conditions.map { ConditionTest($0) }
    while try run.next() {
      let seq = run.row.seq
      if seq & 4095 == 0 { progress.report(seq, of: log.lastSeq, "looking through \(log.path)") }
      var isMet = false
      for index in tests.indices where tests[index].isMet(by: run) { isMet = true }
      if seq >= from, !body(seq, isMet) { return }
    }
  }

  private static func candidates(_ log: LogSource, _ conditions: [EventCondition]) -> [Bool] {
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

/// Tells which rows of a pass meet a condition.
private struct ConditionTest {
  private let condition: EventCondition
  /// Whether a projection or a path matches, by id; nil if not determined yet.
  private var projections = ProjectionMap<Bool?>(default: nil)
  private var paths = PathMap<Bool?>(default: nil)

  init(_ condition: EventCondition) { self.condition = condition }

  mutating func isMet(by run: borrowing LogRun) -> Bool {
    switch condition {
    case .write(let pattern):
      return run.path.map { isMeant($0, pattern, run.tables) } ?? false
    case .run(let pattern):
      guard run.row.kind == .evaluate, let projection = run.projection else { return false }
      return isMeant(projection, pattern, run.tables)
    case .created(let pattern):
      guard run.row.kind == .projection, let projection = run.projection else { return false }
      // The cause of a move is the end before it. What else was created so only looks like a move.
      let mayBeMove = run.row.cause > 0 && run.row.cause == run.row.seq - 1
      return !mayBeMove && isMeant(projection, pattern, run.tables)
    case .invalidated(let pattern):
      for hit in run.hits where isMeant(hit.projection, pattern, run.tables) { return true }
      return false
    case .mark: return run.row.kind == .mark
    }
  }

  private mutating func isMeant(_ path: PathID, _ pattern: PathPattern, _ tables: RunTables) -> Bool {
    if let isMeant = paths[path] { return isMeant }
    let isMeant = pattern.matches(tables.path(path))
    paths[path] = isMeant
    return isMeant
  }

  private mutating func isMeant(
    _ projection: ProjectionID, _ pattern: ProjectionPattern, _ tables: RunTables
  ) -> Bool {
    if let isMeant = projections[projection] { return isMeant }
    let isMeant = pattern.matches(tables.name(projection))
    projections[projection] = isMeant
    return isMeant
  }
}
