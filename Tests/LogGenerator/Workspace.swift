import EventLog
import Foundation

/// A separate folder for a test, removed with this object.
package final class Workspace {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "replay-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  package var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Writes lines to a file and returns its path.
  package func write(_ lines: String, to name: String = "run.jsonl") throws -> String {
    try lines.write(toFile: file(name), atomically: false, encoding: .utf8)
    return file(name)
  }
}

extension Workspace {
  /// Records a session in small blocks, with some checkpoints; some logs lose their end, and some their
  /// beginning.
  package func session(_ number: Int, _ random: inout SplitMix64) throws -> String {
    var session = ValidSession(seed: random.next())
    var options = LogOptions()
    options.blockEvents = Int.random(in: 1...20, using: &random)
    options.checkpointEvents = Int.random(in: 10...100, using: &random)
    let path = file("\(number).evlog")
    let writer = try LogWriter(creating: path, options: options)
    for event in session.events(Int.random(in: 40...100, using: &random)) { try writer.append(event) }
    try writer.close()
    switch number % 4 {
    case 1:
      // Without its end there is no index.
      let whole = try Data(contentsOf: URL(filePath: path))
      try whole.dropLast(10).write(to: URL(filePath: path))
      return path
    case 2:
      var cut = LogCut()
      cut.from = .seq(UInt64.random(in: 2...30, using: &random))
      _ = try cut.run(path, to: file("\(number).cut.evlog"))
      return file("\(number).cut.evlog")
    default: return path
    }
  }
}
