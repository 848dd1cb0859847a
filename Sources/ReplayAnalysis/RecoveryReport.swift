import EventLog

/// The result of a recovery: the logs that were saved, and what was lost.
package struct RecoveryReport: Codable, Sendable {
  /// A log that is complete after the recovery.
  struct Log: Codable, Sendable {
    var path: String
    var firstSeq: UInt64
    /// The seq after its last event.
    var nextSeq: UInt64
    /// Whether the state before its first event is known.
    var hasState: Bool

    enum CodingKeys: String, CodingKey {
      case path
      case firstSeq = "first_seq"
      case nextSeq = "next_seq"
      case hasState = "has_state"
    }
  }

  /// A block whose contents are impossible.
  struct Fault: Codable, Sendable {
    var byteOffset: UInt64
    var first: UInt64
    var last: UInt64
    var reason: String

    enum CodingKeys: String, CodingKey {
      case byteOffset = "byte_offset"
      case first = "first_seq"
      case last = "last_seq"
      case reason
    }
  }

  /// A range of events that are lost.
  struct Loss: Codable, Sendable {
    var first: UInt64
    /// Nil if it is unknown how many there were.
    @Nullable var last: UInt64?

    enum CodingKeys: String, CodingKey {
      case first = "first_seq"
      case last = "last_seq"
    }
  }

  var outcome: String
  /// Where the damage begins, and its description; nil if there is none.
  @Nullable var byteOffset: UInt64?
  @Nullable var reason: String?
  var logs: [Log]
  /// Files that hold bytes which were removed from the log.
  var torn: [String]
  var lost: [Loss]
  /// Blocks that were left out because of their contents.
  var leftOut: [Fault]

  enum CodingKeys: String, CodingKey {
    case outcome
    case byteOffset = "byte_offset"
    case reason, logs, torn, lost
    case leftOut = "left_out"
  }

  package init(_ recovery: LogRecovery) {
    outcome = recovery.outcome.rawValue
    byteOffset = recovery.offset
    reason = recovery.reason
    logs = recovery.logs.map {
      Log(path: $0.path, firstSeq: $0.firstSeq, nextSeq: $0.nextSeq, hasState: $0.hasState)
    }
    torn = recovery.tornPaths
    lost = recovery.lost.map { Loss(first: $0.first, last: $0.last) }
    leftOut = recovery.faults.map {
      Fault(byteOffset: $0.offset, first: $0.first, last: $0.last, reason: $0.reason)
    }
  }
}
