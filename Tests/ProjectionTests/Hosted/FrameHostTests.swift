import Foundation
import Projection
import Synchronization
import Testing

/// The host in the article on hosts works, and the article has it as it is.
@Suite struct FrameHostTests {
  @Test func theHostInTheArticleIsTheOneThatRuns() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let host = try String(contentsOf: folder.appending(path: "FrameHost.swift"), encoding: .utf8)
    let top = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = top.appending(path: "Sources/Projection/Projection.docc/Hosts.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n\(host)```\n"))
  }

  @Test(arguments: [Delivery.immediate, .manual])
  func itDrawsOnceAFrameWhatIsOutOfDate(delivery: Delivery) throws {
    let model = Model()
    model.rows = RecordedArray((0..<500).map { Item(id: $0) })
    let log = try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      let screen = FrameScreen(session)
      let list = screen.add("List", id: 0) { "\(model.rows.count) rows" }
      let rows = (0..<500).map { index in
        screen.add("Row", id: index, in: list) { "\(model.rows[id: index]?.count ?? 0)" }
      }
      screen.frame()
      #expect(!screen.needsFrame)
      for count in 1...3 { model.rows[7].count = count }
      model.rows[9].count = 5
      #expect(screen.needsFrame == (delivery == .immediate))
      screen.frame()
      #expect(!screen.needsFrame && rows[7].text == "3" && rows[9].text == "5")
      screen.remove(rows[7])
      model.rows[7].count = 4
      screen.frame()
      #expect(rows[7].text == "3")
    }
    #expect(log.names.dropFirst(501).joined(separator: " ") == "Row#7 Row#9")
  }
}

/// Changes that are collected for a while are delivered although the main actor does nothing else.
@Suite @MainActor struct OverdueDeliveryTests {
  let clock = BusyClock()
  let model = Model()

  @Test func aLoopThatAwaitsNothingGetsItsFramesAllTheSame() {
    let session = Session(delivery: .every(.milliseconds(16)), clock: clock)
    session.attach(model, as: "app")
    var seen: [String] = []
    session.projection("View") { _ in seen.append(model.text) }
    let view = session.hosted("Hosted")
    view.run { model.text }
    for step in 1...10 {
      clock.pass(.milliseconds(5))
      model.text = "\(step)"
    }
    // The attachment began the first frame. Each has the write that found it overdue.
    #expect(seen.dropFirst() == ["4", "9"])
    #expect(view.isInvalidated)
  }

  @Test func aLoopOfNumbersDoesToo() {
    let session = Session(delivery: .every(.milliseconds(16)), clock: clock)
    let counter = FrameCounter()
    session.attach(counter, as: "counter")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(counter.count) }
    for step in 1...10 {
      clock.pass(.milliseconds(5))
      counter.count = step
    }
    #expect(seen.dropFirst() == [4, 9])
  }

  @Test func aDebouncedCallbackThatIsOverdueRunsWithTheNextChange() {
    let session = Session(clock: clock)
    session.attach(model, as: "app")
    var seen: [String] = []
    session.onChange(of: \.text, in: model, debouncedFor: .seconds(1)) { _, new in seen.append(new) }
    session.projection("Loading") { _ in model.isLoading }
    model.text = "a"
    clock.pass(.seconds(2))
    #expect(seen == [])
    model.isLoading = true
    #expect(seen == ["a"])
  }

  @Test func anotherThreadDoesNotRunWhatBelongsToTheMainActor() {
    let session = Session(delivery: .every(.milliseconds(16)), clock: clock)
    let counter = FrameCounter()
    session.attach(counter, as: "counter")
    var seen: [Int] = []
    session.projection("View") { _ in seen.append(counter.count) }
    counter.count = 1
    clock.pass(.milliseconds(20))
    nonisolated(unsafe) let other = counter
    onAnotherThread { other.count = 2 }
    #expect(seen.dropFirst() == [])
    counter.count = 3
    #expect(seen.dropFirst() == [3])
  }
}

/// An actor that has no time for its session.
private actor BusyWorker {
  let clock = BusyClock()

  /// Sets a property again and again, some time after each other, and returns how often a projection ran.
  func work(sets: Int, apart: Duration) -> Int {
    let session = Session(delivery: .every(.milliseconds(16)), clock: clock)
    let counter = FrameCounter()
    session.attach(counter, as: "counter")
    var runs = 0
    session.projection("View") { _ in
      runs += 1
      return counter.count
    }
    for step in 1...sets {
      clock.pass(apart)
      counter.count = step
    }
    return runs
  }
}

/// A loop that awaits nothing keeps the task in which the session waits from running.
@Suite struct BusyActorTests {
  @Test func aLoopOnAnyActorGetsWhatIsOverdueAtItsNextChange() async {
    // Every other change finds the one before it overdue.
    #expect(await BusyWorker().work(sets: 1_000, apart: .milliseconds(20)) == 501)
  }

  @Test func whatIsNotDueYetWaits() async {
    #expect(await BusyWorker().work(sets: 10, apart: .milliseconds(1)) == 1)
  }
}

/// A clock whose time passes while the main actor is busy, so that what waits for it does not run.
final class BusyClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let time = Mutex(Instant(offset: .zero))

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw CancellationError() }

  func pass(_ duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

@Recorded private final class FrameCounter {
  var count = 0
}
