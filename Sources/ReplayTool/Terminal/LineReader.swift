import ReplayAnalysis
import SystemPackage

/// Reads a file line by line, as bytes without the line breaks.
final class LineReader {
  /// The number of the last line that was returned, from 1.
  private(set) var lineNumber = 0
  private let path: String
  private let descriptor: FileDescriptor
  private let isOwned: Bool
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// Opens a file, or the standard input for `-`.
  ///
  /// - Throws: `ToolError` if the file cannot be opened.
  init(path: String) throws {
    self.path = path
    isOwned = path != "-"
    do {
      descriptor = isOwned ? try FileDescriptor.open(FilePath(path), .readOnly) : .standardInput
    } catch {
      throw ToolError(
        "\(path): cannot be read: \(error)"
          + Suggestion.text(forFile: path, among: Platform.neighbours(of: path))
      )
    }
  }

  deinit { if isOwned { try? descriptor.close() } }

  /// The next line; nil at the end.
  func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return line(to: end)
      }
      searched = buffer.count - start
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return line(to: buffer.count)
      }
      buffer.removeSubrange(..<start)
      start = 0
      try fill()
    }
  }

  private func line(to end: Int) -> [UInt8] {
    lineNumber += 1
    return Array(buffer[start..<end])
  }

  private func fill() throws {
    do {
      let chunk = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { storage, count in
        count = try descriptor.read(into: UnsafeMutableRawBufferPointer(storage))
      }
      if chunk.isEmpty { isAtEnd = true }
      buffer += chunk
    } catch {
      throw ToolError("\(path): cannot be read: \(error)")
    }
  }
}
