import SystemPackage

/// The name of a new file, which is written under a temporary name in the same directory and renamed when it
/// is complete.
///
/// An existing file is replaced only on request. It is never replaced if it is a log that is being written,
/// which its lock shows, or if the new file is made from it, regardless of the links or names used. A file
/// that gets the name while the new file is being written is not replaced either.
package final class OutputPlace {
  /// The name as it was given.
  package let name: String
  /// The temporary name, which no other file has.
  package let temporary: String
  /// The name after following links. The links stay, and the file that they lead to is replaced.
  let path: String
  private let fileSystem: any LogFileSystem
  /// The file to be replaced, and the lock that keeps writers from it.
  private var old: (identity: FileIdentity, lock: (any LogFile)?)?
  private var slot: Int?
  private var isDone = false

  /// Checks whether a new file may have the name.
  ///
  /// Throws `exists` if the name belongs to a file that may not be replaced or from which the new file is
  /// made, `locked` if it belongs to a log that is being written, and `io`.
  ///
  /// - Parameter inputs: The files, or the logs with all their files, from which the new file is made.
  package init(
    _ name: String, replacing: Bool = false, madeOf inputs: [String] = [],
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    self.name = name
    self.fileSystem = fileSystem
    path = fileSystem.withoutLinks(name)
    temporary = Self.temporary(path)
    slot = UnfinishedFiles.add(temporary)
    try Self.refuseInput(name, of: inputs, in: fileSystem)
    if let identity = try? fileSystem.identity(of: path) { old = (identity, try lock(path)) }
    try refuseFurtherFiles()
    if old != nil, !replacing { throw Self.exists(name) }
  }

  /// Creates the place for a file whose predecessor is first renamed; see ``RewriteFile``.
  init(beside path: String, in fileSystem: any LogFileSystem) {
    (name, self.path, self.fileSystem) = (path, path, fileSystem)
    temporary = Self.temporary(path)
    slot = UnfinishedFiles.add(temporary)
  }

  private static func temporary(_ path: String) -> String {
    "\(path).writing-\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
  }

  deinit { giveUp() }

  /// Throws `exists` if the name belongs to a file from which the new one is made, or to a further file of
  /// such a log.
  static func refuseInput(
    _ name: String, of inputs: [String], in fileSystem: any LogFileSystem
  ) throws(LogError) {
    guard let identity = try? fileSystem.identity(of: name) else { return }
    for input in inputs {
      let log = LogPath(input)
      let numbers = ((try? fileSystem.names(in: log.directory)) ?? []).compactMap(log.segmentNumber(ofName:))
      // The name itself is compared, too, because the directory of an input may not be listable.
      let files = [input] + numbers.map(log.segment)
      if files.contains(where: { (try? fileSystem.identity(of: $0)) == identity }) {
        throw LogError(
          .exists, path: name,
          message: "the new file is made of this one, and never replaces it; choose another name")
      }
    }
  }

  static func exists(_ name: String) -> LogError {
    LogError(
      .exists, path: name, message: "the file exists; give --replace to replace it, or choose another name")
  }

  /// Throws if the log has further files, because its writer locks only the last one.
  private func refuseFurtherFiles() throws(LogError) {
    let further = files(of: LogPath(path)).filter { $0 != path }
    let others = LogPath(path).logOfSegment.map(files) ?? []
    for file in further + others where file != path { _ = try lock(file) }
    if let file = further.first {
      throw LogError(
        .exists, path: name, message: "\(file) is a further file of the log of this name; choose another name"
      )
    }
  }

  private func files(of log: LogPath) -> [String] {
    (try? SegmentSet(log.path, in: fileSystem).parts.map { log.segment($0.number) }) ?? []
  }

  /// Locks a file against writers; returns nil if this process may not write to it.
  private func lock(_ path: String) throws(LogError) -> (any LogFile)? {
    do { return try fileSystem.lock(path) } catch {
      if error != .wouldBlock {
        throw LogError(.io, path: name, errno: error.rawValue, message: "cannot replace the file: \(error)")
      }
      throw LogError(
        .locked, path: name, errno: error.rawValue,
        message: "this log is being written, and is never replaced; choose another name")
    }
  }

  /// Renames the finished file, which is at the temporary path or at the given one, to its final name.
  ///
  /// - Parameter isSynced: Whether its bytes are on stable storage; then its name is synced, too.
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

  /// Keeps the temporary file even if a signal ends the process from now on, because the file with the final
  /// name is about to be renamed.
  func keepOnSignal() {
    UnfinishedFiles.remove(slot)
    slot = nil
  }

  /// Removes the temporary file.
  package func giveUp() {
    if isDone { return }
    try? fileSystem.remove(temporary)
    end()
  }

  private func end() {
    isDone = true
    keepOnSignal()
    try? old?.lock?.close()
    old = nil
  }
}
