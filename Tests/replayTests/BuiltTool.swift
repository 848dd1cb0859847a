import Foundation

/// The tool as a process of its own, where it was built beside the tests.
let builtTool = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])]
  .compactMap { $0?.deletingLastPathComponent().appending(path: "replay") }
  .first { FileManager.default.isExecutableFile(atPath: $0.path) }
