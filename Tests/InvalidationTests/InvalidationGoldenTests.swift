import EventLog
import Foundation
import Invalidation
import LogGenerator
import Testing

/// What the events of fifty random sessions invalidate, kept as text. So a change of the core that is meant to
/// change nothing is compared with the core before it. `make golden` writes the file again.
@Suite struct InvalidationGoldenTests {
  @Test func sessionsInvalidateWhatTheyDidBefore() throws {
    let text = (1...50).map { Self.text(seed: $0) }.joined()
    if ProcessInfo.processInfo.environment["GOLDEN"] == "update" {
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: Self.file, encoding: .utf8)
    let difference = zip(Self.lines(text), Self.lines(kept)).first { $0 != $1 }
    #expect(text == kept, "\(difference.map { "\($0), and it was \($1)" } ?? "another length"); make golden")
  }

  /// A line for each event that invalidates something, or that does not fit: its seq, and the projections in
  /// order with their causes.
  private static func text(seed: UInt64) -> String {
    var session = ValidSession(seed: seed, hasDatesAndActions: false, hasStrands: false)
    var timeline = Timeline()
    var text = "session \(seed)\n"
    for event in session.events(1_500) {
      do throws(StateError) {
        let hits = try timeline.apply(event)
        if hits.isEmpty { continue }
        text += "\(event.seq):" + hits.map { " \($0.projection)\($0.causes)" }.joined() + "\n"
      } catch { return text + "\(event.seq) is refused: \(error)\n" }
    }
    return text
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden/invalidations.txt")
}
