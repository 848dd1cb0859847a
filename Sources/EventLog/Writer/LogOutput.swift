import SystemPackage

/// The file, or the sequence of segment files, to which blocks are written.
struct LogOutput {
  /// How the sealing thread behaves while the disk is full.
  struct Patience {
    /// Waits before another attempt; returns false if there is to be none.
    var wait: (LogError) -> Bool
    /// Called when writing succeeds again.
    var end: () -> Void
  }

  private var file: any LogFile
  /// The file of the first segment.
  let path: String
  /// The offset of the next block in its file.
  private(set) var offset: UInt64
  /// The rule for further files; nil for a log in one file.
  var rotation: SegmentRotation?
  /// How to behave while the disk is full; nil if that is a failure like any other.
  var patience: Patience?

  init(_ file: any LogFile, path: String, offset: UInt64 = 0) {
    self.file = file
    self.path = path
    self.offset = offset
  }

  /// Appends bytes to the file. While the disk is full it tries again as long as `patience` allows, and
  /// overwrites bytes that were written in part.
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

  /// The advice in the error message. It applies only to a recording, which waits for space and keeps what it
  /// has written.
  private func advice(_ error: Errno) -> String {
    if error.isFullDisk {
      return patience == nil ? "free space and try again" : "free space, and recording goes on"
    }
    return patience == nil ? "check the disk and try again" : "check the disk, and record to a new file"
  }

  /// Syncs the file, so that its bytes survive a loss of power. Do not call it again after a failure: the
  /// system may have dropped what it could not write, and would then report success.
  func sync() throws(LogError) {
    do { try file.sync() } catch {
      throw failure(
        error, "cannot sync: \(error); what was not synced before may be lost, so record to a new file")
    }
  }

  /// Continues at the beginning of another file.
  mutating func goOn(in next: any LogFile) {
    // A failure to close the old file is harmless, because it was synced or given up.
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

// MARK: Further files

extension LogOutput {
  /// Continues in a new file, and removes files that are no longer to be kept. If the old file was given up
  /// instead of synced, the name of the new one is not synced either.
  mutating func beginSegment(time: UInt64, isSynced: Bool) throws(LogError) {
    guard var rotation else { return }
    let next = LogPath(path).segment(rotation.number + 1)
    let file = try patiently(next) { () throws(Errno) in
      try rotation.fileSystem.create(next, replacing: false)
    }
    try patiently(next) { () throws(Errno) in
      do throws(Errno) { try rotation.fileSystem.syncName(of: next) } catch { if isSynced { throw error } }
    }
    rotation.next(after: offset, time: time)
    goOn(in: file)
    while let old = rotation.popOld(time: time) {
      // A file that cannot be removed stays; there is no second attempt.
      try? rotation.fileSystem.remove(LogPath(path).segment(old))
    }
    self.rotation = rotation
  }

  /// Repeats an operation while the disk is full.
  private func patiently<T>(_ path: String, _ body: () throws(Errno) -> T) throws(LogError) -> T {
    var isStalled = false
    while true {
      do throws(Errno) {
        let result = try body()
        if isStalled { patience?.end() }
        return result
      } catch {
        let failure = LogError(creating: path, error)
        guard error.isFullDisk, let patience, patience.wait(failure) else { throw failure }
        isStalled = true
      }
    }
  }
}

/// The rule for when a log continues in a new file, and which files are kept.
struct SegmentRotation {
  let fileSystem: any LogFileSystem
  private let segmentBytes: UInt64
  private let segmentNanoseconds: UInt64
  private let keepSegments: Int
  private let keepBytes: UInt64
  private let keepNanoseconds: UInt64
  /// The number of the current segment.
  private(set) var number: Int
  /// The time of its first event.
  private var startTime: UInt64 = 0
  /// The finished segments that still exist.
  private var finished: [(number: Int, bytes: UInt64, time: UInt64)] = []

  /// Creates the rule; nil if the log is one file.
  init?(_ options: LogOptions, in fileSystem: any LogFileSystem, number: Int = 1) {
    guard let bytes = options.segmentBytes else { return nil }
    self.fileSystem = fileSystem
    self.number = number
    segmentBytes = UInt64(clamping: max(bytes, 1))
    segmentNanoseconds = options.segmentNanoseconds ?? .max
    keepSegments = max(options.keepSegments ?? .max, 1)
    keepBytes = UInt64(clamping: options.keepBytes ?? .max)
    keepNanoseconds = options.keepNanoseconds ?? .max
  }

  /// Whether a segment of this size, with the last event at this time, is full.
  func isFull(_ bytes: UInt64, time: UInt64) -> Bool {
    bytes >= segmentBytes || (time > startTime && time - startTime >= segmentNanoseconds)
  }

  /// Whether a segment is so large that it must end even within a transaction.
  func isOverfull(_ bytes: UInt64) -> Bool { bytes / 4 >= segmentBytes }

  /// Records that a segment of this size is finished, and begins the next.
  mutating func next(after bytes: UInt64, time: UInt64) {
    finished.append((number, bytes, time))
    number += 1
    startTime = time
  }

  /// If there are more segments than are to be kept, removes the oldest from the list and returns its number.
  fileprivate mutating func popOld(time: UInt64) -> Int? {
    guard let oldest = finished.first else { return nil }
    let bytes = finished.reduce(segmentBytes) { $0 + $1.bytes }
    let isOld = oldest.time < time && time - oldest.time > keepNanoseconds
    guard finished.count >= keepSegments || bytes > keepBytes || isOld else { return nil }
    finished.removeFirst()
    return oldest.number
  }
}

extension Errno {
  /// Whether a later attempt may succeed and everything written before is safe.
  fileprivate var isFullDisk: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
