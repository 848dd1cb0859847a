// This file contains all calls of the operating system on names, directories and the bytes of files, and
// their pointers.

import Synchronization
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The operating system's files.
package struct SystemFileSystem: LogFileSystem {
  package init() {}

  package func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try createFile(path, replacing: replacing)
  }

  func createFile(_ path: String, replacing: Bool = false) throws(Errno) -> SystemLogFile {
    let options: FileDescriptor.OpenOptions = replacing ? [.create] : [.create, .exclusiveCreate]
    let file = try open(path, .readWrite, options)
    try file.lock()
    // Truncate only after the lock is taken, because another writer may have the file open.
    if replacing { try file.truncate(to: 0) }
    return file
  }

  package func open(_ path: String) throws(Errno) -> any LogFile { try open(path, .readOnly, []) }

  package func openToWrite(_ path: String) throws(Errno) -> any LogFile {
    let file = try open(path, .readWrite, [])
    try file.lock()
    return file
  }

  /// Opens a regular file. Without blocking, since opening a pipe waits for its other end.
  ///
  /// - Throws: `Errno` also for what is no file, with the errors that ``LogError/init(opening:_:)`` names.
  private func open(
    _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
  ) throws(Errno) -> SystemLogFile {
    let descriptor = try SystemErrno.of {
      try FileDescriptor.open(
        path.filePath, mode, options: options.union([.closeOnExec, .nonBlocking]),
        permissions: options.contains(.create) ? [.ownerReadWrite] : nil)
    }
    let file = SystemLogFile(descriptor)
    try file.expectRegular()
    return file
  }

  package func rename(_ path: String, to newPath: String) throws(Errno) {
    #if canImport(Darwin)
      let result = Darwin.rename(path.cName, newPath.cName)
    #elseif canImport(Glibc)
      let result = Glibc.rename(path.cName, newPath.cName)
    #else
      let result = Musl.rename(path.cName, newPath.cName)
    #endif
    if result != 0 { throw SystemErrno.last }
  }

  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    // Creating a hard link fails atomically if the name is taken, while a rename would replace that file.
    if link(path.cName, newPath.cName) == 0 { return try remove(path) }
    switch SystemErrno.last {
    case .notPermitted, .notSupported, .noFunction, .tooManyLinks:
      // Some file systems have no hard links.
      if (try? identity(of: newPath)) != nil { throw .fileExists }
      try rename(path, to: newPath)
    case let error: throw error
    }
  }

  package func withoutLinks(_ path: String) -> String {
    var path = path
    // The limit ends a cycle of links; opening the file then fails.
    for _ in 0..<40 {
      let target = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        buffer.withMemoryRebound(to: CChar.self) { buffer in
          if let start = buffer.baseAddress { count = max(0, readlink(path.cName, start, buffer.count)) }
        }
      }
      if target.isEmpty { break }
      let name = FileName.string(target)
      path = name.hasPrefix("/") ? name : LogPath(path).directory + "/" + name
    }
    return path
  }

  package func remove(_ path: String) throws(Errno) {
    if unlink(path.cName) != 0 { throw SystemErrno.last }
  }

  package func names(in directory: String) throws(Errno) -> [String] {
    guard let stream = opendir(directory.cName) else { throw SystemErrno.last }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        FileName.string(buffer.prefix { $0 != 0 })
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func identity(of path: String) throws(Errno) -> FileIdentity {
    var status = stat()
    guard stat(path.cName, &status) == 0 else { throw SystemErrno.last }
    return FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  package func syncDirectory(_ directory: String) throws(Errno) {
    let handle = try SystemErrno.of {
      try FileDescriptor.open(directory.filePath, .readOnly, options: [.closeOnExec])
    }
    defer { try? handle.close() }
    if fsync(handle.rawValue) != 0 {
      // EINVAL means that the file system cannot sync directories, so there is nothing more to do.
      if SystemErrno.last != .invalidArgument { throw SystemErrno.last }
    }
  }
}

/// A file of the operating system. It is closed with the object if not earlier.
final class SystemLogFile: LogFile {
  private let descriptor: FileDescriptor
  private let isClosed = Atomic<Bool>(false)

  /// Takes over an open file.
  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// The file descriptor, for a signal handler.
  var number: Int32 { descriptor.rawValue }

  /// Locks the file against other writers until it is closed or the process ends.
  ///
  /// Throws `Errno.wouldBlock` if another writer holds the lock for a tenth of a second. It waits because a
  /// child process has copies of all open files until it calls `exec`, including those whose lock has been
  /// released meanwhile. On a file system without locks it does nothing.
  func lock() throws(Errno) {
    var patience = 20
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      switch SystemErrno.last {
      case .interrupted: continue
      case .wouldBlock where patience > 0:
        patience -= 1
        usleep(5000)
      case .notSupported, .invalidArgument, .noLocks: return
      case let error: throw error
      }
    }
  }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    try SystemErrno.of {
      try bytes.withUnsafeBytes { buffer in
        try descriptor.write(
          toAbsoluteOffset: Int64(clamping: offset), UnsafeRawBufferPointer(rebasing: buffer[index...]),
          retryOnInterrupt: false)
      }
    }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    try SystemErrno.of {
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        initialized = try descriptor.read(
          fromAbsoluteOffset: Int64(clamping: offset), into: room, retryOnInterrupt: false)
      }
    }
  }

  func size() throws(Errno) -> UInt64 { UInt64(clamping: try status().st_size) }

  /// Throws unless it is a regular file. Of other kinds reading waits, never ends, or is not possible at an offset.
  fileprivate func expectRegular() throws(Errno) {
    switch try status().st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .isDirectory
    case S_IFIFO: throw .illegalSeek
    case S_IFSOCK: throw .noSuchAddressOrDevice
    default: throw .operationNotSupportedByDevice
    }
  }

  func nextData(from offset: UInt64) throws(Errno) -> UInt64? {
    #if canImport(Darwin)
      let seekData = SEEK_DATA
    #else
      // Not every C library declares it; this is the number on Linux.
      let seekData: Int32 = 3
    #endif
    let found = lseek(descriptor.rawValue, off_t(clamping: offset), seekData)
    if found >= 0 { return UInt64(found) }
    // A file system that does not know its holes is read byte by byte.
    return SystemErrno.last == .noSuchAddressOrDevice ? nil : offset
  }

  func hasWriter() -> Bool? {
    // A writer that tries to lock the file in between tries again.
    while flock(descriptor.rawValue, LOCK_SH | LOCK_NB) != 0 {
      switch SystemErrno.last {
      case .interrupted: continue
      case .wouldBlock: return true
      default: return nil
      }
    }
    flock(descriptor.rawValue, LOCK_UN)
    return false
  }

  private func status() throws(Errno) -> stat {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw SystemErrno.last }
    return status
  }

  func sync() throws(Errno) {
    while true {
      #if canImport(Darwin)
        // On Apple platforms, fsync only reaches the drive's cache.
        let result = fcntl(descriptor.rawValue, F_FULLFSYNC)
      #else
        let result = fdatasync(descriptor.rawValue)
      #endif
      if result == 0 { return }
      // Only an interrupted call is tried again, because any other failure may have dropped dirty pages.
      if SystemErrno.last != .interrupted { throw SystemErrno.last }
    }
  }

  func truncate(to size: UInt64) throws(Errno) {
    while ftruncate(descriptor.rawValue, off_t(clamping: size)) != 0 {
      if SystemErrno.last != .interrupted { throw SystemErrno.last }
    }
  }

  deinit { try? close() }

  func close() throws(Errno) {
    // A second `close` would close another file that has got the same descriptor meanwhile.
    if isClosed.exchange(true, ordering: .relaxed) { return }
    try SystemErrno.of { try descriptor.close() }
  }
}

/// The errors of the operating system.
private enum SystemErrno {
  /// The error of the last call on this thread.
  static var last: Errno {
    #if canImport(Darwin)
      Errno(rawValue: Darwin.errno)
    #elseif canImport(Glibc)
      Errno(rawValue: Glibc.errno)
    #else
      Errno(rawValue: Musl.errno)
    #endif
  }

  /// Adds the error type to calls of SystemPackage, which throw only `Errno` but are declared without a type.
  static func of<T>(_ body: () throws -> T) throws(Errno) -> T {
    do { return try body() } catch { throw error as? Errno ?? .ioError }
  }
}
