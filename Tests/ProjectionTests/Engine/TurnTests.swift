import EventLog
import Projection
import Testing

/// Which nodes run in a flush, and when.
@Suite struct TurnTests {
  let session = Session()
  let model = Model()

  init() { session.attach(model, as: "app") }

  @Test func aChildThatRanWithItsParentWaitsForTheNextRound() {
    var order: [String] = []
    session.projection("Parent") { scope in
      order.append("Parent")
      scope.child("Reader") { _ in
        order.append("Reader")
        _ = model.text
      }
      if model.text == "x" {
        scope.child("Late", input: 1) { scope in scope.onFirstAppear { model.text = "y" } }
      }
    }
    order = []
    model.text = "x"
    #expect(order == ["Parent", "Reader", "Parent", "Reader"])
  }

  /// Each call causes two more, so the limit of rounds alone would not stop it.
  @Test func aReceiverThatSetsTwiceWhatItReceivesIsStopped() {
    var calls = 0
    session.onReceive(of: \.isLoading, in: model, name: "Echo") { value in
      calls += 1
      model.isLoading = value
      model.isLoading = !value
    }
    model.isLoading = true
    #expect(calls < 100_000)
    #expect(session.diagnostics.map(\.message).contains { $0.contains("Echo") })
    // The session continues.
    var seen: [String] = []
    session.projection("P") { _ in seen.append(model.text) }
    model.text = "x"
    #expect(seen.last == "x")
  }

  @Test func aNodeInvalidatedAgainInALaterRoundRunsInThatRound() {
    var late: Derived<Int>?
    var order: [String] = []
    session.projection("First") { _ in
      _ = model.isLoading
      _ = late?.value
      order.append("First")
    }
    late = session.derived("late") { model.text.utf8.count }
    session.projection("Second") { _ in
      _ = model.text
      order.append("Second")
    }
    session.onChange(of: \.isLoading, in: model) { _, _ in if model.text == "ab" { model.text = "xyz" } }
    model.isLoading = true
    order = []
    session.transaction {
      model.isLoading = false
      model.text = "ab"
    }
    #expect(order == ["First", "Second", "First", "Second"])
  }

  @Test func aDerivedValueThatIsNotReadAnyMoreDoesNotRun() {
    var runs = 0
    let profile = session.derived("profile") {
      runs += 1
      return model.text.utf8.count
    }
    let name = session.derived("name") { model.isLoading ? profile.value : 0 }
    model.isLoading = true
    let view = session.projection("View") { _ in model.isLoading ? profile.value : 0 }
    #expect(name.value == 27 && runs == 1)
    session.transaction {
      model.isLoading = false
      model.text = ""
    }
    #expect(runs == 1)
    #expect(name.value == 0 && runs == 1)
    view.cancel()
    model.isLoading = true
    #expect(name.value == 0 && runs == 2)
    session.transaction {
      model.isLoading = false
      model.text = "abc"
      #expect(name.value == 0 && runs == 2)
    }
  }

  @Test func aBodyThatEndsItsOwnProjectionLeavesNoChildrenBehind() {
    var itself: ProjectionHandle?
    var runs = 0
    itself = session.projection("Parent") { scope in
      if model.isLoading { itself?.cancel() }
      scope.child("Child") { _ in
        _ = model.text
        runs += 1
      }
    }
    model.isLoading = true
    #expect(runs == 2)
    model.text = "x"
    #expect(runs == 2)
  }

  @Test(arguments: [(Tracking.element, 1), (.property, 1), (.object, 2)])
  func anEqualSetWhileABodyRunsInvalidatesOnlyReceivers(tracking: Tracking, expected: Int) {
    var runs = 0
    session.projection("Parent", tracking: tracking) { scope in
      runs += 1
      _ = model.text
      scope.child("Child", input: 1) { scope in
        scope.onFirstAppear { model.isLoading = false }
      }
    }
    #expect(runs == expected)
  }
}
