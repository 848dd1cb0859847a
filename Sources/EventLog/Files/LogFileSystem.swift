// The two interfaces between logs and the operating system, through which all goes that can fail from outside: names
// and directories, and the bytes of a file. Tests implement them by files in memory, and inject faults.

import SystemPackage

/// A file system: every call on names and directories.
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
  /// The name of the file that a link leads to, whether that exists or not; other names unchanged.
  func withoutLinks(_ path: String) -> String
  /// Removes a file.
  func remove(_ path: String) throws(Errno)
  /// The names in a directory, in any order.
  func names(in directory: String) throws(Errno) -> [String]
  /// The names in the directory of a log, at least those that its further files have, in any order.
  func names(beside log: LogPath) throws(Errno) -> [String]
  /// Identifies the file that has this name now. The identity changes when another file gets the name.
  func identity(of path: String) throws(Errno) -> FileIdentity
  /// Makes the names in a directory, as they are now, survive a loss of power.
  func syncDirectory(_ directory: String) throws(Errno)
}

/// Identifies a file, whatever its names.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

extension LogFileSystem {
  /// A check and a rename, which suffices for a file system that no other process uses.
  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    if (try? identity(of: newPath)) != nil { throw .fileExists }
    try rename(path, to: newPath)
  }

  package func withoutLinks(_ path: String) -> String { path }

  package func names(beside log: LogPath) throws(Errno) -> [String] { try names(in: log.directory) }

  /// Makes the name of a file survive a loss of power.
  func syncName(of path: String) throws(Errno) { try syncDirectory(LogPath(path).directory) }
}

/// A file: every call on its bytes.
///
/// Calls may come from several threads at once. A `write` may be short; `Errno.interrupted` may be thrown and
/// the caller tries again.
package protocol LogFile: AnyObject, Sendable {
  /// Writes bytes from an index on at an offset of the file, perhaps not all, and returns how many it wrote.
  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int
  /// Reads at most `count` bytes at an offset; fewer than asked may come, none only at the end of the file.
  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8]
  /// Bytes in the file now.
  func size() throws(Errno) -> UInt64
  /// Returns when what was written survives a loss of power.
  func sync() throws(Errno)
  /// Cuts the file off. Only recovery does so, once what it cuts is safe elsewhere.
  func truncate(to size: UInt64) throws(Errno)
  /// Releases the file.
  func close() throws(Errno)
}

extension LogFile {
  /// Throws: a file that is open to read only cannot be truncated.
  package func truncate(to size: UInt64) throws(Errno) { throw .badFileDescriptor }

  /// Writes all the bytes, however many calls that takes.
  func writeAll(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        let written = try write(bytes, from: done, at: offset + UInt64(done))
        // A device that accepts no bytes and reports no error would keep this loop running for ever.
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
