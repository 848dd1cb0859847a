import SystemPackage

/// The place of a new file, which is written under another name beside it and put there when it is whole.
///
/// A file that is there already is replaced only where that was asked for. Never replaced are a log that is being
/// written, which its lock tells, and a file that the new one is made of, whatever links or names lead to it. What
/// comes to the place while the new file is being written is not replaced either.
package final class OutputPlace {
  /// The name as it was given.
  package let name: String
  /// Where to write until the file is whole. Nobody else has the name.
  package let temporary: String
  /// Where the links lead: they stay, and what they name is replaced.
  let path: String
  private let fileSystem: any LogFileSystem
  /// The file to be replaced, and the lock that keeps writers out of it.
  private var old: (identity: FileIdentity, lock: (any LogFile)?)?
  private let slot: Int?
  private var isDone = false

  /// Finds out whether a new file may go there.
  ///
  /// Throws `exists` where there is a file that is not to be replaced or that the new one is made of, `locked` where
  /// it belongs to a log that is being written, and `io`.
  ///
  /// - Parameter inputs: The files, or the logs with all their files, that the new one is made of.
  package init(
    _ name: String, replacing: Bool = false, madeOf inputs: [String] = [],
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    self.name = name
    self.fileSystem = fileSystem
    path = fileSystem.withoutLinks(name)
    temporary = Self.temporary(path)
    slot = UnfinishedFiles.add(temporary)
    try Self.refuseInput(path, of: inputs, in: fileSystem)
    try refuseFurtherFiles()
    if let identity = try? fileSystem.identity(of: path) {
      old = (identity, try lock(path))
      if !replacing { throw Self.exists(name) }
    }
  }

  /// A place beside a file that gets another name first; see ``RewriteFile``.
  init(beside path: String, in fileSystem: any LogFileSystem) {
    (name, self.path, self.fileSystem) = (path, path, fileSystem)
    temporary = Self.temporary(path)
    slot = UnfinishedFiles.add(temporary)
  }

  private static func temporary(_ path: String) -> String {
    "\(path).writing-\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
  }

  deinit { giveUp() }

  /// Throws `exists` if the new file is to take the name of a file that it is made of.
  static func refuseInput(
    _ path: String, of inputs: [String], in fileSystem: any LogFileSystem
  ) throws(LogError) {
    guard let identity = try? fileSystem.identity(of: path) else { return }
    for input in inputs {
      let parts = (try? SegmentSet(input, in: fileSystem).parts.map(\.number)) ?? []
      let files = [input] + parts.map { LogPath(input).segment($0) }
      if files.contains(where: { (try? fileSystem.identity(of: $0)) == identity }) {
        throw LogError(
          .exists, path: path,
          message: "the new file is made of this one, and never replaces it; choose another name")
      }
    }
  }

  static func exists(_ name: String) -> LogError {
    LogError(
      .exists, path: name, message: "the file exists; give --replace to replace it, or choose another name")
  }

  /// A log may have several files, and its writer holds the lock of the last one only.
  private func refuseFurtherFiles() throws(LogError) {
    for part in parts(of: LogPath(path)) where part > 1 {
      let further = LogPath(path).segment(part)
      _ = try lock(further)
      throw LogError(
        .exists, path: name,
        message: "\(further) is a further file of the log of this name; choose another name")
    }
    guard let log = LogPath(path).logOfSegment else { return }
    for part in parts(of: log) { _ = try lock(log.segment(part)) }
  }

  private func parts(of log: LogPath) -> [Int] {
    (try? SegmentSet(log.path, in: fileSystem).parts.map(\.number)) ?? []
  }

  /// Locks a file against writers, where it may be written at all.
  private func lock(_ path: String) throws(LogError) -> (any LogFile)? {
    do { return try fileSystem.openToWrite(path) } catch {
      switch error {
      case .permissionDenied, .readOnlyFileSystem, .notPermitted: return nil
      case .wouldBlock:
        throw LogError(
          .locked, path: name, errno: error.rawValue,
          message: "this log is being written, and is never replaced; choose another name")
      default:
        throw LogError(.io, path: name, errno: error.rawValue, message: "cannot replace the file: \(error)")
      }
    }
  }

  /// Puts what was written under the temporary name, or another one, where it belongs.
  ///
  /// - Parameter isSynced: Whether its bytes are on stable storage: the name then goes there, too.
  package func commit(_ file: String? = nil, isSynced: Bool = false) throws(LogError) {
    do throws(Errno) {
      if let old, (try? fileSystem.identity(of: path)) == old.identity {
        try fileSystem.rename(file ?? temporary, to: path)
      } else {
        try fileSystem.renameNew(file ?? temporary, to: path)
      }
      end()
      if isSynced { try fileSystem.syncName(of: path) }
    } catch {
      if error == .fileExists { throw Self.exists(name) }
      throw LogError(
        .io, path: name, errno: error.rawValue, message: "cannot give the file its name: \(error)")
    }
  }

  /// Leaves nothing of what was begun.
  package func giveUp() {
    if isDone { return }
    try? fileSystem.remove(temporary)
    end()
  }

  private func end() {
    isDone = true
    UnfinishedFiles.remove(slot)
    try? old?.lock?.close()
    old = nil
  }
}
