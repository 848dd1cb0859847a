import EventLog
import Invalidation

/// An outermost transaction.
struct Transaction {
  var begin: UInt64
  /// The seq of its `end`; the last event where it never ended.
  var end: UInt64
  /// Its label, or that of the first labelled one inside it.
  var label: String?
  /// The titles of the first different kinds of writes in it: `set store.a`.
  var writes: [TitleID] = []
  static let writesMost = 16
  private static let shownMost = 2
  /// How many more kinds there are.
  var moreWrites = 0

  /// What it is called: its label, or what it wrote.
  func title(_ titles: borrowing CascadeTitles) -> String {
    if let label { return "transaction \(Value.string(label).json)" }
    if writes.isEmpty { return "transaction" }
    let more = max(0, writes.count - Self.shownMost) + moreWrites
    return writes.prefix(Self.shownMost).map { titles.text($0) }.joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
  }
}

/// The outermost transactions of a run as its events are gone through: the open one, and the last that ended.
struct Transactions {
  private var depth = 0
  private var open: Transaction?
  private var kinds: Set<TitleID> = []
  private var ended = RecentEntries<Transaction>(keeping: 1 << 14)

  /// Takes in the last row of a run.
  @inline(__always)
  mutating func note(_ run: inout LogRun, _ titles: inout CascadeTitles) {
    if depth > 0 || run.row.kind == .begin { noteWithin(&run, &titles) }
  }

  private mutating func noteWithin(_ run: inout LogRun, _ titles: inout CascadeTitles) {
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
      if let path = run.path { note(titles.write(run.row.kind, of: path, &run)) }
    }
  }

  private mutating func note(_ write: TitleID) {
    // So many different kinds are a number to people, and no list.
    guard kinds.count < 1000, kinds.insert(write).inserted else { return }
    if kinds.count > Transaction.writesMost { open?.moreWrites += 1 } else { open?.writes.append(write) }
  }

  /// The transaction that an event ended, if that was not long ago.
  func transaction(endedBy seq: UInt64) -> Transaction? { ended[seq] }
}

/// The last so many entries of a table that would grow without end; at most twice as many are kept.
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
