import EventLog

/// Finds paths that are set once more from one time to the next, as by handlers that are registered again each time and never
/// removed.
///
/// A *time* is an action, a transaction, or what else the sets have as their cause; sets of the app itself, and transactions of one
/// cause, that follow each other within ``AccountLine/burstGap`` are one time too.
struct RepeatedSets {
  /// Whose times are compared.
  enum Kind: Hashable {
    case label(String)
    case write(GroupID<PathID>)
    case bare
    case other
  }

  /// The sets of one path in the times of one kind.
  struct Series {
    let path: PathID
    let group: GroupID<PathID>
    let kind: Int32
    /// How often it was set the first time, and the last.
    private(set) var first = 0
    private(set) var last = 0
    private(set) var times = 0
    /// All sets.
    private(set) var sets = 0
    /// Where the first time began, and the last.
    fileprivate(set) var bounds: (first: UInt64, last: UInt64) = (0, 0)
    /// The runs for sets that were not the first of their time.
    fileprivate(set) var work = LintSums()
    fileprivate(set) var evidence = Evidence()
    private var rises = 0
    private var isBroken = false

    fileprivate init(_ path: PathID, _ group: GroupID<PathID>, _ kind: Int32) {
      (self.path, self.group, self.kind) = (path, group, kind)
    }

    fileprivate mutating func append(_ count: Int, at seq: UInt64) {
      if times == 0 { (first, bounds.first) = (count, seq) }
      if count < last { isBroken = true }
      if count > last, times > 0 { rises += 1 }
      times += 1
      sets += count
      (last, bounds.last) = (count, seq)
      if count > 1 { evidence.append(seq) }
    }

    /// Whether it was set more and more often.
    func grows(_ thresholds: LintThresholds) -> Bool {
      !isBroken && times >= max(5, thresholds.count / 2) && rises >= Self.risesMin && last >= 4 * first
        && last - first <= Self.moreMax * (times - 1)
    }

    private static let risesMin = 4
    /// How many more there are from one time to the next, on average: those that one owner registers.
    private static let moreMax = 4
  }

  /// The present time of a path.
  private struct Present {
    var time: UInt64 = 0
    var kind: Int32 = 0
    var seq: UInt64 = 0
    /// The cause of the last set, and when it was made.
    var cause: UInt64 = 0
    var last: UInt64 = 0
    var count: Int32 = 0
    /// The time before, if it had one set.
    var single: (kind: Int32, seq: UInt64)?
    var hasSeries = false
  }

  private struct Key: Hashable {
    var path: PathID
    var kind: Int32
  }

  private(set) var series: [Series] = []
  private(set) var kinds: [Kind] = []
  private var kindIndices: [Kind: Int32] = [:]
  private var indices: [Key: Int32] = [:]
  private var present = PathMap<Present>(default: Present())
  /// The kind of each recent action and transaction.
  private var labels = RecentRing<Int32>(keeping: 1 << 16)
  /// When what has a label began, and its kind.
  private var labelled: [(seq: UInt64, kind: Int32)] = []
  /// The series of recent sets that were not the first of their time.
  private var repeated = RecentRing<Int32>(keeping: 1 << 14)
  /// The last transaction with such a set, and the series.
  private var transaction: (begin: UInt64, series: Int32)?

  private static let seriesMax = 1 << 14
  private static let labelledMax = 1 << 16
  private static let kindsMax = 1 << 12

  init() {}

  /// Looks at a row that begins an action or a transaction.
  mutating func begin(_ run: borrowing LogRun) {
    guard let label = run.label else {
      if let around = labels[run.row.cause] { labels.append(run.row.seq, around) }
      return
    }
    let kind = index(of: .label(label))
    labels.append(run.row.seq, kind)
    if labelled.count < Self.labelledMax { labelled.append((run.row.seq, kind)) }
  }

