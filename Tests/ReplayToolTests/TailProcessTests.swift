import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

@Suite(.enabled(if: builtTool != nil, "replay is beside the tests")) struct TailProcessTests {
  @Test func tailFollowsALiveLogUntilItIsInterrupted() throws {
    let workspace = try Workspace()
    let path = workspace.file("live.evlog")
    let writer = try LogWriter(creating: path)
    let process = Process()
    process.executableURL = builtTool
    process.arguments = ["tail", path, "--from", "1"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    var seen = ""
    for number in 1...20 {
      try writer.append(.mark(label: "tap \(number)"), time: UInt64(number))
      try writer.ensure(.written)
      while !seen.contains("\"tap \(number)\"") {
        let more = pipe.fileHandleForReading.availableData
        try #require(!more.isEmpty, "tail ended early")
        seen += String(decoding: more, as: UTF8.self)
      }
    }
    process.interrupt()
    for _ in 0..<6000 where process.isRunning { Thread.sleep(forTimeInterval: 0.01) }
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
    #expect(seen.split(separator: "\n").count == 20)
    try writer.close()
  }

  @Test(arguments: [true, false]) func aRecordingWhoseProgramIsKilledEndsTheTail(isTorn: Bool) throws {
    let workspace = try Workspace()
    let path = workspace.file("live.evlog")
    let writing = Process()
    writing.executableURL = builtTool?.deletingLastPathComponent().appending(path: "log-child")
    writing.arguments = ["grow", path, "100"]
    let (progress, input) = (Pipe(), Pipe())
    (writing.standardOutput, writing.standardInput) = (progress, input)
    try writing.run()
    _ = progress.fileHandleForReading.availableData
    let info = ToolRun("info", path)
    #expect(info.status == .damaged && info.output.contains("being recorded"), "\(info.output)")
    #expect(ToolRun("info", path, "--format", "json").output.contains(#""state":"recording""#))
    kill(writing.processIdentifier, SIGKILL)
    writing.waitUntilExit()
    withExtendedLifetime(input) {}
    if isTorn {
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.dropLast(3).write(to: URL(filePath: path))
    }
    #expect(!ToolRun("info", path).output.contains("being recorded"))
    let result = try ToolShell(folder: workspace.path).run("replay tail live.evlog --from 1")
    #expect(result.status == 3, "\(result.status)")
    #expect(result.errors.contains("ended without closing the log"), "\(result.errors)")
    #expect(
      result.output.split(separator: "\n").count == (try LogReader(path: path).eventCount),
      "all of it comes first")
    // It can be asked to go on all the same.
    let on = try ToolShell(folder: workspace.path).run(
      "timeout -s INT 3 \"$REPLAY\" tail live.evlog --follow")
    #expect(on.status == 0 || on.status == 124, "\(on.status) \(on.errors)")
    #expect(!on.errors.contains("closing"), "\(on.errors)")
  }

  @Test func aLogWithoutItsFirstFileIsFollowedFromTheEarliest() throws {
    let workspace = try Workspace()
    var options = LogOptions()
    (options.segmentBytes, options.blockEvents) = (2_000, 4)
    let writer = try LogWriter(creating: workspace.file("run.evlog"), options: options)
    for number in 1...400 { try writer.append(.mark(label: "mark \(number)"), time: UInt64(number)) }
    try writer.close()
    #expect(workspace.files.contains("run.0003.evlog"))
    let all = ToolRun("export", workspace.file("run.evlog")).lines
    try FileManager.default.removeItem(atPath: workspace.file("run.evlog"))
    let result = try ToolShell(folder: workspace.path).run("replay tail run.evlog --from 1")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.count > 200 && lines.last == all.last && lines == Array(all.suffix(lines.count)))
  }

  @Test func aClosedPipeIsNoError() throws {
    let workspace = try Workspace()
    let path = workspace.file("live.evlog")
    let writer = try LogWriter(creating: path)
    for number in 0..<5000 { try writer.append(.mark(label: "tap"), time: UInt64(number)) }
    try writer.close()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "{ \"$0\" tail \"$1\" --from 1; echo $? >&2; } | head -1 >/dev/null", builtTool?.path ?? "", path,
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(said == "0\n")
  }
}
