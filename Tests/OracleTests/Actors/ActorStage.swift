import EventLog
import Foundation
import LogGenerator
import Projection

/// Plays a program, and compares its log with what the program knows of each write.
final class ActorStage: Sendable {
  private struct Failure: Error {}

  let program: ActorProgram
  private let session: Session
  private let ledger = ActorLedger()
  /// Made outside of any action.
  private let withoutCause: SessionCause
  /// What runs on its own: tasks and blocks, and those tasks that iterate over changes until the end.
  private let running = DispatchGroup()
  private let consumers = DispatchGroup()
  private let workers: [ActorPlace: ActorWorker]

  private init(_ program: ActorProgram, _ session: Session) {
    self.program = program
    self.session = session
    withoutCause = session.cause
    let ledger = ledger
    workers = Dictionary(
      uniqueKeysWithValues: program.places.map { ($0, ActorWorker($0, session, ledger, program.delivery)) })
  }

  /// Plays a program, and returns what is wrong.
  ///
  /// - Parameter look: Is given the log.
  static func play(_ program: ActorProgram, _ look: @Sendable (URL) throws -> Void = { _ in }) async throws
    -> [String]
  {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try await makeSession(url, program.delivery, isolation: program.home?.actor)
    let stage = ActorStage(program, session)
    await stage.play()
    let check = ActorLogCheck(Array(stage.workers.values), stage.ledger, isCutShort: program.endsEarly)
    let wrong = stage.ledger.wrong + (try check.wrong(in: url))
    for worker in stage.workers.values { worker.end() }
    try look(url)
    return wrong
  }

  private static func makeSession(
    _ url: URL, _ delivery: Delivery, isolation: isolated (any Actor)?
  ) async throws -> Session {
    try Session(recordingTo: url, delivery: delivery)
  }

  private func play() async {
    for place in program.places { await setUp(place, isolation: place.actor) }
    session.mark("ready")
    await withTaskGroup(of: Void.self) { group in
      for root in program.roots {
        group.addTask { [self] in
          await perform(root.steps, at: root.place, why: .none, isolation: root.place.actor)
        }
      }
    }
    await wait(for: running)
    if !program.endsEarly { await settle() }
    ledger.end()
    await close(isolation: program.places.last?.actor)
    await wait(for: consumers)
    await wait(for: running)
    // What they know is read from here.
    for place in program.places { await ask(place, isolation: place.actor) { _ in } }
  }

  private func setUp(_ place: ActorPlace, isolation: isolated any Actor) async {
    guard let worker = workers[place], let plan = program.desks[place] else { return }
    session.attach(worker.desk, as: place.name)
    for reads in plan.derived { worker.makeDerived(reads, isolation: isolation) }
    for view in plan.views { worker.makeView(view, isolation: isolation) }
    for callback in plan.callbacks { makeCallback(callback, worker, isolation: isolation) }
    if let plan = plan.changes {
      let changes = session.changes(
        of: \.a, in: worker.desk, throttledTo: plan.milliseconds.map { .milliseconds($0) },
        name: "\(place)Changes")
      consumers.enter()
      place.task(detached: true) { [consumers] _ in
        for await change in changes { worker.consume(change) }
        consumers.leave()
      }
    }
    worker.keepAll()
    worker.begin()
  }

  // MARK: The end

