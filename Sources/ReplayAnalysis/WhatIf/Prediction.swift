import EventLog
import Invalidation

/// Decides, flush by flush, what would have run under other rules.
///
/// A run of the log takes place if something that the projection read has changed by the other timeline, or if it had
/// followed its parent and that runs. What the other timeline wakes besides runs when the flush is over.
struct Prediction {
  private(set) var flush: FlushRuns
  private(set) var other: OtherTimeline
  private(set) var ledger = PredictionLedger()
  private(set) var doubts = Doubts()
  private let rules: WhatIfRules
  /// The events whose runs are counted.
  private let seqs: Range<UInt64>
  private var isCounting = true
  /// Those that the other timeline has put out of date since they ran.
  private var woken = NameSet()
  /// By entry of the flush.
  private var wasWoken: [Bool] = []
  private var outcomes: [Outcome?] = []
  private var changedWithin: [Bool] = []
  /// By name: whether a rule hands it its input; nil where that was not asked yet.
  private var handed = DenseMap<Int, Bool?>(default: nil)
  private var followers = Followers()
  /// By name: the flush in which it last ran by the prediction.
  private var ranIn = DenseMap<Int, UInt32?>(default: nil)
  private var flushes: UInt32 = 0

  init(_ rules: WhatIfRules, counting seqs: Range<UInt64>, _ run: inout Run) throws {
    self.rules = rules
    self.seqs = seqs
    flush = FlushRuns(&run)
    other = try OtherTimeline(rules, &run, &flush.lives)
  }

  /// Takes in the last row of a run.
  @inline(__always)
  mutating func take(_ run: inout Run) throws(StateError) {
    if flush.isOver(before: run.row) { settle(&run) }
    let isEvaluation = flush.take(&run)
    try other.take(&run, &flush.lives)
    if other.hasCrowd { woken.insert(other.crowd, thatAreIn: flush.lives.haveRun) }
    for hit in other.hits { wake(hit.name) }
    if rules.wantsElements { doubts.note(&run, other.hits, flush.lives) }
    guard isEvaluation, let name = run.name else { return }
    wasWoken.append(woken.contains(name))
    woken.remove(name)
    if !rules.inputs.isEmpty { noteInput(name, run.tables) }
  }

  private mutating func noteInput(_ name: Int, _ tables: borrowing RunTables) {
    if handed[name] == nil { handed[name] = other.noteInput(tables.names[name]) }
  }

  private mutating func wake(_ name: Int) {
    if flush.lives[name].hasRun { woken.insert(name) }
  }

  /// Ends a flush.
  mutating func settle(_ run: inout Run) {
    isCounting = seqs.contains(flush.entries.first?.seq ?? run.row.seq)
    if !flush.entries.isEmpty {
      flush.nest()
      learn()
      for place in flush.entries.indices { count(place) }
    }
    if !woken.isEmpty, !flush.isHeld { runRest() }
    flush.removeAll()
    flushes &+= 1
    wasWoken.removeAll(keepingCapacity: true)
    outcomes.removeAll(keepingCapacity: true)
    changedWithin.removeAll(keepingCapacity: true)
  }

  /// Learns from what ran in the log who follows its parent.
  private mutating func learn() {
    let entries = flush.entries
    changedWithin.append(contentsOf: entries.map { $0.changed != false })
    outcomes.append(contentsOf: repeatElement(nil, count: entries.count))
    for (place, entry) in entries.enumerated() where entry.within >= 0 && changedWithin[place] {
      changedWithin[Int(entry.within)] = true
    }
    followers.learn(flush, &ledger)
  }

  // MARK: What of the log would run

  private mutating func count(_ place: Int) {
    let entry = flush.entries[place]
    let outcome = outcome(of: place)
    if isCounting { ledger.add(entry, outcome) }
    if outcome == .runs { ranIn[Int(entry.name)] = flushes }
    if isCounting, entry.isFirst, entry.within >= 0, self.outcome(of: Int(entry.within)) == .stays {
      doubts.createdBySkipped += 1
    }
    guard let children = other.newChildren[Int(entry.name)] else { return }
    for child in children {
      // Its time is within that of the parent.
      flush.lives.noteRun(child.name)
      ledger.note(flush.lives[child.name].group, like: entry.group)
      if outcome == .runs { clear(child.name) }
      if isCounting { ledger.addContained(flush.lives[child.name].group, outcome) }
    }
  }

