import EventLog
import Foundation
import Testing

#if canImport(libzstd)
  import libzstd
#else
  import CZstd
#endif

/// The size of a sample's log, compared with its JSON Lines in one frame of `zstd -19`.
@Suite struct SampleSizeTests {
  @Test(
    arguments: try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
      $0.hasSuffix(".evlog")
    })
  func aSampleIsSmallerThanItsPackedLines(sample: String) throws {
    let path = Self.folder.appending(path: sample).path
    let small = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: small) }
    let compact = try LogCompaction.run(path, to: small.path)
    var lines: [UInt8] = []
    try LogReader(path: path).forEachEvent { lines += Array("\($0.json())\n".utf8) }
    let text = UInt64(try packed(lines))
    #expect(compact.bytesAfter < text, "compact \(compact.bytesAfter), lines \(text)")
    #expect(compact.bytesBefore < text, "as recorded \(compact.bytesBefore), lines \(text)")
  }

  static let folder = SampleLog.root.appending(path: "SampleLogs")

  private func packed(_ bytes: [UInt8]) throws -> Int {
    var room = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let size = ZSTD_compress(&room, room.count, bytes, bytes.count, 19)
    try #require(ZSTD_isError(size) == 0)
    return size
  }
}
