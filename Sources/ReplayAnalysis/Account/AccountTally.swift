import EventLog
import Invalidation

/// Puts each run and each write of a log into the line of the account to which it belongs; see ``AccountLine`` and
/// ``WriteLine``.
///
/// A run waits until its flush is over, since its children may run after it, and then, if it is needed or nothing is known
/// of it, as long as the next run of its projection may replace it. So what is kept grows with the projections that live,
/// and with one flush, which is split where it is too long.
struct AccountTally: RowObserver {
  /// A run whose line may still change.
  private struct Waiting {
    var seq: UInt64
    var time: UInt64
    var duration: UInt64
    var action: UInt64
    /// The number of its flush.
    var flush: UInt64
    var line: AccountLine
    var kind: RunKind
    var units: WriteTally.Units
    /// Whether it answers these.
    var isAnswer: Bool
  }

  let needs: RunNeeds = [.hits, .lookback, .lives]
  private let seqs: Range<UInt64>
  private var bounds = FlushBounds()
  private var flush = AccountFlush()
  /// How many flushes are over.
  private(set) var flushNumber: UInt64 = 0
  private var reasons = AccountReasons()
  private var writes = WriteTally()
  private var derived = DerivedProjections()
  /// How many children of each kind live.
  private var living: [AccountFlush.Kind: Int] = [:]
  /// The last run of each projection, if its line may still change.
  private var waiting = ProjectionMap<Waiting?>(default: nil)
  /// These runs in order, and some that wait no longer.
  private var queue = AccountQueue()
  private(set) var sums = AccountSums()
  private let receive: ((UInt64, EventLine) -> Void)?
  /// The runs of the flush that was over last, each with its line, but for what comes after it.
  private(set) var settled: [(run: AccountedRun, line: AccountLine)] = []
  /// The line of each run, if these are kept.
  private(set) var lines: [UInt64: AccountLine]?

  /// - Parameters:
  ///   - seqs: The events that are counted. Earlier ones are processed too.
  ///   - receive: Is told the line of each run and each write, in any order.
  init(in seqs: Range<UInt64>, _ receive: ((UInt64, EventLine) -> Void)? = nil) {
    self.seqs = seqs
    self.receive = receive
  }

  var end: UInt64 { seqs.upperBound }

  /// The children that took others' places in the flush that was over last.
  var exchanges: [AccountFlush.Exchange] { flush.exchanges }

  /// The action of the current row, and when it ended.
  var action: (seq: UInt64, ended: UInt64?) { reasons.action }

  mutating func begin(_ run: inout LogRun) {
    bounds.begin(run)
    for projection in run.registry.living {
      if let parent = run.registry[projection].parent { count(projection, below: parent, 1, &run) }
    }
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    // The end of a projection that moves, and its new beginning, are in one flush.
    if flush.isFull && run.row.kind != .projection || flush.hasRuns && bounds.isOver(before: run.row) {
      settle()
      countPast(at: run.row.time)
    }
    bounds.observe(run.row)
    if let over = writes.observe(run) { count(over.line, of: over.seq) }
    reasons.observe(&run, &writes)
    derived.observe(&run)
    guard let projection = run.projection else { return }
    switch run.row.kind {
    case .projection: beginLife(of: projection, &run)
    case .reads: reasons.markReads(of: projection, run.readPaths)
    case .evaluate: addRun(of: projection, &run)
    case .dispose: endLife(of: projection, &run)
    default: break
    }
  }

  mutating func finish(_ run: inout LogRun) {
    settle()
    for case let (_, last?) in waiting.all { count(last) }
    waiting.removeAll()
    for over in writes.finish() { count(over.line, of: over.seq) }
  }

  // MARK: Rows

  private mutating func beginLife(of projection: ProjectionID, _ run: inout LogRun) {
    let seq = run.row.seq
    if run.isMove { flush.undoEnd(of: projection, at: run.row.cause) }
    reasons.begin(projection, at: seq, isMove: run.isMove)
    writes.begin(projection, isMove: run.isMove)
    guard let parent = run.parent else { return }
    count(projection, below: parent, 1, &run)
    append(projection, below: parent, .made(projection, birth: seq), &run)
  }

  private mutating func endLife(of projection: ProjectionID, _ run: inout LogRun) {
    let reads = reasons.end(projection)
    writes.end(projection, at: run.row.seq)
    let life = run.registry[projection]
    let parent = life.isAlive ? life.parent : nil
    if let parent {
      count(projection, below: parent, -1, &run)
      append(projection, below: parent, .ended(projection, firstReads: reads), &run)
    }
    flush.append(
      AccountFlush.End(
        projection: projection, seq: run.row.seq, time: run.row.time, isChild: parent != nil))
  }

  private mutating func addRun(of projection: ProjectionID, _ run: inout LogRun) {
    let life = run.registry[projection]
    let group = run.group(of: projection)
    if seqs.contains(run.row.seq) { sums.comparing += min(run.row.comparing, run.row.duration) }
    let isFirst = life.isAlive && !life.hasRun
    let isCallback = run.text(group).isCallbackName
    let kind: RunKind =
      derived.contains(projection) ? .derived : isCallback ? .callback : isFirst ? .first : .again
    var added = AccountedRun(
      seq: run.row.seq, time: run.row.time, duration: run.row.duration, projection: projection,
      parent: life.isAlive ? life.parent : nil, group: group, cause: unit(&run), changed: run.row.changed,
      inputChanged: run.row.inputChanged, isFirst: isFirst, isAlive: life.isAlive, kind: kind, birth: 0,
      firstReads: 0, answers: .nothing, isRepeated: false, isLooping: false,
      units: writes.answer(projection))
    reasons.answer(&added)
    flush.append(added)
  }

