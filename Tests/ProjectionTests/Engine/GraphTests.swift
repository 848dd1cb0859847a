import Projection
import Testing

/// The order and number of runs in graphs of projections, derived values and callbacks.
@Suite struct GraphTests {
  let session = Session()
  let model = Model()

  init() { session.attach(model, as: "app") }

  @Test func aDiamondRunsItsEndOnce() {
    let length = session.derived("length") { model.text.utf8.count }
    let isLong = session.derived("isLong") { model.text.utf8.count > 3 }
    var seen: [String] = []
    session.projection("End") { _ in seen.append("\(length.value) \(isLong.value)") }
    model.text = "ab"
    model.text = "abcd"
    #expect(seen == ["27 true", "2 false", "4 true"])
  }

  @Test func aDerivedValueMadeAfterItsReaderIsCurrentToo() {
    var late: Derived<Int>?
    var seen: [Int] = []
    session.projection("Reader") { _ in
      _ = model.isLoading
      seen.append((late?.value ?? -1) + model.text.utf8.count)
    }
    late = session.derived("late") { model.text.utf8.count * 10 }
    model.isLoading = true
    model.text = "ab"
    #expect(seen == [26, 297, 22])
  }

  @Test func anEqualResultStopsDownstream() {
    let isLong = session.derived("isLong") { model.text.utf8.count > 3 }
    session.projection("View") { _ in isLong.value }
    let report = session.measure { model.text = "another long text" }
    #expect(report.evaluationsByInstance == ["isLong": 1])
  }

  @Test func aPathThatIsNoLongerReadDoesNotInvalidate() {
    session.projection("View") { _ in model.isLoading ? model.text : "" }
    model.isLoading = true
    #expect(session.measure { model.text = "1" }.totalEvaluations == 1)
    model.isLoading = false
    #expect(session.measure { model.text = "2" }.totalEvaluations == 0)
  }

  @Test func readsInsideATransactionAreCurrent() {
    let length = session.derived("length") { model.text.utf8.count }
    let double = session.derived("double") { length.value * 2 }
    #expect(double.value == 54)
    session.transaction {
      model.text = "abc"
      #expect(double.value == 6)
      model.text = "abcd"
      #expect(double.value == 8)
    }
    #expect(double.value == 8)
  }

  @Test func aTransactionThatThrowsIsFlushed() {
    struct Failure: Error {}
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    #expect(throws: Failure.self) {
      try session.transaction {
        model.text = "1"
        session.transaction { model.text = "2" }
        throw Failure()
      }
    }
    #expect(seen.last == "2")
    #expect(seen.count == 2)
  }

  @Test func aNodeCancelledDuringAFlushNeverRuns() {
    var later: ProjectionHandle?
    var runs = 0
    session.onChange(of: \.text, in: model) { _, _ in later?.cancel() }
    later = session.projection("Later") { _ in
      _ = model.text
      runs += 1
    }
    model.text = "x"
    #expect(runs == 1)
  }

  @Test func aCallbackSubscribedDuringAFlushDoesNotRunForThePresentEvent() {
    var received: [String] = []
    var isFirst = true
    session.onChange(of: \.text, in: model) { _, _ in
      guard isFirst else { return }
      isFirst = false
      session.onChange(of: \.text, in: model) { _, new in received.append(new) }
    }
    model.text = "1"
    #expect(received == [])
    model.text = "2"
    #expect(received == ["2"])
  }

  @Test func laterObserversSeeSettledValuesOnly() {
    var seen: [[String]] = []
    session.onChange(of: \.text, in: model) { _, new in
      if new == "raw" { model.text = "settled" }
    }
    session.onChange(of: \.text, in: model) { old, new in seen.append([old, new]) }
    model.text = "raw"
    #expect(seen == [["hello world, this is a text", "settled"]])
  }

  @Test func callbacksRunInTheOrderOfSubscription() {
    var order: [Int] = []
    for number in 0..<20 { session.onChange(of: \.text, in: model) { _, _ in order.append(number) } }
    model.text = "x"
    #expect(order == Array(0..<20))
  }

  @Test func sessionsDoNotInterfere() {
    let other = Session()
    let otherModel = Model()
    other.attach(otherModel, as: "app")
    var runs = 0
    session.projection("View") { _ in
      _ = otherModel.text
      runs += 1
    }
    otherModel.text = "x"
    #expect(runs == 1)
  }

  @Test func nanIsSetToTheSameValue() {
    let player = Player()
    model.selected = player
    player.level = .nan
    session.projection("View") { _ in player.level }
    #expect(session.measure { player.level = .nan }.totalEvaluations == 0)
    player.level = 0
    #expect(session.measure { player.level = -0.0 }.totalEvaluations == 0)
  }

  @Test func sharedAndMovedObjectsKeepTheirReaders() {
    let player = Player()
    model.players["a"] = player
    model.selected = player
    session.projection("Title") { _ in player.title }
    #expect(session.measure { model.selected?.title = "b" }.evaluations("Title") == 1)
    model.players["a"] = nil
    #expect(session.measure { player.title = "c" }.evaluations("Title") == 1)
    model.selected = nil
    #expect(session.measure { player.title = "d" }.evaluations("Title") == 1)
    model.players["z"] = player
    #expect(session.measure { player.title = "e" }.evaluations("Title") == 1)
    #expect(session.diagnostics.isEmpty)
  }

  @Test func anEqualCollectionOfObjectsIsNoChange() {
    model.players["a"] = Player()
    session.projection("View") { _ in model.players.map(\.value.title) }
    let same = model.players
    #expect(session.measure { model.players = same }.totalEvaluations == 0)
    #expect(session.measure { model.players = ["a": Player()] }.evaluations("View") == 1)
  }

  @Test func aClosedSessionLeavesObjectsAndDerivedValuesUsable() throws {
    let length = session.derived("length") { model.text.utf8.count }
    var runs = 0
    session.projection("View") { _ in
      _ = length.value
      runs += 1
    }
    try session.close()
    model.text = "ab"
    #expect(length.value == 2)
    #expect(runs == 1)
    try session.close()
  }

  @Test func aBodyMayCloseItsSession() throws {
    var outputs: [Int] = []
    session.projection("View") { scope in
      if model.isLoading { #expect(throws: Never.self) { try session.close() } }
      outputs.append(scope.child("Child") { _ in model.text.utf8.count })
    }
    model.isLoading = true
    #expect(outputs == [27, 27])
  }
}
