import Foundation
import Projection
import ReplayTesting
import Testing

/// The tests in the README equal those of this target, byte for byte.
@Suite struct ReadmeTests {
  private func readme() throws -> String {
    let top = folder.deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: top.appending(path: "README.md"), encoding: .utf8)
  }

  private var folder: URL { URL(filePath: #filePath).deletingLastPathComponent() }

  @Test func theTestInTheReadmeIsTheOneThatRuns() throws {
    let test = try String(contentsOf: folder.appending(path: "CounterTests.swift"), encoding: .utf8)
    #expect(try readme().contains("```swift\n\(test)```\n"))
  }

  @Test func theFailureInTheReadmeIsTheOneOfPlainArrays() throws {
    let counters = PlainCounters()
    let session = Session()
    session.attach(counters, as: "counters")
    for row in 0..<3 { session.projection("Row#\(row)") { _ in "\(counters.values[row])" } }
    let unmet = try #require(throws: UnmetExpectation.self) {
      try session.measure { counters.values[1] += 1 }.requireEvaluations(["Row": 1])
    }
    #expect(try readme().contains("```console\n\(unmet)\n```\n"))
  }
}

@Recorded final class PlainCounters {
  var values = [0, 0, 0]
}
