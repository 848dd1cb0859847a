import SystemPackage

/// Reads a file through one buffer, so that many small reads near each other take few system calls.
struct FileWindow {
  private let file: any LogFile
  let path: String
  /// The number of bytes of the file to read; the window ignores later bytes.
  let fileSize: UInt64
  private var start: UInt64 = 0
  private var buffer: [UInt8] = []

  private static let bufferBytes = 64 << 10

  init(_ file: any LogFile, path: String, fileSize: UInt64) {
    self.file = file
    self.path = path
    self.fileSize = fileSize
  }

  /// `count` bytes at an offset, or nil if the file ends before them.
  func bytes(at offset: UInt64, count: Int) throws(LogError) -> [UInt8]? {
    guard offset <= fileSize, UInt64(count) <= fileSize - offset else { return nil }
    if offset >= start, offset - start + UInt64(count) <= UInt64(buffer.count) {
      let index = Int(offset - start)
      return count == buffer.count ? buffer : Array(buffer[index..<index + count])
    }
    return try read(count, at: offset)
  }

  /// The offset of the first byte from an offset on that is not in a hole of the file; nil if there is none.
  func nextData(from offset: UInt64) throws(LogError) -> UInt64? {
    do { return try file.nextData(from: offset) } catch { throw failure(error, at: offset) }
  }

  private func read(_ count: Int, at offset: UInt64) throws(LogError) -> [UInt8]? {
    do {
      let bytes = try file.readAll(count, at: offset)
      return bytes.count == count ? bytes : nil
    } catch { throw failure(error, at: offset) }
  }

  private func failure(_ error: Errno, at offset: UInt64) -> LogError {
    LogError(
      .io, path: path, byteOffset: offset, errno: error.rawValue,
      message: "cannot read: \(error); check the disk")
  }

  /// A little-endian integer of at most 8 bytes, or nil if the file ends before its last byte.
  mutating func integer(at offset: UInt64, size: Int) throws(LogError) -> UInt64? {
    guard offset <= fileSize, UInt64(size) <= fileSize - offset else { return nil }
    if offset < start || offset - start + UInt64(size) > UInt64(buffer.count) {
      let count = min(UInt64(Self.bufferBytes), fileSize - offset)
      guard let bytes = try read(Int(count), at: offset) else { return nil }
      buffer = bytes
      start = offset
    }
    var value: UInt64 = 0
    let index = Int(offset - start)
    for byte in 0..<size { value |= UInt64(buffer[index + byte]) << UInt64(8 * byte) }
    return value
  }

  /// The payload of a block whose frame must have exactly these sizes; throws `torn` or `damaged` otherwise.
  mutating func payload(
    at offset: UInt64, compressedSize: Int, payloadSize: Int, _ zstd: ZstdDecompressor
  ) throws(LogError) -> [UInt8] {
    guard case .data(compressedSize, payloadSize) = try ZstdFrame.find(at: offset, in: &self) else {
      throw damage(DecodeFault(reason: "the block that was here is gone", offset: 0), in: offset)
    }
    guard let frame = try bytes(at: offset, count: compressedSize) else {
      throw LogError(
        .torn, path: path, byteOffset: offset,
        message: "the file became shorter while it was read; open it again")
    }
    do { return try zstd.content(of: frame, size: payloadSize) } catch { throw damage(error, in: offset) }
  }

  /// Converts a fault of the block at an offset to an error of the log.
  func damage(_ fault: DecodeFault, in offset: UInt64) -> LogError { LogError(fault, in: offset, of: path) }
}
