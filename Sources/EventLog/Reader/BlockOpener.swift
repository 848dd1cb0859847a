/// Opens blocks of a log one after the other, with one decompressor for all of them.
package struct BlockOpener {
  private let reader: LogReader
  private let zstd: ZstdDecompressor

  /// Throws `io` when there is no memory for it.
  package init(_ reader: LogReader) throws(LogError) {
    self.reader = reader
    zstd = try reader.decompressor()
  }

  /// The rows of a block of events. Throws `damaged` if it is not what it was when the log was opened.
  package func rows(of block: BlockInfo) throws(LogError) -> BlockRows {
    let payload = try reader.payload(of: block, zstd)
    do throws(DecodeFault) {
      return try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
    } catch {
      throw reader.damage(error, in: block.offset)
    }
  }
}
