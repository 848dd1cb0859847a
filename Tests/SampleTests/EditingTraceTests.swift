import EventLog
import Foundation
import LogGenerator
import Testing

@testable import EditingTraceTool

/// Random editing sessions: characters of one to four bytes are inserted and deleted anywhere.
@Suite struct EditingTraceTests {
  private static let alphabet = ["a", "é", "漢", "🙂", "\n", "e\u{301}", "a longer word "]

  @Test func everyStateOfTheLogIsWhatTheProgramHad() throws {
    let seed = testSeed()
    let trace = try madeUp(seed: seed)
    let (log, texts, end) = try record(trace)
    var check = LogCheck(texts: texts)
    try check.fold(log)
    #expect(end == trace.endContent, "seed \(seed)")
    #expect(check.compared == trace.patches.count + 1, "seed \(seed)")
    #expect(check.mismatches == [], "seed \(seed)")
  }

  @Test func aTextThatTheProgramNeverHadIsFound() throws {
    let (log, texts, _) = try record(madeUp(seed: 1))
    var check = LogCheck(texts: texts.merging([100: "something else"]) { $1 })
    try check.fold(log)
    #expect(check.mismatches == ["the text after event 101 is not what the program had"])
  }

  @Test func aPatchThatDoesNotFitIsAnError() {
    for patch in [(3, 1, ""), (-1, 0, ""), (0, -1, ""), (.max, 1, ""), (1, 0, "x"), (0, 1, "")] {
      var text = "é"
      #expect(throws: TraceError.self) {
        try text.apply(Trace.Patch(offset: patch.0, deleted: patch.1, inserted: patch.2))
      }
      #expect(text == "é")
    }
  }

  private func madeUp(seed: UInt64) throws -> Trace {
    var random = SeededGenerator(state: seed)
    var text = ""
    let patches = try (0..<300).map { _ in
      let ends = (0..<2).map { _ in Int.random(in: 0...text.unicodeScalars.count, using: &random) }.sorted()
      let scalars = text.unicodeScalars
      let bytes = ends.map { scalars.prefix($0).reduce(0) { $0 + $1.utf8.count } }
      let isDeletion = Int.random(in: 0..<8, using: &random) == 0
      let patch = Trace.Patch(
        offset: bytes[0], deleted: isDeletion ? bytes[1] - bytes[0] : 0,
        inserted: Self.alphabet.randomElement(using: &random) ?? "")
      try text.apply(patch)
      return patch
    }
    return Trace(startContent: "", endContent: text, txns: [Trace.Transaction(patches: patches)])
  }

  /// The log of a trace, the text after each patch, and the text at the end.
  private func record(_ trace: Trace) throws -> (log: LogReader, texts: [Int: String], end: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID()).evlog")
    defer { try? FileManager.default.removeItem(at: file) }
    var texts: [Int: String] = [:]
    let pass = try Passes(trace).recorded(to: file, stoppingAfter: Array(0..<trace.patches.count)) {
      texts[$0] = $1
    }
    return (try LogReader(path: file.path), texts, pass.text)
  }
}
