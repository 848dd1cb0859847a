import OpenCombine
import Projection
import ReplayUI
import Testing

/// A property of a recorded object as a publisher.
@MainActor @Suite struct PublisherTests {
  private let session = Session()
  private let inbox = Inbox()

  init() { session.attach(inbox, as: "inbox") }

  @Test func theValueComesFirstThenEachThatDiffers() {
    var values: [Int] = []
    let subscription = session.publisher(for: \.count, in: inbox).sink { values.append($0) }
    for count in [1, 1, 2] { inbox.count = count }
    inbox.text = "a"
    #expect(values == [0, 1, 2])
    session.transaction {
      inbox.count = 3
      inbox.count = 4
    }
    #expect(values == [0, 1, 2, 4])
    subscription.cancel()
    inbox.count = 5
    #expect(values == [0, 1, 2, 4])
  }

  @Test func eachSubscriberBeginsAtThePresentValue() {
    let publisher = session.publisher(for: \.count, in: inbox)
    var values: [[Int]] = [[], []]
    let first = publisher.sink { values[0].append($0) }
    inbox.count = 1
    let second = publisher.sink { values[1].append($0) }
    inbox.count = 2
    #expect(values == [[0, 1, 2], [1, 2]])
    first.cancel()
    inbox.count = 3
    #expect(values == [[0, 1, 2], [1, 2, 3]])
    second.cancel()
  }

  @Test func theValueIsStoredWhenItComes() {
    var values: [Int] = []
    let subscription = session.publisher(for: \.count, in: inbox).dropFirst().sink { [inbox] _ in
      MainActor.assumeIsolated { values.append(inbox.count) }
    }
    inbox.count = 7
    #expect(values == [7])
    subscription.cancel()
  }

  @Test func aSlowSubscriberGetsTheLatestValue() {
    let slow = Slow()
    session.publisher(for: \.count, in: inbox).subscribe(slow)
    slow.subscription?.request(.max(1))
    for count in 1...3 { inbox.count = count }
    #expect(slow.values == [0])
    slow.subscription?.request(.max(1))
    #expect(slow.values == [0, 3])
    slow.subscription?.cancel()
    inbox.count = 4
    slow.subscription?.request(.max(1))
    #expect(slow.values == [0, 3])
  }

  @Test func aSubscriptionThatEndsItselfEndsTheCallback() {
    var values: [Int] = []
    let subscription = session.publisher(for: \.count, in: inbox).prefix(2).sink { values.append($0) }
    for count in 1...3 { inbox.count = count }
    #expect(values == [0, 1])
    // A leftover subscription would be a callback that runs.
    #expect(session.measure { inbox.count = 9 }.totalEvaluations == 0)
    subscription.cancel()
  }

  private final class Slow: Subscriber {
    typealias Input = Int
    typealias Failure = Never
    var values: [Int] = []
    var subscription: (any OpenCombine.Subscription)?

    func receive(subscription: any OpenCombine.Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      values.append(input)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }
}