  private func wait(for group: DispatchGroup) async {
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  /// Delivers everything, until that writes nothing new.
  private func settle() async {
    var values: Int
    repeat {
      values = ledger.values
      for place in program.places.shuffled() {
        await flush(place, isolation: place.actor)
        await wait(for: running)
      }
      for place in program.places where program.desks[place]?.changes != nil {
        if !(await soon { await self.ask(place, isolation: place.actor) { !$0.awaitsChange } }) {
          ledger.report("the task of changes of the \(place) has not seen the last one")
        }
      }
      await wait(for: running)
    } while values != ledger.values
    for place in program.places {
      guard
        !(await soon {
          await self.ask(place, isolation: place.actor) { $0.problems(isFlushed: true).isEmpty }
        })
      else { continue }
      let problems = await ask(place, isolation: place.actor) { $0.problems(isFlushed: true) }
      for problem in problems { ledger.report("at the end: \(problem)") }
    }
  }

  private func flush(_ place: ActorPlace, isolation: isolated any Actor) async {
    workers[place]?.flush(isolation: isolation)
  }

  private func ask<R: Sendable>(
    _ place: ActorPlace, isolation: isolated any Actor, _ body: @Sendable (ActorWorker) -> R
  ) async -> R {
    body(workers[place]!)
  }

  private func close(isolation: isolated (any Actor)?) async {
    do { try session.close() } catch { ledger.report("the session was not closed: \(error)") }
  }

  // MARK: Steps

  private func perform(
    _ steps: [ActorStep], at place: ActorPlace, why: ActorWhy, isolation: isolated any Actor
  ) async {
    for step in steps { await perform(step, at: place, why: why, isolation: isolation) }
  }

  private func perform(
    _ step: ActorStep, at place: ActorPlace, why: ActorWhy, isolation: isolated any Actor
  ) async {
    switch step {
    case .acts(let acts): perform(acts, at: place, why: why, isolation: isolation)
    case .yield: await Task.yield()
    case .sleep: try? await Task.sleep(for: .milliseconds(1))
    case .action(let steps):
      let label = newAction(at: place, why)
      await session.action(label) {
        await perform(steps, at: place, why: why.within(label), isolation: isolation)
      }
    case .throwingAction(let steps):
      let label = newAction(at: place, why)
      try? await session.action(label) {
        await perform(steps, at: place, why: why.within(label), isolation: isolation)
        throw Failure()
      }
    case .cancelledAction(let steps):
      let task = place.task { [self] isolation in
        let label = newAction(at: place, why)
        await session.action(label) {
          await perform(steps, at: place, why: why.within(label), isolation: isolation)
        }
      }
      task.cancel()
      await task.value
    case .hop(let other, let steps):
      await perform(steps, at: other, why: why, isolation: other.actor)
    case .task(let steps, let isAwaited):
      let task = start(steps, at: place, why: why)
      if isAwaited { await task.value }
    case .group(let lists):
      await withTaskGroup(of: Void.self) { group in
        for steps in lists {
          group.addTask { [self] in await perform(steps, at: place, why: why, isolation: place.actor) }
        }
      }
    case .detached(let steps): await start(steps, at: place, why: .none, detached: true).value
    case .carried(let steps):
      let cause = session.cause
      let task = place.task(detached: true) { [self] isolation in
        await cause.run { await perform(steps, at: place, why: why, isolation: isolation) }
      }
      await task.value
    case .withoutCause(let steps):
      await withoutCause.run { await perform(steps, at: place, why: .none, isolation: isolation) }
    }
  }

  private func newAction(at place: ActorPlace, _ why: ActorWhy) -> String {
    ledger.newLabel("action", ActorLedger.Entry(place: place, why: why, transactions: []))
  }

  /// Starts a task that the end of the program waits for.
  @discardableResult
  private func start(
    _ steps: [ActorStep], at place: ActorPlace, why: ActorWhy, detached: Bool = false
  ) -> Task<Void, Never> {
    running.enter()
    return place.task(detached: detached) { [self] isolation in
      await perform(steps, at: place, why: why, isolation: isolation)
      running.leave()
    }
  }

  // MARK: Acts

  /// Performs acts that belong to something.
  private func perform(
    _ acts: [ActorAct], at place: ActorPlace, why: ActorWhy, isolation: isolated any Actor
  ) {
    guard let worker = workers[place] else { return }
    worker.belonging(to: why) { perform(acts, worker, isolation: isolation) }
  }

  private func perform(_ acts: [ActorAct], _ worker: ActorWorker, isolation: isolated any Actor) {
    for act in acts { perform(act, worker, isolation: isolation) }
  }

  private func perform(_ act: ActorAct, _ worker: ActorWorker, isolation: isolated any Actor) {
    switch act {
    case .write(let property): worker.write(property)
    case .writeSame(let property): worker.write(property, worker.desk.value(of: property))
    case .mark: worker.mark()
    case .transaction(let acts): worker.transaction { perform(acts, worker, isolation: isolation) }
    case .throwingTransaction(let acts):
      try? worker.transaction {
        perform(acts, worker, isolation: isolation)
        throw Failure()
      }
    case .undoneTransaction(let properties, let acts):
      worker.transaction {
        let before = properties.map { ($0, worker.desk.value(of: $0)) }
        for property in properties { worker.write(property) }
        perform(acts, worker, isolation: isolation)
        for (property, value) in before { worker.write(property, value, isPutBack: true) }
      }
    case .action(let acts): worker.action { perform(acts, worker, isolation: isolation) }
    case .throwingAction(let acts):
      try? worker.action {
        perform(acts, worker, isolation: isolation)
        throw Failure()
      }
    case .withoutCause(let acts):
      withoutCause.run { worker.belonging(to: .none) { perform(acts, worker, isolation: isolation) } }
    case .withCause(let acts): session.cause.run { perform(acts, worker, isolation: isolation) }
    case .task(let place, let steps, let isDetached):
      start(steps, at: place, why: isDetached ? .none : worker.why, detached: isDetached)
    case .dispatched(let acts, let isCarried):
      dispatch(to: worker, isCarried: isCarried) { [self] isolation in
        perform(acts, worker, isolation: isolation)
      }
    case .makeView(let plan): worker.makeView(plan, isolation: isolation)
    case .makeCallback(let plan): makeCallback(plan, worker, isolation: isolation)
    case .cancel(let number): worker.cancel(number)
    case .makeHosted(let reads): worker.makeHosted(reads, isolation: isolation)
    case .runHosted(let number): worker.runHosted(number)
    case .flush: worker.flush(isolation: isolation)
    case .meanwhile(let other, let acts): meanwhile(other, acts)
    case .overlapping(let other, let acts): overlap(acts, worker, other, isolation: isolation)
    }
  }

  /// Has the queue of the actor run code, with the cause of the current code or without.
  private func dispatch(
    to worker: ActorWorker, isCarried: Bool, _ body: @escaping @Sendable (isolated any Actor) -> Void
  ) {
    let (cause, why) = (session.cause, worker.why)
    running.enter()
    worker.place.dispatch { [running] isolation in
      if isCarried {
        cause.run { worker.belonging(to: why) { body(isolation) } }
      } else {
        worker.belonging(to: .none) { body(isolation) }
      }
      running.leave()
    }
  }

  /// Waits until another actor has done something.
  private func meanwhile(_ other: ActorPlace, _ acts: [ActorAct]) {
    let done = ActorGate()
    other.task(detached: true) { [self] isolation in
      perform(acts, at: other, why: .none, isolation: isolation)
      done.open()
    }
    if !done.wait() { ledger.report("the \(other) waited for a transaction of another") }
  }

  private func overlap(
    _ overlap: ActorAct.Overlap, _ worker: ActorWorker, _ other: ActorPlace, isolation: isolated any Actor
  ) {
    let (hasBegun, mayEnd) = (ActorGate(), ActorGate())
    worker.transaction {
      worker.write(.a)
      startOther(overlap, at: other, hasBegun, mayEnd)
      if !hasBegun.wait() { ledger.report("the \(other) waited for a transaction of the \(worker.place)") }
      perform(overlap.inside, worker, isolation: isolation)
    }
    perform(overlap.after, worker, isolation: isolation)
    mayEnd.open()
  }

  private func startOther(
    _ overlap: ActorAct.Overlap, at other: ActorPlace, _ hasBegun: ActorGate, _ mayEnd: ActorGate
  ) {
    running.enter()
    other.task(detached: true) { [self] isolation in
      performOther(overlap, at: other, hasBegun, mayEnd, isolation: isolation)
      running.leave()
    }
  }

  private func performOther(
    _ overlap: ActorAct.Overlap, at other: ActorPlace, _ hasBegun: ActorGate, _ mayEnd: ActorGate,
    isolation: isolated any Actor
  ) {
    workers[other]?.transaction {
      perform(overlap.otherBegins, at: other, why: .none, isolation: isolation)
      hasBegun.open()
      if !mayEnd.wait() { ledger.report("what overlapped a transaction of the \(other) did not end") }
      perform(overlap.otherEnds, at: other, why: .none, isolation: isolation)
    }
  }

  // MARK: Callbacks

  private func makeCallback(_ plan: CallbackPlan, _ worker: ActorWorker, isolation: isolated any Actor) {
    worker.makeCallback(plan, { [self] in perform($0, worker) }, isolation: isolation)
  }

  private func perform(_ effect: ActorEffect, _ worker: ActorWorker) {
    switch effect {
    case .write(let property): worker.write(property)
    case .transaction(let properties):
      worker.transaction { for property in properties { worker.write(property) } }
    case .action(let properties): worker.action { for property in properties { worker.write(property) } }
    case .mark: worker.mark()
    case .task(let place, let property):
      start([.yield, .acts([.write(property)])], at: place, why: worker.why)
    case .dispatched(let property, let isCarried):
      dispatch(to: worker, isCarried: isCarried) { _ in worker.write(property) }
    }
  }
}

/// Whether something comes true, however busy the machine is.
func soon(isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool) async -> Bool {
  for _ in 0..<5_000 {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return false
}
