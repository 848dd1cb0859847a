import EventLog
import ReplayAnalysis

/// The logs to summarise, each once, sorted by path. So the same logs give the same files, in whatever order
/// they are named.
enum SummaryInput {
  /// - Parameters:
  ///   - names: Paths of logs and of folders of logs. A name that is not a file may be a shell pattern.
  ///   - list: A file with one path per line; `-` for the standard input.
  static func logs(_ names: [String], listedIn list: String?) throws -> [String] {
    var logs: Set<ExactString> = []
    for name in try names.flatMap(expanded).flatMap(logsNamed) + paths(in: list) {
      // A later segment of a log is read together with the first one, if that exists.
      let first = LogPath(name).logOfSegment?.path
      logs.insert(first.flatMap { Platform.exists($0) ? $0 : nil } ?? name)
    }
    return logs.sorted().map(\.string)
  }

  private static func expanded(_ name: String) throws -> [String] {
    guard name.contains(where: { "*?[".contains($0) }), !Platform.exists(name) else { return [name] }
    let found = Platform.names(matching: name)
    if found.isEmpty { throw ToolError("\(name): no file has such a name") }
    return found
  }

  /// The logs that a path names: one, or all in a folder.
  private static func logsNamed(_ path: String) throws -> [String] {
    guard Platform.isFolder(path) else { return [path] }
    let logs = LogFolder.logs(in: path)
    if logs.isEmpty { throw ToolError("\(path): no file in this folder ends in .evlog") }
    return logs
  }

  private static func paths(in list: String?) throws -> [String] {
    guard let list else { return [] }
    let lines = try LineReader(path: list, limit: pathBytesMax)
    var paths: [String] = []
    while var line = try lines.next() {
      // A list that was written on Windows.
      if line.last == 0x0D { line.removeLast() }
      if line.isEmpty { continue }
      if line.contains(0) {
        throw ToolError(
          file: list == "-" ? "<stdin>" : list, line: lines.lineNumber, column: 1,
          "a path has a zero byte in it; give one path a line, as find -print does")
      }
      paths.append(FileName.string(line))
    }
    return paths
  }

  /// More than any system opens.
  private static let pathBytesMax = 64 << 10
}
