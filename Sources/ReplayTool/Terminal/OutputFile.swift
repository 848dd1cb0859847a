import EventLog
import SystemPackage

/// A file that a command writes: it gets its name when it is whole. A device or a pipe, as /dev/stdout may be, is
/// written to as it is, and never replaced.
struct OutputFile {
  /// As it was given.
  let name: String
  /// Nil for a device or a pipe.
  private let output: OutputPlace?
  /// Whoever may not read what the file is made of may not read the file.
  private let permissions: FilePermissions

  var isStream: Bool { output == nil }
  /// Where to write.
  var path: String { output?.temporary ?? name }

  /// - Parameters:
  ///   - replacing: Whether a file that is there is replaced.
  ///   - inputs: The files that it is made of.
  /// - Throws: `LogError` where there may be no such file.
  init(_ name: String, replacing: Bool, madeOf inputs: [String]) throws {
    self.name = name
    try Self.refuse(name)
    output = Platform.isStream(name) ? nil : try OutputPlace(name, replacing: replacing, madeOf: inputs)
    var mode = FilePermissions(rawValue: 0o666)
    for file in inputs + [name] { mode.formIntersection(Platform.permissions(of: file) ?? mode) }
    permissions = mode.union(.ownerReadWrite)
  }

  /// Refuses what is no file, for what cannot be written to a device or a pipe.
  ///
  /// - Parameter what: What is written, as `a log`.
  static func expectFile(_ name: String, for what: String) throws {
    try refuse(name)
    if Platform.isStream(name) { throw ToolError("cannot write \(name): \(what) needs a file") }
  }

  private static func refuse(_ name: String) throws {
    // A file of that name is hardly ever meant, and hard to remove.
    if name == "-" {
      throw ToolError("cannot write -: the standard output is /dev/stdout, and a file of this name ./-")
    }
    if Platform.isFolder(name) { throw ToolError("cannot write \(name): it is a folder") }
  }

  /// Begins the file.
  func open() throws -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        FilePath(path), .writeOnly, options: isStream ? [] : [.create, .exclusiveCreate],
        permissions: isStream ? nil : permissions)
    } catch { throw ToolError("cannot write \(name): \(error)") }
  }

  /// Writes a text, all of it or nothing.
  func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Writes bytes, all of them or nothing.
  func write(_ bytes: [UInt8]) throws {
    let file = try open()
    do { try file.closeAfter { _ = try file.writeAll(bytes) } } catch {
      throw ToolError("cannot write \(name): \(error)")
    }
    try finish()
  }

  /// Gives the file its name. A file that is not finished leaves nothing.
  func finish() throws { try output?.commit() }
}
