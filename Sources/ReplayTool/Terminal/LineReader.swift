import EventLog
import ReplayAnalysis
import SystemPackage

/// Reads a file line by line, as bytes without the line breaks. The file may be a pipe, as `<(...)` of a shell is.
///
/// No more than one line is in memory, and a line has a limit.
final class LineReader {
  /// Longer than the line of any event: a block, which holds it, has 16 MiB, of which JSON makes up to six times as much.
  static let lineBytesMax = 128 << 20

  /// The number of the last line that was returned, from 1.
  private(set) var lineNumber = 0
  /// The name for messages.
  private let name: String
  private let limit: Int
  private let descriptor: FileDescriptor
  private let isOwned: Bool
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// Opens a file, or the standard input for `-`.
  ///
  /// - Parameter limit: The most bytes that a line may have.
  /// - Throws: `ToolError` if the file cannot be opened.
  init(path: String, limit: Int = lineBytesMax) throws {
    self.limit = limit
    isOwned = path != "-"
    name = isOwned ? path : "<stdin>"
    if isOwned, Platform.isFolder(path) {
      throw ToolError("\(path): it is a folder, where a file is expected")
    }
    do {
      descriptor = isOwned ? try FileDescriptor.open(path.filePath, .readOnly) : .standardInput
    } catch {
      throw ToolError(
        "\(path): cannot be read: \(error)"
          + Suggestion.text(forFile: path, among: Platform.neighbours(of: path))
      )
    }
  }

  /// Reads from what is open already, and leaves it open.
  init(_ descriptor: FileDescriptor, name: String, limit: Int = lineBytesMax) {
    (self.descriptor, self.name, self.limit) = (descriptor, name, limit)
    isOwned = false
  }

  deinit { if isOwned { try? descriptor.close() } }

  /// The next line; nil at the end.
  ///
  /// - Throws: `ToolError` with the position of a line that is too long, and if the file cannot be read.
  func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return try line(to: end)
      }
      searched = buffer.count - start
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return try line(to: buffer.count)
      }
      if searched > limit { throw tooLong() }
      buffer.removeSubrange(..<start)
      start = 0
      try fill()
    }
  }

  private func line(to end: Int) throws -> [UInt8] {
    if end - start > limit { throw tooLong() }
    lineNumber += 1
    return Array(buffer[start..<end])
  }

  private func tooLong() -> ToolError {
    ToolError(
      file: name, line: lineNumber + 1, column: 1,
      "the line is too long; at most \(Units.bytes(UInt64(limit))) are read")
  }

  private func fill() throws {
    do {
      let chunk = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { storage, count in
        count = try descriptor.read(into: UnsafeMutableRawBufferPointer(storage))
      }
      if chunk.isEmpty { isAtEnd = true }
      buffer += chunk
    } catch {
      throw ToolError("\(name): cannot be read: \(error)")
    }
  }
}
