import EventLog
import Invalidation

/// Thrown by a prediction that needs what the run derives, and whose run does not.
struct NeedsDerivation: Error {}

/// Decides for each flush which projections would have run under other rules.
///
/// A recorded run takes place if something that the projection read has changed by the other timeline, or if
/// the projection ran because its parent did and the parent runs. Whatever else the other timeline
/// invalidates runs at the end of the flush.
struct Prediction: ~Copyable, RowObserver {
  let needs: RunNeeds
  private(set) var lives = OtherLives()
  private(set) var other: OtherTimeline
  private(set) var ledger = PredictionLedger()
  private(set) var doubts = Doubts()
  private let rules: WhatIfRules
  /// The events whose runs are counted.
  private let seqs: Range<UInt64>
  private var isCounting = true
  private var flush: FlushRuns
  /// The projections that the other timeline invalidated since they last ran.
  private var outOfDate = ProjectionSet()
  /// For each entry of the flush, whether the projection was in ``outOfDate``.
  private var wasOutOfDate: [Bool] = []
  private var outcomes: [Outcome?] = []
  private var changedWithin: [Bool] = []
  /// Whether an input rule applies to each projection; nil if not determined yet.
  private var handed = ProjectionMap<Bool?>(default: nil)
  private var derivations: Derivations
  private(set) var shifts: ShiftedElements
  /// For each entry of the flush, whether a rule lets it run only if what it shows differs.
  private var isDerived: [Bool] = []
  private var callbacks: DerivedCallbacks
  private var followers = Followers()
  /// The flush in which each projection last ran in the prediction.
  private var ranIn = ProjectionMap<UInt32?>(default: nil)
  private var flushes: UInt32 = 0

  /// - Parameter derives: Whether the run derives the invalidations, and with them the state, which takes as long as the other
  ///   timeline. If not, those that the log has are taken.
  init(_ rules: WhatIfRules, counting seqs: Range<UInt64>, derives: Bool = true) {
    needs = [.lookback, .lives, .lastingProjections, derives ? .hits : []]
    flush = FlushRuns(takingRecorded: !derives)
    self.rules = rules
    self.seqs = seqs
    other = OtherTimeline(rules)
    derivations = Derivations(rules.derivations, takingRecorded: !derives)
    callbacks = DerivedCallbacks(isOn: !rules.derivations.isEmpty)
    shifts = ShiftedElements(rules.identities)
  }

  /// The rules, by their index, that concern a projection of the log.
  var metDerivations: Set<Int> { derivations.met }

  mutating func begin(_ run: inout LogRun) {
    flush.begin(run)
    lives = OtherLives(&run)
    other.begin(&run, &lives)
  }

