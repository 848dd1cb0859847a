import Foundation
import LogGenerator
import Testing

@testable import EventLog

/// Whether the `zstd` command is installed, to compare with.
private let zstdTool = ["/usr/bin/zstd", "/usr/local/bin/zstd", "/opt/homebrew/bin/zstd"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

@Suite(.enabled(if: zstdTool != nil)) struct ZstdToolTests {
  private func run(_ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
    let process = Process()
    process.executableURL = URL(filePath: try #require(zstdTool))
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, [UInt8](output))
  }

  @Test func theZstdCommandAcceptsAClosedLogAndPrintsItsPayloads() throws {
    let log = try SmallLog(events: 300, blockEvents: 64)
    #expect(try run(["-t", "-q", log.file.path]).status == 0)
    let payloads = try payloads(log.bytes, log.blocks)
    let (status, output) = try run(["-dc", log.file.path])
    #expect(status == 0)
    #expect(output == payloads)
  }

  @Test func theZstdCommandPrintsTheWholeBlocksOfATornLog() throws {
    let log = try BulkLog(seed: testSeed())
    let torn = try TemporaryFile()
    for (index, block) in log.blocks.enumerated() {
      try torn.write(Array(log.bytes[..<(Int(block.offset) + block.compressedSize / 2)]))
      let (status, output) = try run(["-dc", torn.path])
      #expect(status != 0)
      let payloads = try payloads(log.bytes, Array(log.blocks[..<index]))
      #expect(Array(output.prefix(payloads.count)) == payloads, "seed \(log.seed), block \(index)")
    }
  }

  private func payloads(_ bytes: [UInt8], _ blocks: [BlockInfo]) throws -> [UInt8] {
    let zstd = try #require(ZstdDecompressor())
    return try blocks.flatMap { block in
      try zstd.content(of: Array(bytes[Int(block.offset)..<Int(block.endOffset)]), size: block.payloadSize)
    }
  }
}
