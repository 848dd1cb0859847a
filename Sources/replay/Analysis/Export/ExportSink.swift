import SystemPackage

/// Where an export goes: the output of the command, or a file.
final class ExportSink {
  private let put: ([UInt8]) throws -> Void
  private let file: FileDescriptor?
  private let path: String
  /// Whether people see it as it is, in a terminal that obeys what is written to it.
  let isTerminal: Bool
  private var buffer: [UInt8] = []

  init(_ console: Console) {
    put = { try console.write($0) }
    file = nil
    path = ""
    isTerminal = console.width != nil
  }

  /// Begins a file, which is emptied if it is there.
  init(file path: String) throws {
    self.path = path
    isTerminal = false
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      self.file = file
      put = { _ = try file.writeAll($0) }
    } catch {
      throw ToolError("cannot write \(path): \(error)")
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
      throw ToolError("cannot write \(path): \(error)")
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
