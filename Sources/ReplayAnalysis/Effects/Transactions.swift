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
    var depth = 0
  }

  private var open: [Open] = []
  private var ended = RecentEntries<Transaction>(keeping: 1 << 14)

  /// Updates the transactions by the run's current row.
  @inline(__always)
  mutating func apply(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    if !open.isEmpty || run.row.kind == .begin { applyWithin(&run, &titles) }
  }

  private mutating func applyWithin(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    let (seq, strand) = (run.row.seq, run.row.origin.strand)
    let around =
      open.firstIndex { $0.transaction.strand == strand }
      ?? open.firstIndex { $0.transaction.strand == OpenTransactions.session }
    guard let index = around else {
      for index in open.indices { open[index].transaction.hasOthersWithin = true }
      if run.row.kind == .begin {
        open.append(
          Open(transaction: Transaction(begin: seq, strand: strand, end: seq, label: run.label), depth: 1))
      }
      return
    }
    open[index].transaction.end = seq
    for other in open.indices where other != index { open[other].transaction.hasOthersWithin = true }
    switch run.row.kind {
    case .begin:
      if open[index].transaction.label == nil { open[index].transaction.label = run.label }
      open[index].depth += 1
    case .end:
      open[index].depth -= 1
      if open[index].depth == 0 { ended[seq] = open.remove(at: index).transaction }
    default:
      if let path = run.path { open[index].apply(titles.write(run.row.kind, of: path, &run)) }
    }
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
