import EventLog
import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import ReplayTool

@Suite(.enabled(if: PythonReader.isAvailable, "\(PythonReader.isMissing)"))
struct PythonReaderTests {
  private let samples: [String]

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../SampleLogs")
    samples = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".evlog") }.map { folder.appending(path: $0).standardized.path }
    try #require(!samples.isEmpty)
  }

  @Test func everySampleReadsAsExportPrintsIt() throws {
    let answer = try PythonReader.read(samples)
    #expect(answer.status == 0, "\(answer.errors)")
    expectExported(samples, answer)
  }

  @Test func tornAndDamagedSamplesReadAsFarAsExportPrintsThem() throws {
    let workspace = try Workspace()
    var paths: [String] = []
    for sample in samples {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: sample)))
      let blocks = try LogReader(path: sample).blocks
      let block = try #require(blocks.dropFirst().randomElement())
      let place = Int(block.offset) + block.compressedSize / 2
      var flipped = bytes
      flipped[place] ^= 4
      let cases: [[UInt8]] = [
        Array(bytes[..<place]), flipped, Array(bytes[..<Int(block.endOffset)]),
        bytes[..<Int(block.offset)] + Array(repeating: 0, count: 100), bytes + [0x28, 0xB5, 0x2F],
      ]
      for bytes in cases {
        paths.append(workspace.file("\(paths.count).evlog"))
        try Data(bytes).write(to: URL(filePath: paths[paths.count - 1]))
      }
    }
    let answer = try PythonReader.read(paths)
    #expect(answer.status == 3)
    expectExported(paths, answer)
    for path in paths {
      let reasons = ["torn", "damaged", "not closed"]
      let wasReported = reasons.contains { answer.errors.contains("\(path): \($0)") }
      #expect((ToolRun("export", path, "--format", "jsonl").status == .damaged) == wasReported, "\(path)")
    }
  }

  private func expectExported(_ paths: [String], _ answer: PythonReader.Answer) {
    #expect(answer.lines.count == paths.count)
    for (path, lines) in zip(paths, answer.lines) {
      let exported = ToolRun("export", path, "--format", "jsonl").output.split(separator: "\n")
      #expect(lines.count == exported.count, "\(path)")
      #expect(zip(lines, exported).first { $0 != $1 } == nil, "\(path)")
    }
  }
}
