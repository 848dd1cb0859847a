import Foundation

/// Runs scripts of a shell in which `replay` is the tool, in a folder. A command that hangs, takes a minute of a
/// processor or 4 GiB of memory is killed, so that a test fails and does not hang.
struct ToolShell {
  struct Result {
    /// 128 and the number of the signal if one ended it, as shells have it.
    var status: Int32
    var output: String
    var errors: String
  }

  /// Whether scripts can be run here.
  static let isPossible = builtTool != nil && isInstalled("timeout")

  let folder: String

  func run(_ script: String) throws -> Result {
    let streams = FileManager.default.temporaryDirectory.appending(path: "shell-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: streams) }
    // Files and not pipes: neither stream can block the other.
    let files = try ["output", "errors"].map { name in
      let file = streams.appending(path: name)
      try Data().write(to: file)
      return (file, try FileHandle(forWritingTo: file))
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let limits = "ulimit -t 60; ulimit -v 4194304; replay() { \"$REPLAY\" \"$@\"; }"
    process.arguments = ["timeout", "-s", "KILL", "120", "sh", "-c", "\(limits); \(script)"]
    process.environment = ProcessInfo.processInfo.environment.merging(["REPLAY": builtTool?.path ?? ""]) {
      $1
    }
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = files[0].1
    process.standardError = files[1].1
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0.0), as: UTF8.self) }
    let isSignal = process.terminationReason == .uncaughtSignal
    return Result(
      status: process.terminationStatus + (isSignal ? 128 : 0), output: texts[0], errors: texts[1])
  }
}
