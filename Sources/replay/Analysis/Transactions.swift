import EventLog

/// The outermost transactions of a run, in order.
struct Transactions {
  struct Span {
    var begin: UInt64
    /// The seq of its `end`; the last event where it never ended.
    var end: UInt64
    /// Its label, or that of the first labelled one inside it.
    var label: String?
  }

  private(set) var spans: [Span] = []

  init(_ events: [Event]) {
    var depth = 0
    for event in events {
      switch event.body {
      case .begin(let label):
        if depth == 0 { spans.append(Span(begin: event.seq, end: event.seq, label: nil)) }
        if spans[spans.count - 1].label == nil { spans[spans.count - 1].label = label }
        depth += 1
      case .end:
        depth = max(0, depth - 1)
        if !spans.isEmpty { spans[spans.count - 1].end = event.seq }
      default:
        if depth > 0 { spans[spans.count - 1].end = event.seq }
      }
    }
  }

  /// The transaction around an event. Cost: logarithmic.
  func span(around seq: UInt64) -> Span? {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].end < seq { low = middle + 1 } else { high = middle }
    }
    guard low < spans.count, spans[low].begin <= seq else { return nil }
    return spans[low]
  }
}
