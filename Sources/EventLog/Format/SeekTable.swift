/// The seek table of the zstd seekable format: the sizes of the frames of a segment, in a skippable frame at its
/// end.
///
/// It marks a log as closed, and lets other tools seek. The reader relies on the blocks, never on it.
struct SeekTable: Equatable {
  /// One zstd frame.
  struct Entry: Equatable {
    var compressedSize: UInt32
    var payloadSize: UInt32
    /// The low half of XXH64 of the payload.
    var checksum: UInt32
  }

  private(set) var entries: [Entry] = []

  mutating func append(compressedSize: Int, payloadSize: Int, payloadHash: UInt64) {
    entries.append(
      Entry(
        compressedSize: UInt32(clamping: compressedSize), payloadSize: UInt32(clamping: payloadSize),
        checksum: UInt32(truncatingIfNeeded: payloadHash)))
  }

  /// The largest number of entries that fits a skippable frame a reader accepts.
  static let entriesMax = (LogFormat.skippableBytesMax - 9) / 12

  /// Bytes of the skippable frame.
  var encodedSize: Int { entries.count * 12 + 17 }

  /// The skippable frame, or nil when there are too many entries for one.
  func encoded() -> [UInt8]? {
    guard entries.count <= Self.entriesMax else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(encodedSize)
    out.appendLittleEndian(LogFormat.seekTableMagic)
    out.appendLittleEndian(UInt32(entries.count * 12 + 9))
    for entry in entries {
      out.appendLittleEndian(entry.compressedSize)
      out.appendLittleEndian(entry.payloadSize)
      out.appendLittleEndian(entry.checksum)
    }
    out.appendLittleEndian(UInt32(entries.count))
    // Bit 7: the entries have checksums.
    out.append(0x80)
    out.appendLittleEndian(LogFormat.seekFooterMagic)
    return out
  }
}
