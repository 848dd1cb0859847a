import SystemPackage

/// The one seam between the bytes of a log and the operating system: everything that can fail from outside.
///
/// Calls may come from several threads at once. A `write` may be short; `Errno.interrupted` may be thrown and
/// the caller tries again.
package protocol LogFile: AnyObject, Sendable {
  /// Writes some of the bytes from an index on at an offset of the file, and returns how many.
  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int
  /// Reads at most so many bytes at an offset; fewer than asked may come, none only at the end of the file.
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
  /// What a file that is only read says.
  package func truncate(to size: UInt64) throws(Errno) { throw .badFileDescriptor }

  /// Writes all the bytes, however many calls that takes.
  func writeAll(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        let written = try write(bytes, from: done, at: offset + UInt64(done))
        // A device that accepts nothing and reports nothing would keep us here for ever.
        if written <= 0 { throw Errno.ioError }
        done += written
      } catch {
        if error != .interrupted { throw error }
      }
    }
  }

  /// Reads so many bytes at an offset, or as many as there are before the end of the file.
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
