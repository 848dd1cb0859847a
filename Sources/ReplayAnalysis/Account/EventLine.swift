import EventLog

/// A line of the account of runs or of that of writes.
package enum EventLine: Hashable, Sendable {
  case run(AccountLine)
  case write(WriteLine)

  /// The line with this name; nil if there is none.
  package init?(name: String) {
    if let line = AccountLine(rawValue: name) {
      self = .run(line)
    } else if let line = WriteLine(rawValue: name) {
      self = .write(line)
    } else {
      return nil
    }
  }

  package static let names = AccountLine.allCases.map(\.rawValue) + WriteLine.allCases.map(\.rawValue)
}

/// The events of a line of the account: a bit for each event of the log.
package struct EventsOfLine: Sendable {
  private let first: UInt64
  private var bits: [UInt64] = []

  /// Nil without a line. Cost: a pass over the log.
  package init?(
    _ log: LogSource, _ line: EventLine?, in seqs: Range<UInt64>, progress: AnalysisProgress = .hidden
  ) throws {
    guard let line else { return nil }
    first = log.firstSeq
    var found: [UInt64] = []
    var tally = AccountTally(in: seqs) { [first] seq, other in
      guard other == line, seq >= first else { return }
      let index = Int(seq - first)
      while found.count <= index >> 6 { found.append(0) }
      found[index >> 6] |= 1 << UInt64(index & 63)
    }
    _ = try log.play(to: &tally, progress: progress)
    bits = found
  }

  package func contains(_ seq: UInt64) -> Bool {
    guard seq >= first, let index = Int(exactly: seq - first), index >> 6 < bits.count else { return false }
    return bits[index >> 6] & 1 << UInt64(index & 63) != 0
  }
}
