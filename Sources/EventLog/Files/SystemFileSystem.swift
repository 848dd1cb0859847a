import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Every call on names and directories, and every pointer it needs, is in this file.

/// The files of the operating system.
package struct SystemFileSystem: LogFileSystem {
  package init() {}

  package func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try createFile(path, replacing: replacing)
  }

  func createFile(_ path: String, replacing: Bool = false) throws(Errno) -> SystemLogFile {
    let options: FileDescriptor.OpenOptions = replacing ? [.create] : [.create, .exclusiveCreate]
    let file = try open(path, .readWrite, options)
    try file.lock()
    // Only now: until here the file may have been another writer's.
    if replacing { try file.truncate(to: 0) }
    return file
  }

  package func open(_ path: String) throws(Errno) -> any LogFile { try open(path, .readOnly, []) }

  package func openToWrite(_ path: String) throws(Errno) -> any LogFile {
    let file = try open(path, .readWrite, [])
    // A device or a pipe holds no log, and is nothing to be replaced.
    if try !file.isRegular() { throw .invalidArgument }
    try file.lock()
    return file
  }

  private func open(
    _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
  ) throws(Errno) -> SystemLogFile {
    let descriptor = try SystemErrno.of {
      try FileDescriptor.open(
        FilePath(path), mode, options: options.union(.closeOnExec),
        permissions: options.contains(.create) ? [.ownerReadWrite] : nil)
    }
    return SystemLogFile(descriptor)
  }

  package func rename(_ path: String, to newPath: String) throws(Errno) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, newPath)
    #elseif canImport(Glibc)
      let result = Glibc.rename(path, newPath)
    #else
      let result = Musl.rename(path, newPath)
    #endif
    if result != 0 { throw SystemErrno.last }
  }

  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    // A second name is refused where there is a file, in one step; a rename would replace that.
    if link(path, newPath) == 0 { return try remove(path) }
    switch SystemErrno.last {
    case .notPermitted, .notSupported, .noFunction, .tooManyLinks:
      // There are file systems without second names.
      if (try? identity(of: newPath)) != nil { throw .fileExists }
      try rename(path, to: newPath)
    case let error: throw error
    }
  }

  package func withoutLinks(_ path: String) -> String {
    var path = path
    // A circle of links is left to whoever opens it.
    for _ in 0..<40 {
      let target = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        buffer.withMemoryRebound(to: CChar.self) { buffer in
          if let start = buffer.baseAddress { count = max(0, readlink(path, start, buffer.count)) }
        }
      }
      if target.isEmpty { break }
      let name = String(decoding: target, as: UTF8.self)
      path = name.hasPrefix("/") ? name : LogPath(path).directory + "/" + name
    }
    return path
  }

  package func remove(_ path: String) throws(Errno) {
    if unlink(path) != 0 { throw SystemErrno.last }
  }

  package func names(in directory: String) throws(Errno) -> [String] {
    guard let stream = opendir(directory) else { throw SystemErrno.last }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func identity(of path: String) throws(Errno) -> FileIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemErrno.last }
    return FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  package func syncDirectory(_ directory: String) throws(Errno) {
    let handle = try SystemErrno.of {
      try FileDescriptor.open(FilePath(directory), .readOnly, options: [.closeOnExec])
    }
    defer { try? handle.close() }
    if fsync(handle.rawValue) != 0 {
      // Some file systems cannot sync a directory and say so with EINVAL: there is nothing more to do.
      if SystemErrno.last != .invalidArgument { throw SystemErrno.last }
    }
  }
}
