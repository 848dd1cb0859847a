import EventLog
import ReplayAnalysis
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

  /// The arguments of the process without the first. Those that are not valid UTF-8 are converted as names of files:
  /// `CommandLine.arguments` has repaired them, so that they name no file.
  static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { FileName.string($0) } }
  }

  /// The files in the same folder as a path, among which an error may suggest the intended one.
  static func neighbours(of path: String) -> [String] {
    let folder =
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<path.utf8.index(after: $0)]) } ?? ""
    let names = (try? SystemFileSystem().names(in: folder.isEmpty ? "." : folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.map { folder + $0 }.sorted()
  }

  /// The names that match a shell pattern; empty if there are none.
  static func names(matching pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern.cName, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { index in found.gl_pathv[index].map { FileName.string($0) } }
  }

  static func exists(_ path: String) -> Bool { access(path.cName, F_OK) == 0 }

  /// Swaps the names of two files or folders in one step. Returns false if the file system does not support
  /// it.
  static func exchange(_ a: String, _ b: String) -> Bool {
    #if canImport(Darwin)
      renamex_np(a.cName, b.cName, UInt32(RENAME_SWAP)) == 0
    #else
      // Not every C library declares the function; 2 is RENAME_EXCHANGE.
      typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
      guard let rename: Rename = CLibrary.function("renameat2") else { return false }
      return rename(AT_FDCWD, a.cName, AT_FDCWD, b.cName, 2) == 0
    #endif
  }

  /// Runs the body while holding the lock of a folder. Waits for other processes and threads that hold it. If
  /// the file system cannot lock folders, as some network file systems, runs the body without a lock.
  ///
  /// - Throws: `Errno` if there is no such folder, and what the body throws.
  static func whileLocked<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = try FileDescriptor.open(folder.filePath, .readOnly, options: [.closeOnExec])
    // Closing the descriptor releases the lock.
    defer { try? descriptor.close() }
    while flock(descriptor.rawValue, LOCK_EX) != 0, errno == EINTR {}
    return try body()
  }

  /// Creates a folder that only its owner can read, inside an existing one. Returns the error number on
  /// failure; an existing folder is not an error.
  static func makePrivateFolder(_ path: String) -> Int32? {
    if mkdir(path.cName, 0o700) == 0 { return nil }
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

  /// Gives a file a second name, or copies it where the file system has only one for each.
  ///
  /// - Throws: `Errno`; and `ToolError` for what is no file.
  static func linkOrCopy(_ path: String, to new: String) throws {
    if link(path.cName, new.cName) == 0 { return }
    let source = try openFile(path)
    defer { try? source.close() }
    let copy = try FileDescriptor.open(
      new.filePath, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: [.ownerReadWrite])
    defer { try? copy.close() }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { break }
      _ = try copy.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    if let error = sync(copy.rawValue) { throw Errno(rawValue: error) }
  }

  static func removeFolder(_ path: String) { _ = rmdir(path.cName) }

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

  /// What a name leads to.
  enum FileKind: Equatable {
    case file, folder, pipe, socket, device

    /// For sentences: `a pipe`.
    var words: String { "a \(self)" }
  }

  /// What the path leads to, after links; nil if that does not exist.
  static func kind(of path: String) -> FileKind? {
    guard let status = status(of: path) else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .socket
    default: return .device
    }
  }

  static func isFolder(_ path: String) -> Bool { kind(of: path) == .folder }

  /// Whether the path itself is a link.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path.cName, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The absolute path of what exists there, without links and dots; nil if nothing does.
  static func realPath(_ path: String) -> String? {
    guard let real = realpath(path.cName, nil) else { return nil }
    defer { free(real) }
    return FileName.string(real)
  }

  /// Whether the path is a device, a pipe or a socket, rather than a file or a folder.
  static func isStream(_ path: String) -> Bool {
    kind(of: path).map { $0 != .file && $0 != .folder } ?? false
  }

  /// Whether there is a file with no bytes.
  static func isEmpty(_ path: String) -> Bool { byteCount(of: path) == 0 }

  /// The size of a file in bytes; nil if it does not exist.
  static func byteCount(of path: String) -> Int? { status(of: path).map { Int($0.st_size) } }

  /// The permissions of a file; nil if it does not exist or is not a file.
  static func permissions(of path: String) -> FilePermissions? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FilePermissions(rawValue: CInterop.Mode(status.st_mode & 0o777))
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path.cName, &status) == 0 ? status : nil
  }

  /// Opens a file of which any part is to be read.
  ///
  /// - Throws: `ToolError` for what is no regular file, of which reading may wait for ever; `Errno`.
  static func openFile(_ path: String) throws -> FileDescriptor {
    let descriptor = try FileDescriptor.open(path.filePath, .readOnly, options: [.closeOnExec, .nonBlocking])
    var status = stat()
    if fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
    try? descriptor.close()
    throw ToolError("it is \(kind(of: path)?.words ?? "no file"), where a file is expected")
  }

  /// Another descriptor of the same file, beyond those of the standard streams, that programs which are run do not get.
  static func duplicate(_ descriptor: FileDescriptor) throws -> FileDescriptor {
    let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: copy)
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
