import EventLog
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// What the tool asks of the operating system beyond reading logs.
enum Platform {
  /// Keeps a closed pipe from killing the process: writing then fails with EPIPE.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The columns of a terminal; nil where they are not known.
  static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Writes all bytes; the error number on failure.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        #if canImport(Darwin)
          let count = Darwin.write(
            descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        #else
          let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        #endif
        if count >= 0 {
          offset += count
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }

  /// The files beside a path, for suggesting the one that was meant.
  static func neighbours(of path: String) -> [String] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(folder + name) }
    }
    return names.sorted()
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Gives two files or folders each other's name, in one step; false where the file system cannot do that.
  static func exchange(_ a: String, _ b: String) -> Bool {
    #if canImport(Darwin)
      renamex_np(a, b, UInt32(RENAME_SWAP)) == 0
    #else
      // Not every C library declares it; 2 is RENAME_EXCHANGE.
      typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let rename: Rename = CLibrary.function("renameat2") else { return false }
      return rename(AT_FDCWD, a, AT_FDCWD, b, 2) == 0
    #endif
  }

  /// Does something while no other process, or thread, does anything under the lock of this folder; waits for it. On a file
  /// system that locks no folders, as some of networks do not, there is no lock.
  ///
  /// - Throws: `Errno` where there is no such folder, and what the body throws.
  static func whileLocked<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = try FileDescriptor.open(FilePath(folder), .readOnly, options: [.closeOnExec])
    // Which gives up the lock.
    defer { try? descriptor.close() }
    while flock(descriptor.rawValue, LOCK_EX) != 0, errno == EINTR {}
    return try body()
  }

  /// Makes a folder that only its owner may look into, in one that is there, unless there is one; the error number on
  /// failure.
  static func makePrivateFolder(_ path: String) -> Int32? {
    if mkdir(path, 0o700) == 0 { return nil }
    let error = errno
    return error == EEXIST && isFolder(path) ? nil : error
  }

  /// The same, with those above it that are missing.
  static func makePrivateFolders(_ path: String) -> Int32? {
    guard let error = makePrivateFolder(path) else { return nil }
    let parent = LogPath(path).directory
    guard error == ENOENT, parent != path, parent != "." else { return error }
    return makePrivateFolders(parent) ?? makePrivateFolder(path)
  }

  /// Removes a folder that is empty.
  static func removeFolder(_ path: String) { _ = rmdir(path) }

  /// Returns when what was written to a file survives a loss of power; the error number on failure.
  static func sync(_ descriptor: Int32) -> Int32? {
    while true {
      #if canImport(Darwin)
        // fsync on Apple's systems stops at the drive's cache.
        let result = fcntl(descriptor, F_FULLFSYNC)
      #else
        let result = fsync(descriptor)
      #endif
      if result == 0 { return nil }
      // A device or a pipe has nothing to sync.
      if errno == EINVAL { return nil }
      if errno != EINTR { return errno }
    }
  }

  static func isFolder(_ path: String) -> Bool {
    guard let directory = opendir(path) else { return false }
    closedir(directory)
    return true
  }

  /// Whether there is a device, a pipe or a socket, rather than a file or a folder.
  static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Whether there is a file with nothing in it.
  static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  /// Who may read and write a file; nil where there is none, and for what is no file.
  static func permissions(of path: String) -> FilePermissions? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FilePermissions(rawValue: CInterop.Mode(status.st_mode & 0o777))
  }

  static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  static func exit(_ status: Int32) -> Never {
    #if canImport(Darwin)
      Darwin.exit(status)
    #else
      Glibc.exit(status)
    #endif
  }

  static func message(_ error: Int32) -> String { String(cString: strerror(error)) }

  static let brokenPipe = EPIPE
}