  /// - Throws: `AnalysisError` when the row does not fit those before it under the rules, and ``NeedsDerivation``.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    let isUnitOver = other.isUnitOver(before: &run)
    if isUnitOver || other.leftOut.nextDue <= run.row.time {
      try catchUp(&run, isUnitOver: isUnitOver, at: run.row.time)
    }
    if flush.isOver(before: run.row) { settle(&run) }
    callbacks.observe(&run)
    let isEvaluation = flush.observe(&run)
    derivations.observe(&run)
    lives.observe(&run)
    do throws(StateError) {
      try other.apply(&run, &lives)
    } catch {
      throw unfollowed(error, run)
    }
    if other.leftOut.lacksState { throw NeedsDerivation() }
    other.join(&outOfDate, among: lives.haveRun)
    if !rules.identities.isEmpty { shifts.apply(run) }
    if rules.wantsElements { doubts.apply(&run, other.hits, lives) }
    guard isEvaluation, let projection = run.projection else { return }
    wasOutOfDate.append(outOfDate.contains(projection))
    outOfDate.remove(projection)
    if !rules.inputs.isEmpty { applyInput(projection, run.tables) }
    if !rules.derivations.isEmpty, let entry = flush.entries.last {
      isDerived.append(derivations.concern(entry, &run))
      callbacks.countRun(entry, at: run.row.time)
    }
    if !rules.identities.isEmpty, let entry = flush.entries.last {
      shifts.learn(entry.group, run.tables.name(projection))
    }
  }

  mutating func finish(_ run: inout LogRun) throws {
    try catchUp(&run, isUnitOver: other.joined.isOpen, at: .max)
    settle(&run)
  }

  /// Makes the writes that come before the current row only by the rules.
  private mutating func catchUp(_ run: inout LogRun, isUnitOver: Bool, at time: UInt64) throws {
    do throws(StateError) {
      if isUnitOver {
        try other.endUnit(&run, &lives)
        other.join(&outOfDate, among: lives.haveRun)
      }
      // Each is a flush of its own, unless the row belongs to one that is not over.
      let isBetween = time == .max || flush.isOver(before: run.row)
      while try other.setLate(at: time, run) {
        other.join(&outOfDate, among: lives.haveRun)
        if isBetween { settle(&run) }
      }
    } catch {
      throw unfollowed(error, run)
    }
  }

  /// Only who follows the log's own state can tell whether the log is at fault.
  private func unfollowed(_ error: StateError, _ run: borrowing LogRun) -> any Error {
    run.derives ? AnalysisError(run.log, .unfollowed(seq: run.row.seq, error)) : NeedsDerivation()
  }

  private mutating func applyInput(_ projection: ProjectionID, _ tables: borrowing RunTables) {
    if handed[projection] == nil {
      handed[projection] = other.applyInput(
        tables.name(projection), hasParent: lives[projection].parent != nil)
    }
  }

  /// Ends a flush.
  private mutating func settle(_ run: inout LogRun) {
    isCounting = seqs.contains(flush.entries.first?.seq ?? run.row.seq)
    if !flush.entries.isEmpty {
      flush.nest(run.registry)
      learn()
      let replaced = callbacks.settle(flush.entries, wasOutOfDate, &derivations, &run)
      if isCounting { doubts.replaced += replaced }
      for index in flush.entries.indices { count(index) }
    }
    if !outOfDate.isEmpty, !flush.isHeld { runRest() }
    flush.removeAll()
    callbacks.removeAll()
    flushes &+= 1
    wasOutOfDate.removeAll(keepingCapacity: true)
    outcomes.removeAll(keepingCapacity: true)
    changedWithin.removeAll(keepingCapacity: true)
    isDerived.removeAll(keepingCapacity: true)
    shifts.removeAll()
  }

  /// Learns from the recorded runs which projections run whenever their parents do.
  private mutating func learn() {
    let entries = flush.entries
    changedWithin.append(contentsOf: entries.map { $0.madeDifference != false })
    outcomes.append(contentsOf: repeatElement(nil, count: entries.count))
    for entry in entries where entry.madeDifference != false {
      var next = entry.within
      while let within = next, !changedWithin[within] {
        changedWithin[within] = true
        next = entries[within].within
      }
    }
    followers.learn(flush, lives, &ledger)
  }

  // MARK: Recorded runs

  private mutating func count(_ index: Int) {
    let entry = flush.entries[index]
    let outcome = outcome(of: index)
    if isCounting {
      ledger.add(entry, outcome)
      if let values = derivedValues(of: index) { ledger.addDerivedValue(values, of: entry.group) }
    }
    if outcome == .runs { ranIn[entry.projection] = flushes }
    if isCounting, entry.isFirst, let within = entry.within, self.outcome(of: within) == .stays {
      doubts.createdBySkipped += 1
    }
    if let within = entry.within {
      // A new child shows less than its parent, and is about as small as those beside it.
      for child in other.newChildren[flush.entries[within].projection] ?? [] {
        ledger.insert(child.group, like: entry.group)
      }
    }
    guard let children = other.newChildren[entry.projection] else { return }
    for child in children {
      // The child's time is contained in its parent's.
      lives.countRun(child.projection)
      ledger.insert(child.group, like: entry.group)
      if outcome == .runs { outOfDate.remove(child.projection) }
      if isCounting { ledger.addContained(child.group, outcome) }
    }
  }

  private mutating func outcome(of index: Int) -> Outcome {
    var rest = [index]
    // As many runs within each other as there are: the parents are a cycle.
    while let last = rest.last, outcomes[last] == nil, !isDecided(last), rest.count <= flush.entries.count {
      guard let within = flush.entries[last].within, outcomes[within] == nil else { break }
      rest.append(within)
    }
    while let last = rest.popLast() {
      if outcomes[last] == nil { outcomes[last] = decide(last) }
    }
    return outcomes[index] ?? .runs
  }

  private func isDecided(_ index: Int) -> Bool { flush.entries[index].isFirst || wasOutOfDate[index] }

  /// Whether a rule lets a recorded run take place only if what it shows differs. First runs always take place.
  private func isDerived(_ index: Int) -> Bool {
    index < isDerived.count && isDerived[index] && !flush.entries[index].isFirst
  }

  /// The group of the derived values that a recorded run reads by a rule, if they are computed for it.
  private func derivedValues(of index: Int) -> GroupID<ProjectionID>? {
    guard isDerived(index), wasOutOfDate[index] || outcomes[index] != .stays else { return nil }
    // A callback computes what it wrote as before.
    let entry = flush.entries[index]
    if entry.changed != false, callbacks.hasWritten(entry.group) { return nil }
    return derivations.values[flush.entries[index].group]
  }

  private mutating func decide(_ index: Int) -> Outcome {
    if callbacks.leavesOut(index) { return .stays }
    // It does not run again with its parent.
    if let within = flush.entries[index].within, callbacks.leavesOut(within) { return .runs }
    let outcome = decideByCause(index)
    guard outcome != .stays, !flush.entries[index].isFirst else { return outcome }
    if isDerived(index), !changedWithin[index] { return .stays }
    return shifts.leavesOut(flush.entries[index].group) ? .stays : outcome
  }

  private mutating func decideByCause(_ index: Int) -> Outcome {
    let entry = flush.entries[index]
    if isDecided(index) { return .runs }
    guard let within = entry.within else {
      if entry.wasInvalidated {
        guard let parent = entry.parent, outOfDate.contains(parent) else { return .stays }
        return besides(entry, changedWithin[index])
      }
      return entry.cause > 0 && other.leftOut.contains(entry.cause) ? .stays : .runs
    }
    let parent = outcomes[within] ?? .runs
    if parent == .stays {
      // What it was handed changed with what its parent no longer reads, so it would read that itself.
      let isHandedOtherwise = entry.inputChanged ?? (entry.changed == true)
      return isHandedOtherwise && other.newChildren[flush.entries[within].projection] != nil ? .runs : .stays
    }
    if isHandedInput(entry.projection) {
      if changedWithin[index] { return parent }
      if isCounting { doubts.equalByOutput += 1 }
      return .stays
    }
    if !entry.wasInvalidated || changedWithin[index] { return parent }
    if case .asks = parent { return parent }
    return followers.answer(entry.projection, in: entry.group, lives)
  }

  /// Decides about a run outside of any recorded run of the parent, if nothing invalidates the projection but
  /// the parent runs in the prediction.
  private mutating func besides(_ entry: FlushRuns.Entry, _ hasChanged: Bool) -> Outcome {
    guard isHandedInput(entry.projection) else {
      return followers.answer(entry.projection, in: entry.group, lives)
    }
    if hasChanged { return .runs }
    if isCounting { doubts.equalByOutput += 1 }
    return .stays
  }

  // MARK: Further runs

  private mutating func runRest() {
    var ready: [ProjectionID] = []
    for word in 0..<outOfDate.wordCount where outOfDate[word: word] != 0 {
      let alive = lives.alive[word: word]
      if outOfDate[word: word] & ~alive != 0 { outOfDate.keep(alive, ofWord: word) }
      // A projection that is also invalidated in the log runs when it does there.
      let bits = outOfDate[word: word] & ~flush.outOfDate[word: word] & ~leaves(ofWord: word)
      for projection in ProjectionSet.Members(bits, ofWord: word) { ready.append(projection) }
    }
    if ready.count > 1 { ready.sort { lives[$0].birth < lives[$1].birth } }
    for projection in ready where outOfDate.contains(projection) { runBesides(projection) }
    runLeaves()
  }

  /// The projections of a word that have no descendants and were created after all of their ancestors: no
  /// other projection depends on their runs.
  private func leaves(ofWord word: Int) -> UInt64 {
    other.newChildren.isEmpty ? ~(lives.parents[word: word] | lives.early[word: word]) : 0
  }

  /// Runs all remaining projections of this kind at once.
  private mutating func runLeaves() {
    for word in 0..<outOfDate.wordCount where outOfDate[word: word] != 0 {
      let bits = outOfDate[word: word] & ~flush.outOfDate[word: word] & leaves(ofWord: word)
      if bits == 0 { continue }
      outOfDate.keep(~bits, ofWord: word)
      if !isCounting { continue }
      if let group = lives.onlyGroup(ofWord: word) {
        ledger.addExtras(bits.nonzeroBitCount, group)
      } else {
        for projection in ProjectionSet.Members(bits, ofWord: word) {
          if let group = lives.group(of: projection) { ledger.addExtras(1, group) }
        }
      }
    }
  }

  private mutating func runBesides(_ first: ProjectionID) {
    var rest: [(projection: ProjectionID, outcome: Outcome)] = [(first, .runs)]
    while let (projection, outcome) = rest.popLast() {
      outOfDate.remove(projection)
      if isCounting, let group = lives.group(of: projection) { ledger.addExtra(group, outcome) }
      for child in other.newChildren[projection] ?? [] {
        outOfDate.remove(child.projection)
        if isCounting { ledger.addContained(child.group, outcome) }
      }
      lives.forEachChild(of: projection) { child in
        guard lives[child].hasRun, !flush.outOfDate.contains(child), ranIn[child] != flushes else { return }
        if outOfDate.contains(child) { return rest.append((child, .runs)) }
        if isHandedInput(child) { return }
        guard let group = lives.group(of: child) else { return }
        let answer = outcome == .runs ? followers.answer(child, in: group, lives) : outcome
        if answer != .stays { rest.append((child, answer)) }
      }
    }
  }

  private func isHandedInput(_ projection: ProjectionID) -> Bool { handed[projection] == true }
}

