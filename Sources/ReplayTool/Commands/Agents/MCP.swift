import ArgumentParser
import ReplayAnalysis
import SystemPackage

struct MCP: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Answers an agent's questions about logs: a server of the Model Context Protocol.",
    discussion: """
      Example: claude mcp add replay -- replay mcp --root .
      Example: codex mcp add replay -- replay mcp --root .
      Example: replay mcp --root SampleLogs/

      It speaks over its standard input and output, in version 2026-07-28 of the protocol and in 2025-11-25 and 2025-06-18, \
      as the client does, and ends with its input. Its tools are recordings, overview, finding, why, why_not, cascade, reads, \
      events, state, history, diff, what_if, drive, check and more. An answer is the text that the command prints, or its \
      JSON with format: json. It has at most 4 KB; more, given the handle at its end, gets the rest. What takes longer \
      than 10 s is answered by what there is, with such a handle.

      Only what is within the root is read, also by links, and nothing is written but where an argument says so, \
      within it: a new log of drive, a budget of check. drive runs a program, so it refuses without --allow-run.
      """)

  @Option(
    help: ArgumentHelp("The folder of logs, programs and sources.", valueName: "folder"),
    completion: .directory)
  var root = "."

  @Flag(help: "Let drive run programs.")
  var allowRun = false

  /// Longer than any message of a client.
  private static let lineBytesMax = 4 << 20

  func run(on console: Console) throws -> ToolStatus {
    let root = try AgentRoot(root)
    let streams = try ClaimedStreams()
    let server = AgentServer(root: root, allowsRuns: allowRun) { streams.write($0) }
    let reader = LineReader(streams.input, name: "<stdin>", limit: Self.lineBytesMax)
    defer { server.finish() }
    while let line = try reader.next() { server.receive(line) }
    return .done
  }
}

/// The process's standard input and output for one user alone: what anything else in the process reads is empty, and what it prints
/// goes to the standard error, a program that is driven included.
private struct ClaimedStreams: Sendable {
  let input: FileDescriptor
  private let output: FileDescriptor

  /// - Throws: `ToolError` if one of them is closed.
  init() throws {
    do {
      (input, output) = (try Platform.duplicate(.standardInput), try Platform.duplicate(.standardOutput))
      let nothing = try FileDescriptor.open("/dev/null", .readOnly, options: [.closeOnExec])
      _ = try nothing.duplicate(as: .standardInput)
      try nothing.close()
      _ = try FileDescriptor.standardError.duplicate(as: .standardOutput)
    } catch { throw ToolError("replay mcp needs a standard input, output and error: \(error)") }
  }

  /// A client that has left gets nothing; the end of the input tells of it.
  func write(_ bytes: [UInt8]) { _ = Platform.write(bytes, to: output.rawValue) }
}
