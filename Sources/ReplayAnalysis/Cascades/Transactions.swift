import EventLog
import Invalidation

/// An outermost transaction.
struct Transaction {
  var begin: UInt64
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

/// Follows the outermost transactions of a run: the open one, and those that ended most recently.
struct Transactions {
  private var depth = 0
  private var open: Transaction?
  private var kinds: Set<TitleID> = []
  private var ended = RecentEntries<Transaction>(keeping: 1 << 14)

  /// Updates the transactions by the run's current row.
  @inline(__always)
  mutating func apply(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    if depth > 0 || run.row.kind == .begin { applyWithin(&run, &titles) }
  }

  private mutating func applyWithin(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    let seq = run.row.seq
    switch run.row.kind {
    case .begin:
      if depth == 0 { open = Transaction(begin: seq, end: seq) }
      if open?.label == nil { open?.label = run.label }
      depth += 1
    case .end:
      depth -= 1
      open?.end = seq
      if depth == 0, let transaction = open {
        ended[seq] = transaction
        open = nil
        kinds.removeAll(keepingCapacity: true)
      }
    default:
      open?.end = seq
      if let path = run.path { apply(titles.write(run.row.kind, of: path, &run)) }
    }
  }

  private mutating func apply(_ write: TitleID) {
    // Beyond this many kinds an exact number is of no use, so no more are kept.
    guard kinds.count < 1000, kinds.insert(write).inserted else { return }
    if kinds.count > Transaction.writesMost { open?.moreWrites += 1 } else { open?.writes.append(write) }
  }

  /// The transaction that ended with this event, if it is recent enough to be known.
  func transaction(endedBy seq: UInt64) -> Transaction? { ended[seq] }
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
