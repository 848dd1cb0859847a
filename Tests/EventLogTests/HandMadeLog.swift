import Testing

@testable import EventLog

/// A log assembled block by block, with correct checksums and any content.
struct HandMadeLog {
  private(set) var bytes: [UInt8] = []
  /// The seq of the next event.
  var nextSeq: UInt64 = 1
  /// The hash of the last block, for the next one.
  var chain: UInt64 = 0
  var salt: UInt64 = 7
  private var seekTable = SeekTable()
  private var index = IndexBuilder()
  private let zstd: ZstdCompressor

  init() throws { zstd = try #require(ZstdCompressor(level: 3)) }

  var file: MemoryFile { MemoryFile(bytes) }

  /// - Parameter change: Changes the payload; index and seek table describe it as it is then.
  mutating func add(
    kind: UInt8, _ body: [UInt8], events: Int = 0, _ change: (inout [UInt8]) -> Void = { _ in }
  ) throws {
    var prefix = BlockPrefix(
      kind: kind, bodyLength: body.count, eventCount: events, firstSeq: nextSeq, baseTime: 0, salt: salt,
      chain: chain, durableSeq: 0, bodyHash: XXH64.hash(body))
    var payload = prefix.encoded() + body
    change(&payload)
    prefix = (try? BlockPrefix(decoding: payload)) ?? prefix
    let frame = try #require(zstd.frame(payload))
    bytes += frame
    chain = XXH64.hash(payload)
    nextSeq &+= UInt64(events)
    if kind == BlockKind.header {
      seekTable = SeekTable()
      index = IndexBuilder()
    }
    index.add(prefix, payloadHash: chain)
    seekTable.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: chain)
  }

  mutating func addHeader(program: String = "") throws {
    try add(
      kind: BlockKind.header, LogHeader(program: program, salt: salt, created: 0, metadata: [:]).json())
  }

  /// A block of events that are all `end`.
  mutating func addEnds(_ count: Int) throws {
    try add(
      kind: BlockKind.events,
      [UInt8(Column.kinds.rawValue), UInt8(count)] + Array(repeating: EventKind.end.rawValue, count: count),
      events: count)
  }

  /// An index with the kinds of the blocks, but without lists of paths and projections.
  mutating func addIndex() throws {
    var builder = BlockBuilder()
    try add(kind: BlockKind.index, index.body(of: seekTable, tables: &builder))
  }

  mutating func addSeekTable() throws { bytes += try #require(seekTable.encoded()) }
}