  private mutating func outcome(of place: Int) -> Outcome {
    var path = [place]
    while let last = path.last, outcomes[last] == nil {
      let within = flush.entries[last].within
      if isDecided(last) || within < 0 || outcomes[Int(within)] != nil || path.contains(Int(within)) { break }
      path.append(Int(within))
    }
    while let last = path.popLast() {
      if outcomes[last] == nil { outcomes[last] = decide(last) }
    }
    return outcomes[place] ?? .runs
  }

  private func isDecided(_ place: Int) -> Bool { flush.entries[place].isFirst || wasWoken[place] }

  private mutating func decide(_ place: Int) -> Outcome {
    let entry = flush.entries[place]
    if isDecided(place) { return .runs }
    guard entry.within >= 0 else {
      if entry.wasWoken { return entry.parent >= 0 && isWoken(Int(entry.parent)) ? besides(place) : .stays }
      return entry.cause > 0 && other.leftOut.contains(entry.cause) ? .stays : .runs
    }
    let parent = outcomes[Int(entry.within)] ?? .runs
    if parent == .stays { return .stays }
    if isHandedInput(Int(entry.name)) {
      if changedWithin[place] { return parent }
      if isCounting { doubts.equalByOutput += 1 }
      return .stays
    }
    if !entry.wasWoken || changedWithin[place] { return parent }
    if case .asks = parent { return parent }
    return followers.answer(Int(entry.name), flush.lives)
  }

  /// What would become of a run by itself that nothing would wake, within a run of the parent that the log does not have.
  private mutating func besides(_ place: Int) -> Outcome {
    let name = Int(flush.entries[place].name)
    guard isHandedInput(name) else { return followers.answer(name, flush.lives) }
    if changedWithin[place] { return .runs }
    if isCounting { doubts.equalByOutput += 1 }
    return .stays
  }

  // MARK: What else would run

  private mutating func runRest() {
    var ready: [Int] = []
    for word in woken.words.values.indices where woken[word: word] != 0 {
      let alive = flush.lives.alive[word: word]
      if woken[word: word] & ~alive != 0 { woken.keep(alive, ofWord: word) }
      // What waits in the log too runs when it does there.
      let bits = woken[word: word] & ~flush.lives.woken[word: word] & ~leaves(ofWord: word)
      for name in NameSet.Names(bits, ofWord: word) { ready.append(name) }
    }
    if ready.count > 1 { ready.sort { flush.lives[$0].birth < flush.lives[$1].birth } }
    for name in ready where woken.contains(name) { runBesides(name) }
    runLeaves()
  }

  /// Those with nothing below them, that come behind whatever they lie within: nothing but they depends on their run.
  private func leaves(ofWord word: Int) -> UInt64 {
    other.newChildren.isEmpty ? ~(flush.lives.parents[word: word] | flush.lives.early[word: word]) : 0
  }

  /// Runs all of them that nothing has run yet, at once.
  private mutating func runLeaves() {
    for word in woken.words.values.indices where woken[word: word] != 0 {
      let bits = woken[word: word] & ~flush.lives.woken[word: word] & leaves(ofWord: word)
      if bits == 0 { continue }
      woken.keep(~bits, ofWord: word)
      if !isCounting { continue }
      if let group = flush.lives.onlyGroup(ofWord: word) {
        ledger.addExtras(bits.nonzeroBitCount, group)
      } else {
        for name in NameSet.Names(bits, ofWord: word) { ledger.addExtras(1, flush.lives[name].group) }
      }
    }
  }

  private mutating func runBesides(_ first: Int) {
    var rest: [(name: Int, outcome: Outcome)] = [(first, .runs)]
    while let (name, outcome) = rest.popLast() {
      clear(name)
      if isCounting { ledger.addExtra(flush.lives[name].group, outcome) }
      for child in other.newChildren[name] ?? [] {
        clear(child.name)
        if isCounting { ledger.addContained(flush.lives[child.name].group, outcome) }
      }
      flush.lives.forEachChild(of: name) { child in
        let life = flush.lives[child]
        guard life.hasRun, !life.isWoken, ranIn[child] != flushes else { return }
        if isWoken(child) { return rest.append((child, .runs)) }
        if isHandedInput(child) { return }
        let answer = outcome == .runs ? followers.answer(child, flush.lives) : outcome
        if answer != .stays { rest.append((child, answer)) }
      }
    }
  }

  private func isWoken(_ name: Int) -> Bool { woken.contains(name) }

  private mutating func clear(_ name: Int) { woken.remove(name) }

  private func isHandedInput(_ name: Int) -> Bool { handed[name] == true }
}
