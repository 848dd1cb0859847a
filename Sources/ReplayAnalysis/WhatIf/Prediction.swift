import EventLog
import Invalidation

/// Decides for each flush which of its runs would take place in another run, and which further ones.
///
/// A recorded run takes place if something that the projection read has changed by the other timeline, or if
/// the projection ran because its parent did and the parent runs. Whatever else the other timeline
/// invalidates runs at the end of the flush.
struct Prediction {
  private(set) var ledger = PredictionLedger()
  private(set) var doubts = Doubts()
  private let rules: WhatIfRules
  /// The projections of the other run that are out of date and have not run yet, while a flush is settled.
  private var outOfDate = ProjectionSet()
  private var outcomes: [Outcome?] = []
  private var derivations: Derivations
  private(set) var shifts: ShiftedElements
  /// For each entry of the flush, whether a rule lets it run only if what it shows differs.
  private var isDerived: [Bool] = []
  private var callbacks: DerivedCallbacks
  /// The flush in which each projection last ran in the prediction.
  private var ranIn = ProjectionMap<UInt32?>(default: nil)
  private var flushes: UInt32 = 0

  /// - Parameter derives: Whether the run derives the invalidations. If not, those that the log has are taken.
  init(_ rules: WhatIfRules, derives: Bool) {
    self.rules = rules
    derivations = Derivations(rules.derivations, takingRecorded: !derives)
    callbacks = DerivedCallbacks(isOn: !rules.derivations.isEmpty)
    shifts = ShiftedElements(rules.identities)
  }

  /// The rules, by their index, that concern a projection of the log.
  var metDerivations: Set<Int> { derivations.met }

