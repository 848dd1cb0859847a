import EventLog

/// The events of a damaged log that are missing from the results: those that no block contains any more, and
/// those after the damage.
package struct UnreadEvents: Encodable, Sendable {
  package struct Span: Encodable, Sendable {
    package var first: UInt64
    /// Nil if it is unknown how many there were, or whether there were any.
    package var last: UInt64?

    /// As text: `3 to 4`, `3 and on`.
    package var words: String {
      guard let last else { return "\(first) and on" }
      return last == first ? "\(first)" : "\(first) to \(last)"
    }
  }

  package var lost: [Span]
  /// Events that are readable but were not read, since events before them are lost.
  package var leftOut: [Span]

  enum CodingKeys: String, CodingKey {
    case lost
    case leftOut = "left_out"
  }

  /// Nil if the log is not known to be damaged. Cost: linear in the log.
  package init?(_ log: LogSource) {
    guard let unread = log.firstUnreadSeq,
      let remains = try? LogRecovery.remains(of: log.path, limits: log.limits)
    else {
      return nil
    }
    lost = remains.lost.map { Span(first: $0.first, last: $0.last) }
    leftOut = remains.kept.filter { $0.upperBound >= unread }
      .map { Span(first: max($0.lowerBound, unread), last: $0.upperBound) }
    if lost.isEmpty, leftOut.isEmpty { return nil }
  }
}

extension LogSource {
  /// The first event that damage makes unreadable; nil if none is known. An incomplete end of a log is not
  /// damage.
  var firstUnreadSeq: UInt64? {
    if let seq = damage.unreadSeq { return seq }
    if case .damaged = reader.tail { return lastSeq + 1 }
    return nil
  }

  /// Checks all blocks of a log that was opened by its index, and records the first damaged one. Cost: linear
  /// in the log.
  package func checkBlocks() {
    guard reader.indexUse == .believed, let scanned = try? reader.scanned() else { return }
    if case .damaged(let error, _) = scanned.tail { damage.append(error, from: scanned.nextSeq) }
  }
}
