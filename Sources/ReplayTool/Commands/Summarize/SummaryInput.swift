import EventLog
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

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
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(name, 0, nil, &found) == 0 else { throw ToolError("\(name): no file has such a name") }
    return (0..<Int(found.gl_pathc)).compactMap { index in
      found.gl_pathv[index].map { String(cString: $0) }
    }
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
    let file = list == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: list)
    guard let data = try file?.readToEnd() ?? (file == nil ? nil : Data()) else {
      throw ToolError("cannot read \(list)")
    }
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }
}