  /// Takes in the run's current row, before the other run does.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    if !rules.derivations.isEmpty {
      callbacks.observe(&run)
      derivations.observe(&run)
    }
    if !rules.identities.isEmpty { shifts.apply(run) }
  }

  /// Takes in a recorded run, which is the current row.
  @inline(__always)
  mutating func countRun(_ entry: FlushRuns.Entry, _ run: inout LogRun) {
    if !rules.derivations.isEmpty {
      isDerived.append(derivations.concern(entry, &run))
      callbacks.countRun(entry, at: run.row.time)
    }
    if !rules.identities.isEmpty { shifts.learn(entry.group, run.tables.name(entry.projection)) }
  }

  /// Ends a flush.
  mutating func settle(_ other: borrowing OtherRun, _ run: inout LogRun) {
    outOfDate = other.outOfDate
    let entries = other.flush.entries
    if !entries.isEmpty {
      outcomes.append(contentsOf: repeatElement(nil, count: entries.count))
      let replaced = callbacks.settle(entries, other.wasOutOfDate, &derivations, &run)
      if other.isCounting { doubts.replaced += replaced }
      for index in entries.indices { count(index, other) }
    }
    if !outOfDate.isEmpty, !other.flush.isHeld { runRest(other) }
    // The other run must not copy its own set when it changes it.
    outOfDate = ProjectionSet()
    callbacks.removeAll()
    flushes &+= 1
    outcomes.removeAll(keepingCapacity: true)
    isDerived.removeAll(keepingCapacity: true)
    shifts.removeAll()
  }

  // MARK: Recorded runs

  private mutating func count(_ index: Int, _ other: borrowing OtherRun) {
    let entry = other.flush.entries[index]
    let outcome = outcome(of: index, other)
    if other.isCounting {
      ledger.add(entry, outcome)
      if let values = derivedValues(of: index, other) { ledger.addDerivedValue(values, of: entry.group) }
    }
    if outcome == .runs { ranIn[entry.projection] = flushes }
    if other.isCounting, entry.isFirst, let within = entry.within, self.outcome(of: within, other) == .stays {
      doubts.createdBySkipped += 1
    }
    if let within = entry.within {
      // A new child shows less than its parent, and is about as small as those beside it.
      for child in other.timeline.newChildren[other.flush.entries[within].projection] ?? [] {
        ledger.insert(child.group, like: entry.group)
      }
    }
    guard let children = other.timeline.newChildren[entry.projection] else { return }
    for child in children {
      // The child's time is contained in its parent's.
      ledger.insert(child.group, like: entry.group)
      if outcome == .runs { outOfDate.remove(child.projection) }
      if other.isCounting { ledger.addContained(child.group, outcome) }
    }
  }

  private mutating func outcome(of index: Int, _ other: borrowing OtherRun) -> Outcome {
    var rest = [index]
    // As many runs within each other as there are: the parents are a cycle.
    while let last = rest.last, outcomes[last] == nil, !isDecided(last, other),
      rest.count <= other.flush.entries.count
    {
      guard let within = other.flush.entries[last].within, outcomes[within] == nil else { break }
      rest.append(within)
    }
    while let last = rest.popLast() {
      if outcomes[last] == nil { outcomes[last] = decide(last, other) }
    }
    return outcomes[index] ?? .runs
  }

  private func isDecided(_ index: Int, _ other: borrowing OtherRun) -> Bool {
    other.flush.entries[index].isFirst || other.wasOutOfDate[index]
  }

  /// Whether a rule lets a recorded run take place only if what it shows differs. First runs always take place.
  private func isDerived(_ index: Int, _ other: borrowing OtherRun) -> Bool {
    index < isDerived.count && isDerived[index] && !other.flush.entries[index].isFirst
  }

  /// The group of the derived values that a recorded run reads by a rule, if they are computed for it.
  private func derivedValues(of index: Int, _ other: borrowing OtherRun) -> GroupID<ProjectionID>? {
    guard isDerived(index, other), other.wasOutOfDate[index] || outcomes[index] != .stays else { return nil }
    // A callback computes what it wrote as before.
    let entry = other.flush.entries[index]
    if entry.changed != false, callbacks.hasWritten(entry.group) { return nil }
    return derivations.values[other.flush.entries[index].group]
  }

  private mutating func decide(_ index: Int, _ other: borrowing OtherRun) -> Outcome {
    if callbacks.leavesOut(index) { return .stays }
    // It does not run again with its parent.
    if let within = other.flush.entries[index].within, callbacks.leavesOut(within) { return .runs }
    let outcome = decideByCause(index, other)
    guard outcome != .stays, !other.flush.entries[index].isFirst else { return outcome }
    if isDerived(index, other), !other.changedWithin[index] { return .stays }
    return shifts.leavesOut(other.flush.entries[index].group) ? .stays : outcome
  }

  private mutating func decideByCause(_ index: Int, _ other: borrowing OtherRun) -> Outcome {
    let entry = other.flush.entries[index]
    if isDecided(index, other) { return .runs }
    guard let within = entry.within else {
      if entry.wasInvalidated {
        guard let parent = entry.parent, outOfDate.contains(parent) else { return .stays }
        return besides(entry, other.changedWithin[index], other)
      }
      return entry.cause > 0 && other.timeline.leftOut.contains(entry.cause) ? .stays : .runs
    }
    let parent = outcomes[within] ?? .runs
    if parent == .stays {
      // What it was handed changed with what its parent no longer reads, so it would read that itself.
      let isHandedOtherwise = entry.inputChanged ?? (entry.changed == true)
      return isHandedOtherwise && other.timeline.newChildren[other.flush.entries[within].projection] != nil
        ? .runs : .stays
    }
    if other.isHandedInput(entry.projection) {
      if other.changedWithin[index] { return parent }
      if other.isCounting { doubts.equalByOutput += 1 }
      return .stays
    }
    if !entry.wasInvalidated || other.changedWithin[index] { return parent }
    if case .asks = parent { return parent }
    return other.followers.answer(entry.projection, in: entry.group, other.lives)
  }

  /// Decides about a run outside of any recorded run of the parent, if nothing invalidates the projection but
  /// the parent runs in the prediction.
  private mutating func besides(_ entry: FlushRuns.Entry, _ hasChanged: Bool, _ other: borrowing OtherRun)
    -> Outcome
  {
    guard other.isHandedInput(entry.projection) else {
      return other.followers.answer(entry.projection, in: entry.group, other.lives)
    }
    if hasChanged { return .runs }
    if other.isCounting { doubts.equalByOutput += 1 }
    return .stays
  }

  // MARK: Further runs

  private mutating func runRest(_ other: borrowing OtherRun) {
    var ready: [ProjectionID] = []
    for word in 0..<outOfDate.wordCount where outOfDate[word: word] != 0 {
      let alive = other.lives.alive[word: word]
      if outOfDate[word: word] & ~alive != 0 { outOfDate.keep(alive, ofWord: word) }
      // A projection that is also invalidated in the log runs when it does there.
      let bits = outOfDate[word: word] & ~other.flush.outOfDate[word: word] & ~leaves(ofWord: word, other)
      for projection in ProjectionSet.Members(bits, ofWord: word) { ready.append(projection) }
    }
    if ready.count > 1 { ready.sort { other.lives[$0].birth < other.lives[$1].birth } }
    for projection in ready where outOfDate.contains(projection) { runBesides(projection, other) }
    runLeaves(other)
  }

  /// The projections of a word that have no descendants and were created after all of their ancestors: no
  /// other projection depends on their runs.
  private func leaves(ofWord word: Int, _ other: borrowing OtherRun) -> UInt64 {
    other.timeline.newChildren.isEmpty
      ? ~(other.lives.parents[word: word] | other.lives.early[word: word]) : 0
  }

  /// Runs all remaining projections of this kind at once.
  private mutating func runLeaves(_ other: borrowing OtherRun) {
    for word in 0..<outOfDate.wordCount where outOfDate[word: word] != 0 {
      let bits = outOfDate[word: word] & ~other.flush.outOfDate[word: word] & leaves(ofWord: word, other)
      if bits == 0 { continue }
      outOfDate.keep(~bits, ofWord: word)
      if !other.isCounting { continue }
      if let group = other.lives.onlyGroup(ofWord: word) {
        ledger.addExtras(bits.nonzeroBitCount, group)
      } else {
        for projection in ProjectionSet.Members(bits, ofWord: word) {
          if let group = other.lives.group(of: projection) { ledger.addExtras(1, group) }
        }
      }
    }
  }

  private mutating func runBesides(_ first: ProjectionID, _ other: borrowing OtherRun) {
    var rest: [(projection: ProjectionID, outcome: Outcome)] = [(first, .runs)]
    while let (projection, outcome) = rest.popLast() {
      outOfDate.remove(projection)
      if other.isCounting, let group = other.lives.group(of: projection) { ledger.addExtra(group, outcome) }
      for child in other.timeline.newChildren[projection] ?? [] {
        outOfDate.remove(child.projection)
        if other.isCounting { ledger.addContained(child.group, outcome) }
      }
      other.lives.forEachChild(of: projection) { child in
        guard other.lives[child].hasRun, !other.flush.outOfDate.contains(child), ranIn[child] != flushes
        else { return }
        if outOfDate.contains(child) { return rest.append((child, .runs)) }
        if other.isHandedInput(child) { return }
        guard let group = other.lives.group(of: child) else { return }
        let answer = outcome == .runs ? other.followers.answer(child, in: group, other.lives) : outcome
        if answer != .stays { rest.append((child, answer)) }
      }
    }
  }
}
