import EventLog

/// The result of a verification, to be printed as JSON.
package struct VerificationReport: Codable, Sendable {
  /// A disagreement. Which fields it has depends on its kind.
  struct Finding: Codable, Sendable {
    enum Kind: String, Codable, Sendable { case integrity, unrecorded, underived, misplaced, unexplained }

    var kind: Kind
    var byteOffset: UInt64?
    var reason: String?
    var seq: UInt64?
    var projection: String?
    var causes: [UInt64]?
    var cause: UInt64?

    enum CodingKeys: String, CodingKey {
      case kind
      case byteOffset = "byte_offset"
      case reason, seq, projection, causes, cause
    }
  }

  /// A block of the file.
  struct Block: Codable, Sendable {
    var byteOffset: UInt64
    var bytes: Int
    var payloadBytes: Int
    var kind: String
    var events: Int
    var firstSeq: UInt64
    var time: UInt64

    enum CodingKeys: String, CodingKey {
      case byteOffset = "byte_offset"
      case bytes
      case payloadBytes = "payload_bytes"
      case kind, events
      case firstSeq = "first_seq"
      case time = "time_ns"
    }
  }

  var log: String
  var ok: Bool
  var events: Int
  var derived: Int
  var recorded: Int
  var matched: Int
  var lost: Int
  var evaluations: Int
  var explained: Int
  var blocks: Int
  var indexes: Int
  var checkpoints: Int
  var findings: [Finding]
  /// Nil unless it was requested.
  var blockList: [Block]?

  enum CodingKeys: String, CodingKey {
    case log, ok, events, derived, recorded, matched, lost, evaluations, explained, blocks, indexes
    case checkpoints, findings
    case blockList = "block_list"
  }

  package init(_ verification: Verification, listsBlocks: Bool) {
    let check = verification.check
    log = verification.path
    ok = verification.isSound
    events = verification.events
    derived = verification.derived
    recorded = verification.recorded
    matched = verification.matched
    lost = verification.lost
    evaluations = verification.evaluations
    explained = verification.explained
    blocks = check.blocks.count
    indexes = check.indexes
    checkpoints = check.checkpoints
    findings = check.findings.map(Finding.init) + verification.findings.map(Finding.init)
    blockList = listsBlocks ? check.blocks.map(Block.init) : nil
  }
}

extension VerificationReport.Finding {
  fileprivate init(_ finding: LogCheck.Finding) {
    self.init(kind: .integrity, byteOffset: finding.byteOffset, reason: finding.reason)
  }

  fileprivate init(_ finding: Verification.Finding) {
    switch finding {
    case .unrecorded(let invalidation): self.init(.unrecorded, invalidation)
    case .underived(let invalidation): self.init(.underived, invalidation)
    case .misplaced(let seq, let projection, let cause):
      self.init(kind: .misplaced, seq: seq, projection: projection, cause: cause)
    case .unexplained(let seq, let projection, let cause):
      self.init(kind: .unexplained, seq: seq, projection: projection, cause: cause)
    }
  }

  private init(_ kind: Kind, _ invalidation: TimelineComparison.NamedInvalidation) {
    self.init(
      kind: kind, seq: invalidation.seq, projection: invalidation.projection, causes: invalidation.causes)
  }
}

extension VerificationReport.Block {
  fileprivate init(_ block: BlockInfo) {
    self.init(
      byteOffset: block.offset, bytes: block.compressedSize, payloadBytes: block.payloadSize,
      kind: block.kindName, events: block.eventCount, firstSeq: block.firstSeq, time: block.baseTime)
  }
}

extension BlockInfo {
  package var kindName: String {
    switch kind {
    case 1: "header"
    case 2: "events"
    case 128: "checkpoint"
    case 129: "index"
    default: "kind \(kind)"
    }
  }
}
