/// The fixed first 64 bytes of every payload; all integers low byte first.
struct BlockPrefix: Equatable {
  var kind: UInt8
  /// Bytes after the prefix.
  var bodyLength: Int
  var eventCount: Int
  /// The seq of the first event; of the next event to come where the block holds none.
  var firstSeq: UInt64
  /// Nanoseconds since the session began, of the first event.
  var baseTime: UInt64
  /// A number drawn once a file, so that blocks of another file are told apart.
  var salt: UInt64
  /// XXH64 of the whole payload of the block before; 0 in the first of a log.
  var chain: UInt64
  /// Events up to this seq were known to be on stable storage when the block was made.
  var durableSeq: UInt64
  /// XXH64 of the body.
  var bodyHash: UInt64

  /// The 64 bytes.
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
  /// Reads and checks what can be checked of a prefix alone.
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
    guard (1...LogFormat.version).contains(version) else {
      throw fault(
        "the block has format version \(version), and this reader knows 1 to \(LogFormat.version)", 4)
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
}