/// Learns which projections run whenever their parents do, as far as the log shows it.
private struct Followers {
  private struct Known {
    /// The projection's own runs, to compare those of its children with.
    var runs: Int32 = 0
    /// The parent's runs at the time when the projection was created.
    var runsAtBirth: Int32 = 0
    /// The projection's runs within runs of its parent, other than the first.
    var runsWithin: Int32 = 0
    /// Whether it ran with its parent although nothing that it read had changed.
    var hasFollowed = false
  }

  private var known = ProjectionMap<Known>(default: Known())
  /// Parents whose children were already searched for ones that were skipped.
  private var searched: Set<ProjectionID> = []

  /// Learns from a flush whose runs are nested.
  mutating func learn(
    _ flush: borrowing FlushRuns, _ lives: borrowing OtherLives, _ ledger: inout PredictionLedger
  ) {
    let entries = flush.entries
    for entry in entries where !entry.isFirst { known[entry.projection].runs &+= 1 }
    var direct: [Int: Int] = [:]
    for entry in entries {
      guard let within = entry.within, let parent = entry.parent, entries[within].projection == parent else {
        continue
      }
      direct[within, default: 0] += 1
      if entry.isFirst {
        known[entry.projection].runsAtBirth = known[parent].runs
        known[entry.projection].runsWithin = 0
        known[entry.projection].hasFollowed = false
      } else {
        known[entry.projection].runsWithin &+= 1
        if !entry.wasInvalidated {
          known[entry.projection].hasFollowed = true
          ledger.markFollowed(entry.group)
        }
      }
    }
    for (index, entry) in entries.enumerated() where !entry.isFirst && !searched.contains(entry.projection) {
      guard direct[index, default: 0] < lives[entry.projection].childCount else { continue }
      searched.insert(entry.projection)
      let ran = Set(entries.lazy.filter { $0.within == index }.map(\.projection))
      lives.forEachChild(of: entry.projection) { child in
        guard lives[child].hasRun, !ran.contains(child), let group = lives.group(of: child) else { return }
        ledger.markSkipped(group)
      }
    }
  }

  /// Whether a projection would run when its parent does, if it is not invalidated itself.
  func answer(
    _ projection: ProjectionID, in group: GroupID<ProjectionID>, _ lives: borrowing OtherLives
  ) -> Outcome {
    guard let parent = lives[projection].parent else { return .asks(group) }
    let runs = known[parent].runs - known[projection].runsAtBirth
    if known[projection].runsWithin < runs { return .stays }
    return runs >= 2 && known[projection].hasFollowed ? .runs : .asks(group)
  }
}
