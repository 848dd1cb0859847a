import CZstd

// Every call of libzstd is in this file, and so is every pointer they need.

/// Makes zstd frames: each complete, with its content size and checksum, without a dictionary.
///
/// Not safe for two threads at once.
final class ZstdCompressor {
  private let context: OpaquePointer

  /// Creates a compressor for a level, which is clamped to what the library has.
  init?(level: Int) {
    guard let context = ZSTD_createCCtx() else { return nil }
    self.context = context
    let level = Int32(clamping: min(max(level, Int(ZSTD_minCLevel())), Int(ZSTD_maxCLevel())))
    let parameters: [(ZSTD_cParameter, Int32)] = [
      (ZSTD_c_compressionLevel, level),
      (ZSTD_c_windowLog, LogFormat.windowLog),
      (ZSTD_c_contentSizeFlag, 1),
      (ZSTD_c_checksumFlag, 1),
      (ZSTD_c_dictIDFlag, 0),
    ]
    for (parameter, value) in parameters
    where ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) != 0 {
      return nil
    }
  }

  deinit { ZSTD_freeCCtx(context) }

  /// One frame that holds the bytes, or nil when the library refuses, which means that memory ran out.
  func frame(_ bytes: [UInt8]) -> [UInt8]? {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
      let size = bytes.withUnsafeBytes { source in
        ZSTD_compress2(context, room.baseAddress, room.count, source.baseAddress, source.count)
      }
      count = ZSTD_isError(size) != 0 ? 0 : size
    }.nilIfEmpty
  }
}

/// Opens zstd frames. Not safe for two threads at once.
final class ZstdDecompressor {
  private let context: OpaquePointer

  init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// The content of one whole frame, which must be exactly of this size, its checksum verified.
  ///
  /// The caller has bounded `size` before; nothing larger is allocated.
  func content(of frame: [UInt8], size: Int) throws(DecodeFault) -> [UInt8] {
    var result = 0
    let content = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { room, count in
      result = frame.withUnsafeBytes { source in
        ZSTD_decompressDCtx(context, room.baseAddress, size, source.baseAddress, source.count)
      }
      count = ZSTD_isError(result) != 0 ? 0 : min(result, size)
    }
    if ZSTD_isError(result) != 0 {
      throw DecodeFault(reason: "zstd: \(String(cString: ZSTD_getErrorName(result)))", offset: 0)
    }
    guard content.count == size else {
      throw DecodeFault(reason: "the frame holds \(content.count) bytes and promised \(size)", offset: 0)
    }
    return content
  }
}

extension [UInt8] {
  fileprivate var nilIfEmpty: [UInt8]? { isEmpty ? nil : self }
}
