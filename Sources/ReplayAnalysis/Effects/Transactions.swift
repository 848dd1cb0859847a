import EventLog
import Invalidation

/// An outermost transaction.
struct Transaction {
  var begin: UInt64
  /// The strand whose events belong to it; see ``OpenTransactions``.
  var strand = 0
  /// Whether events between its beginning and its end do not belong to it.
  var hasOthersWithin = false
  /// The seq of its `end`; the last event if it never ended.
  var end: UInt64
  /// Its label, or that of the first labelled one inside it.
  var label: String?
  /// The titles of the first different kinds of writes in it: `set store.a`.
  var writes: [TitleID] = []
  static let writesMost = 16
  private static let shownMost = 2
  /// The number of further kinds.
  var moreWrites = 0

  /// The label, or else a list of what it wrote.
  func title(_ titles: borrowing CascadeTitles) -> String {
    if let label { return "transaction \(Value.string(label).json)" }
    if writes.isEmpty { return "transaction" }
    let more = max(0, writes.count - Self.shownMost) + moreWrites
    return writes.prefix(Self.shownMost).map { titles.text($0) }.joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
  }
}

extension Transaction {
  /// The seqs of its writes.
  func writes(in run: inout LogRun, _ log: LogSource) -> [UInt64] {
    (begin...end).filter { run.writtenPath(of: $0) != nil && contains($0, log) }
  }

  private func contains(_ seq: UInt64, _ log: LogSource) -> Bool {
    !hasOthersWithin || strand == OpenTransactions.session || log.event(seq)?.origin?.strand ?? 0 == strand
  }
}

/// Follows the outermost transactions of a run: the open ones, and those that ended most recently.
struct Transactions {
  fileprivate struct Open {
    var transaction: Transaction
    var kinds: Set<TitleID> = []
  }

  private var open: [Open] = []
  private var depths = OpenTransactions()
  /// The first label of each strand that has transactions open.
  private var labels: [Int: String] = [:]
  private var ended = RecentEntries<Transaction>(keeping: 1 << 14)

  /// Updates the transactions by the run's current row.
  @inline(__always)
  mutating func apply(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    if !open.isEmpty || run.row.kind == .begin { applyWithin(&run, &titles) }
  }

  private mutating func applyWithin(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    let (seq, strand) = (run.row.seq, run.row.origin.strand)
    let around = index(of: strand) ?? index(of: OpenTransactions.session)
    if let around { open[around].transaction.end = seq }
    for other in open.indices where other != around { open[other].transaction.hasOthersWithin = true }
    switch run.row.kind {
    case .begin:
      depths.begin(on: strand)
      if labels[strand] == nil { labels[strand] = run.label }
      if let around {
        if open[around].transaction.label == nil { open[around].transaction.label = run.label }
      } else {
        begin(on: strand, at: seq)
      }
    case .end: end(on: strand, at: seq)
    default:
      if let around, let path = run.path { open[around].apply(titles.write(run.row.kind, of: path, &run)) }
    }
  }

  private func index(of strand: Int) -> Int? { open.firstIndex { $0.transaction.strand == strand } }

  private mutating func begin(on strand: Int, at seq: UInt64) {
    open.append(
      Open(transaction: Transaction(begin: seq, strand: strand, end: seq, label: labels[strand])))
  }

  private mutating func end(on strand: Int, at seq: UInt64) {
    guard let closed = depths.end(on: strand), depths.depth(of: closed) == 0 else { return }
    labels[closed] = nil
    guard let index = index(of: closed) else { return }
    ended[seq] = open.remove(at: index).transaction
    guard closed == OpenTransactions.session else { return }
    // What began within the session's transaction and is still open is outermost from here on.
    for strand in depths.strands where self.index(of: strand) == nil { begin(on: strand, at: seq) }
  }

  /// The transaction that ended with this event, if it is recent enough to be known.
  func transaction(endedBy seq: UInt64) -> Transaction? { ended[seq] }
}

extension Transactions.Open {
  fileprivate mutating func apply(_ write: TitleID) {
    // Beyond this many kinds an exact number is of no use, so no more are kept.
    guard kinds.count < 1000, kinds.insert(write).inserted else { return }
    if kinds.count > Transaction.writesMost {
      transaction.moreWrites += 1
    } else {
      transaction.writes.append(write)
    }
  }
}

/// A table that keeps only the most recent entries: at least the last `count`, and at most twice as many.
private struct RecentEntries<Entry> {
  private var young: [UInt64: Entry] = [:]
  private var old: [UInt64: Entry] = [:]
  private let count: Int

  init(keeping count: Int) { self.count = count }

  /// The entry of a key, unless it was forgotten.
  subscript(key: UInt64) -> Entry? {
    get { young[key] ?? old[key] }
    set {
      if young.count >= count {
        old = young
        young = [:]
      }
      young[key] = newValue
    }
  }
}
