// The two interfaces between logs and the operating system, for names and directories, and for the bytes of a
// file. All operations that can fail for external reasons use them. Tests implement them by files in memory,
// and inject faults.

import SystemPackage

/// A file system: every call on names and directories.
///
/// Calls may come from several threads at once.
package protocol LogFileSystem: Sendable {
  /// Creates a file that only its owner may read, and locks it against other writers.
  ///
  /// Throws `Errno.fileExists` if the file exists and may not be replaced, and `Errno.wouldBlock` if another
  /// writer has it open; its contents are unchanged then.
  func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile
  /// Opens a file for reading. Throws for what is no regular file, and does not wait for the other end of a pipe.
  func open(_ path: String) throws(Errno) -> any LogFile
  /// Opens a file for reading and writing, and locks it against other writers. Throws `Errno.wouldBlock` if
  /// another writer has it open.
  func openToWrite(_ path: String) throws(Errno) -> any LogFile
  /// Renames a file atomically. An existing file with the new name is replaced.
  func rename(_ path: String, to newPath: String) throws(Errno)
  /// Renames a file to a name that no file has. Throws `Errno.fileExists` and changes nothing if a file has
  /// it.
  func renameNew(_ path: String, to newPath: String) throws(Errno)
  /// The name of the file that a link leads to, even if that file does not exist; other names are returned
  /// unchanged.
  func withoutLinks(_ path: String) -> String
  /// Removes a file.
  func remove(_ path: String) throws(Errno)
  /// The names in a directory, in no particular order.
  func names(in directory: String) throws(Errno) -> [String]
  /// The names in the directory of a log, in no particular order; at least those of the log's further files.
  func names(beside log: LogPath) throws(Errno) -> [String]
  /// Identifies the file that has this name now. The identity changes when another file gets the name.
  func identity(of path: String) throws(Errno) -> FileIdentity
  /// Syncs a directory, so that its present names survive a loss of power.
  func syncDirectory(_ directory: String) throws(Errno)
}

/// Identifies a file independently of its names.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

extension LogFileSystem {
  /// Opens a file for writing, which locks it; nil for one that this process may not write to. A file that is
  /// read-only cannot have a writer, so it needs no lock.
  func lock(_ path: String) throws(Errno) -> (any LogFile)? {
    do { return try openToWrite(path) } catch {
      if [.permissionDenied, .readOnlyFileSystem, .notPermitted].contains(error) { return nil }
      throw error
    }
  }

  /// Checks and then renames, which suffices for a file system that no other process uses.
  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    if (try? identity(of: newPath)) != nil { throw .fileExists }
    try rename(path, to: newPath)
  }

  package func withoutLinks(_ path: String) -> String { path }

  package func names(beside log: LogPath) throws(Errno) -> [String] { try names(in: log.directory) }

  /// Syncs the name of a file, so that it survives a loss of power.
  func syncName(of path: String) throws(Errno) { try syncDirectory(LogPath(path).directory) }
}

/// A file: every operation on its bytes.
///
/// Calls may come from several threads at once. A `write` may be short. `Errno.interrupted` may be thrown,
/// and the caller then tries again.
package protocol LogFile: AnyObject, Sendable {
  /// Writes the bytes from an index on at an offset of the file, and returns how many it wrote, which may not
  /// be all.
  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int
  /// Reads at most `count` bytes at an offset. It may return fewer bytes; it returns none only at the end of
  /// the file.
  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8]
  /// The present size of the file in bytes.
  func size() throws(Errno) -> UInt64
  /// The offset of the first byte from an offset on that is not in a hole, which reads as zeros; nil if there is none
  /// before the end of the file. A file that does not know its holes returns the offset.
  func nextData(from offset: UInt64) throws(Errno) -> UInt64?
  /// Whether a writer has the file locked; nil if that cannot be known. Only for a file that is open for reading.
  func hasWriter() -> Bool?
  /// Waits until everything written survives a loss of power.
  func sync() throws(Errno)
  /// Truncates the file. Only recovery does so, after it has saved the bytes elsewhere.
  func truncate(to size: UInt64) throws(Errno)
  /// Releases the file.
  func close() throws(Errno)
}

extension LogFile {
  /// Throws, because a file that is only open for reading cannot be truncated.
  package func truncate(to size: UInt64) throws(Errno) { throw .badFileDescriptor }

  package func nextData(from offset: UInt64) throws(Errno) -> UInt64? { offset }

  package func hasWriter() -> Bool? { nil }

  /// Writes all the bytes, with as many calls as needed.
  func writeAll(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        let written = try write(bytes, from: done, at: offset + UInt64(done))
        // A device that accepts no bytes and reports no error would otherwise keep this loop running for
        // ever.
        if written <= 0 { throw Errno.ioError }
        done += written
      } catch {
        if error != .interrupted { throw error }
      }
    }
  }

  /// Reads `count` bytes at an offset, or as many as there are before the end of the file.
  func readAll(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      do throws(Errno) {
        let part = try read(count - all.count, at: offset + UInt64(all.count))
        if part.isEmpty { break }
        if all.isEmpty { all = part } else { all += part }
      } catch {
        if error != .interrupted { throw error }
      }
    }
    return all
  }
}
