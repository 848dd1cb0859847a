import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

@Suite(.enabled(if: SmallDevice.isPermitted, "a file system can be mounted here")) struct FullDiskTests {
  @Test(arguments: [
    ["import", "LINES"], ["compact", "LOG"], ["cut", "LOG"], ["merge", "LOG"], ["recover", "LOG"],
    ["export", "LOG"], ["export", "LOG", "--format", "csv"], ["export", "LOG", "--format", "sqlite"],
  ])
  func aFullDiskIsToldAndNothingIsLeft(command: [String]) throws {
    let workspace = try Workspace()
    let device = try #require(SmallDevice(kilobytes: 64))
    defer { withExtendedLifetime(device) {} }
    var random = SplitMix64(seed: 1)
    let lines = (0..<8000).map { _ in "{\"kind\":\"mark\",\"label\":\"\(random.next())\(random.next())\"}\n" }
      .joined()
    let log = try workspace.log(lines)
    let names = ["LOG": log, "LINES": log + ".jsonl"]
    let run = ToolRun(command.map { names[$0] ?? $0 } + ["-o", device.path + "/out"])
    #expect(run.status == .refused && run.output.isEmpty)
    // If a recovery cannot copy bytes, either file may be the reason.
    #expect(run.errors.contains("\(device.path)/out") || command[0] == "recover", "\(run.errors)")
    #expect(run.errors.lowercased().contains("no space") || run.errors.contains("full"), "\(run.errors)")
    #expect(!run.errors.contains("recording"), "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: device.path).isEmpty)
  }
}
