import EventLog
import Foundation
import Projection
import Testing

/// Random sessions on live objects, recorded, read back, and compared with the brute-force model.
@Suite struct LiveSessionTests {
  static let sessions = RandomSessionTests.sessions / 8

  @Test(arguments: 0..<RandomSessionTests.shares)
  func aRecordedSessionIsWhatTheRuleSays(share: UInt64) throws {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.sessions)
    where seed % RandomSessionTests.shares == share {
      let problems = try Self.problems(seed: seed)
      if problems.isEmpty { continue }
      Issue.record("seed \(seed): \(problems.joined(separator: "\n"))")
      return
    }
  }

  /// Plays a session, and returns the first error in its log.
  static func problems(seed: UInt64) throws -> [String] {
    let url = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    var play = LivePlay(session, seed: seed)
    play.play()
    // Now and then a random id is used twice.
    let diagnostics = session.diagnostics.map(\.message).filter {
      !$0.contains("more than one element with the id")
    }
    try session.close()
    var lines: [String] = []
    try LogReader(path: url.path).forEachEvent { lines.append($0.json(statesSameValue: true)) }
    let text = lines.joined(separator: "\n")
    guard let script = Script(text), script.lines.count == lines.count else { return ["unreadable", text] }
    let found = diagnostics + check(script, play)
    return found.isEmpty ? [] : found + [text]
  }

  private static func check(_ script: Script, _ play: LivePlay) -> [String] {
    if let mismatch = script.mismatch() { return ["\(mismatch)"] }
    var oracle = Oracle()
    var problems: [String] = []
    var expected: [String] = []
    var recorded: [String] = []
    var runs = 0
    var predicted = 0
    for (index, line) in script.lines.enumerated() {
      do {
        for entry in try oracle.apply(line, seq: index + 1) {
          expected.append("\(entry.seq) \(entry.projection) \(entry.causes)")
          predicted += 1
        }
      } catch { problems.append("line \(index + 1) is refused: \(error)") }
      switch line.body {
      case .invalidate(let name, let causes): recorded.append("\(line.cause ?? 0) \(name) \(causes)")
      case .evaluate: runs += 1
      case .projection: predicted += 1
      default: break
      }
    }
    if expected != recorded { problems.append("by the rule \(expected)\nrecorded \(recorded)") }
    if runs != play.runs.count { problems.append("\(play.runs.count) runs, \(runs) recorded") }
    if runs != predicted { problems.append("\(runs) runs, \(predicted) by the rule") }
    guard let store = oracle.world.object(ofRoot: "store") else { return problems + ["no root"] }
    var snapshot = LiveSnapshot(oracle.world)
    snapshot.compare(play.store, store)
    return problems + snapshot.differences
  }
}
