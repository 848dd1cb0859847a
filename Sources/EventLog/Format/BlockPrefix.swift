/// The fixed first 64 bytes of every payload; integers are little-endian.
///
///      0  magic  EVLB            4  version  5 kind  6 flags, which are 0
///      8  bytes of the body     12  events
///     16  seq of the first event, or of the next to come
///     24  time of the first event
///     32  salt of the log
///     40  hash of the payload before
///     48  seq up to which events were synced
///     56  hash of the body
///     64  the body
struct BlockPrefix: Equatable {
  var kind: UInt8
  /// The number of bytes after the prefix.
  var bodyLength: Int
  var eventCount: Int
  /// The seq of the first event; if the block has none, that of the next event.
  var firstSeq: UInt64
  /// The time of the first event, in nanoseconds since the session began.
  var baseTime: UInt64
  /// The salt of the log, which is the same in all its blocks and distinguishes it from other logs.
  var salt: UInt64
  /// The hash chain: XXH64 of the whole payload of the previous block; 0 in the first block of a log.
  var chain: UInt64
  /// Events up to this seq were known to be on stable storage when the block was made.
  var durableSeq: UInt64
  /// XXH64 of the body.
  var bodyHash: UInt64

  /// The prefix as its 64 bytes.
  func encoded() -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(LogFormat.prefixSize)
    out.appendLittleEndian(LogFormat.magic)
    out.append(LogFormat.version)
    out.append(kind)
    out.appendLittleEndian(UInt16(0))
    out.appendLittleEndian(UInt32(bodyLength))
    out.appendLittleEndian(UInt32(eventCount))
    for word in [firstSeq, baseTime, salt, chain, durableSeq, bodyHash] {
      out.appendLittleEndian(word)
    }
    return out
  }
}

extension BlockPrefix {
  /// Reads a prefix, and checks everything that does not depend on the body.
  init(decoding payload: [UInt8]) throws(DecodeFault) {
    func fault(_ reason: String, _ offset: Int) -> DecodeFault { DecodeFault(reason: reason, offset: offset) }
    func word(_ offset: Int) throws(DecodeFault) -> UInt64 {
      guard let word = payload.littleEndian(at: offset, as: UInt64.self) else {
        throw fault("the payload is shorter than its 64-byte prefix", payload.count)
      }
      return word
    }
    let start = try word(0)
    guard UInt32(truncatingIfNeeded: start) == LogFormat.magic else {
      throw fault("the payload does not start with EVLB", 0)
    }
    let version = UInt8(truncatingIfNeeded: start >> 32)
    guard version == LogFormat.version else {
      throw fault("the block has format version \(version), this reader knows only \(LogFormat.version)", 4)
    }
    kind = UInt8(truncatingIfNeeded: start >> 40)
    let flags = UInt16(truncatingIfNeeded: start >> 48)
    guard flags == 0 else { throw fault("the block has flags \(flags) that this reader does not know", 6) }
    let sizes = try word(8)
    bodyLength = Int(UInt32(truncatingIfNeeded: sizes))
    eventCount = Int(sizes >> 32)
    firstSeq = try word(16)
    baseTime = try word(24)
    salt = try word(32)
    chain = try word(40)
    durableSeq = try word(48)
    bodyHash = try word(56)
    guard eventCount <= LogFormat.eventsMax, eventCount <= bodyLength else {
      throw fault("a body of \(bodyLength) bytes cannot hold \(eventCount) events", 12)
    }
    guard firstSeq > 0, !firstSeq.addingReportingOverflow(UInt64(eventCount)).overflow else {
      throw fault("the first seq is \(firstSeq)", 16)
    }
  }

  /// Reads a prefix and checks the whole payload against it.
  init(checking payload: [UInt8]) throws(DecodeFault) {
    try self.init(decoding: payload)
    guard bodyLength == payload.count - LogFormat.prefixSize else {
      throw DecodeFault(
        reason: "the body is \(payload.count - LogFormat.prefixSize) bytes, not \(bodyLength)", offset: 8)
    }
    switch kind {
    case BlockKind.events:
      if eventCount == 0 { throw DecodeFault(reason: "a block of events has none", offset: 12) }
    case BlockKind.header, LogFormat.firstOptionalKind...:
      if eventCount != 0 { throw DecodeFault(reason: "a block of kind \(kind) has events", offset: 12) }
    default:
      throw DecodeFault(reason: "a block has kind \(kind), which a newer version must have made", offset: 5)
    }
    guard XXH64.hash(payload, in: LogFormat.prefixSize..<payload.count) == bodyHash else {
      throw DecodeFault(reason: "the checksum of the body is wrong", offset: 56)
    }
  }
}
