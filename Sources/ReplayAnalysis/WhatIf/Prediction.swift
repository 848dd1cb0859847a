import EventLog
import Invalidation

/// Decides for each flush which projections would have run under other rules.
///
/// A recorded run takes place if something that the projection read has changed by the other timeline, or if
/// the projection ran because its parent did and the parent runs. Whatever else the other timeline
/// invalidates runs at the end of the flush.
struct Prediction: ~Copyable, RowObserver {
  let needs: RunNeeds = [.hits, .lookback, .lives, .lastingProjections]
  private(set) var lives = OtherLives()
  private(set) var other: OtherTimeline
  private(set) var ledger = PredictionLedger()
  private(set) var doubts = Doubts()
  private let rules: WhatIfRules
  /// The events whose runs are counted.
  private let seqs: Range<UInt64>
  private var isCounting = true
  private var flush = FlushRuns()
  /// The projections that the other timeline invalidated since they last ran.
  private var woken = ProjectionSet()
  /// For each entry of the flush, whether the projection was in ``woken``.
  private var wasWoken: [Bool] = []
  private var outcomes: [Outcome?] = []
  private var changedWithin: [Bool] = []
  /// Whether an input rule applies to each projection; nil if not determined yet.
  private var handed = ProjectionMap<Bool?>(default: nil)
  private var followers = Followers()
  /// The flush in which each projection last ran in the prediction.
  private var ranIn = ProjectionMap<UInt32?>(default: nil)
  private var flushes: UInt32 = 0

  init(_ rules: WhatIfRules, counting seqs: Range<UInt64>) {
    self.rules = rules
    self.seqs = seqs
    other = OtherTimeline(rules)
  }

  mutating func begin(_ run: inout LogRun) {
    flush.begin(run)
    lives = OtherLives(&run)
    other.begin(&run, &lives)
  }

  /// - Throws: `AnalysisError` when the row does not fit those before it under the rules.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    if flush.isOver(before: run.row) { settle(&run) }
    let isEvaluation = flush.observe(&run)
    lives.observe(&run)
    do throws(StateError) {
      try other.take(&run, &lives)
    } catch {
      throw AnalysisError(run.log, .unfollowed(seq: run.row.seq, error))
    }
    other.join(&woken, among: lives.haveRun)
    if rules.wantsElements { doubts.note(&run, other.hits, lives) }
    guard isEvaluation, let projection = run.projection else { return }
    wasWoken.append(woken.contains(projection))
    woken.remove(projection)
    if !rules.inputs.isEmpty { noteInput(projection, run.tables) }
  }

  mutating func finish(_ run: inout LogRun) { settle(&run) }

  private mutating func noteInput(_ projection: ProjectionID, _ tables: borrowing RunTables) {
    if handed[projection] == nil { handed[projection] = other.noteInput(tables.name(projection)) }
  }

  /// Ends a flush.
  private mutating func settle(_ run: inout LogRun) {
    isCounting = seqs.contains(flush.entries.first?.seq ?? run.row.seq)
    if !flush.entries.isEmpty {
      flush.nest(run.registry)
      learn()
      for index in flush.entries.indices { count(index) }
    }
    if !woken.isEmpty, !flush.isHeld { runRest() }
    flush.removeAll()
    flushes &+= 1
    wasWoken.removeAll(keepingCapacity: true)
    outcomes.removeAll(keepingCapacity: true)
    changedWithin.removeAll(keepingCapacity: true)
  }

  /// Learns from the recorded runs which projections run whenever their parents do.
  private mutating func learn() {
    let entries = flush.entries
    changedWithin.append(contentsOf: entries.map { $0.changed != false })
    outcomes.append(contentsOf: repeatElement(nil, count: entries.count))
    for entry in entries where entry.changed != false {
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
    if isCounting { ledger.add(entry, outcome) }
    if outcome == .runs { ranIn[entry.projection] = flushes }
    if isCounting, entry.isFirst, let within = entry.within, self.outcome(of: within) == .stays {
      doubts.createdBySkipped += 1
    }
    guard let children = other.newChildren[entry.projection] else { return }
    for child in children {
      // The child's time is contained in its parent's.
      lives.noteRun(child.projection)
      ledger.note(child.group, like: entry.group)
      if outcome == .runs { woken.remove(child.projection) }
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

  private func isDecided(_ index: Int) -> Bool { flush.entries[index].isFirst || wasWoken[index] }

  private mutating func decide(_ index: Int) -> Outcome {
    let entry = flush.entries[index]
    if isDecided(index) { return .runs }
    guard let within = entry.within else {
      if entry.wasWoken {
        guard let parent = entry.parent, woken.contains(parent) else { return .stays }
        return besides(entry, changedWithin[index])
      }
      return entry.cause > 0 && other.leftOut.contains(entry.cause) ? .stays : .runs
    }
    let parent = outcomes[within] ?? .runs
    if parent == .stays { return .stays }
    if isHandedInput(entry.projection) {
      if changedWithin[index] { return parent }
      if isCounting { doubts.equalByOutput += 1 }
      return .stays
    }
    if !entry.wasWoken || changedWithin[index] { return parent }
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
    for word in 0..<woken.wordCount where woken[word: word] != 0 {
      let alive = lives.alive[word: word]
      if woken[word: word] & ~alive != 0 { woken.keep(alive, ofWord: word) }
      // A projection that is also invalidated in the log runs when it does there.
      let bits = woken[word: word] & ~flush.woken[word: word] & ~leaves(ofWord: word)
      for projection in ProjectionSet.Members(bits, ofWord: word) { ready.append(projection) }
    }
    if ready.count > 1 { ready.sort { lives[$0].birth < lives[$1].birth } }
    for projection in ready where woken.contains(projection) { runBesides(projection) }
    runLeaves()
  }

  /// The projections of a word that have no descendants and were created after all of their ancestors: no
  /// other projection depends on their runs.
  private func leaves(ofWord word: Int) -> UInt64 {
    other.newChildren.isEmpty ? ~(lives.parents[word: word] | lives.early[word: word]) : 0
  }

  /// Runs all remaining projections of this kind at once.
  private mutating func runLeaves() {
    for word in 0..<woken.wordCount where woken[word: word] != 0 {
      let bits = woken[word: word] & ~flush.woken[word: word] & leaves(ofWord: word)
      if bits == 0 { continue }
      woken.keep(~bits, ofWord: word)
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
      woken.remove(projection)
      if isCounting, let group = lives.group(of: projection) { ledger.addExtra(group, outcome) }
      for child in other.newChildren[projection] ?? [] {
        woken.remove(child.projection)
        if isCounting { ledger.addContained(child.group, outcome) }
      }
      lives.forEachChild(of: projection) { child in
        guard lives[child].hasRun, !flush.woken.contains(child), ranIn[child] != flushes else { return }
        if woken.contains(child) { return rest.append((child, .runs)) }
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
        if !entry.wasWoken {
          known[entry.projection].hasFollowed = true
          ledger.noteFollowed(entry.group)
        }
      }
    }
    for (index, entry) in entries.enumerated() where !entry.isFirst && !searched.contains(entry.projection) {
      guard direct[index, default: 0] < lives[entry.projection].childCount else { continue }
      searched.insert(entry.projection)
      let ran = Set(entries.lazy.filter { $0.within == index }.map(\.projection))
      lives.forEachChild(of: entry.projection) { child in
        guard lives[child].hasRun, !ran.contains(child), let group = lives.group(of: child) else { return }
        ledger.noteSkipped(group)
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
