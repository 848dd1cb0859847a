import EventLog
import Foundation
import Observation
import Testing

@testable import Projection

/// A getter of a followed object and what encodes its values are code of the app, so they may wait for what another thread does in
/// the session.
@MainActor @Suite struct FollowGetterTests {
  @Observable final class Waiting {
    @ObservationIgnored var wait: () -> Void = {}
    var number = 0
    var value: Int {
      wait()
      return number
    }
    var sheet = Sheet()
  }

  /// A value that waits when it is encoded.
  struct Sheet: Encodable {
    var number = 0
    var wait: () -> Void = {}

    func encode(to encoder: any Encoder) throws {
      wait()
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  @Recorded final class Counter { var number = 0 }

  /// How often a getter has waited in vain.
  private final class Timeouts { var count = 0 }

  private let session = Session()
  private let waiting = Waiting()
  private let timeouts = Timeouts()

  private func follow(inThe way: FollowingWay) {
    session.follow(inThe: way)
    nonisolated(unsafe) let counter = Counter()
    session.attach(counter, as: "counter")
    waiting.wait = { [timeouts] in
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        counter.number += 1
        isDone.signal()
      }
      // Without a limit the test would never end.
      if isDone.wait(timeout: .now() + 10) == .timedOut { timeouts.count += 1 }
    }
    waiting.sheet.wait = waiting.wait
    session.follow(waiting, as: "waiting", properties: \.value, \.sheet)
  }

  private var recorded: Value? { get throws { try recorded("value") } }

  private func recorded(_ property: String) throws -> Value? {
    session.engine.coreState.value(at: try Path(parsing: "waiting.\(property)"))
  }

  @Test(arguments: FollowingWay.all) func itsValuesAreEncodedOutsideTheLock(way: FollowingWay) throws {
    follow(inThe: way)
    #expect(try timeouts.count == 0 && recorded("sheet") == 0)
    waiting.sheet.number = 3
    session.flush()
    #expect(try timeouts.count == 0 && recorded("sheet") == 3)
  }

  @Test(arguments: FollowingWay.all) func itIsReadOutsideTheLockWhenItIsFollowed(way: FollowingWay) throws {
    follow(inThe: way)
    #expect(try timeouts.count == 0 && recorded == 0)
  }

  @Test(arguments: FollowingWay.all) func itIsReadOutsideTheLockAtAFlush(way: FollowingWay) throws {
    follow(inThe: way)
    waiting.number = 1
    session.flush()
    #expect(try timeouts.count == 0 && recorded == 1)
  }

  @Test(arguments: FollowingWay.all) func itIsReadOutsideTheLockAtATurnOfItsActor(way: FollowingWay)
    async throws
  {
    follow(inThe: way)
    waiting.number = 2
    for _ in 0..<10_000 where session.awaitsTurn { await Task.yield() }
    #expect(try timeouts.count == 0 && recorded == 2)
  }
}
