import EventLog

/// What stretches of a run can be: each has a label of the app and the events that follow from it.
package enum SpanKind: String, Codable, Sendable, CaseIterable {
  /// What a person or the system did, and all that has it as its cause.
  case action
  /// The writes of an outermost transaction, and what followed from its end.
  case transaction
  /// All events from one mark of the app's own to the next.
  case mark
}

/// The writes and runs that followed from a stretch.
struct SpanWork: RunCounts {
  private(set) var writes = 0
  var evaluations = 0
  var wasted = 0
  var time: UInt64 = 0
  var wastedTime: UInt64 = 0
  /// How often it put a projection out of date that ran only after a later action had done so too, and for that.
  fileprivate(set) var superseded = 0

  /// Adds a write or an evaluation.
  fileprivate mutating func add(_ row: borrowing EventLog.Row) {
    if row.kind.isWrite { writes += 1 }
    if row.kind == .evaluate { countRun(row.duration, row.changed) }
  }
}

/// One stretch of a run, with what it led to.
struct Span {
  let seq: UInt64
  let label: String
  /// The action within which this one began; 0 if there is none.
  let outer: UInt64
  /// In nanoseconds since the session began, as all times here.
  let began: UInt64
  /// When the app ended it, and how, if it is an action.
  var ended: UInt64?
  var outcome: ActionOutcome?
  fileprivate(set) var work = SpanWork()
  /// What it adds to the sums of its label: the work that no stretch within it with the same label has too.
  fileprivate(set) var ownWork = SpanWork()
  /// When the last run that it led to ended.
  var lastRun: UInt64?
  /// Whether its beginning was counted already: later events joined it once it was taken to be over.
  fileprivate(set) var isContinued = false
  /// The last event that belongs to it, and when that was.
  fileprivate(set) var last: UInt64
  fileprivate(set) var lastTime: UInt64

  fileprivate init(_ row: borrowing EventLog.Row, label: String, outer: UInt64) {
    (seq, began, last, lastTime) = (row.seq, row.time, row.seq, row.time)
    self.label = label
    self.outer = outer
  }

  fileprivate mutating func join(_ row: borrowing EventLog.Row) {
    last = row.seq
    lastTime = max(lastTime, row.time)
  }

  /// Adds a write or an evaluation.
  fileprivate mutating func add(_ row: borrowing EventLog.Row, isOwn: Bool) {
    work.add(row)
    if isOwn { ownWork.add(row) }
    if row.kind == .evaluate { lastRun = max(lastRun ?? 0, row.time) }
  }

  /// The time from its beginning to the end of the last run that it led to; nil if nothing ran.
  var settled: UInt64? { lastRun.map { $0 >= began ? $0 - began : 0 } }
}

/// Finds out to which stretch of one kind each row of a run belongs, and hands on each stretch when it is over.
///
/// An event belongs to the nearest action, or transaction, of its cause chain. An action or a transaction is over once no event
/// has joined it for ``OpenCascades/patience`` events. Needs `.lookback`.
struct SpanTracker {
  let kind: SpanKind
  private let seqs: Range<UInt64>
  private let group: (String) -> String
  /// The stretches that are over, until the caller takes them.
  private var over: [Span] = []
  /// The stretch that the current row belongs to; 0 for none.
  private(set) var current: UInt64 = 0
  /// That of each recent event.
  private var owners = RecentRing<UInt64>(keeping: 1 << 18)
  private var live: [UInt64: Span] = [:]
  /// Whether the run had any so far. Most runs have none, and need no ring.
  private var hasAny = false
  /// The open transactions, and the outermost ones by their strands, whose ends are not known yet.
  private var transactions = OpenTransactions()
  private var open: [Int: Span] = [:]
  /// Those that began within one of the session's, by their strands: they are outermost once that has ended.
  private var within: [Int: Span] = [:]
  /// The labels of the stretches within the one that a row is being added to.
  private var labelsWithin: [String] = []

  /// More are not followed at once, which bounds the memory.
  private static let liveMax = 1 << 16
  /// More than actions are nested.
  static let nestedMax = 64

