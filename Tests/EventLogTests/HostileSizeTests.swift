import Foundation
import Testing

@testable import EventLog

/// Logs of few bytes that make a careless reader use much memory.
enum HostileSize: String, CaseIterable, Codable {
  case emptyStrings, manyPaths, manyNulls, manyMaps, packedZeros, zeros, skippableFrames, emptyFrames

  /// The log. Its checksums are correct.
  func bytes() throws -> [UInt8] {
    var log = try HandMadeLog()
    try log.addHeader()
    switch self {
    case .emptyStrings: try log.addBlock(column(.stringLengths, zeros(1 << 20)) + column(.kinds, [9]))
    case .manyPaths:
      let kinds = [0] + Array(repeating: UInt8(7), count: 400_000)
      let parents = [UInt8](repeating: 1, count: 400_000)
      try log.addBlock(
        column(.stringLengths, [0]) + column(.pathKinds, kinds) + column(.pathParents, parents)
          + column(.kinds, [9]))
    case .manyNulls:
      try log.addBlock(
        set(column(.valueTags, [8] + zeros(1_000_000)) + column(.valueCounts, varint(1_000_000))))
    case .manyMaps:
      let maps = [UInt8](repeating: 9, count: 1_000_000)
      try log.addBlock(
        set(column(.valueTags, [8] + maps) + column(.valueCounts, varint(1_000_000) + zeros(1_000_000))))
    case .packedZeros:
      let runs = varint(PackedColumn.numbersMax - 1)
      let content = varint(runs.count) + runs
      let packed = Column.allCases.filter { $0.isPackable || $0 == .kinds }.map { column in
        column == .kinds
          ? self.column(.kinds, [9])
          : varint(column.rawValue + PackedColumn.mark) + varint(content.count) + content
      }
      try log.addBlock(Array(packed.joined()))
    case .zeros: return try log.bytes + frames(of: zeros(LogFormat.payloadBytesMax), 200)
    case .skippableFrames:
      return log.bytes
        + Array(repeatElement([0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], count: 1_000_000).joined())
    case .emptyFrames: return try log.bytes + frames(of: [], 1_000_000)
    }
    return log.bytes
  }

  /// How a log may be refused; nil if all of it is valid.
  var refusal: LogError.Code? {
    switch self {
    case .packedZeros, .zeros, .emptyFrames: .damaged
    default: nil
    }
  }

  private func set(_ columns: [UInt8]) -> [UInt8] {
    column(.stringLengths, [1]) + column(.stringBytes, [0x61]) + column(.pathKinds, [0]) + column(.kinds, [0])
      + columns
  }

  private func column(_ column: Column, _ bytes: [UInt8]) -> [UInt8] {
    varint(column.rawValue) + varint(bytes.count) + bytes
  }

  private func varint(_ number: Int) -> [UInt8] {
    var out: [UInt8] = []
    out.appendVarint(number)
    return out
  }

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  private func frames(of content: [UInt8], _ count: Int) throws -> [UInt8] {
    let zstd = try #require(ZstdCompressor(level: 3))
    return Array(repeatElement(try #require(zstd.frame(content)), count: count).joined())
  }
}

extension HandMadeLog {
  fileprivate mutating func addBlock(_ body: [UInt8]) throws {
    try add(kind: BlockKind.events, body, events: 1)
  }
}

#if os(Linux)
  /// Each in a process of its own, because peak memory is measured for the process.
  @Suite struct HostileSizeTests {
    @Test(arguments: HostileSize.allCases)
    func aSmallFileTakesLittleMemory(size: HostileSize) async throws {
      await #expect(processExitsWith: .success) { [size] in
        let file = MemoryFile(try size.bytes())
        let before = try residentKilobytes()
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        var code: LogError.Code?
        do { _ = try LogReader(file: file, path: "hostile").forEachEvent { _ in } } catch let error
          as LogError
        {
          code = error.code
        }
        #expect(code == size.refusal)
        let taken = try residentKilobytes(peak: true) - before
        #expect(taken < 64 << 10, "\(size) takes \(taken) KiB")
      }
    }
  }

  /// Resident memory of this process, now or at most since the peak was cleared.
  private func residentKilobytes(peak: Bool = false) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") }
    return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }
#endif

@Suite struct HeaderFaultTests {
  @Test(arguments: [
    "{\"program\":\"a\u{1}b\"}", "{\"program\":\"a\nb\"}", "{\"a\":\"\u{0}\"}", "{\"a\":01}", "{\"a\":+1}",
    "{\"a\":1e}", "{\"a\":1e999x}", "{\"a\":tru}", "{\"a\":\"\\q\"}", "{\"a\":\"\\ud800\\u0041\"}",
  ])
  func aHeaderThatIsNoJSONIsRefused(text: String) throws {
    var log = try HandMadeLog()
    try log.add(kind: BlockKind.header, Array(text.utf8))
    let error = #expect(throws: LogError.self) { try LogReader(file: log.file, path: "header") }
    #expect(error?.code == .damaged && error?.payloadOffset != nil)
  }

  @Test func aHeaderMayHoldAnyJSON() throws {
    var log = try HandMadeLog()
    let text = "{\"program\":\"\\/\\n\\ud83d\\ude00\",\"later\":[null,true,-0.5E+3,1e999,{\"x\":[]}]}"
    try log.add(kind: BlockKind.header, Array(text.utf8))
    #expect(try LogReader(file: log.file, path: "header").header.program == "/\n\u{1F600}")
  }

  @Test func recoveryTakesNoHeaderForWholeThatDoesNotOpen() throws {
    var log = try HandMadeLog()
    try log.add(kind: BlockKind.header, Array("{\"producer\"}".utf8))
    try log.addEnds(3)
    try log.addSeekTable()
    let file = try TemporaryFile()
    try file.write(log.bytes)
    #expect(throws: LogError.self) { try LogReader(path: file.path) }
    // Nothing can be read without a header; recovery must report that, and leave the file.
    #expect(throws: LogError.self) { try LogRecovery.recover(file.path) }
    #expect(try file.bytes == log.bytes)
  }
}
