import SystemPackage

/// Where an export goes: the output of the command, or a file.
final class ExportSink {
  private let put: ([UInt8]) throws -> Void
  private let file: FileDescriptor?
  private let name: String
  /// Whether people see it as it is, in a terminal that obeys what is written to it.
  let isTerminal: Bool
  private var buffer: [UInt8] = []

  init(_ console: Console) {
    put = { try console.write($0) }
    file = nil
    name = ""
    isTerminal = console.width != nil
  }

  /// Begins a file, which is emptied if it is there; errors call it by its name.
  init(file path: String, name: String) throws {
    self.name = name
    isTerminal = false
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      self.file = file
      put = { _ = try file.writeAll($0) }
    } catch {
      throw ToolError("cannot write \(name): \(error)")
    }
  }

  deinit { try? file?.close() }

  func write(_ bytes: [UInt8]) throws {
    guard file != nil else { return try put(bytes) }
    buffer += bytes
    if buffer.count > 1 << 16 { try finish() }
  }

  /// Writes what is left.
  func finish() throws {
    do { try put(buffer) } catch let error as Errno {
      throw ToolError("cannot write \(name): \(error)")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
