import Projection
import Testing

@Suite struct RecordedObservers {
  @Test func observersSeeTheOldAndTheNewValue() {
    let object = Observed()
    object.value = 5
    object.value += 1
    object.value = 6
    #expect(
      object.seen == [
        "will 1 to 5", "did 1 to 5", "will 5 to 6", "did 5 to 6", "will 6 to 6", "did 6 to 6",
      ])
  }

  @Test func anObserverThatSetsItsOwnPropertyDoesNotRunAgain() {
    let object = Observed()
    object.clamped = 40
    #expect(object.clamped == 10)
    object.clamped += 5
    #expect(object.clamped == 10)
    object.clamped -= 3
    #expect(object.clamped == 7)
    #expect(object.seen == ["clamped 7"])
  }

  @Test func theRecordedValueIsTheOneThatTheObserverLeaves() {
    let session = Session()
    let object = Observed()
    session.attach(object, as: "object")
    var seen: [Int] = []
    let projection = session.projection("View") { _ in seen.append(object.clamped) }
    object.clamped = 40
    object.clamped += 5
    object.clamped = 3
    #expect(seen.last == 3)
    #expect(!seen.contains(40) && !seen.contains(15))
    withExtendedLifetime(projection) {}
  }
}
