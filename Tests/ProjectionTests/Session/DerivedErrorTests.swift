import EventLog
import Projection
import Testing

/// A derived value whose body throws.
@Suite struct DerivedErrorTests {
  struct TooMany: Error, Equatable { var limit: Int }
  struct Unlike: Error {}

  let model = Rows()
  let session = Session()

  init() { session.attach(model, as: "row") }

  @Test func anErrorIsKeptUntilSomethingThatWasReadChanges() throws {
    var runs = 0
    let checked = session.derived("checked") {
      runs += 1
      if model.plain > 3 { throw TooMany(limit: 3) }
      return model.plain
    }
    #expect(try checked.value == 1)
    model.plain = 4
    for _ in 0..<3 { #expect(throws: TooMany(limit: 3)) { try checked.value } }
    #expect(runs == 2)
    model.text = "not read"
    #expect(throws: TooMany(limit: 3)) { try checked.value }
    #expect(runs == 2)
    model.plain = 2
    #expect(try checked.value == 2)
    #expect(runs == 3)
  }

  @Test func readersAreInvalidatedByAnErrorAndByItsEndAndOthersStillRun() {
    let checked = session.derived("checked") {
      if model.plain.isMultiple(of: 2) { throw TooMany(limit: model.number) }
      return model.plain
    }
    let seen = Journal()
    session.projection("Before") { _ in seen.append("before \(model.plain)") }
    session.projection("View") { _ in
      do { seen.append("value \(try checked.value)") } catch { seen.append("\(error)") }
    }
    session.projection("After") { _ in seen.append("after \(model.plain)") }
    model.plain = 2
    model.plain = 3
    #expect(
      seen.lines == [
        "before 1", "value 1", "after 1", "before 2", "TooMany(limit: 1)", "after 2", "before 3", "value 3",
        "after 3",
      ])
    #expect(session.diagnostics == [])
  }

  @Test func anEqualErrorStopsDownstreamAndOneThatCannotBeComparedDoesNot() {
    let equal = session.derived("equal") {
      if model.plain > 1 { throw TooMany(limit: 3) }
      return model.plain
    }
    let unlike = session.derived("unlike") {
      if model.plain > 1 { throw Unlike() }
      return model.plain
    }
    session.projection("Equal") { _ in _ = try? equal.value }
    session.projection("Unlike") { _ in _ = try? unlike.value }
    #expect(session.measure { model.plain = 2 }.totalEvaluations == 4)
    #expect(
      session.measure { model.plain = 3 }.evaluationsByInstance == ["equal": 1, "unlike": 1, "Unlike": 1])
  }

  @Test func anErrorGoesThroughDerivedValuesThatReadIt() throws {
    let first = session.derived("first") {
      if model.plain > 1 { throw TooMany(limit: 1) }
      return model.plain
    }
    let second = session.derived("second") { try first.value * 10 }
    let third = session.derived("third") { (try? second.value) ?? -1 }
    #expect(third.value == 10)
    model.plain = 2
    #expect(throws: TooMany(limit: 1)) { try second.value }
    #expect(third.value == -1)
    model.plain = 0
    #expect(third.value == 0)
  }

  @Test func anErrorIsInTheLogAsItsText() throws {
    let model = Rows()
    let log = try events(of: model) { session in
      let checked = session.derived("checked") {
        if model.plain > 1 { throw TooMany(limit: 1) }
        return model.plain
      }
      session.projection("View") { _ in _ = try? checked.value }
      model.plain = 2
    }
    #expect(
      log.mutations == [
        "derived.checked <- 1", "row.plain <- 2", #"derived.checked <- {"error":"TooMany(limit: 1)"}"#,
      ])
  }

  @Test func anErrorThatMayShowARedactedValueIsNotInTheLog() throws {
    let model = Keeper()
    let log = try events(of: model) { session in
      let checked = session.derived("checked") { () throws -> Int in throw TooMany(limit: model.token) }
      #expect(throws: TooMany(limit: 815)) { try checked.value }
    }
    #expect(log.mutations == [#"derived.checked <- {"$redacted":true}"#])
  }

  @Test func aBodyThatCannotThrowMakesADerivedValueThatCannot() {
    let plain: Derived<Int> = session.derived("plain") { model.plain }
    #expect(plain.value == 1)
  }
}

@Recorded private final class Keeper {
  @Redacted var token = 815
}