  private mutating func append(
    _ child: ProjectionID, below parent: ProjectionID, _ change: AccountFlush.Below.Change,
    _ run: inout LogRun
  ) {
    let kind = AccountFlush.Kind(parent: parent, group: run.group(of: child))
    flush.append(AccountFlush.Below(kind: kind, change: change, cause: unit(&run)))
  }

  private mutating func count(
    _ child: ProjectionID, below parent: ProjectionID, _ difference: Int, _ run: inout LogRun
  ) {
    let kind = AccountFlush.Kind(parent: parent, group: run.group(of: child))
    let count = living[kind, default: 0] + difference
    living[kind] = count > 0 ? count : nil
  }

  /// What caused the row.
  private func unit(_ run: inout LogRun) -> UInt64 { run.row.cause > 0 ? run.unit(run.row.cause) : 0 }

  // MARK: Lines

  private mutating func settle() {
    // What takes its steps may not belong to the same value, and its memory is used again.
    var over = AccountFlush()
    swap(&over, &flush)
    let number = flushNumber
    settled.removeAll(keepingCapacity: true)
    over.removeAll(living: living) { step in
      switch step {
      case .run(let run): settle(run)
      case .end(let end):
        settle(waitingOf: end.projection, until: end.time) { $0.flush == number && $0.seq < end.lastKept }
      }
    }
    swap(&over, &flush)
    flushNumber += 1
    bounds.restart()
  }

  private mutating func settle(_ run: AccountedRun) {
    let line = AccountLine(run)
    settled.append((run, line))
    let number = flushNumber
    settle(waitingOf: run.projection, until: run.time) {
      line.isOpen && ($0.flush == number || run.action > 0 && $0.action == run.action)
    }
    let last = Waiting(
      seq: run.seq, time: run.time, duration: run.duration, action: run.action, flush: number, line: line,
      kind: run.kind, units: run.units, isAnswer: run.answers != .nothing)
    guard line.isOpen, run.isShown, run.isAlive else { return count(last) }
    waiting[run.projection] = last
    queue.append(run.projection, run.seq, run.time)
  }

  /// Counts the runs that nothing can replace any more. Otherwise they would wait as long as their projections do nothing.
  private mutating func countPast(at time: UInt64) {
    while let first = queue.first, time.since(first.time).map({ $0 > 2 * AccountLine.burstGap }) ?? false {
      queue.removeFirst()
      guard let last = waiting[first.projection], last.seq == first.seq else { continue }
      waiting[first.projection] = nil
      count(last)
    }
    if queue.isFull { queue.removeAll { [waiting] in waiting[$0.projection]?.seq != $0.seq } }
  }

  /// Counts the run of a projection that waits for what comes after it, now that this has come.
  private mutating func settle(
    waitingOf projection: ProjectionID, until time: UInt64, isReplaced: (Waiting) -> Bool
  ) {
    guard var last = waiting[projection] else { return }
    waiting[projection] = nil
    let isSoon = time.since(last.time).map { $0 <= AccountLine.burstGap } ?? false
    if isSoon, isReplaced(last) { last.line = .replaced }
    count(last)
  }

  private mutating func count(_ run: Waiting) {
    writes.settle(run.units, run.isAnswer ? run.line : nil, at: run.seq)
    guard seqs.contains(run.seq) else { return }
    sums.add(run.line, run.kind, run.seq, run.duration)
    receive?(run.seq, .run(run.line))
  }

  private mutating func count(_ line: WriteLine, of seq: UInt64) {
    guard seqs.contains(seq) else { return }
    sums.add(line, seq)
    receive?(seq, .write(line))
  }
}

/// The runs that wait for what may replace them, in the order in which their flushes were over.
private struct AccountQueue {
  struct Entry {
    var projection: ProjectionID
    var seq: UInt64
    var time: UInt64
  }

  private var entries: [Entry] = []
  private var start = 0
  private var room = Self.roomLeast
  private static let roomLeast = 1 << 14

  var first: Entry? { start < entries.count ? entries[start] : nil }

  /// Whether those that no longer wait should be removed.
  var isFull: Bool { entries.count >= room }

  mutating func append(_ projection: ProjectionID, _ seq: UInt64, _ time: UInt64) {
    entries.append(Entry(projection: projection, seq: seq, time: time))
  }

  mutating func removeFirst() { start += 1 }

  mutating func removeAll(where isOver: (Entry) -> Bool) {
    entries.removeFirst(start)
    entries.removeAll(where: isOver)
    start = 0
    room = max(Self.roomLeast, 2 * entries.count)
  }
}

/// The projections whose values were published, as `derived.NAME`.
private struct DerivedProjections {
  private var projections = ProjectionMap<Bool>(default: false)
  private var isKnown = PathMap<Bool>(default: false)

  func contains(_ projection: ProjectionID) -> Bool { projections[projection] }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    guard let path = run.path, !isKnown[path] else { return }
    isKnown[path] = true
    apply(run.tables.path(path), &run)
  }

  @inline(never)
  private mutating func apply(_ path: Path, _ run: inout LogRun) {
    guard case .named(let root) = path.root, root.hasSameBytes(as: "derived"), path.components.count == 1,
      let name = path.components.first?.name
    else { return }
    projections[run.id(ofProjection: name)] = true
  }
}
