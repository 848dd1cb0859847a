import SystemPackage

/// Where logs are: everything that touches names and directories goes through here, as what touches bytes goes
/// through ``LogFile``.
///
/// Calls may come from several threads at once.
package protocol LogFileSystem: Sendable {
  /// Creates a file that only its owner may read, and locks it against other writers.
  ///
  /// Throws `Errno.fileExists` if there is one and it is not to be replaced, and `Errno.wouldBlock` if another
  /// writer has it; what was in it is untouched then.
  func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile
  /// Opens a file to read.
  func open(_ path: String) throws(Errno) -> any LogFile
  /// Opens a file to read and write, and locks it against other writers. Throws `Errno.wouldBlock` if one has it.
  func openToWrite(_ path: String) throws(Errno) -> any LogFile
  /// Gives a file another name, in one step; a file that has this name is replaced.
  func rename(_ path: String, to newPath: String) throws(Errno)
  /// Gives a file another name that no file has. Throws `Errno.fileExists` if one has it, and changes nothing then.
  func renameNew(_ path: String, to newPath: String) throws(Errno)
  /// The name of what a link leads to, there or not; a name that is no link is its own.
  func withoutLinks(_ path: String) -> String
  /// Removes a file.
  func remove(_ path: String) throws(Errno)
  /// The names in a directory, in any order.
  func names(in directory: String) throws(Errno) -> [String]
  /// Which file has this name now: another number when the name was given to another file.
  func identity(of path: String) throws(Errno) -> FileIdentity
  /// Makes the names in a directory, as they are now, survive a loss of power.
  func syncDirectory(_ directory: String) throws(Errno)
}

/// Tells one file from another, whatever their names.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

extension LogFileSystem {
  /// In two steps, for file systems that nobody shares.
  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    if (try? identity(of: newPath)) != nil { throw .fileExists }
    try rename(path, to: newPath)
  }

  package func withoutLinks(_ path: String) -> String { path }

  /// Makes the name of a file survive a loss of power.
  func syncName(of path: String) throws(Errno) { try syncDirectory(LogPath(path).directory) }
}
