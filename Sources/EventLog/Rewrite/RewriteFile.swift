import SystemPackage

/// A file that gets its name only when it is whole.
final class RewriteFile {
  let file: any LogFile
  private let fileSystem: any LogFileSystem
  private let path: String
  private let temporary: String
  private var isOpen = true

  /// Creates the file beside the path. Throws `exists` if that is taken and is not to be replaced, `locked` if the same
  /// is being done already.
  init(_ path: String, replacing: Bool = false, in fileSystem: any LogFileSystem) throws(LogError) {
    if !replacing { try Self.expectFree(path, in: fileSystem) }
    self.path = path
    self.fileSystem = fileSystem
    temporary = LogPath(path).inserting("unfinished")
    do { file = try fileSystem.create(temporary, replacing: true) } catch {
      throw LogError(creating: temporary, error)
    }
  }

  /// Throws `exists` if there is a file of this name.
  static func expectFree(_ path: String, in fileSystem: any LogFileSystem) throws(LogError) {
    guard (try? fileSystem.identity(of: path)) == nil else {
      throw LogError(.exists, path: path, message: "the file exists; choose another name or move it away")
    }
  }

  deinit {
    guard isOpen else { return }
    try? file.close()
    try? fileSystem.remove(temporary)
  }

  /// Gives the file its name, and makes that survive a loss of power. Its bytes were synced before.
  ///
  /// With `old` a file that has the name gets that one first; between the two steps no file has the name, and both
  /// are whole.
  func commit(keepingOldAs old: String? = nil) throws(LogError) {
    do {
      if let old {
        try fileSystem.rename(path, to: old)
        // A loss of power may keep the second change of names without the first, and then nothing had the old bytes.
        try fileSystem.syncName(of: old)
      }
      try fileSystem.rename(temporary, to: path)
      isOpen = false
      try file.close()
      try fileSystem.syncName(of: path)
    } catch {
      throw LogError(
        .io, path: path, errno: error.rawValue, message: "cannot give the log its name: \(error)")
    }
  }
}
