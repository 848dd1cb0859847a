import Foundation
import LogGenerator
import Testing
import log_child

@testable import EventLog

/// Real processes on real files, killed at random moments.
@Suite struct KillTests {
  @Test func aKilledRecordingKeepsEveryWrittenEvent() throws {
    for trial in 0..<3 { _ = try KilledChild.run(seed: testSeed(trial: trial)) }
  }

  @Test(arguments: ["return", "exit", "thread"])
  func aProcessThatExitsWithoutClosingItsLogLosesNothing(how: String) throws {
    let file = try TemporaryFile()
    let process = Process()
    process.executableURL = try KilledChild.executable()
    process.arguments = ["exit", file.path, how]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    _ = try LogRecovery.recover(file.path)
    let events = KnownEvents(seed: 1)
    var count: UInt64 = 0
    try LogReader(path: file.path).forEachEvent { event in
      count += 1
      #expect(event == events.event(count))
    }
    #expect(how == "thread" ? count >= 40 : count == 40)
  }

  @Test func aLockIsReleasedWithTheProcessThatHeldIt() throws {
    let file = try TemporaryFile()
    let child = try KilledChild(seed: 5, file: file)
    try child.waitForOutput()
    let error = #expect(throws: LogError.self) { try LogRecovery.recover(file.path) }
    #expect(error?.code == .locked)
    child.kill()
    _ = try LogRecovery.recover(file.path)
  }
}

/// A process that records until it is killed, and what it printed.
struct KilledChild {
  private let process = Process()
  private let pipe = Pipe()
  let seed: UInt64
  let file: TemporaryFile

  init(seed: UInt64, file: TemporaryFile) throws {
    self.seed = seed
    self.file = file
    process.executableURL = try Self.executable()
    process.arguments = ["record", file.path, "\(seed)"]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// The child is built beside the tests.
  static func executable() throws -> URL {
    let folders = [Bundle.main.executableURL, Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0])]
    for folder in folders.compactMap({ $0?.deletingLastPathComponent() }) {
      let url = folder.appending(path: "log-child")
      if FileManager.default.isExecutableFile(atPath: url.path) { return url }
    }
    return try #require(nil, "log-child is not beside the tests")
  }

  func waitForOutput() throws { _ = pipe.fileHandleForReading.availableData }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Records, kills the process after a random time, and checks the log. Returns the number of its events.
  static func run(seed: UInt64) throws -> UInt64 {
    var random = SplitMix64(seed: seed)
    let file = try TemporaryFile()
    let child = try KilledChild(seed: seed, file: file)
    try child.waitForOutput()
    Thread.sleep(forTimeInterval: Double.random(in: 0...0.05, using: &random))
    child.kill()
    let said = String(decoding: try child.pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    var written: UInt64 = 0
    for line in said.split(separator: "\n") where line.hasPrefix("written ") {
      written = max(written, UInt64(line.dropFirst(8)) ?? 0)
    }
    let trial = CrashTrial(seed: seed)
    _ = try LogRecovery.recover(file.path)
    let count = try trial.check(
      file.path, on: SystemFileSystem(), atLeast: written, atMost: .max, isClean: true)
    let bytes = try file.bytes
    _ = try LogRecovery.recover(file.path)
    if try file.bytes != bytes { throw trial.failure("recovering twice is not as recovering once") }
    let writer = try LogWriter(appendingTo: file.path)
    for seq in count + 1...count + 10 { try writer.append(trial.known.event(seq)) }
    try writer.close()
    return try trial.check(
      file.path, on: SystemFileSystem(), atLeast: count + 10, atMost: count + 10, isClean: true)
  }
}
