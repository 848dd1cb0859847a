import SystemPackage

/// Small files of text: budgets, reports.
enum FileText {
  static func read(_ path: String) throws -> String {
    var text: [UInt8] = []
    let lines = try LineReader(path: path)
    while let line = try lines.next() { text += line + [0x0A] }
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
