import EventLog
import Foundation
import Projection
import Synchronization
import Testing

/// What an action led to has it as its cause, directly or by way of others.
@Suite struct ActionTests {
  @Test func theWritesOfAnActionHaveItAsTheirCause() throws {
    let it = try ActionLog()
    let counter = it.counter
    it.session.projection("Badge") { _ in _ = counter.first }
    it.session.action("Tap") {
      counter.first += 1
      it.session.mark("half way")
      it.session.transaction("both") {
        counter.first += 1
        counter.second = "two"
      }
      it.session.projection("New") { _ in _ = counter.second }
    }
    counter.first = 9
    let log = try it.close()
    let action = try #require(log.action("Tap"))
    #expect(action.cause == nil && action.site?.contains("ActionTests.swift") == true)
    let caused = log.events.filter { $0.cause == action.seq }
    #expect(
      caused.map(\.body.kind) == [
        .set, .mark, .begin, .set, .set, .end, .projection, .reads, .evaluate, .finish,
      ], "\(caused)")
    #expect(log.outcomes["Tap"] == .returned)
    #expect(log.events.last { $0.body.writtenPath != nil }?.cause == nil)
    // A run that follows from a write keeps the write as its cause.
    let badge = log.events.filter { $0.body.projectionName == "Badge" && $0.body.kind == .evaluate }
    #expect(badge.dropFirst().allSatisfy { $0.cause != action.seq && $0.cause != nil })
  }

  @Test func howAnActionEndedIsInTheLog() async throws {
    struct Failure: Error {}
    let it = try ActionLog()
    let session = it.session
    func fail(_ label: String, _ error: any Error) async throws {
      try await session.action(label) {
        await Task.yield()
        throw error
      }
    }
    #expect(throws: Failure.self) { try session.action("sync") { throw Failure() } }
    await #expect(throws: Failure.self) { try await fail("async", Failure()) }
    await #expect(throws: CancellationError.self) { try await fail("gone", CancellationError()) }
    let task = Task { await session.action("late") { try? await Task.sleep(for: .seconds(60)) } }
    task.cancel()
    await task.value
    let value = await session.action("fine") {
      await Task.yield(); return 5
    }
    #expect(value == 5)
    let log = try it.close()
    #expect(
      log.outcomes == [
        "sync": .threw, "async": .threw, "gone": .cancelled, "late": .cancelled, "fine": .returned,
      ])
  }

  @Test func anActionWithinAnotherHasItAsItsCause() async throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    session.action("Outer") {
      session.action("Inner") { counter.first = 1 }
      counter.first = 2
    }
    let log = try it.close()
    let (outer, inner) = (try #require(log.action("Outer")), try #require(log.action("Inner")))
    #expect(inner.cause == outer.seq)
    #expect(
      log.events.filter { $0.body.writtenPath != nil }.suffix(2).map(\.cause) == [inner.seq, outer.seq])
  }

  @Test @MainActor func buttonsGetClosures() async throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    // As in a view's body, which is synchronous.
    func buttons() -> (add: @MainActor () -> Void, load: @MainActor () -> Void) {
      (
        session.handler("Add") { counter.first += 1 },
        session.handler("Load") {
          await Task.yield()
          counter.second = "loaded"
        }
      )
    }
    let (add, load) = buttons()
    add()
    add()
    load()
    while counter.second != "loaded" { await Task.yield() }
    let log = try it.close()
    #expect(log.labels == ["Add", "Add", "Load"])
    let last = try #require(log.events.last { $0.body.writtenPath != nil })
    #expect(last.cause == log.action("Load")?.seq)
  }

  @Test func aTaskThatACallbackStartsHasTheCauseOfTheCallback() async throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    let started = Started()
    nonisolated(unsafe) let shared = counter
    session.onChange(of: \.first, in: counter) { _, _ in
      counter.third += 1
      started.task = Task {
        await Task.yield()
        shared.second = "later"
      }
    }
    session.action("Tap") { counter.first = 7 }
    await started.task?.value
    let log = try it.close()
    let writes = log.events.filter { $0.body.writtenPath != nil && $0.seq > log.action("Tap")?.seq ?? 0 }
    #expect(
      writes.map { $0.body.writtenPath?.description } == ["counter.first", "counter.third", "counter.second"])
    #expect(writes.map(\.cause) == [log.action("Tap")?.seq, writes.first?.seq, writes.first?.seq])
  }

  @Test func whatCarriesNoCauseIsGivenItByHand() async throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    nonisolated(unsafe) let shared = counter
    await session.action("Load") {
      await Task.detached { shared.first = 1 }.value
      let cause = session.cause
      await Task.detached { cause.run { shared.first = 2 } }.value
      await Task.detached {
        await cause.run {
          await Task.yield(); shared.first = 3
        }
      }.value
    }
    let log = try it.close()
    let action = log.action("Load")?.seq
    #expect(log.events.filter { $0.body.writtenPath != nil }.suffix(3).map(\.cause) == [nil, action, action])
  }

  @Test func everySessionHasItsOwnActions() async throws {
    let (a, b) = (try ActionLog(), try ActionLog())
    nonisolated(unsafe) let (first, second) = (a.counter, b.counter)
    await a.session.action("A") {
      await b.session.action("B") {
        first.first = 1
        second.first = 1
        await Task {
          first.first = 2; second.first = 2
        }.value
      }
      second.first = 3
    }
    let (logA, logB) = (try a.close(), try b.close())
    let (causeA, causeB) = (logA.action("A")?.seq, logB.action("B")?.seq)
    #expect(logA.events.filter { $0.body.writtenPath != nil }.suffix(2).map(\.cause) == [causeA, causeA])
    #expect(
      logB.events.filter { $0.body.writtenPath != nil }.suffix(3).map(\.cause) == [causeB, causeB, nil])
    #expect(logA.action("A")?.cause == nil && logB.action("B")?.cause == nil)
  }

  @Test func viewsThatAHostPutsUpInAnActionHaveItAsTheirCause() throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    let row = session.hosted("Row")
    let late = try session.action("Show") {
      row.run { _ = counter.first }
      let new = session.hosted("New")
      try #require(new.run { counter.second }.isEmpty)
      return new
    }
    // The host runs it again in another action, though nothing it read has changed.
    session.endHostTurn()
    session.action("Again") { row.run { _ = counter.first } }
    session.endHostTurn()
    row.run { _ = counter.first }
    late.dispose()
    let log = try it.close()
    let (show, again) = (log.action("Show")?.seq, log.action("Again")?.seq)
    let runs = log.events.filter { $0.body.kind == .evaluate }
    #expect(runs.map(\.cause) == [show, show, again, nil])
    let creations = log.events.filter { $0.body.kind == .projection }
    #expect(creations.map(\.cause) == [nil, show])
  }

  @Test func tasksThatCleanupsAndHostsStartHaveTheirCause() async throws {
    let it = try ActionLog()
    let (session, counter) = (it.session, it.counter)
    let started = Started()
    nonisolated(unsafe) let shared = counter
    func startTask(_ value: Int) {
      started.task = Task {
        await Task.yield()
        shared.third = value
      }
    }
    let handle = session.projection("Badge") { scope in
      _ = counter.first
      scope.onCleanup { startTask(counter.first) }
    }
    session.action("Tap") { counter.first = 1 }
    await started.task?.value
    session.action("Close") { handle.cancel() }
    await started.task?.value
    let view = session.hosted("View")
    session.action("Show") { counter.second = "shown" }
    view.run { _ = counter.second }
    session.endHostTurn()
    session.action("Change") { counter.second = "changed" }
    view.run { _ = counter.second }
    view.perform { startTask(7) }
    await started.task?.value
    let log = try it.close()
    func write(_ path: String, _ value: Value) throws -> Event {
      try #require(log.events.last { $0.body == .set(try! Path(parsing: path), value, sameValue: false) })
    }
    let late = log.events.filter { $0.body.writtenPath?.description == "counter.third" }.suffix(3)
    #expect(
      late.map(\.cause) == [
        try write("counter.first", .int(1)).seq, log.action("Close")?.seq,
        try write("counter.second", .string("changed")).seq,
      ], "\(log.events)")
  }

  @Test func anActionStaysOnItsActor() async throws {
    let it = try ActionLog()
    let actor = Counted()
    let plain = await actor.jobs { await actor.run() }
    let within = await actor.jobs { [session = it.session] in await actor.act(in: session) }
    #expect(plain == within && plain > 0)
    _ = try it.close()
  }

  @Test func anActionMayOutliveItsSession() async throws {
    let it = try ActionLog()
    let session = it.session
    let (isClosed, close) = AsyncStream<Void>.makeStream()
    let (hasBegun, begin) = AsyncStream<Void>.makeStream()
    let task = Task {
      await session.action("long") {
        begin.finish()
        for await _ in isClosed {}
      }
    }
    for await _ in hasBegun {}
    let log = try it.close()
    close.finish()
    await task.value
    #expect(log.labels == ["long"] && log.outcomes.isEmpty)
    let after = session.action("after") { 3 }
    #expect(after == 3)
  }
}

