import Synchronization
import SystemPackage

@testable import EventLog

/// Files in memory, by name, in one directory.
final class FuzzedFileSystem: LogFileSystem {
  private let files: Mutex<[String: FuzzedFile]>

  init(_ files: [String: [UInt8]]) { self.files = Mutex(files.mapValues { FuzzedFile($0) }) }

  /// All files and what is in them.
  var contents: [String: [UInt8]] { files.withLock { $0.mapValues(\.bytes) } }

  func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try files.withLock { files throws(Errno) in
      if files[path] != nil, !replacing { throw .fileExists }
      let file = FuzzedFile([])
      files[path] = file
      return file
    }
  }

  func open(_ path: String) throws(Errno) -> any LogFile {
    guard let file = files.withLock({ $0[path] }) else { throw .noSuchFileOrDirectory }
    return file
  }

  func openToWrite(_ path: String) throws(Errno) -> any LogFile { try open(path) }

  func rename(_ path: String, to newPath: String) throws(Errno) {
    try files.withLock { files throws(Errno) in
      guard let file = files.removeValue(forKey: path) else { throw .noSuchFileOrDirectory }
      files[newPath] = file
    }
  }

  func remove(_ path: String) throws(Errno) {
    if files.withLock({ $0.removeValue(forKey: path) }) == nil { throw .noSuchFileOrDirectory }
  }

  func names(in directory: String) -> [String] { files.withLock { Array($0.keys) } }

  func identity(of path: String) throws(Errno) -> FileIdentity {
    guard let file = files.withLock({ $0[path] }) else { throw .noSuchFileOrDirectory }
    return FileIdentity(device: 0, number: UInt64(UInt(bitPattern: ObjectIdentifier(file).hashValue)))
  }

  func syncDirectory(_ directory: String) {}
}
