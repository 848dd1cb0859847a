import EventLog

/// Looks for the nearest event that meets a condition, forwards or backwards.
///
/// Blocks that by the log's index cannot meet any are passed over. Backwards, parts are gone through from their
/// beginning, each twice as long as the one behind it, so that all of them together cost what one pass does.
struct StepSearch {
  struct Found {
    var seq: UInt64
    /// The conditions that are met, by their places.
    var conditions: [Int]
  }

  private let log: LogSource
  private let conditions: [StopCondition]
  private let progress: AnalysisProgress
  private let isInterrupted: () -> Bool
  private let needsState: Bool
  /// For each block whether it may meet a condition.
  private let mayMeet: [Bool]
  private let blocks: [BlockInfo]

  /// - Parameter isInterrupted: Is asked every few thousand events whether to give up.
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

  /// The first event behind this one that meets a condition.
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

  /// The block that holds a seq, or the first behind it, among those that there were when the search was made.
  private func index(of seq: UInt64) -> Int { blocks.firstIndex { $0.endSeq > seq } ?? blocks.count }

  /// Where a run of blocks that may meet a condition ends; short gaps are read along.
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

  /// Gives every event of some blocks, and of what comes before up to where no transaction is open.
  private func scan(_ range: Range<Int>, _ body: (UInt64, [Int]) -> Bool) throws {
    let from = blocks[range.lowerBound].firstSeq
    let part = try log.part(from: from, before: blocks[range.upperBound - 1].endSeq, hasState: needsState)
    var scan = StepScan(part, for: conditions)
    while let met = try scan.next() {
      if scan.seq & 4095 == 0 {
        if isInterrupted() { throw StepError("interrupted at event \(scan.seq.grouped)") }
        progress.note(scan.seq, of: log.lastSeq, "looking through \(log.path)")
      }
      if scan.seq >= from, !body(scan.seq, met) { return }
    }
  }

  private static func candidates(_ log: LogSource, _ conditions: [StopCondition]) -> [Bool] {
    var mayMeet = log.blocks.map { _ in false }
    for condition in conditions {
      guard let offsets = condition.blocks(of: log) else { return log.blocks.map { _ in true } }
      for (place, block) in log.blocks.enumerated() where offsets.contains(block.offset) {
        mayMeet[place] = true
        // What is recorded as woken at the beginning of a block was so by an event before it.
        if condition.needsTimeline, place > 0 { mayMeet[place - 1] = true }
      }
    }
    return mayMeet
  }
}
