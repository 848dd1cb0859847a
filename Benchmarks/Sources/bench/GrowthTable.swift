import BenchSupport
import Foundation
import Projection

/// Shows that removed data does not make a session, the writer of its log, or the tool that reads the log
/// grow: with any number of objects, and of distinct keys of a dictionary.
struct GrowthTable {
  static let title = "growth"
  /// After this many lifetimes everything has reached its size.
  private static let early = 100_000
  private static let commands = ["timeline", "hot", "cascades", "lint", "verify", "check"]

  private let lifetimes: Int
  private let tool: String?

  /// - Parameters:
  ///   - lifetimes: How many objects come and go, and as many keys.
  ///   - tool: The tool that is measured on the log; nil for none.
  init(lifetimes: Int, tool: String?) {
    self.lifetimes = lifetimes
    self.tool = tool
  }

  func run() throws {
    print("\n\(Self.title): resident MiB after \(Self.early.grouped), and at the end")
    let unrecorded = Session()
    measure("objects that come and go, a session that records nothing", PoolLives(in: unrecorded).live)
    measure("distinct keys, a session that records nothing", Self.keys(in: unrecorded))
    let url = FileManager.default.temporaryDirectory.appending(path: "growth-\(UUID().uuidString).evlog")
    // A file that is left over is in the temporary folder; that is no reason to stop without the figures.
    defer { try? FileManager.default.removeItem(at: url) }
    do {
      let session = try Session(recordingTo: url)
      measure("objects that come and go, session and writer", PoolLives(in: session).live)
      measure("distinct keys, session and writer", Self.keys(in: session))
      try session.close()
    }
    guard let tool else { return }
    print("  the tool on that log, MiB at the most:")
    for command in Self.commands {
      let process = try ToolProcess(tool, [command, url.path])
      printNow("    \(command.padded(to: 12)) \(process.peakBytes >> 20), \((process.elapsed / 1e9).short) s")
    }
  }

  private func measure(_ name: String, _ live: (Int) -> Void) {
    let early = min(Self.early, lifetimes)
    for number in 0..<early { live(number) }
    let before = residentBytes()
    for number in early..<lifetimes { live(number) }
    let after = residentBytes()
    printNow(
      "  \(lifetimes.grouped) \(name.padded(to: 58))"
        + " \((Double(before) / 1_048_576).short), \((Double(after) / 1_048_576).short)")
  }

  /// Adds a key that was never used before, and removes the oldest.
  private static func keys(in session: Session) -> (Int) -> Void {
    let pool = KeyPool()
    session.attach(pool, as: "keys")
    return { number in
      pool.numbers["key \(number)"] = number
      if number >= 100 { pool.numbers["key \(number - 100)"] = nil }
    }
  }
}

@Recorded private final class KeyPool {
  var numbers: RecordedDictionary<String, Int> = [:]
}