  /// Looks at a write, the current row of a run.
  ///
  /// - Parameter transaction: The beginning of the transaction that is open around it; 0 for none.
  @inline(__always)
  mutating func apply(_ run: inout LogRun, _ path: PathID, of group: GroupID<PathID>, in transaction: UInt64)
  {
    let (seq, time) = (run.row.seq, run.row.time)
    let (known, cause) = (present[path], run.row.cause)
    let isSoon = known.cause == cause && time.since(known.last).map { $0 <= AccountLine.burstGap } ?? false
    let isBare = transaction == 0 && cause == 0
    let isNext = isSoon && known.count > 0 && (isBare || transaction > 0)
    let this = isNext ? known.time : isBare ? seq : max(transaction, cause)
    (present[path].cause, present[path].last) = (cause, time)
    if known.count > 0, known.time == this { return addToTime(seq, path, of: group, in: transaction) }
    end(known, of: path)
    (present[path].time, present[path].seq, present[path].count) = (this, seq, 1)
    present[path].kind = isBare ? index(of: .bare) : labels[this] ?? kind(ofCause: this, &run)
  }

  private mutating func kind(ofCause cause: UInt64, _ run: inout LogRun) -> Int32 {
    guard let path = run.writtenPath(of: cause) else { return index(of: .other) }
    return index(of: .write(run.group(of: path)))
  }

  private mutating func addToTime(
    _ seq: UInt64, _ path: PathID, of group: GroupID<PathID>, in transaction: UInt64
  ) {
    present[path].count += 1
    let known = present[path]
    let key = Key(path: path, kind: known.kind)
    if indices[key] == nil {
      if series.count >= Self.seriesMax { return }
      indices[key] = Int32(series.count)
      var new = Series(path, group, known.kind)
      if let single = known.single, single.kind == known.kind { new.append(1, at: single.seq) }
      series.append(new)
      present[path].hasSeries = true
    }
    let index = indices[key] ?? 0
    repeated.append(seq, index)
    // What is set once more in its first transaction runs nobody again.
    if transaction > 0, transaction != known.time { self.transaction = (transaction, index) }
  }

  /// Looks at a row that ends a transaction: what was set in it is seen from here on.
  mutating func end(_ seq: UInt64, of begin: UInt64) {
    if let transaction, transaction.begin == begin { repeated.append(seq, transaction.series) }
  }

  /// Ends a time of a path.
  private mutating func end(_ time: Present, of path: PathID) {
    if time.count == 0 { return }
    if time.hasSeries, let index = indices[Key(path: path, kind: time.kind)] {
      series[Int(index)].append(Int(time.count), at: time.seq)
    }
    present[path].single = time.count == 1 ? (time.kind, time.seq) : nil
  }

  private mutating func index(of kind: Kind) -> Int32 {
    if let known = kindIndices[kind] { return known }
    if kinds.count >= Self.kindsMax { return kindIndices[.other] ?? 0 }
    kindIndices[kind] = Int32(kinds.count)
    kinds.append(kind)
    return Int32(kinds.count - 1)
  }

  /// Counts a run, and the event for which it ran.
  @inline(__always)
  mutating func countRun(_ entry: FlushRuns.Entry, for seq: UInt64) {
    if let index = repeated[seq] { series[Int(index)].work.add(entry) }
  }

  mutating func finish() {
    for path in Set(series.map(\.path)) where present[path].count > 0 {
      let last = present[path]
      present[path].count = 0
      end(last, of: path)
    }
  }

  /// What began as often as the sets of a series grew by, between its first time and its last.
  func occasion(of series: Series) -> String? {
    var counts: [Int32: Int] = [:]
    for (seq, kind) in labelled where seq > series.bounds.first && seq <= series.bounds.last {
      counts[kind, default: 0] += 1
    }
    return counts.filter { $0.key != series.kind && $0.value == series.last - series.first }.keys.min()
      .flatMap { if case .label(let label) = kinds[Int($0)] { label } else { nil } }
  }
}
