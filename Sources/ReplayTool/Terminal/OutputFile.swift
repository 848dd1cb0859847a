import EventLog
import ReplayAnalysis
import SystemPackage

/// A file that a command writes, which gets its name only when it is complete. A device or a pipe, such as
/// /dev/stdout, is written to directly and never replaced.
struct OutputFile {
  /// The name that was given.
  let name: String
  /// Nil for a device or a pipe.
  private let output: OutputPlace?
  /// At most those of the input files, so that a user who cannot read these cannot read the output.
  private let permissions: FilePermissions

  var isStream: Bool { output == nil }
  /// The path to write to, a temporary one for a file.
  var path: String { output?.temporary ?? name }

  /// - Parameters:
  ///   - replacing: Whether an existing file is replaced.
  ///   - inputs: The files that the output is made from.
  /// - Throws: `LogError` if the file must not be written.
  init(_ name: String, replacing: Bool, madeOf inputs: [String]) throws {
    self.name = name
    try Self.refuse(name)
    output = Platform.isStream(name) ? nil : try OutputPlace(name, replacing: replacing, madeOf: inputs)
    var mode = FilePermissions(rawValue: 0o666)
    for file in inputs + [name] { mode.formIntersection(Platform.permissions(of: file) ?? mode) }
    permissions = mode.union(.ownerReadWrite)
  }

  /// Throws unless the name is that of a file, for output that cannot go to a device or a pipe.
  ///
  /// - Parameter what: The kind of output, for the message: `a log`.
  static func expectFile(_ name: String, for what: String) throws {
    try refuse(name)
    if Platform.isStream(name) { throw ToolError("cannot write \(name): \(what) needs a file") }
  }

  private static func refuse(_ name: String) throws {
    // A file with this name is hardly ever intended, and hard to remove.
    if name == "-" {
      throw ToolError("cannot write -: the standard output is /dev/stdout, and a file of this name ./-")
    }
    if Platform.isFolder(name) { throw ToolError("cannot write \(name): it is a folder") }
  }

  func open() throws -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        path.filePath, .writeOnly, options: isStream ? [] : [.create, .exclusiveCreate],
        permissions: isStream ? nil : permissions)
    } catch { throw ToolError("cannot write \(name): \(error)") }
  }

  /// Writes the text and finishes the file.
  func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Writes the bytes and finishes the file.
  func write(_ bytes: [UInt8]) throws {
    let file = try open()
    do { try file.closeAfter { _ = try file.writeAll(bytes) } } catch {
      throw ToolError("cannot write \(name): \(error)")
    }
    try finish()
  }

  /// Moves the file to its final name. A file for which this is not called is deleted.
  func finish() throws { try output?.commit() }
}
