import Foundation
import ReplayAnalysis

/// A program that a command runs and waits for, and ends if nobody wants its result any more.
struct ChildProgram {
  /// The program, looked for as a shell does, and its arguments.
  var words: [String]
  /// The folder to run it in; nil for the present one.
  var directory: String?
  /// What its environment has besides this process's.
  var environment: [String: String] = [:]
  /// What its environment has not.
  var removed: [String] = []
  var output: FileHandle = .standardError
  var errors: FileHandle = .standardError

  /// Runs it, and returns its exit status; that of one that a signal ended is 128 and the signal's number, as shells have it.
  ///
  /// - Throws: `CancellationError` if it was ended since it was not wanted; `ToolError` if it cannot be run.
  func run(while isWanted: () -> Bool) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    for name in removed { variables[name] = nil }
    process.environment = variables
    process.standardOutput = output
    process.standardError = errors
    if let directory { process.currentDirectoryURL = URL(filePath: directory) }
    do { try process.run() } catch { throw ToolError("cannot run \(words[0].shown): \(error)") }
    // Short at first: most of what git is asked it answers at once.
    var pause: UInt32 = 1
    while process.isRunning, isWanted() {
      Platform.sleep(milliseconds: pause)
      pause = min(20, pause * 2)
    }
    if process.isRunning {
      end(process)
      throw CancellationError()
    }
    process.waitUntilExit()
    return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
  }

  /// Ends it and what it runs.
  private func end(_ process: Process) {
    // It leads a group of its own, which has what it runs too.
    let id = process.processIdentifier
    let target = getpgid(id) == id ? -id : id
    kill(target, SIGTERM)
    for _ in 0..<50 where process.isRunning { Platform.sleep(milliseconds: 20) }
    if process.isRunning || target < 0 { kill(target, SIGKILL) }
    process.waitUntilExit()
  }
}
