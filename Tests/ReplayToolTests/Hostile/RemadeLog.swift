import Testing

@testable import EventLog

/// The blocks of a log, to be written again with a change, with correct checksums.
struct RemadeLog {
  struct Block {
    var prefix: BlockPrefix
    var body: [UInt8]
    /// Whether its hash differs from that of the previous block.
    var breaksChain = false
  }

  /// All but the index.
  var blocks: [Block] = []

  init(_ path: String) throws {
    let log = try LogReader(path: path, scanned: true)
    let zstd = try #require(ZstdDecompressor())
    for block in log.blocks where block.kind != BlockKind.index {
      let payload = try log.payload(of: block, zstd)
      blocks.append(
        Block(prefix: try BlockPrefix(decoding: payload), body: Array(payload[LogFormat.prefixSize...])))
    }
  }

  /// The log as a file that was closed, with an index that lists nothing.
  func bytes() throws -> [UInt8] {
    let zstd = try #require(ZstdCompressor(level: 1))
    var (bytes, chain): ([UInt8], UInt64) = ([], 0)
    var (table, index) = (SeekTable(), IndexBuilder())
    var builder = BlockBuilder()
    func add(_ block: Block) throws {
      var prefix = block.prefix
      (prefix.bodyLength, prefix.bodyHash) = (block.body.count, XXH64.hash(block.body))
      prefix.chain = block.breaksChain ? chain ^ 1 : chain
      let payload = prefix.encoded() + block.body
      let frame = try #require(zstd.frame(payload))
      bytes += frame
      chain = XXH64.hash(payload)
      table.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: chain)
      if prefix.kind != BlockKind.index { index.add(prefix, payloadHash: chain) }
    }
    for block in blocks { try add(block) }
    guard var closing = blocks.last?.prefix else { return [] }
    closing.firstSeq += UInt64(closing.eventCount)
    (closing.kind, closing.eventCount) = (BlockKind.index, 0)
    try add(Block(prefix: closing, body: index.body(of: table, tables: &builder)))
    return try bytes + #require(table.encoded())
  }
}
