import EventLog
import Foundation
import Testing

@testable import Projection

/// The log has how much of a run went into comparing, and of which type.
@Suite struct ComparingTimeTests {
  private struct Plain {
    var number: Int
    var words: [String]
  }

  private struct Compared: Equatable {
    var number: Int
    var words: [String]
  }

  private struct Run {
    var duration: UInt64
    var comparing: UInt64
  }

  private func runs(_ name: String, in events: [Event]) -> [Run] {
    events.compactMap { event in
      guard case .evaluate(name, let duration, _, _, let comparing) = event.body else { return nil }
      return Run(duration: duration, comparing: comparing)
    }
  }

  private func types(in events: [Event]) -> [MarkLabel] {
    events.compactMap { event in
      guard case .mark(let label) = event.body, case .comparedByParts = MarkLabel(label) else { return nil }
      return MarkLabel(label)
    }
  }

  /// A list with 20 rows that runs again and again, with the input of each.
  private func list<Input>(times: Int, _ input: @escaping (Int) -> Input) throws -> [Event] {
    try record { session, model in
      session.projection("List") { list in
        _ = model.text
        for row in 0..<20 { list.child("Row", id: row, input: input(row)) { _ in row } }
      }
      for time in 0..<times { model.text = "\(time)" }
    }
  }

  @Test func inputsOfATypeWithoutAnOperatorAreMeasuredInTheRunThatHandsThemIn() throws {
    let events = try list(times: 10) { Plain(number: $0, words: ["a", "b"]) }
    let runs = self.runs("List", in: events)
    #expect(runs.count == 11)
    #expect(runs.allSatisfy { $0.comparing > 0 && $0.comparing <= $0.duration })
    #expect(self.runs("Row#3", in: events).map(\.comparing) == [0])
    // 20 in each run: the hundredth is the last one of the fifth.
    #expect(types(in: events) == [.comparedByParts(child: "Row", type: "Plain")])
    let mark = try #require(events.firstIndex { if case .mark = $0.body { true } else { false } })
    #expect(self.runs("List", in: Array(events[..<mark])).count == 4)
  }

  @Test func aTypeThatIsComparedAFewTimesIsNotNamed() throws {
    #expect(types(in: try list(times: 3) { Plain(number: $0, words: []) }).isEmpty)
  }

  @Test func inputsThatMayBeLargeAreMeasuredAndSmallOnesAreNot() throws {
    let large = try list(times: 10) { Compared(number: $0, words: ["a"]) }
    #expect(types(in: large).isEmpty)
    #expect(runs("List", in: large).allSatisfy { $0.comparing <= $0.duration })
    for events in [try list(times: 10) { $0 }, try list(times: 10) { "\($0)" }] {
      #expect(runs("List", in: events).map(\.comparing) == Array(repeating: 0, count: 11))
    }
  }

  @Test func anOutputIsMeasuredInItsOwnRun() throws {
    let events = try record { session, model in
      let words = session.derived("words") { (0..<2_000).map { "\(model.text) \($0)" } }
      session.projection("Words") { words.value.count }
      for time in 0..<5 { model.text = "\(time)" }
    }
    let runs = self.runs("words", in: events)
    #expect(runs.count == 6)
    #expect(runs.allSatisfy { $0.comparing <= $0.duration })
    #expect(self.runs("Words", in: events).allSatisfy { $0.comparing == 0 })
  }

  @Test func aHostedRunWithinAnotherIsComparedInThatOne() throws {
    let events = try record { session, model in
      let list = session.hosted("List")
      let rows = (0..<5).map { session.hosted("Row", id: $0, parent: list) }
      for _ in 0..<3 {
        list.run {
          _ = model.text
          for (number, row) in rows.enumerated() { row.run(input: Plain(number: number, words: ["a"])) {} }
        }
      }
    }
    #expect(runs("List", in: events).allSatisfy { $0.comparing > 0 && $0.comparing <= $0.duration })
    #expect(runs("Row#1", in: events).map(\.comparing) == [0, 0, 0])
  }

  private func record(_ body: (Session, Model) throws -> Void) throws -> [Event] {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let model = Model()
    session.attach(model, as: "app")
    try body(session, model)
    try session.close()
    var events: [Event] = []
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    return events
  }
}
