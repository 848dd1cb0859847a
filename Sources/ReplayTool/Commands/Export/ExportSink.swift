import SystemPackage

/// Where an export goes: the output of the command, or a file.
final class ExportSink {
  private let put: ([UInt8]) throws -> Void
  private let file: FileDescriptor?
  private let name: String
  private var buffer: [UInt8] = []

  init(_ console: Console) {
    put = { try console.write($0) }
    file = nil
    name = ""
  }

  /// Begins a file.
  init(_ output: OutputFile) throws {
    name = output.name
    let file = try output.open()
    self.file = file
    put = { _ = try file.writeAll($0) }
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
