import EventLog
import ReplayAnalysis

/// A session in a folder of logs, given as `logs#0123456789abcdef`. A row in the tables of `summarize` has
/// the session's id, but not the path of its log.
enum SessionArgument {
  /// The path of the log that an argument names, directly or as a session in a folder.
  ///
  /// Subfolders are searched too. Cost: reading the header of each log in them.
  ///
  /// - Throws: `ToolError` if no log in the folder has this session, or several different logs have it.
  static func path(_ argument: String) throws -> String {
    guard let mark = argument.lastIndex(of: "#"), !Platform.exists(argument) else { return argument }
    let folder = String(argument[..<mark])
    let session = String(argument[argument.index(after: mark)...])
    guard !session.isEmpty, Platform.isFolder(folder) else { return argument }
    let fileSystem = ListedFileSystem()
    var found: [(path: String, salt: UInt64)] = []
    var known: [String] = []
    for path in LogFolder.logs(in: folder) {
      guard let header = try? LogHeader(ofLogAt: path, in: fileSystem) else { continue }
      let identity = SessionIdentity(header)
      if identity.id == session {
        found.append((path, header.salt))
      } else if known.count < knownMax {
        known.append(identity.id)
      }
    }
    guard let first = found.first else {
      throw ToolError(
        "no log in \(folder) is of session \(session)" + Suggestion.text(for: session, among: known))
    }
    // Copies of a log have the same salt. If two different logs claim the same session, the user must choose.
    if let other = found.first(where: { $0.salt != first.salt }) {
      throw ToolError("\(first.path) and \(other.path) are both of session \(session); give one of them")
    }
    return found.dropFirst().reduce(first.path) { LogCopies.best($0, $1.path, in: fileSystem) }
  }

  private static let knownMax = 10_000
}

/// Finds the logs in a folder.
enum LogFolder {
  /// The limit on nested folders: links may form a cycle.
  static let depthMax = 8

  /// The logs in a folder and its subfolders, sorted by path. Leaves out names that begin with a dot, and the
  /// further segments of a log.
  static func logs(in folder: String) -> [String] { logs(in: folder, depth: 0) }

  private static func logs(in folder: String, depth: Int) -> [String] {
    let parent = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let names = (try? SystemFileSystem().names(in: folder)) ?? []
    var logs: [String] = []
    for name in names.sorted(by: { ExactString($0) < ExactString($1) }) where !name.hasPrefix(".") {
      let path = "\(parent)/\(name)"
      if Platform.isFolder(path) {
        if depth < depthMax { logs += Self.logs(in: path, depth: depth + 1) }
      } else if name.hasSuffix(".evlog") {
        if let first = LogPath(path).logOfSegment, Platform.exists(first.path) { continue }
        logs.append(path)
      }
    }
    return logs
  }
}

/// Chooses among copies of a log, of which some may be incomplete or lack further files.
enum LogCopies {
  /// The copy to read: the larger one, counting all its files, or the first if they are equal.
  static func best(_ path: String, _ other: String, in fileSystem: any LogFileSystem) -> String {
    LogPath(other).byteCount(in: fileSystem) > LogPath(path).byteCount(in: fileSystem) ? other : path
  }
}
