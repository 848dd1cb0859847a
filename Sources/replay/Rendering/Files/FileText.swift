import SystemPackage

/// Small files of text: budgets, reports.
enum FileText {
  static func read(_ path: String) throws -> String {
    var text: [UInt8] = []
    let lines = try LineReader(path: path)
    while let line = try lines.next() { text += line + [0x0A] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes a file beside its place and puts it there when it is whole.
  static func write(_ text: String, to path: String) throws {
    let place = OutputPlace(path)
    do {
      let file = try FileDescriptor.open(
        FilePath(place.temporary), .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) }
      try place.replace()
    } catch let error as Errno {
      place.giveUp()
      throw ToolError("cannot write \(path): \(error)")
    } catch {
      place.giveUp()
      throw error
    }
  }
}
