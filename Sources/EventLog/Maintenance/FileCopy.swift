import SystemPackage

/// A file in the making, under a name of its own until it is whole and synced.
final class FileCopy {
  private let file: any LogFile
  private let fileSystem: any LogFileSystem
  private let path: String
  private let slot: Int?
  private var isDone = false
  private(set) var size: UInt64 = 0

  private static let stepBytes = 1 << 20

  init(_ path: String, in fileSystem: any LogFileSystem) throws(Errno) {
    self.path = path
    self.fileSystem = fileSystem
    let slot = UnfinishedFiles.add(path)
    self.slot = slot
    do { file = try fileSystem.create(path, replacing: true) } catch {
      UnfinishedFiles.remove(slot)
      throw error
    }
  }

  /// Leaves nothing of a copy that was not finished.
  deinit { if !isDone { try? discard() } }

  func append(_ bytes: [UInt8]) throws(Errno) {
    try file.writeAll(bytes, at: size)
    size += UInt64(bytes.count)
  }

  /// Appends a part of another file, which must have it.
  func append(_ source: any LogFile, _ range: Range<UInt64>) throws(Errno) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try source.readAll(Int(min(UInt64(Self.stepBytes), range.upperBound - offset)), at: offset)
      // The file became shorter meanwhile.
      if bytes.isEmpty { throw .ioError }
      try append(bytes)
      offset += UInt64(bytes.count)
    }
  }

  /// Makes the bytes survive a loss of power.
  func finish() throws(Errno) { try file.sync() }

  /// Whether another file has the same bytes.
  func equals(_ other: String) throws(Errno) -> Bool {
    guard let other = try? fileSystem.open(other), try other.size() == size else { return false }
    var offset: UInt64 = 0
    while offset < size {
      let count = Int(min(UInt64(Self.stepBytes), size - offset))
      if try file.readAll(count, at: offset) != other.readAll(count, at: offset) { return false }
      offset += UInt64(count)
    }
    return true
  }

  /// Gives the file a name that no file has, which survives a loss of power.
  func rename(toNew newPath: String) throws(Errno) {
    try file.close()
    try fileSystem.renameNew(path, to: newPath)
    end()
    try fileSystem.syncName(of: newPath)
  }

  /// Puts the file in its place, which survives a loss of power.
  func commit(to place: OutputPlace) throws(LogError) {
    try place.commit(path, isSynced: true)
    end()
  }

  func discard() throws(Errno) {
    try file.close()
    try fileSystem.remove(path)
    end()
  }

  private func end() {
    isDone = true
    UnfinishedFiles.remove(slot)
  }
}
