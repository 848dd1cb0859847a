import EventLog

/// The invalidations of every event in a few blocks, and the transactions there.
package struct StepWindow {
  package struct Woken {
    package var projection: String
    package var causes: [UInt64]
  }

  /// An outermost transaction.
  package struct Span {
    package var begin: UInt64
    /// The strand that opened it.
    package var strand: Int
    /// Nil if it ends after the window.
    var end: UInt64?
    package var label: String?
  }

  private var woken: [UInt64: [Woken]] = [:]
  private var spans: [Span] = []

  init(_ part: LogSource) throws {
    var run = LogRun(part, .hits)
    var transactions = OpenTransactions(before: part.base?.openTransactions ?? 0)
    while try run.next() {
      let seq = run.row.seq
      if !run.hits.isEmpty {
        woken[seq] = run.hits.map { Woken(projection: run.tables.name($0.projection), causes: $0.causes.all) }
      }
      let strand = run.row.origin.strand
      if run.row.kind == .begin, transactions.depth(around: strand) == 0 {
        spans.append(Span(begin: seq, strand: strand, label: run.label))
      }
      transactions.apply(run.row.kind, on: strand)
      if run.row.kind == .end, transactions.depth(of: strand) == 0,
        let index = spans.lastIndex(where: { $0.strand == strand && $0.end == nil })
      {
        spans[index].end = seq
      }
    }
  }

  /// The projections that an event invalidated, in order of creation.
  func woken(by seq: UInt64) -> [Woken] { woken[seq] ?? [] }

  /// The outermost transaction to which an event of a strand belongs.
  func transaction(around seq: UInt64, on strand: Int) -> Span? {
    spans.last { span in
      span.begin <= seq && span.end.map { $0 >= seq } ?? true
        && (span.strand == strand || span.strand == OpenTransactions.session)
    }
  }
}

/// Caches the windows around recent positions. Each window is derived from the checkpoint before it, so that
/// moving anywhere costs a few blocks, however long the log is.
final class StepWindows {
  private let log: LogSource
  /// The windows, by the first seq of their block, the most recently used last.
  private var recent: [(block: UInt64, window: StepWindow)] = []
  private static let recentMax = 4

  init(_ log: LogSource) { self.log = log }

  /// The window with an event, which knows what the event invalidated and the transactions around it.
  func window(around seq: UInt64) throws -> StepWindow {
    let block = log.block(from: seq)
    if let known = recent.firstIndex(where: { $0.block == block?.firstSeq }) {
      recent.append(recent.remove(at: known))
      return recent[recent.count - 1].window
    }
    let window = try log.retried { try StepWindow(log.part(from: seq, before: log.block(from: seq)?.endSeq)) }
    recent.append((log.block(from: seq)?.firstSeq ?? seq, window))
    if recent.count > Self.recentMax { recent.removeFirst() }
    return window
  }
}

/// One event with everything that is known about it.
package struct StepPoint {
  package let event: Event
  /// The projections that it invalidated.
  package let woken: [StepWindow.Woken]
  /// The outermost transaction that contains it.
  package let transaction: StepWindow.Span?
  /// The root of its cause chain, and how many steps away that is.
  package let root: (seq: UInt64, depth: Int)
  /// For a write: the values at its path before and after; nil if there was or is none.
  package let old: Value?
  package let new: Value?

  init(_ seq: UInt64, of log: LogSource, in window: StepWindow) throws {
    guard let event = log.namedEvent(seq) else { throw StepError("event \(seq) cannot be read") }
    self.event = event
    woken = window.woken(by: seq)
    transaction = window.transaction(around: seq, on: event.origin?.strand ?? 0)
    root = log.root(of: seq)
    guard let path = event.body.writtenPath else {
      (old, new) = (nil, nil)
      return
    }
    old = try log.state(at: seq - 1).value(at: path)
    switch event.body {
    case .set(_, let value, _): new = value
    default: new = nil
    }
  }

  /// The projection that the event is about, if it is an evaluation or an invalidation.
  var projection: String? { event.body.projectionName }
}
