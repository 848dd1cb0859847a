import SystemPackage

/// Small files of text: budgets, reports.
enum FileText {
  /// A tree of nodes takes some 70 times the memory of its text.
  private static let maxBytes = 16 << 20

  static func read(_ path: String) throws -> String {
    var text: [UInt8] = []
    let lines = try LineReader(path: path)
    while let line = try lines.next() {
      text += line + [0x0A]
      guard text.count <= maxBytes else {
        throw ToolError(file: path, line: lines.lineNumber, column: 1, "too long; at most 16 MiB are read")
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes a file, all of it or nothing.
  static func write(_ text: String, to path: String, replacing: Bool, madeOf inputs: [String]) throws {
    try write(text, to: OutputFile(path, replacing: replacing, madeOf: inputs))
  }

  static func write(_ text: String, to output: OutputFile) throws {
    let file = try output.open()
    do { try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) } } catch {
      throw ToolError("cannot write \(output.name): \(error)")
    }
    try output.finish()
  }
}
