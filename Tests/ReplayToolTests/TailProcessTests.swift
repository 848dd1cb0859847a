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
