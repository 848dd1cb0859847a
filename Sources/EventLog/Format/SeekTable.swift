/// The seek table of the zstd seekable format: the sizes of the frames of a segment, in a skippable frame at
/// its end.
///
///     magic, bytes to come                                      4 + 4
///     compressed size, payload size, low half of the hash       12 a frame
///     frames, 0x80 for the hashes, magic of the footer          4 + 1 + 4
///
/// It marks a log as closed, and lets other tools seek. The reader uses it only as a hint, and checks each
/// block itself.
struct SeekTable: Equatable {
  /// One zstd frame.
  struct Entry: Equatable {
    var compressedSize: UInt32
    var payloadSize: UInt32
    /// The low half of XXH64 of the payload.
    var checksum: UInt32

    fileprivate func append(to bytes: inout [UInt8]) {
      bytes.appendLittleEndian(compressedSize)
      bytes.appendLittleEndian(payloadSize)
      bytes.appendLittleEndian(checksum)
    }
  }

  private(set) var entries: [Entry] = []

  init() {}

  mutating func append(compressedSize: Int, payloadSize: Int, payloadHash: UInt64) {
    entries.append(
      Entry(
        compressedSize: UInt32(clamping: compressedSize), payloadSize: UInt32(clamping: payloadSize),
        checksum: UInt32(truncatingIfNeeded: payloadHash)))
  }

  /// XXH64 of the first entries in their written form. The table itself has no checksum.
  func hash(ofFirst count: Int) -> UInt64 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12 * count)
    for entry in entries.prefix(count) { entry.append(to: &bytes) }
    return XXH64.hash(bytes)
  }

  /// The most entries that fit a skippable frame which a reader accepts.
  static let entriesMax = (LogFormat.skippableBytesMax - 9) / 12

  /// The size of the skippable frame in bytes.
  var encodedSize: Int { entries.count * 12 + 17 }

  /// The table as a skippable frame; nil if there are too many entries for one.
  func encoded() -> [UInt8]? {
    guard entries.count <= Self.entriesMax else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(encodedSize)
    out.appendLittleEndian(LogFormat.seekTableMagic)
    out.appendLittleEndian(UInt32(entries.count * 12 + 9))
    for entry in entries { entry.append(to: &out) }
    out.appendLittleEndian(UInt32(entries.count))
    // Bit 7 means that the entries have checksums.
    out.append(0x80)
    out.appendLittleEndian(LogFormat.seekFooterMagic)
    return out
  }

  /// The size of the footer, the bytes at the end of the frame with the number of entries: count, flags,
  /// magic.
  static let footerSize = 9

  /// The size of the skippable frame that ends with this footer; nil if it is not the footer of a seek table.
  static func frameSize(footer: [UInt8]) -> Int? {
    guard footer.count == footerSize,
      footer.littleEndian(at: 5, as: UInt32.self) == LogFormat.seekFooterMagic,
      let count = footer.littleEndian(at: 0, as: UInt32.self), count <= entriesMax
    else { return nil }
    return Int(count) * 12 + 17
  }

  /// Reads a skippable frame; nil if it is not the seek table of a log.
  init?(decoding frame: [UInt8]) {
    guard frame.count >= 17, (frame.count - 17) % 12 == 0 else { return nil }
    for offset in stride(from: 8, to: frame.count - Self.footerSize, by: 12) {
      guard let compressedSize = frame.littleEndian(at: offset, as: UInt32.self),
        let payloadSize = frame.littleEndian(at: offset + 4, as: UInt32.self),
        let checksum = frame.littleEndian(at: offset + 8, as: UInt32.self)
      else { return nil }
      entries.append(Entry(compressedSize: compressedSize, payloadSize: payloadSize, checksum: checksum))
    }
    if encoded() != frame { return nil }
  }
}