  /// - Parameters:
  ///   - seqs: Where the stretches begin that are handed on.
  ///   - group: What a label counts as in sums.
  init(
    _ kind: SpanKind, beginningIn seqs: Range<UInt64> = 0..<(.max),
    groupedBy group: @escaping (String) -> String = { $0 }
  ) {
    self.kind = kind
    self.seqs = seqs
    self.group = group
  }

  mutating func begin(_ run: inout LogRun) {
    transactions = OpenTransactions(before: run.log.base?.openTransactions ?? 0)
  }

  /// Takes in the current row.
  @inline(__always)
  mutating func observe(_ run: inout LogRun, counting isCounted: (write: Bool, run: Bool) = (true, true)) {
    switch kind {
    case .action where !hasAny && run.row.kind != .action && run.log.firstSeq == 1: return
    case .mark where !hasAny && run.row.kind != .mark: return
    case .transaction where !hasAny && run.row.kind != .begin && run.row.kind != .end: return
    default: apply(&run, isCounted)
    }
  }

  private mutating func apply(_ run: inout LogRun, _ isCounted: (write: Bool, run: Bool)) {
    hasAny = true
    let seq = run.row.seq
    if seq & 4095 == 0 { retire(before: seq) }
    current = find(&run)
    if kind != .mark { owners.append(seq, current) }
    if kind == .action, run.row.kind == .invalidate, isCounted.run { countSuperseded(&run) }
    guard current > 0 || !open.isEmpty else { return }
    switch run.row.kind {
    case .set, .splice, .remove:
      if isCounted.write { join(&run) }
    case .evaluate:
      if isCounted.run { join(&run) }
    case .finish where kind == .action:
      let (time, outcome) = (run.row.time, run.row.outcome)
      if run.row.cause == current {
        if live[current] == nil { continueSpan(current, &run) }
        live[current]?.ended = time
        live[current]?.outcome = outcome
        live[current]?.join(run.row)
      }
    default: break
    }
  }

  /// The stretch of the current row, which may begin one.
  private mutating func find(_ run: inout LogRun) -> UInt64 {
    let (seq, cause) = (run.row.seq, run.row.cause)
    switch (kind, run.row.kind) {
    case (.action, .action):
      let outer = owner(of: cause, &run)
      start(seq, span(run.row, run.label, outer: outer))
      return seq
    case (.mark, .mark) where run.isOwn(cause) && run.label.map(Self.beginsStretch) ?? false:
      if let last = live.removeValue(forKey: current) { over.append(last) }
      start(seq, span(run.row, run.label, outer: 0))
      return seq
    case (.mark, _): return current
    case (.transaction, .begin):
      let strand = run.row.origin.strand
      if transactions.depth(around: strand) == 0 {
        open[strand] = span(run.row, run.label, outer: 0)
      } else if transactions.depth(of: strand) == 0 {
        within[strand] = span(run.row, run.label, outer: 0)
      }
      transactions.begin(on: strand)
    case (.transaction, .end):
      guard let strand = transactions.end(on: run.row.origin.strand), transactions.depth(of: strand) == 0
      else { break }
      within[strand] = nil
      guard var span = open.removeValue(forKey: strand) else { break }
      if strand == OpenTransactions.session {
        for strand in transactions.strands where open[strand] == nil {
          open[strand] = within.removeValue(forKey: strand)
        }
      }
      span.ended = run.row.time
      span.join(run.row)
      start(seq, span)
      return seq
    default: break
    }
    return owner(of: cause, &run)
  }

  /// Whether a mark is one of the app's own words, and no line of its log.
  static func beginsStretch(_ label: String) -> Bool {
    if case .own = MarkLabel(label) { true } else { false }
  }

  private func span(_ row: borrowing EventLog.Row, _ label: String?, outer: UInt64) -> Span {
    Span(row, label: group(label ?? ""), outer: outer)
  }

  private mutating func start(_ key: UInt64, _ span: Span) {
    if live.count >= Self.liveMax { retireHalf() }
    live[key] = span
  }

  /// Takes the half that nothing has joined for longest to be over. One at a time, a log of actions that never end would be
  /// searched through for each.
  private mutating func retireHalf() {
    let oldest = live.sorted { $0.value.last < $1.value.last }.prefix(live.count / 2)
    for (key, span) in oldest {
      over.append(span)
      live[key] = nil
    }
  }

