import SystemPackage

/// The operating system's files, for a reader of many logs: it lists each folder only once. A log looks for
/// its further files each time it is opened, which in a folder with thousands of files takes longer than
/// reading a short log.
///
/// It may miss files that appear later, so it is only for logs that are not being written. It remembers only
/// a few folders.
package final class ListedFileSystem: LogFileSystem {
  private let system = SystemFileSystem()
  /// For each folder, the names of further files by the name of their log.
  private let folders = Lock<[ExactString: [ExactString: [String]]]>([:])
  private static let foldersMax = 64

  /// The number of times that a folder was listed.
  package var listings: Int { listed.withLock { $0 } }
  private let listed = Lock(0)

  package init() {}

  package func names(beside log: LogPath) throws(Errno) -> [String] {
    let folder = ExactString(log.directory)
    let name = ExactString(log.name)
    return try folders.withLock { folders throws(Errno) in
      if let known = folders[folder] { return known[name] ?? [] }
      if folders.count >= Self.foldersMax { folders.removeAll() }
      var further: [ExactString: [String]] = [:]
      for segment in try names(in: folder.string) {
        for log in LogPath(segment).logsOfSegment {
          further[ExactString(log.path), default: []].append(segment)
        }
      }
      folders[folder] = further
      return further[name] ?? []
    }
  }

  package func names(in directory: String) throws(Errno) -> [String] {
    listed.withLock { $0 += 1 }
    return try system.names(in: directory)
  }

  package func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try system.create(path, replacing: replacing)
  }

  package func open(_ path: String) throws(Errno) -> any LogFile { try system.open(path) }

  package func openToWrite(_ path: String) throws(Errno) -> any LogFile { try system.openToWrite(path) }

  package func rename(_ path: String, to newPath: String) throws(Errno) {
    try system.rename(path, to: newPath)
  }

  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    try system.renameNew(path, to: newPath)
  }

  package func withoutLinks(_ path: String) -> String { system.withoutLinks(path) }

  package func remove(_ path: String) throws(Errno) { try system.remove(path) }

  package func identity(of path: String) throws(Errno) -> FileIdentity { try system.identity(of: path) }

  package func syncDirectory(_ directory: String) throws(Errno) { try system.syncDirectory(directory) }
}
