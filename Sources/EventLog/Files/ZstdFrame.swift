/// The kind and sizes of a frame in a file, found without decompressing it.
///
///     magic 4 | descriptor 1 | window 0 to 1 | content size 1 to 8 | blocks | checksum 4
///     a block: 3 bytes of header (last 1 bit, kind 2 bits, size 21 bits), then as many bytes as its
///              size, or 1 byte if the kind is a run
enum ZstdFrame {
  /// A zstd frame whose content has this size.
  case data(compressedSize: Int, contentSize: Int)
  /// A skippable frame.
  case skippable(magic: UInt32, size: Int)
  /// The file ends before the frame does.
  case incomplete
  /// Not a frame, or a frame that no log contains; `offset` is an offset in the file.
  case invalid(String, offset: UInt64)
}

extension ZstdFrame {
  /// Examines the frame at an offset of the file. Cost: reads a few bytes for each 128 KiB of content.
  static func find(at start: UInt64, in window: inout FileWindow) throws(LogError) -> ZstdFrame {
    guard let magic = try window.integer(at: start, size: 4) else { return .incomplete }
    if magic & 0xFFFF_FFF0 == UInt64(LogFormat.skippableMagic) {
      return try findSkippable(UInt32(magic), at: start, in: &window)
    }
    guard magic == UInt64(LogFormat.zstdMagic) else {
      return .invalid("no zstd frame starts here", offset: start)
    }
    guard let descriptor = try window.integer(at: start + 4, size: 1) else { return .incomplete }
    if descriptor & 0x08 != 0 { return .invalid("the reserved bit of the frame is set", offset: start + 4) }
    if descriptor & 0x04 == 0 { return .invalid("the frame has no checksum", offset: start + 4) }
    if descriptor & 0x03 != 0 { return .invalid("the frame wants a dictionary", offset: start + 4) }
    let isSingleSegment = descriptor & 0x20 != 0
    var offset = start + 5
    if !isSingleSegment {
      guard let window = try window.integer(at: offset, size: 1) else { return .incomplete }
      let base = UInt64(1) << (10 + window >> 3)
      if base + base / 8 * (window & 7) > UInt64(LogFormat.windowBytesMax) {
        return .invalid("the frame wants a window over 1 MiB", offset: offset)
      }
      offset += 1
    }
    let flag = descriptor >> 6
    let sizeBytes = flag == 0 ? (isSingleSegment ? 1 : 0) : 1 << Int(flag)
    if sizeBytes == 0 {
      return .invalid("the frame does not say how large its content is", offset: start + 4)
    }
    guard var content = try window.integer(at: offset, size: sizeBytes) else { return .incomplete }
    if sizeBytes == 2 { content += 256 }
    let limit = isSingleSegment ? LogFormat.windowBytesMax : LogFormat.payloadBytesMax
    if content > UInt64(limit) {
      return .invalid("the frame promises \(content) bytes, over the limit of \(limit)", offset: offset)
    }
    offset += UInt64(sizeBytes)
    return try findEnd(from: offset, start: start, contentSize: Int(content), in: &window)
  }

  /// Whether a complete frame begins at an offset of the file, including frames that no log contains. Cost:
  /// reads a few bytes for each of its blocks.
  static func isWhole(at start: UInt64, in window: inout FileWindow) throws(LogError) -> Bool {
    guard let magic = try window.integer(at: start, size: 4) else { return false }
    if magic & 0xFFFF_FFF0 == UInt64(LogFormat.skippableMagic) {
      guard let size = try window.integer(at: start + 4, size: 4) else { return false }
      return size <= window.fileSize - start - 8
    }
    guard magic == UInt64(LogFormat.zstdMagic),
      let descriptor = try window.integer(at: start + 4, size: 1), descriptor & 0x08 == 0
    else { return false }
    let isSingleSegment = descriptor & 0x20 != 0
    let flag = descriptor >> 6
    var offset = start + 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][Int(descriptor & 3)]
    offset += flag == 0 ? (isSingleSegment ? 1 : 0) : 1 << flag
    while let header = try window.integer(at: offset, size: 3) {
      let kind = header >> 1 & 3
      // In a hole of the file, empty blocks would follow each other up to its end.
      if kind == 3 || header == 0 { return false }
      offset += 3 + (kind == 1 ? 1 : header >> 3)
      if header & 1 == 1 { return offset + (descriptor & 4) <= window.fileSize }
    }
    return false
  }

  private static func findSkippable(
    _ magic: UInt32, at start: UInt64, in window: inout FileWindow
  ) throws(LogError) -> ZstdFrame {
    guard let size = try window.integer(at: start + 4, size: 4) else { return .incomplete }
    if size > UInt64(LogFormat.skippableBytesMax) {
      return .invalid("a skippable frame of \(size) bytes is over 16 MiB", offset: start + 4)
    }
    if start + 8 + size > window.fileSize { return .incomplete }
    return .skippable(magic: magic, size: Int(size) + 8)
  }

  /// Walks the block headers of a frame to its checksum.
  private static func findEnd(
    from first: UInt64, start: UInt64, contentSize: Int, in window: inout FileWindow
  ) throws(LogError) -> ZstdFrame {
    var offset = first
    for _ in 0..<LogFormat.zstdBlocksMax {
      guard let header = try window.integer(at: offset, size: 3) else { return .incomplete }
      let size: UInt64
      switch header >> 1 & 3 {
      case 0, 2: size = header >> 3
      case 1: size = 1
      default: return .invalid("a block of the frame has a reserved type", offset: offset)
      }
      if header >> 3 > 128 << 10 { return .invalid("a block of the frame is over 128 KiB", offset: offset) }
      offset += 3 + size
      if offset - start > UInt64(LogFormat.frameBytesMax) {
        return .invalid("the frame runs over its limit of \(LogFormat.frameBytesMax) bytes", offset: start)
      }
      if header & 1 == 0 { continue }
      offset += 4
      if offset > window.fileSize { return .incomplete }
      return .data(compressedSize: Int(offset - start), contentSize: contentSize)
    }
    return .invalid("the frame has over \(LogFormat.zstdBlocksMax) blocks", offset: start)
  }
}
