import SystemPackage

/// A file in the making, under a name of its own until it is whole and synced.
final class FileCopy {
  private let file: any LogFile
  private let fileSystem: any LogFileSystem
  private let path: String
  private(set) var size: UInt64 = 0

  private static let stepBytes = 1 << 20

  init(_ path: String, in fileSystem: any LogFileSystem) throws(Errno) {
    self.path = path
    self.fileSystem = fileSystem
    file = try fileSystem.create(path, replacing: true)
  }

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

  /// Gives the file its name, which survives a loss of power.
  func rename(to newPath: String) throws(Errno) {
    try file.close()
    try fileSystem.rename(path, to: newPath)
    try fileSystem.syncName(of: newPath)
  }

  func discard() throws(Errno) {
    try file.close()
    try fileSystem.remove(path)
  }
}
