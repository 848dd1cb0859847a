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

  @Test func anObserverThatChangesItsOwnPropertyRunsAgain() {
    let object = Observed()
    object.clamped = 40
    #expect(object.clamped == 10)
    object.clamped += 5
    #expect(object.clamped == 10)
    object.clamped -= 3
    #expect(object.clamped == 7)
    #expect(object.seen == ["clamped 10", "clamped 10", "clamped 7"])
  }

  @Test func anObserverThatPutsItsOwnPropertyInOrderComesToAnEnd() {
    let object = Tidy()
    object.text = "  a "
    #expect(object.text == "a")
    object.sorted = [3, 1, 2]
    #expect(object.sorted == [1, 2, 3])
    object.sorted.append(0)
    #expect(object.sorted == [0, 1, 2, 3])
    #expect(object.runs == 6)
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

@Recorded final class Tidy {
  @RecordedIgnored var runs = 0
  var text = "" {
    didSet {
      runs += 1
      text = text.filter { $0 != " " }
    }
  }
  var sorted: [Int] = [] {
    didSet {
      runs += 1
      sorted.sort()
    }
  }
}
