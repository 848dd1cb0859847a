import EventLog
import Foundation
import Invalidation
@testable import Projection
import ReplayTesting
import Testing

/// Callbacks and deliveries that run some time after they became out of date, on a clock that the test
/// controls.
@Suite @MainActor struct PaceTests {
  let clock = ManualClock()
  let model = Model()

  func session(_ delivery: Delivery = .immediate) -> Session {
    let session = Session(delivery: delivery, clock: clock)
    session.attach(model, as: "app")
    return session
  }

  @Test func aThrottledCallbackRunsForTheFirstChangeAtOnceAndForTheLastAtTheEndOfEachInterval() async {
    let session = session()
    var heard: [String] = []
    session.onChange(of: \.text, in: model, throttledTo: .milliseconds(250)) { heard.append("\($0)>\($1)") }
    model.text = "a"
    #expect(heard == ["hello world, this is a text>a"])
    model.text = "b"
    model.text = "c"
    await clock.advance(by: .milliseconds(249))
    #expect(heard.count == 1)
    await clock.advance(by: .milliseconds(1))
    #expect(heard.dropFirst() == ["a>c"])
    model.text = "d"
    #expect(heard.count == 2)
    await clock.advance(by: .milliseconds(250))
    #expect(heard.last == "c>d")
    await clock.advance(by: .seconds(1))
    model.text = "e"
    #expect(heard.last == "d>e")
  }

  @Test func aThrottledCallbackDoesNotRunForAChangeThatWasUndone() async {
    let session = session()
    var heard = 0
    session.onChange(of: \.isLoading, in: model, throttledTo: .seconds(1)) { _, _ in heard += 1 }
    model.isLoading = true
    model.isLoading = false
    model.isLoading = true
    await clock.advance(by: .seconds(1))
    #expect(heard == 1)
  }

  @Test func aDebouncedCallbackThatChangesWhatItHasJustBegunToReadWaitsForThatToo() async {
    let session = session()
    var heard: [Double?] = []
    session.onChange(of: \.selected?.level, in: model, debouncedFor: .milliseconds(100)) { _, new in
      heard.append(new)
      if heard.count == 1 { model.selected?.level = 2 }
    }
    model.selected = Player()
    await clock.advance(by: .milliseconds(100))
    #expect(heard == [0])
    await clock.advance(by: .milliseconds(99))
    #expect(heard == [0])
    await clock.advance(by: .milliseconds(1))
    #expect(heard == [0, 2])
  }

  @Test func aDebouncedCallbackWaitsUntilNothingChanges() async {
    let session = session()
    var heard: [String] = []
    session.onChange(of: \.text, in: model, debouncedFor: .milliseconds(100)) { heard.append($1) }
    for text in ["a", "b", "c"] {
      model.text = text
      await clock.advance(by: .milliseconds(60))
    }
    #expect(heard.isEmpty)
    await clock.advance(by: .milliseconds(40))
    #expect(heard == ["c"])
  }

  @Test func changesAreCollectedForAsLongAsTheDeliverySays() async {
    let session = session(.every(.milliseconds(16)))
    var seen: [Bool] = []
    session.projection("P") { _ in seen.append(model.isLoading) }
    model.isLoading = true
    model.isLoading = false
    await clock.advance(by: .milliseconds(16))
    #expect(seen == [false])
    model.isLoading = true
    await clock.advance(by: .milliseconds(15))
    #expect(seen == [false])
    await clock.advance(by: .milliseconds(1))
    #expect(seen == [false, true])
  }

  @Test func flushRunsDelayedCallbacks() {
    let session = session(.every(.seconds(1)))
    var heard: [String] = []
    session.onChange(of: \.text, in: model, debouncedFor: .seconds(1)) { heard.append($1) }
    model.text = "a"
    session.flush()
    #expect(heard == ["a"])
  }

  @Test func closingRunsDelayedCallbacks() throws {
    let session = session()
    var heard: [String] = []
    session.onChange(of: \.text, in: model, throttledTo: .seconds(1)) { heard.append($1) }
    model.text = "a"
    model.text = "b"
    try session.close()
    #expect(heard == ["a", "b"])
  }

  @Test func aCancelledCallbackIsNotCalledWhenItsTimeComes() async {
    let session = session()
    var heard = 0
    let callback = session.onChange(of: \.text, in: model, debouncedFor: .seconds(1)) { _, _ in heard += 1 }
    model.text = "a"
    callback.cancel()
    await clock.advance(by: .seconds(2))
    #expect(heard == 0)
  }

  @Test func theTimelineOfAThrottledCallbackHasEveryInvalidation() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url, clock: clock)
    session.attach(model, as: "app")
    session.onChange(of: \.isLoading, in: model, throttledTo: .seconds(1), name: "C") { _, _ in }
    for _ in 0..<4 { model.isLoading.toggle() }
    await clock.advance(by: .seconds(1))
    try session.close()
    var timeline = Timeline()
    var derived: [TimelineLine] = []
    var recorded = 0
    var evaluations = 0
    try LogReader(path: url.path).forEachEvent { event in
      derived += try timeline.apply(event)
      if case .invalidate = event.body { recorded += 1 }
      if case .evaluate = event.body { evaluations += 1 }
    }
    #expect(derived.count == 4 && recorded == 4)
    #expect(evaluations == 3)
  }
}

@Suite @MainActor struct ChangesTests {
  let model = Model()

  @Test func changesComeAsASequenceThatEndsWithTheSession() async throws {
    let session = Session()
    session.attach(model, as: "app")
    let changes = session.changes(of: \.text, in: model)
    model.text = "a"
    model.text = "a"
    model.text = "b"
    try session.close()
    var seen: [String] = []
    for await change in changes { seen.append("\(change.old.prefix(1))>\(change.new)") }
    #expect(seen == ["h>a", "a>b"])
  }

  @Test func aReleasedSequenceIsNotInvalidatedAgain() async {
    let session = Session()
    session.attach(model, as: "app")
    do {
      var changes = session.changes(of: \.isLoading, in: model, name: "C").makeAsyncIterator()
      model.isLoading = true
      #expect(await changes.next()?.new == true)
    }
    #expect(session.measure { model.isLoading = false }.totalEvaluations == 0)
  }
}
