import Foundation

/// The `replay` that is judged, as a child process.
struct Tool {
  let path: String
  /// Where its output goes meanwhile.
  let folder: URL

  /// What `lint` says of a log.
  func lint(_ log: URL) throws -> LintReport {
    let output = try run(["lint", log.path, "--format", "json"], allowing: [0, 1])
    do {
      return try JSONDecoder().decode(LintReport.self, from: output)
    } catch {
      throw Trouble(description: "what lint prints as JSON is not understood: \(error)")
    }
  }

  private func run(_ arguments: [String], allowing statuses: Set<Int32>) throws -> Data {
    let output = folder.appendingPathComponent("output")
    let errors = folder.appendingPathComponent("errors")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    // Files, since a pipe that nobody empties stops the process.
    process.standardOutput = try emptyFile(output)
    process.standardError = try emptyFile(errors)
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, statuses.contains(process.terminationStatus) else {
      let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Trouble(
        description:
          "replay \(arguments[0]) ended with status \(process.terminationStatus): \(said.prefix(400))")
    }
    return try Data(contentsOf: output)
  }

  private func emptyFile(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }
}
