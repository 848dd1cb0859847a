import EventLog
import Projection
import ReplayAnalysis
import Testing

/// Projections that move to another parent, and runs that the host skips because the input is the same.
@Suite struct HostedMoveTests {
  let model = Model()

  private func log(
    delivery: Delivery = .immediate, _ body: (Session) throws -> Void
  ) throws -> HostedLog {
    try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      try body(session)
    }
  }

  /// The parents with which each projection began, in order.
  private func parents(_ log: HostedLog, of name: String) -> [String?] {
    log.events.compactMap { event in
      guard case .projection(name, let parent, _) = event.body else { return nil }
      return parent
    }
  }

  // MARK: Moves

  @Test func aProjectionThatMovesKeepsItsNameAndWhatItHasRead() throws {
    let log = try log { session in
      let (left, right) = (session.hosted("Left"), session.hosted("Right"))
      let row = session.hosted("Row", id: 1, parent: left)
      row.run { model.text }
      row.move(to: right)
      #expect(row.name == "Row#1" && !row.isInvalidated)
      model.text = "a"
      #expect(row.isInvalidated)
      row.run { model.text }
      row.move(to: nil)
      model.text = "b"
      #expect(row.isInvalidated)
    }
    #expect(parents(log, of: "Row#1") == ["Left", "Right", nil])
    #expect(log.runs.last == .init("Row#1", changed: true, cause: "app.text = \"a\""))
  }

  @Test func oneThatIsOutOfDateStaysSoWhenItMoves() throws {
    let log = try log { session in
      let (left, right) = (session.hosted("Left"), session.hosted("Right"))
      let row = session.hosted("Row", parent: left)
      row.run { model.text }
      model.text = "a"
      row.move(to: right)
      #expect(row.isInvalidated && session.invalidatedHosted.map(\.name) == ["Row"])
      row.run { model.text }
    }
    #expect(log.runs.last?.cause == "app.text = \"a\"")
  }

  @Test func aMoveWithinATransactionLosesNoChange() throws {
    _ = try log { session in
      let (left, right) = (session.hosted("Left"), session.hosted("Right"))
      let row = session.hosted("Row", parent: left)
      row.run { model.text }
      session.transaction {
        model.text = "a"
        row.move(to: right)
      }
      #expect(row.isInvalidated)
      row.run { model.text }
      session.transaction {
        row.move(to: left)
        model.text = "b"
      }
      #expect(row.isInvalidated)
    }
  }

  @Test func aChildRunsBecauseItsNewParentDid() throws {
    let log = try log { session in
      let (left, right) = (session.hosted("Left"), session.hosted("Right"))
      let row = session.hosted("Row", parent: left)
      for view in [left, row] { view.run { 1 } }
      right.run { model.text }
      row.move(to: right)
      model.text = "a"
      right.run { model.text }
      row.run { 1 }
    }
    #expect(log.runs.last == .init("Row", changed: false, cause: "app.text = \"a\""))
  }

  @Test func aMoveIntoItselfIsReported() throws {
    _ = try log { session in
      let list = session.hosted("List")
      let row = session.hosted("Row", parent: list)
      let label = session.hosted("Label", parent: row)
      row.move(to: label)
      row.move(to: row)
      #expect(
        session.diagnostics.map(\.message) == [
          "Row was not moved into Label, which is within it",
          "Row was not moved into Row, which is within it",
        ])
    }
  }

  @Test func aMoveToTheSameParentOrOfOneThatHasEndedIsNone() throws {
    let log = try log { session in
      let (list, other) = (session.hosted("List"), session.hosted("Other"))
      let row = session.hosted("Row", parent: list)
      row.move(to: list)
      row.dispose()
      row.move(to: other)
    }
    #expect(parents(log, of: "Row") == ["List"])
  }

  @Test func aMoveIsNoFirstRun() throws {
    let log = try log { session in
      let (left, right) = (session.hosted("Left"), session.hosted("Right"))
      let row = session.hosted("Row", parent: left)
      row.run { model.text }
      row.move(to: right)
      row.run(inputChanged: true) { model.text }
    }
    #expect(log.events.compactMap(\.body.input) == [true])
  }

  // MARK: Inputs

  @Test func inputsAreComparedAsThoseOfChildren() throws {
    let log = try log { session in
      let view = session.hosted("View")
      for input in ["a", "a", "b"] { view.run(input: input) { model.text } }
      view.run(input: Item(id: 1)) { model.text }
      view.run(input: NotEquatable(part: 1)) { model.text }
      view.run(input: NotEquatable(part: 1)) { model.text }
      view.run(input: { 1 }) { model.text }
      view.run(input: { 1 }) { model.text }
      #expect(session.diagnostics.count == 1)
    }
    #expect(log.events.compactMap(\.body.input) == [false, true, true, true, false, true])
  }

  @Test func aRunIsNotNeededIfNothingHasChanged() throws {
    _ = try log { session in
      let view = session.hosted("View")
      #expect(!view.isCurrent(for: 1))
      view.run(input: 1) { model.text }
      #expect(view.isCurrent(for: 1) && !view.isCurrent(for: 2))
      model.text = "a"
      #expect(!view.isCurrent(for: 1))
      view.run(input: 1) { model.text }
      #expect(view.isCurrent(for: 1))
      view.dispose()
      #expect(!view.isCurrent(for: 1))
    }
  }

  @Test func aSkippedRunIsAMarkWithTheCauseOfTheParentsRun() throws {
    let log = try log { session in
      let list = session.hosted("List")
      let row = session.hosted("Row", id: 3, parent: list)
      list.run { model.text }
      row.run(input: 1) { 1 }
      model.text = "a"
      list.run { model.text }
      if row.isCurrent(for: 1) { row.skip() }
      // The mark does not end the turn.
      let other = session.hosted("Other", parent: list)
      other.run { 1 }
    }
    let mark = try #require(log.events.last { $0.body.kind == .mark })
    #expect(mark.body == .mark(label: "not run, same input: Row#3"))
    #expect(mark.cause == log.events.last { $0.body.writtenPath != nil }?.seq)
    #expect(log.runs.last?.cause == "app.text = \"a\"")
  }
}

extension Event.Body {
  /// Whether the input of a run differed; nil if that is not known.
  fileprivate var input: Bool? {
    guard case .evaluate(_, _, _, let inputChanged, _) = self else { return nil }
    return inputChanged
  }
}
