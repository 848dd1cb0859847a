import Foundation
import Testing

@testable import Projection

/// A derived value exists as long as it is retained or has readers.
@Suite struct DerivedLifetimeTests {
  final class Token {}

  let model = Rows()
  let session = Session()
  var engine: Engine { session.engine }

  init() { session.attach(model, as: "row") }

  @Test func releasedDerivedValuesReleaseWhatTheyCaptured() {
    weak var last: Token?
    for _ in 0..<1_000 {
      let token = Token()
      last = token
      let d = session.derived("d") { withExtendedLifetime(token) { model.plain } }
      #expect(d.value == 1)
    }
    #expect(last == nil)
    #expect(engine.nodes.isEmpty && engine.derivedBySlot.isEmpty && engine.livingNames.isEmpty)
  }

  @Test func aThrowingDerivedValueEndsToo() throws {
    weak var token: Token?
    do {
      let held = Token()
      token = held
      let d = session.derived("d") { () throws in withExtendedLifetime(held) { model.plain } }
      #expect(try d.value == 1)
    }
    #expect(token == nil && engine.nodes.isEmpty)
  }

  @Test func aDerivedValueThatAProjectionReadsLivesAsLongAsThat() {
    var values: [Int] = []
    weak var token: Token?
    var subscription: ProjectionHandle?
    do {
      let held = Token()
      token = held
      let d = session.derived("d") { withExtendedLifetime(held) { model.plain } }
      subscription = session.projection("P") { _ in values.append(d.value) }
    }
    model.plain = 2
    #expect(values == [1, 2] && token != nil)
    subscription?.cancel()
    #expect(token == nil && engine.nodes.isEmpty)
  }

  @Test func aDerivedValueMadeInABodyIsTrackedAndLeavesNoNode() {
    var values: [Int] = []
    session.projection("P") { _ in
      let d = session.derived("d") { model.plain }
      values.append(d.value)
    }
    for value in 2...50 { model.plain = value }
    #expect(values == Array(1...50))
    #expect(engine.nodes.count == 2, "the projection and what it read last")
  }

  @Test func aChainOfDerivedValuesEndsWithItsLastReader() {
    weak var weakly: Derived<Int>?
    let subscription: ProjectionHandle
    do {
      let a = session.derived("a") { model.plain }
      let b = session.derived("b") { a.value + 1 }
      weakly = b
      subscription = session.projection("P") { _ in weakly?.value ?? 0 }
      #expect(engine.nodes.count == 3)
    }
    #expect(weakly == nil)
    #expect(engine.nodes.count == 3, "the projection still follows it")
    model.plain = 2
    #expect(engine.nodes.count == 1, "it ran and found nothing to read")
    subscription.cancel()
    #expect(engine.nodes.isEmpty)
  }

  @Test func aHandleMayBeReleasedOnAnyThread() async {
    let session = session
    let journal = Journal()
    nonisolated(unsafe) let model = model
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for round in 0..<100 {
            let d = session.derived("d\(thread)") { round }
            #expect(d.value == round)
            journal.append("\(round)")
          }
        }
      }
      group.addTask { for value in 0..<400 { model.plain = value } }
    }
    #expect(journal.lines.count == 400)
    session.flush()
    #expect(engine.nodes.isEmpty)
  }

  @Test func aHandleReleasedUnderTheLockOrDuringAFlushEndsItsValue() {
    var kept: Derived<Int>? = session.derived("kept") { 1 }
    #expect(kept?.value == 1)
    engine.withLock { _ in
      kept = nil
      #expect(engine.nodes.count == 1)
    }
    session.flush()
    #expect(engine.nodes.isEmpty)

    kept = session.derived("kept") { model.plain }
    session.projection("P") { _ in
      _ = kept?.value
      if model.plain == 5 { kept = nil }
    }
    model.plain = 5
    #expect(kept == nil && engine.nodes.count == 2, "it was read, so it is followed until the next run")
    model.plain = 6
    #expect(engine.nodes.count == 1)
  }

  @Test func aNodeThatRetainsTheHandleReleasesItWithTheSession() {
    weak var weakly: Derived<Int>?
    do {
      let session = Session()
      let model = Rows()
      session.attach(model, as: "row")
      let d = session.derived("d") { model.plain }
      weakly = d
      session.projection("P") { _ in d.value }
    }
    #expect(weakly == nil)
  }

  @Test func aCancelledValueIsComputedByEachReader() {
    var runs = 0
    let d = session.derived("d") {
      runs += 1
      return model.plain
    }
    var values: [Int] = []
    session.projection("P") { _ in values.append(d.value + (model.array[0] - 1)) }
    d.cancel()
    d.cancel()
    #expect(d.name == "d" && engine.nodes.count == 1)
    model.plain = 2
    #expect(values == [1], "it does not hear of it again")
    model.array[0] = 2
    #expect(values == [1, 3])
    model.plain = 3
    #expect(values == [1, 3, 4], "it depends on what the value is computed from")
    #expect(d.value == 3 && runs == 4)
    let other = session.derived("d") { 7 }
    d.cancel()
    #expect(other.value == 7 && other.name == "d")
  }

  @Test func aValueThatIsCancelledWhileItIsReadIsNotComputedForThatReader() {
    let a = session.derived("a") { model.plain }
    let b = session.derived("b") { a.value }
    #expect(b.value == 1)
    a.cancel()
    model.plain = 2
    session.transaction {
      #expect(b.value == 1)
      #expect(a.value == 2)
    }
  }
}
