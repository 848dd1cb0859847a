import SystemPackage

/// A log that gets its name only when it is whole.
final class RewriteFile {
  let file: any LogFile
  private let place: OutputPlace
  private let fileSystem: any LogFileSystem

  /// Creates the file beside its place; see ``OutputPlace`` for what may be there.
  convenience init(
    _ path: String, replacing: Bool, madeOf inputs: [String],
    in fileSystem: any LogFileSystem = SystemFileSystem()
  ) throws(LogError) {
    try self.init(OutputPlace(path, replacing: replacing, madeOf: inputs, in: fileSystem), fileSystem)
  }

  /// Creates a file that takes the place of a log, which gets another name: see ``commit(keepingOldAs:)``.
  convenience init(inPlaceOf path: String, in fileSystem: any LogFileSystem) throws(LogError) {
    try self.init(OutputPlace(beside: path, in: fileSystem), fileSystem)
  }

  private init(_ place: OutputPlace, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.place = place
    self.fileSystem = fileSystem
    do { file = try fileSystem.create(place.temporary, replacing: false) } catch {
      throw LogError(creating: place.name, error)
    }
  }

  deinit { try? file.close() }

  /// Gives the file its name, and makes that survive a loss of power. Its bytes were synced before.
  ///
  /// With `old` the file that has the name gets that one first; between the two steps no file has the name, and both
  /// are whole.
  func commit(keepingOldAs old: String? = nil) throws(LogError) {
    if let old {
      place.keepOnSignal()
      do throws(Errno) {
        try fileSystem.renameNew(place.path, to: old)
        // A loss of power may keep the second change of names without the first, and then nothing had the old bytes.
        try fileSystem.syncName(of: old)
      } catch {
        if error == .fileExists { throw OutputPlace.exists(old) }
        throw LogError(
          .io, path: old, errno: error.rawValue, message: "cannot keep the log under this name: \(error)")
      }
    }
    do throws(LogError) { try place.commit(isSynced: true) } catch {
      if let old { try? fileSystem.renameNew(old, to: place.path) }
      throw error
    }
  }
}
