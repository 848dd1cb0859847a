import Foundation

@testable import EventLog

/// A folder of this process for code that needs real files; in memory if possible.
enum Scratch {
  private static let folder: String = {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    let folder = "\(parent)/fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    atexit { Scratch.removeAll() }
    return folder
  }()

  /// The path of a file there.
  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Empties the folder and writes the log that an input describes. Returns its path.
  static func begin(with input: [UInt8]) -> String {
    empty()
    let path = path("run.evlog")
    let bytes = Data(Recipe(input)?.bake() ?? input)
    expect(FileManager.default.createFile(atPath: path, contents: bytes), "cannot write \(path)")
    return path
  }

  private static func empty() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  private static func removeAll() { try? FileManager.default.removeItem(atPath: folder) }
}
