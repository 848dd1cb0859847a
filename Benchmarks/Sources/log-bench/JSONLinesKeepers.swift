import BenchSupport
import CPeers
import Foundation

/// Lines in a file, written 256 KiB at a time.
final class JSONLinesKeeper: EventKeeper {
  private let file: FileHandle
  private var lines = JSONLines()

  init(_ file: ScratchFile) throws { self.file = try file.handle() }

  func keep(_ step: Workload.Step) throws {
    lines.append(step)
    if lines.bytes.count >= 256 << 10 { try write() }
  }

  private func write() throws {
    try file.write(contentsOf: lines.bytes)
    lines.removeAll()
  }

  func finish() throws {
    try write()
    try file.synchronize()
    try file.close()
  }
}

/// Lines in one zstd stream with a checksum, compressed on the thread that makes them.
final class ZstdJSONLinesKeeper: EventKeeper {
  private let file: FileHandle
  private let context = ZSTD_createCCtx()
  private var room = [UInt8](repeating: 0, count: 512 << 10)
  private var lines = JSONLines()

  init(_ file: ScratchFile) throws {
    self.file = try file.handle()
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  func keep(_ step: Workload.Step) throws {
    lines.append(step)
    if lines.bytes.count >= 256 << 10 { try write(ZSTD_e_continue) }
  }

  private func write(_ mode: ZSTD_EndDirective) throws {
    var isDone = false
    var position = 0
    while !isDone {
      let (left, produced) = lines.bytes.withUnsafeBytes { source in
        room.withUnsafeMutableBytes { room in
          var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
          var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
          let left = ZSTD_compressStream2(context, &output, &input, mode)
          position = input.pos
          return (left, output.pos)
        }
      }
      if ZSTD_isError(left) != 0 { throw BenchError("zstd refused the lines") }
      try file.write(contentsOf: room[..<produced])
      isDone = position == lines.bytes.count && (mode == ZSTD_e_continue || left == 0)
    }
    lines.removeAll()
  }

  func finish() throws {
    try write(ZSTD_e_end)
    try file.synchronize()
    try file.close()
  }
}

extension ScratchFile {
  /// The file, created, to write to.
  func handle() throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw BenchError("\(path) cannot be created") }
    return handle
  }
}
