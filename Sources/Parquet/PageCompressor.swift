#if canImport(libzstd)
  import libzstd  // facebook/zstd's own package, see Package.swift.
#else
  import CZstd
#endif

/// Compresses pages into zstd frames. Not safe for use by two threads at once.
final class PageCompressor {
  private let context: OpaquePointer

  init() throws(ParquetError) {
    guard let context = ZSTD_createCCtx() else { throw .outOfMemory }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// One frame with these bytes. The same bytes and library version always give the same frame.
  func frame(_ bytes: [UInt8]) throws(ParquetError) -> [UInt8] {
    let bound = ZSTD_compressBound(bytes.count)
    let frame = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
      let size = bytes.withUnsafeBytes { source in
        ZSTD_compressCCtx(context, room.baseAddress, bound, source.baseAddress, source.count, 3)
      }
      count = ZSTD_isError(size) != 0 ? 0 : size
    }
    if frame.isEmpty { throw .outOfMemory }
    return frame
  }
}

/// Decompresses pages from zstd frames. Not safe for use by two threads at once.
final class PageDecompressor {
  private let context: OpaquePointer

  init() throws(ParquetReadError) {
    guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// The bytes of a page, which has `count` bytes according to its header; fewer if the frame holds fewer or
  /// is damaged.
  func content(of frame: [UInt8], count: Int) throws(ParquetReadError) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, written in
      let size = frame.withUnsafeBytes { source in
        ZSTD_decompressDCtx(context, room.baseAddress, count, source.baseAddress, source.count)
      }
      written = ZSTD_isError(size) != 0 ? 0 : size
    }
  }
}
