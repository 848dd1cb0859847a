import Projection
import ReplayTesting
import Testing

/// Collected changes and delayed callbacks are delivered at the right time and in the right order.
@Suite @MainActor struct DeliveryTests {
  let clock = ManualClock()
  let model = Model()

  func session(_ delivery: Delivery = .immediate) -> Session {
    let session = Session(delivery: delivery, clock: clock)
    session.attach(model, as: "app")
    return session
  }

  @Test func aTransactionIsCollectedToo() {
    let session = session(.manual)
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    session.transaction { model.text = "1" }
    model.text = "2"
    #expect(seen.count == 1)
    session.flush()
    #expect(seen.dropFirst() == ["2"])
  }

  @Test func afterAFlushTheTimeBeginsAnew() async {
    let session = session(.every(.milliseconds(16)))
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    model.text = "1"
    await clock.advance(by: .milliseconds(5))
    session.flush()
    await clock.advance(by: .milliseconds(1))
    model.text = "2"
    await clock.advance(by: .milliseconds(15))
    #expect(seen.dropFirst() == ["1"])
    await clock.advance(by: .milliseconds(1))
    #expect(seen.dropFirst() == ["1", "2"])
  }

  @Test func flushRunsDelayedCallbacksInTheOrderOfSubscription() {
    let session = session(.manual)
    var order: [String] = []
    session.onChange(of: \.text, in: model, debouncedFor: .seconds(1)) { _, _ in order.append("first") }
    session.onChange(of: \.text, in: model) { _, _ in order.append("second") }
    model.text = "1"
    session.flush()
    #expect(order == ["first", "second"])
  }

  @Test func callbacksDueAtOneTimeRunInTheOrderOfSubscription() async {
    let session = session()
    var order: [Int] = []
    for number in 0..<20 {
      session.onChange(of: \.text, in: model, debouncedFor: .seconds(1)) { _, _ in order.append(number) }
    }
    model.text = "1"
    await clock.advance(by: .seconds(1))
    #expect(order == Array(0..<20))
  }

  @Test func everySetIsReceivedByTheCurrentPath() {
    let session = session()
    let (a, b) = (Player(), Player())
    model.selected = a
    var heard: [String?] = []
    session.onReceive(of: \.selected?.title, in: model) { heard.append($0) }
    session.transaction {
      model.selected = b
      b.title = "b"
      b.title = "b"
      a.title = "a"
    }
    b.title = "b"
    model.selected = nil
    b.title = "c"
    #expect(heard == [Player().title, "b", "b", "b", nil])
  }

  @Test func aCancelledReceiverReceivesNoMoreOfTheSameTransaction() {
    let session = session()
    var heard: [String] = []
    var receiver: ProjectionHandle?
    receiver = session.onReceive(of: \.text, in: model) {
      heard.append($0)
      receiver?.cancel()
    }
    session.transaction {
      model.text = "1"
      model.text = "2"
    }
    #expect(heard == ["1"])
  }
}
