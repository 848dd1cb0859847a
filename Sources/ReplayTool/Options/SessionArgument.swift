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
  static func path(_ argument: String, limits: ReadLimits) throws -> String {
    guard let mark = argument.utf8.lastIndex(of: UInt8(ascii: "#")), !Platform.exists(argument) else {
      return argument
    }
    let folder = String(argument[..<mark])
    let session = String(argument[argument.index(after: mark)...])
    guard !session.isEmpty, Platform.isFolder(folder) else { return argument }
    let fileSystem = ListedFileSystem()
    var found: [(path: String, salt: UInt64)] = []
    var known: [String] = []
    for path in LogFolder.logs(in: folder) {
      guard let header = try? LogHeader(ofLogAt: path, in: fileSystem, limits: limits) else { continue }
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

enum LogFolder {
  /// The limit on nested folders.
  static let depthMax = 8

  /// The logs in a folder and its subfolders, sorted by path. Leaves out names that begin with a dot, the further
  /// segments of a log, and what is no file, such as a pipe.
  ///
  /// Each folder is visited once, however many links lead to it: by its own path if that is in the folder.
  /// If nobody waits for them any more, they are not all.
  ///
  /// - Parameter followsLinksOut: Whether what links outside of the folder lead to is listed too.
  static func logs(in folder: String, followsLinksOut: Bool = true) -> [String] {
    let home = followsLinksOut ? nil : Platform.realPath(folder)
    let root = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    var (logs, links) = ([ExactString](), [] as [Folder])
    var visited: Set<FileIdentity> = []
    // Folders that links lead to are visited after all others.
    var waiting = [Folder(path: folder, parent: root, depth: 0)]
    while Demand.isWanted(), let next = waiting.popLast() ?? popFirst(&links) {
      guard let identity = try? SystemFileSystem().identity(of: next.path), visited.insert(identity).inserted
      else {
        continue
      }
      for name in (try? SystemFileSystem().names(in: next.path)) ?? [] where !name.hasPrefix(".") {
        let path = "\(next.parent)/\(name)"
        if let home, Platform.isLink(path), Platform.realPath(path)?.isPath(within: home) != true { continue }
        switch Platform.kind(of: path) {
        case .folder:
          guard next.depth < depthMax else { continue }
          let folder = Folder(path: path, parent: path, depth: next.depth + 1)
          if Platform.isLink(path) { links.append(folder) } else { waiting.append(folder) }
        // A link that leads nowhere is reported when it is read.
        case .file, nil:
          guard name.utf8.hasSuffix(".evlog"),
            !(LogPath(path).logOfSegment.map { Platform.exists($0.path) } ?? false)
          else { continue }
          logs.append(ExactString(path))
        case .pipe, .socket, .device: continue
        }
      }
    }
    return logs.sorted().map(\.string)
  }

  private struct Folder {
    let path: String
    /// What the paths in it begin with.
    let parent: String
    let depth: Int
  }

  /// The first by path, so that the order of the names in a folder makes no difference.
  private static func popFirst(_ folders: inout [Folder]) -> Folder? {
    guard
      let first = folders.indices.min(by: { ExactString(folders[$0].path) < ExactString(folders[$1].path) })
    else {
      return nil
    }
    return folders.remove(at: first)
  }
}

extension String {
  /// Whether a path without links or dots is that of a folder or of something in it.
  func isPath(within folder: String) -> Bool {
    utf8.elementsEqual(folder.utf8) || folder == "/"
      || utf8.count > folder.utf8.count && utf8.starts(with: folder.utf8)
        && utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
  }
}

extension String.UTF8View {
  /// Whether it ends with these bytes. `String` compares characters, and an accent after the ending is another one.
  fileprivate func hasSuffix(_ ending: String) -> Bool {
    suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }
}

/// Chooses among copies of a log, of which some may be incomplete or lack further files.
enum LogCopies {
  /// The copy to read: the larger one, counting all its files, or the first if they are equal.
  static func best(_ path: String, _ other: String, in fileSystem: any LogFileSystem) -> String {
    LogPath(other).byteCount(in: fileSystem) > LogPath(path).byteCount(in: fileSystem) ? other : path
  }
}
