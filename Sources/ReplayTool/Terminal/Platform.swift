import EventLog
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Functions of the operating system that the tool needs besides reading logs.
enum Platform {
  /// Makes writing to a closed pipe fail with EPIPE, instead of killing the process.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The width of a terminal in columns; nil if unknown.
  static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Lets the process keep some memory that it frees, for work that takes and frees the same again and again.
  ///
  /// Otherwise glibc returns it to the system, and each page of it costs a fault when it is taken again. glibc
  /// adapts to the largest block that was freed, up to 32 MiB, and keeps up to twice as much (mallopt(3)).
  static func keepFreedMemory() {
    UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16).deallocate()
  }

  /// Writes all bytes. Returns the error number on failure.
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

  /// The files in the same folder as a path, among which an error may suggest the intended one.
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

  /// Swaps the names of two files or folders in one step. Returns false if the file system does not support
  /// it.
  static func exchange(_ a: String, _ b: String) -> Bool {
    #if canImport(Darwin)
      renamex_np(a, b, UInt32(RENAME_SWAP)) == 0
    #else
      // Not every C library declares the function; 2 is RENAME_EXCHANGE.
      typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let rename: Rename = CLibrary.function("renameat2") else { return false }
      return rename(AT_FDCWD, a, AT_FDCWD, b, 2) == 0
    #endif
  }

  /// Runs the body while holding the lock of a folder. Waits for other processes and threads that hold it. If
  /// the file system cannot lock folders, as some network file systems, runs the body without a lock.
  ///
  /// - Throws: `Errno` if there is no such folder, and what the body throws.
  static func whileLocked<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = try FileDescriptor.open(FilePath(folder), .readOnly, options: [.closeOnExec])
    // Closing the descriptor releases the lock.
    defer { try? descriptor.close() }
    while flock(descriptor.rawValue, LOCK_EX) != 0, errno == EINTR {}
    return try body()
  }

  /// Creates a folder that only its owner can read, inside an existing one. Returns the error number on
  /// failure; an existing folder is not an error.
  static func makePrivateFolder(_ path: String) -> Int32? {
    if mkdir(path, 0o700) == 0 { return nil }
    let error = errno
    return error == EEXIST && isFolder(path) ? nil : error
  }

  /// The same, and creates missing parent folders too.
  static func makePrivateFolders(_ path: String) -> Int32? {
    guard let error = makePrivateFolder(path) else { return nil }
    let parent = LogPath(path).directory
    guard error == ENOENT, parent != path, parent != "." else { return error }
    return makePrivateFolders(parent) ?? makePrivateFolder(path)
  }

  /// Removes an empty folder.
  static func removeFolder(_ path: String) { _ = rmdir(path) }

  /// Returns once the file's contents would survive a power loss. Returns the error number on failure.
  static func sync(_ descriptor: Int32) -> Int32? {
    while true {
      #if canImport(Darwin)
        // On Apple's systems fsync does not flush the drive's own cache.
        let result = fcntl(descriptor, F_FULLFSYNC)
      #else
        let result = fsync(descriptor)
      #endif
      if result == 0 { return nil }
      // EINVAL means a device or a pipe, which has nothing to sync.
      if errno == EINVAL { return nil }
      if errno != EINTR { return errno }
    }
  }

  static func isFolder(_ path: String) -> Bool {
    guard let directory = opendir(path) else { return false }
    closedir(directory)
    return true
  }

  /// Whether the path is a device, a pipe or a socket, rather than a file or a folder.
  static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Whether there is a file with no bytes.
  static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  /// The permissions of a file; nil if it does not exist or is not a file.
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