  /// The nearest stretch in the chain of a cause; 0 for none.
  mutating func owner(of cause: UInt64, _ run: inout LogRun) -> UInt64 {
    var next = cause
    // Nearly always the ring has the cause. A chain of events that are all farther back is not followed to its end.
    for _ in 0..<Self.nestedMax {
      guard next > 0 else { return 0 }
      if let known = owners[next] { return known }
      if live[next] != nil { return next }
      guard let entry = run.entry(next) else { return 0 }
      if kind == .action, entry.kind == .action { return next }
      next = entry.cause < next ? entry.cause : 0
    }
    return 0
  }

  /// Adds the current row to its stretch, and to those around it.
  private mutating func join(_ run: inout LogRun) {
    // A write within a transaction belongs to that, whatever caused it.
    if kind == .transaction, !open.isEmpty, run.row.kind.isWrite {
      let strand = run.row.origin.strand
      let owner = open[strand] != nil ? strand : OpenTransactions.session
      if open[owner] != nil {
        open[owner]?.add(run.row, isOwn: true)
        return
      }
    }
    labelsWithin.removeAll(keepingCapacity: true)
    var next = current
    for _ in 0..<Self.nestedMax {
      guard next > 0 else { return }
      if live[next] == nil { continueSpan(next, &run) }
      guard let (label, outer) = live[next].map({ ($0.label, $0.outer) }) else { return }
      let isOwn = seqs.contains(next) && !labelsWithin.contains { $0.hasSameBytes(as: label) }
      if isOwn, outer > 0 { labelsWithin.append(label) }
      live[next]?.join(run.row)
      live[next]?.add(run.row, isOwn: isOwn)
      next = outer
    }
  }

  /// Counts an invalidation, by what several actions wrote, for those to which its run does not belong.
  private mutating func countSuperseded(_ run: inout LogRun) {
    let causes = run.recordedCauses
    guard causes.only == nil else { return }
    let unit = run.recordedUnit()
    guard unit != run.row.cause else { return }
    var known = Set(chain(from: owner(of: unit, &run)))
    for cause in causes.all where cause != unit {
      for stretch in chain(from: owner(of: cause, &run)) where known.insert(stretch).inserted {
        live[stretch]?.work.superseded += 1
        live[stretch]?.ownWork.superseded += 1
      }
    }
  }

  /// Follows a stretch on that was taken to be over, or that began before the run.
  private mutating func continueSpan(_ seq: UInt64, _ run: inout LogRun) {
    guard let event = run.log.event(seq) else { return }
    let label: String
    switch event.body {
    case .action(let text), .mark(let text): label = text
    default: return
    }
    var span = span(EventRow(event).row, label, outer: owner(of: event.cause ?? 0, &run))
    span.isContinued = true
    start(seq, span)
  }

  private mutating func retire(before seq: UInt64) {
    if kind == .mark { return }
    for (key, span) in live where span.last + OpenCascades.patience < seq {
      // An action that has not ended may still lead to something, however late.
      if kind == .action, span.ended == nil { continue }
      over.append(span)
      live[key] = nil
    }
    over.sort { $0.seq < $1.seq }
  }

  /// A stretch that is not over.
  func unfinished(_ seq: UInt64) -> Span? { live[seq] }

  /// Those that are not over, in order.
  var unfinished: [Span] { live.values.sorted { $0.seq < $1.seq } }

  /// The stretch of the current row with those around it, the outermost first, as far as they are followed.
  var chain: [UInt64] { chain(from: current) }

  private func chain(from first: UInt64) -> [UInt64] {
    var chain: [UInt64] = []
    var next = first
    while next > 0, chain.count < Self.nestedMax {
      chain.append(next)
      next = live[next]?.outer ?? 0
    }
    return chain.reversed()
  }

  /// Whether a stretch is over that the caller has not taken.
  @inline(__always) var hasOver: Bool { !over.isEmpty }

  /// Hands over the stretches that are over and begin in the range, in order.
  @inline(never)
  mutating func removeOver() -> [Span] {
    let taken = over
    over = []
    return taken.filter { seqs.contains($0.seq) }
  }

  /// Takes all stretches to be over, at the end of the run.
  mutating func finish() {
    over += live.values
    over += open.values
    over.sort { $0.seq < $1.seq }
    (live, open) = ([:], [:])
  }
}
