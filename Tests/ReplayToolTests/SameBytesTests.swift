import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Files that the tool makes from files.
@Suite struct SameBytesTests {
  @Test(arguments: ["scopes", "catalog-single", "chat-isolated", "list-element"])
  func anImportedLogIsNoLargerThanTheRecording(name: String) throws {
    let workspace = try Workspace()
    let recording = sample(name)
    #expect(try importedBytes(of: recording, in: workspace) <= LogReader(path: recording).byteCount)
  }

  @Test func anImportedLogIsNoLargerThanOneThatWasRecordedAtOnce() throws {
    let seed = testSeed()
    for number in 0..<4 {
      let workspace = try Workspace()
      var session = ValidSession(seed: seed &+ UInt64(number))
      var options = EventLog.LogOptions()
      options.program = "a program"
      // The best case of a recording: no block is cut by time.
      options.flushInterval = .seconds(3600)
      let recording = workspace.file("run.evlog")
      let writer = try LogWriter(creating: recording, options: options)
      for event in session.events(1_500) { try writer.append(event) }
      try writer.close()
      #expect(
        try importedBytes(of: recording, in: workspace) <= LogReader(path: recording).byteCount,
        "seed \(seed), log \(number)")
    }
  }

  /// Another process has other hashes of strings, and so another order in unordered collections.
  @Test(.enabled(if: builtTool != nil, "replay is beside the tests"))
  func anotherProcessWritesTheSameBytes() throws {
    let workspace = try Workspace()
    let lines = try workspace.write(ToolRun("export", sample("list-element"), "--format", "jsonl").output)
    let chat = sample("chat-isolated")
    for (number, arguments) in [
      ["import", lines], ["compact", chat], ["cut", chat, "--from", "2s", "--to", "4s"],
      ["cut", chat, "--path", "chat.tts.audioLevel"],
      ["merge", chat, sample("scopes"), "--prefix", "a_", "--prefix", "b_"],
    ].enumerated() {
      let outputs = [0, 1].map { workspace.file("\(number).\($0).evlog") }
      let run = ToolRun(arguments + ["-o", outputs[0]])
      #expect(run.status == .done, "\(run.errors)")
      let process = Process()
      process.executableURL = builtTool
      process.arguments = arguments + ["-o", outputs[1]]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let (here, there) = (
        FileManager.default.contents(atPath: outputs[0]), FileManager.default.contents(atPath: outputs[1])
      )
      #expect(here != nil && here == there, "\(arguments[0])")
    }
  }

  private func importedBytes(of recording: String, in workspace: Workspace) throws -> UInt64 {
    let lines = ToolRun("export", recording, "--format", "jsonl").output
    return try LogReader(path: workspace.log(lines, "imported.evlog")).byteCount
  }
}