@Recorded final class ActionCounter {
  var first = 0
  var second = ""
  var third = 0
}

/// An actor that counts how often its executor is asked to run something.
private actor Counted {
  private nonisolated let executor = CountingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var steps = 0

  func step() async { steps += 1 }

  func run() async {
    await step()
    await step()
    await step()
  }

  func act(in session: Session) async {
    await session.action("One") { await step() }
    await session.action("Two") { await session.action("Three") { await step() } }
    await session.cause.run { await step() }
  }

  nonisolated func jobs(_ body: () async -> Void) async -> Int {
    let before = executor.count.load(ordering: .relaxed)
    await body()
    return executor.count.load(ordering: .relaxed) - before
  }
}

private final class CountingExecutor: SerialExecutor {
  let count = Atomic<Int>(0)
  private let queue = DispatchQueue(label: "counting")

  func enqueue(_ job: consuming ExecutorJob) {
    count.add(1, ordering: .relaxed)
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

private final class Started {
  var task: Task<Void, Never>?
}

/// A session with a counter, and its log once it is closed.
struct ActionLog {
  let session: Session
  let counter = ActionCounter()
  private let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")

  init() throws {
    session = try Session(recordingTo: url)
    session.attach(counter, as: "counter")
  }

  struct Events {
    let events: [Event]

    func action(_ label: String) -> Event? { events.first { $0.body == .action(label: label) } }

    var labels: [String] {
      events.compactMap { if case .action(let label) = $0.body { label } else { nil } }
    }

    /// How the actions ended, by label.
    var outcomes: [String: ActionOutcome] {
      var outcomes: [String: ActionOutcome] = [:]
      for event in events {
        guard case .finish(let outcome) = event.body,
          let action = events.first(where: { $0.seq == event.cause }),
          case .action(let label) = action.body
        else { continue }
        outcomes[label] = outcome
      }
      return outcomes
    }
  }

  /// Closes the session, checks its invalidations, and removes the log.
  func close() throws -> Events {
    defer { try? FileManager.default.removeItem(at: url) }
    try closeAndCheck(session, url)
    var events: [Event] = []
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    return Events(events: events)
  }
}
