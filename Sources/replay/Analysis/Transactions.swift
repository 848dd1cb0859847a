import EventLog
import Projection

/// An outermost transaction.
struct Transaction {
  var begin: UInt64
  /// The seq of its `end`; the last event where it never ended.
  var end: UInt64
  /// Its label, or that of the first labelled one inside it.
  var label: String?
  /// The first different kinds of writes in it: `set store.a`.
  var writes: [String] = []
  /// How many more kinds there are.
  var moreWrites = 0

  /// What it is called: its label, or what it wrote.
  var title: String {
    if let label { return "transaction \(Value.string(label).json)" }
    if writes.isEmpty { return "transaction" }
    return writes.joined(separator: ", ") + (moreWrites > 0 ? " and \(moreWrites) more" : "")
  }
}

/// The outermost transactions of a run as its events are gone through: the open one, and the last that ended.
struct Transactions {
  private var depth = 0
  private var open: Transaction?
  private var kinds: Set<String> = []
  private var ended = RecentEntries<Transaction>(keeping: 1 << 14)
  private var groups = PathGroups()

  mutating func note(_ event: Event) {
    switch event.body {
    case .begin(let label):
      if depth == 0 { open = Transaction(begin: event.seq, end: event.seq) }
      if open?.label == nil { open?.label = label }
      depth += 1
    case .end:
      depth = max(0, depth - 1)
      open?.end = event.seq
      if depth == 0, let transaction = open {
        ended[event.seq] = transaction
        open = nil
        kinds.removeAll(keepingCapacity: true)
      }
    default:
      guard open != nil else { return }
      open?.end = event.seq
      if let path = event.body.writtenPath { note("\(event.body.kind) \(groups.group(of: path))") }
    }
  }

  private mutating func note(_ write: String) {
    // So many different kinds are a number to people, and no list.
    guard kinds.count < 1000, kinds.insert(write).inserted else { return }
    if kinds.count > 2 { open?.moreWrites += 1 } else { open?.writes.append(write) }
  }

  /// The transaction that an event ended, if that was not long ago.
  func transaction(endedBy seq: UInt64) -> Transaction? { ended[seq] }
}
