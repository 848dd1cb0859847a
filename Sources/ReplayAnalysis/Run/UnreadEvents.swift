import EventLog

/// The events of a damaged log that nothing was made of, by their numbers: those that no block holds any more, and those
/// behind the damage.
package struct UnreadEvents: Encodable, Sendable {
  package struct Span: Encodable, Sendable {
    package var first: UInt64
    /// Nil where it is not known how many there were, if any.
    package var last: UInt64?

    /// `3 to 4`, `3 and on`.
    package var words: String {
      guard let last else { return "\(first) and on" }
      return last == first ? "\(first)" : "\(first) to \(last)"
    }
  }

  package var lost: [Span]
  /// Those that can be read, and were not: what came before them is lost.
  package var leftOut: [Span]

  enum CodingKeys: String, CodingKey {
    case lost
    case leftOut = "left_out"
  }

  /// Nil where the log is not known to be damaged. Cost: linear in the log.
  package init?(_ log: LogSource) {
    guard let unread = log.firstUnreadSeq, let remains = try? LogRecovery.remains(of: log.path) else {
      return nil
    }
    lost = remains.lost.map { Span(first: $0.first, last: $0.last) }
    leftOut = remains.kept.filter { $0.upperBound >= unread }
      .map { Span(first: max($0.lowerBound, unread), last: $0.upperBound) }
    if lost.isEmpty, leftOut.isEmpty { return nil }
  }
}

extension LogSource {
  /// The first event that damage keeps from being read; nil where none is known. An end that was never finished is none.
  var firstUnreadSeq: UInt64? {
    if let seq = damage.unreadSeq { return seq }
    if case .damaged = reader.tail { return lastSeq.addingClamped(1) }
    return nil
  }

  /// Looks at all blocks of a log that was opened by its index, and notes the first that is damaged. Cost: linear in the log.
  package func checkBlocks() {
    guard reader.indexUse == .believed, let scanned = try? reader.scanned() else { return }
    if case .damaged(let error, _) = scanned.tail { damage.note(error, from: scanned.nextSeq) }
  }
}
