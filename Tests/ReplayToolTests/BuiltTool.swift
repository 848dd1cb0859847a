import Foundation

/// The tool as a separate process, from the folder where it was built beside the tests.
let builtTool = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])]
  .compactMap { $0?.deletingLastPathComponent().appending(path: "replay") }
  .first { FileManager.default.isExecutableFile(atPath: $0.path) }

/// Whether a program is in one of the folders in which a shell would look for it.
func isInstalled(_ name: String) -> Bool {
  let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
  return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}
