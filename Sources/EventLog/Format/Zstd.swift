#if canImport(libzstd)
  import libzstd  // facebook/zstd's own package, see Package.swift.
#else
  import CZstd
#endif

// All calls of libzstd, and their pointers, are in this file.

/// Makes complete zstd frames, with content size and checksum and without a dictionary.
///
/// It must not be used by two threads at once.
final class ZstdCompressor {
  private let context: OpaquePointer

  /// Creates a compressor for a level, which is limited to the library's range.
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

  /// Creates a compressor for a log. Throws `io` if there is not enough memory.
  static func start(level: Int, for path: String) throws(LogError) -> ZstdCompressor {
    guard let zstd = ZstdCompressor(level: level) else { throw LogError(zstdCannotStartFor: path) }
    return zstd
  }

  /// One frame with the given bytes; nil if the library refuses, which means that there is not enough memory.
  ///
  /// A new zstd block starts at each split, so that bytes with different statistics get their own codes. This
  /// saves some 5 % where numbers end and text begins. Splits must ascend and lie within the bytes, with at
  /// least 512 bytes between any two.
  func frame(_ bytes: [UInt8], splits: [Int] = []) -> [UInt8]? {
    let bound = ZSTD_compressBound(bytes.count) + 64 * (splits.count + 1)
    return [UInt8](unsafeUninitializedCapacity: bound) { room, count in
      var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
      ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
      ZSTD_CCtx_setPledgedSrcSize(context, UInt64(bytes.count))
      let isDone = bytes.withUnsafeBytes { source in
        var input = ZSTD_inBuffer(src: source.baseAddress, size: 0, pos: 0)
        for end in splits + [bytes.count] {
          input.size = end
          let mode = end == bytes.count ? ZSTD_e_end : ZSTD_e_flush
          // The buffer has room for the worst case, so one call is enough.
          if ZSTD_compressStream2(context, &output, &input, mode) != 0 { return false }
        }
        return true
      }
      count = isDone ? output.pos : 0
    }.nilIfEmpty
  }
}

/// Decompresses zstd frames. It must not be used by two threads at once.
final class ZstdDecompressor {
  private let context: OpaquePointer

  init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Creates a decompressor for a log. Throws `io` if there is not enough memory.
  static func start(for path: String) throws(LogError) -> ZstdDecompressor {
    guard let zstd = ZstdDecompressor() else { throw LogError(zstdCannotStartFor: path) }
    return zstd
  }

  /// The content of one complete frame, which must have exactly this size. Verifies its checksum.
  ///
  /// The caller must limit `size`, because that much memory is allocated.
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

extension LogError {
  fileprivate init(zstdCannotStartFor path: String) {
    self.init(.io, path: path, message: "zstd could not start: out of memory; free some and try again")
  }
}

extension [UInt8] {
  fileprivate var nilIfEmpty: [UInt8]? { isEmpty ? nil : self }
}
