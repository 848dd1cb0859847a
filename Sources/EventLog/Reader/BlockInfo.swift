/// One block of a log, as a scan found it.
public struct BlockInfo: Hashable, Sendable {
  /// Where its frame starts in the file.
  public var offset: UInt64
  /// Bytes of its frame in the file.
  public var compressedSize: Int
  /// Bytes of its payload, prefix included.
  public var payloadSize: Int
  /// The number of what it holds: 1 for a header, 2 for events; others are skipped.
  public var kind: UInt8
  /// How many events it holds.
  public var eventCount: Int
  /// The seq of the first of them, or of the next to come.
  public var firstSeq: UInt64
  /// The time of the first of them, in nanoseconds since the session began.
  public var baseTime: UInt64
  /// Events up to this seq were on stable storage when the block was made.
  public var durableSeq: UInt64
  /// XXH64 of the payload.
  package var payloadHash: UInt64

  /// One more than the seq of the last event; the seq of the next to come.
  public var endSeq: UInt64 { firstSeq + UInt64(eventCount) }
  /// Where the next frame starts.
  public var endOffset: UInt64 { offset + UInt64(compressedSize) }
}
