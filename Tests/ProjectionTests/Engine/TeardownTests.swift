import Testing

@testable import Invalidation
@testable import Projection

/// A hundred thousand observers end in linear time, and leave nothing in memory.
@Suite struct TeardownTests {
  private static let many = 100_000

  /// An object that every observer retains.
  private final class Token {}

  /// Counts how often it is hashed or compared, which is the cost of looking it up.
  private struct CountingID: Hashable {
    final class Count { var value = 0 }

    let number: Int
    let count: Count

    static func == (a: CountingID, b: CountingID) -> Bool {
      a.count.value += 1
      return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
      count.value += 1
      hasher.combine(number)
    }
  }

  @Test func aHundredThousandObserversCancelInLinearTimeAndLeaveNoMemoryBehind() {
    let model = Rows()
    model.array = RecordedArray(0..<Self.many)
    let session = Session()
    session.attach(model, as: "row")
    let engine = session.engine
    weak var token: Token?
    var subscriptions: [ProjectionHandle] = []
    do {
      let held = Token()
      token = held
      for index in 0..<Self.many {
        // Half of them read one property, the other half one each.
        subscriptions.append(
          session.projection("P") { _ in
            withExtendedLifetime(held) { index.isMultiple(of: 2) ? model.plain : model.array[index] }
          })
      }
    }
    #expect(token != nil && engine.nodes.count == Self.many)
    // From both ends, so that neither order has an advantage.
    for number in 0..<(Self.many / 2) {
      subscriptions[number].cancel()
      subscriptions[Self.many - 1 - number].cancel()
    }
    #expect(token == nil)
    #expect(engine.nodes.isEmpty && engine.livingNames.isEmpty)
    #expect(engine.graph.linkCount == 0 && engine.graph.slotCount < 5_000)
    #expect(engine.own.queue.isEmpty)
    subscriptions = []
    let report = session.measure { model.plain += 1 }
    #expect(report.totalEvaluations == 0)
  }

  @Test func childrenThatAreNotMadeAgainEndInAsManyStepsAsThereAre() {
    func steps(_ children: Int) -> Int {
      let model = Rows()
      let session = Session()
      session.attach(model, as: "row")
      let count = CountingID.Count()
      session.projection("Parent") { scope in
        guard model.plain == 1 else { return }
        for number in 0..<children {
          scope.child("Row", id: CountingID(number: number, count: count)) { _ in }
        }
      }
      count.value = 0
      model.plain = 2
      #expect(session.engine.nodes.count == 1)
      return count.value
    }
    let few = steps(500)
    #expect(steps(5_000) <= 12 * few + 1_000, "\(few) for 500")
  }
}
