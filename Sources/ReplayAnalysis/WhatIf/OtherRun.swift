import EventLog
import Invalidation

/// Thrown by a prediction that needs what the run derives, and whose run does not.
struct NeedsDerivation: Error {}

/// A run as it would be under rules that change what is written, read or tracked: which projections are out of date, beside
/// the runs of the log's present flush.
///
/// Predictions whose rules differ only in which runs are left out share one, since it takes most of their time and memory.
struct OtherRun: ~Copyable {
  private(set) var flush: FlushRuns
  private(set) var lives = OtherLives()
  private(set) var timeline: OtherTimeline
  private(set) var followers = Followers()
  private(set) var wholeReads = WholeReads()
  /// The projections that it invalidated since they last ran.
  private(set) var outOfDate = ProjectionSet()
  /// For each run of the flush, whether the projection was in ``outOfDate``.
  private(set) var wasOutOfDate: [Bool] = []
  /// For each run of the flush that is over, whether it or one within it made a difference.
  private(set) var changedWithin: [Bool] = []
  /// Whether the runs of the flush that is over are counted.
  private(set) var isCounting = true
  private let rules: WhatIfRules
  /// The events whose runs are counted.
  private let seqs: Range<UInt64>
  /// Whether an input rule applies to each projection; nil if not determined yet.
  private var handed = ProjectionMap<Bool?>(default: nil)

  /// - Parameter derives: Whether the run derives the invalidations, and with them the state, which takes as long as the other
  ///   timeline. If not, those that the log has are taken.
  init(_ rules: WhatIfRules, counting seqs: Range<UInt64>, derives: Bool) {
    self.rules = rules
    self.seqs = seqs
    flush = FlushRuns(takingRecorded: !derives)
    timeline = OtherTimeline(rules)
  }

  mutating func begin(_ run: inout LogRun) {
    flush.begin(run)
    lives = OtherLives(&run)
    timeline.begin(&run, &lives)
  }

  /// Takes in the run's current row. Returns true if it is a recorded run, which is then the flush's last entry.
  ///
  /// - Throws: `AnalysisError` when the row does not fit those before it under the rules, and ``NeedsDerivation``.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws -> Bool {
    let isEvaluation = flush.observe(&run)
    lives.observe(&run)
    do throws(StateError) {
      try timeline.apply(&run, &lives)
    } catch {
      throw unfollowed(error, run)
    }
    if timeline.leftOut.lacksState { throw NeedsDerivation() }
    timeline.join(&outOfDate, among: lives.haveRun)
    if rules.wantsElements { wholeReads.apply(&run, timeline.hits, lives) }
    guard isEvaluation, let projection = run.projection else { return false }
    wasOutOfDate.append(outOfDate.contains(projection))
    outOfDate.remove(projection)
    if !rules.inputs.isEmpty { applyInput(projection, run.tables) }
    return true
  }

  private mutating func applyInput(_ projection: ProjectionID, _ tables: borrowing RunTables) {
    if handed[projection] == nil {
      handed[projection] = timeline.applyInput(
        tables.name(projection), hasParent: lives[projection].parent != nil)
    }
  }

  /// Whether an input rule applies to a projection.
  func isHandedInput(_ projection: ProjectionID) -> Bool { handed[projection] == true }

  // MARK: Writes that only the rules make

  /// Whether the rules make writes before the current row.
  @inline(__always)
  func isBehind(_ run: inout LogRun) -> Bool {
    timeline.isUnitOver(before: &run) || timeline.leftOut.nextDue <= run.row.time
  }

  /// Ends the unit of joined writes, if it is over.
  ///
  /// - Parameter isAtEnd: Whether no row follows.
  mutating func endUnit(_ run: inout LogRun, isAtEnd: Bool) throws {
    guard isAtEnd ? timeline.joined.isOpen : timeline.isUnitOver(before: &run) else { return }
    do throws(StateError) {
      try timeline.endUnit(&run, &lives)
    } catch {
      throw unfollowed(error, run)
    }
    timeline.join(&outOfDate, among: lives.haveRun)
  }

  /// Makes the next set that has waited long enough at a time. Returns false if there is none.
  mutating func setLate(at time: UInt64, _ run: borrowing LogRun) throws -> Bool {
    do throws(StateError) {
      guard try timeline.setLate(at: time, run) else { return false }
    } catch {
      throw unfollowed(error, run)
    }
    timeline.join(&outOfDate, among: lives.haveRun)
    return true
  }

  /// Only who follows the log's own state can tell whether the log is at fault.
  private func unfollowed(_ error: StateError, _ run: borrowing LogRun) -> any Error {
    run.derives ? AnalysisError(run.log, .unfollowed(seq: run.row.seq, error)) : NeedsDerivation()
  }

  // MARK: Flushes

  /// Ends a flush, so that predictions can settle it.
  mutating func endFlush(_ run: borrowing LogRun) {
    isCounting = seqs.contains(flush.entries.first?.seq ?? run.row.seq)
    if flush.entries.isEmpty { return }
    flush.nest(run.registry)
    let entries = flush.entries
    changedWithin.append(contentsOf: entries.map { $0.madeDifference != false })
    for entry in entries where entry.madeDifference != false {
      var next = entry.within
      while let within = next, !changedWithin[within] {
        changedWithin[within] = true
        next = entries[within].within
      }
    }
    followers.learn(entries, lives)
    if timeline.newChildren.isEmpty { return }
    for entry in entries {
      for child in timeline.newChildren[entry.projection] ?? [] { lives.countRun(child.projection) }
    }
  }

  /// Starts the next flush. What was out of date has run, unless it is still to run in the log.
  mutating func beginFlush() {
    if !outOfDate.isEmpty, !flush.isHeld {
      for word in 0..<outOfDate.wordCount where outOfDate[word: word] != 0 {
        outOfDate.keep(lives.alive[word: word] & flush.outOfDate[word: word], ofWord: word)
      }
    }
    flush.removeAll()
    wasOutOfDate.removeAll(keepingCapacity: true)
    changedWithin.removeAll(keepingCapacity: true)
  }
}
