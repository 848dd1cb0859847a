import SystemPackage

/// The file that blocks go to, or the files, one after the other.
struct LogOutput {
  /// What to do when the disk is full, on the thread that seals.
  struct Patience {
    /// Waits a while; returns whether to try again.
    var wait: (LogError) -> Bool
    /// There is space again.
    var end: () -> Void
  }

  private var file: any LogFile
  /// The file of the first segment.
  let path: String
  /// Where the next block goes in its file.
  private(set) var offset: UInt64
  /// Without it there is one file for all.
  var rotation: SegmentRotation?
  /// Without it a full disk is a failure as any other.
  var patience: Patience?

  init(_ file: any LogFile, path: String, offset: UInt64 = 0) {
    self.file = file
    self.path = path
    self.offset = offset
  }

  /// Writes bytes behind those written before. While the disk is full it waits as long as its patience lasts: what a
  /// full disk took of the bytes is written over.
  mutating func write(_ bytes: [UInt8]) throws(LogError) {
    var isStalled = false
    while true {
      do throws(Errno) {
        try file.writeAll(bytes, at: offset)
        break
      } catch {
        let failure = failure(error, "cannot write: \(error); \(advice(error))")
        guard error.isFullDisk, let patience, patience.wait(failure) else { throw failure }
        isStalled = true
      }
    }
    offset += UInt64(bytes.count)
    if isStalled { patience?.end() }
  }

  /// What to do: only a recording waits for space, and only what it has written so far is kept.
  private func advice(_ error: Errno) -> String {
    if error.isFullDisk {
      return patience == nil ? "free space and try again" : "free space, and recording goes on"
    }
    return patience == nil ? "check the disk and try again" : "check the disk, and record to a new file"
  }

  /// Makes what was written survive a loss of power. After a failure never call it again: the system may have
  /// dropped what it could not write, and would then report success.
  func sync() throws(LogError) {
    do { try file.sync() } catch {
      throw failure(
        error, "cannot sync: \(error); what was not synced before may be lost, so record to a new file")
    }
  }

  /// Goes on at the beginning of another file.
  mutating func goOn(in next: any LogFile) {
    // Whatever closing the old one says: it was synced, or was given up.
    try? file.close()
    file = next
    offset = 0
  }

  /// Releases the file.
  func close() throws(LogError) {
    do { try file.close() } catch { throw failure(error, "cannot close: \(error)") }
  }

  private func failure(_ errno: Errno, _ message: String) -> LogError {
    LogError(.io, path: path, byteOffset: offset, errno: errno.rawValue, message: message)
  }
}

extension Errno {
  /// Whether trying again later can help, and nothing that was written before is in doubt.
  var isFullDisk: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
