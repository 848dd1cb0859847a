/// Looks behind a place where a log cannot be read for blocks of the same log, which tells damage in the middle
/// from an end that was never finished.
struct BlockSearch {
  /// The salt of the log; nil while that is not known.
  let salt: UInt64?
  /// Blocks of events before this seq are copies of what was read, and do not count.
  let nextSeq: UInt64

  /// Uncompressed bytes that may be spent on frames which turn out not to be blocks of this log.
  private static let wastedBytesMax = 64 << 20
  private static let stepBytes = 256 << 10

  /// The offset of the first whole valid block from a place on, or nil. Cost: linear in the rest of the file.
  func firstBlock(
    from start: UInt64, in window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> UInt64? {
    var offset = start
    var budget = Self.wastedBytesMax
    while offset < window.fileSize, budget > 0 {
      let count = Int(min(UInt64(Self.stepBytes), window.fileSize - offset))
      guard let bytes = try window.bytes(at: offset, count: count) else { return nil }
      for index in 0..<max(0, count - 3) where bytes[index] == 0x28 && bytes[index + 1] == 0xB5 {
        guard bytes[index + 2] == 0x2F, bytes[index + 3] == 0xFD, budget > 0 else { continue }
        if try isBlock(at: offset + UInt64(index), in: &window, zstd, &budget) {
          return offset + UInt64(index)
        }
      }
      // The magic may straddle two steps.
      offset += UInt64(max(1, count - 3))
    }
    return nil
  }

  private func isBlock(
    at offset: UInt64, in window: inout FileWindow, _ zstd: ZstdDecompressor, _ budget: inout Int
  ) throws(LogError) -> Bool {
    // What a walk through the most blocks costs, about, compared with decompressing.
    budget -= LogFormat.zstdBlocksMax
    guard case .data(let compressedSize, let contentSize) = try ZstdFrame.find(at: offset, in: &window) else {
      return false
    }
    budget -= max(compressedSize, contentSize)
    guard let frame = try window.bytes(at: offset, count: compressedSize) else { return false }
    do throws(DecodeFault) {
      let prefix = try BlockPrefix(checking: try zstd.content(of: frame, size: contentSize))
      return (salt == nil || prefix.salt == salt) && prefix.firstSeq >= nextSeq
    } catch {
      return false
    }
  }
}
