import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

/// What a user of a session on several actors may rely on, each in a small program.
@Suite struct ActorPromiseTests {
  // MARK: Transactions

  @Test @MainActor func aTapIsShownAtOnceWhileAnotherActorSaves() async throws {
    let it = try Recorded()
    let screen = it.mainPad("screen")
    let store = await it.bakeryPad("store")
    let saving = it.save(store)
    await saving.hasBegun.opened()
    it.session.action("tap") {
      screen.note.count = 7
      #expect(screen.shown.last == 7 && screen.copied.last == 7 && screen.received.last == 7)
      #expect(screen.note.copy == 7)
    }
    #expect(screen.elsewhere == 0)
    saving.mayEnd.open()
    await saving.task.value
    #expect(await it.onBakery { store.shown.last } == 2)
    #expect(await it.onBakery { store.elsewhere } == 0)

    let log = try it.close()
    let run = try #require(log.runs(of: "screenView").last)
    #expect(log.actions(above: run) == ["tap"])
    #expect(log.chain(above: run).allSatisfy { $0.body.kind != .begin && $0.body.kind != .end })
    #expect(log.transactions(around: run).isEmpty)
    // The log says of each event whose it is.
    let tap = try #require(log.writes(to: "screen.count").last)
    let begin = try #require(log.events.first { $0.body == .begin(label: "save") })
    #expect(tap.strand != begin.strand && tap.strand > 1)
    #expect(log.transactions(around: tap).isEmpty)
    #expect(log.writes(to: "store.count").map { log.transactions(around: $0) } == [["save"], ["save"]])
    #expect(tap.json().contains("\"strand\":\(tap.strand)"))
    #expect(try ParsedEvent(parsing: tap.json()).origin.strand == tap.strand)
    #expect(try ParsedEvent(parsing: begin.json()).origin.strand == begin.strand)
  }

  @Test func transactionsOfSeveralActorsAreOpenAtOnce() async throws {
    let it = try Recorded()
    let (first, second) = (await it.bakeryPad("first"), await it.pantryPad("second"))
    let one = it.save(first)
    await one.hasBegun.opened()
    let gates = (hasBegun: ActorGate(), mayEnd: ActorGate())
    let other = Task.detached { @Pantry in
      it.session.transaction("stock") {
        second.note.count = 1
        gates.hasBegun.open()
        #expect(gates.mayEnd.wait())
        second.note.count = 2
      }
    }
    await gates.hasBegun.opened()
    one.mayEnd.open()
    await one.task.value
    // The one that has ended was delivered, the other was not.
    #expect(await it.onBakery { first.shown } == [0, 2])
    await it.onBakery { first.note.count = 3 }
    #expect(await it.onBakery { first.shown } == [0, 2, 3])
    gates.mayEnd.open()
    await other.value
    #expect(await it.onPantry { second.shown } == [0, 2])
    #expect(await it.onPantry { second.elsewhere } + (await it.onBakery { first.elsewhere }) == 0)

    let log = try it.close()
    #expect(log.writes(to: "first.count").map { log.transactions(around: $0) } == [["save"], ["save"], []])
    #expect(log.writes(to: "second.count").map { log.transactions(around: $0) } == [["stock"], ["stock"]])
    let begins = log.events.filter { $0.body.kind == .begin }
    #expect(Set(begins.map(\.strand)).count == 2 && !begins.map(\.strand).contains(1))
  }

  @Test @MainActor func whatIsUndoneOrThrownWhileAnotherSavesIsDeliveredAsEver() async throws {
    struct Failure: Error {}
    let it = try Recorded()
    let screen = it.mainPad("screen")
    let saving = it.save(await it.bakeryPad("store"))
    await saving.hasBegun.opened()
    it.session.transaction("undone") {
      screen.note.count = 5
      screen.note.count = 0
    }
    #expect(screen.shown == [0] && screen.copied.isEmpty && screen.received == [5, 0])
    #expect(throws: Failure.self) {
      try it.session.transaction("thrown") {
        screen.note.count = 6
        throw Failure()
      }
    }
    #expect(screen.shown == [0, 6] && screen.copied == [6] && screen.received == [5, 0, 6])
    let handle = it.session.onChange(of: \.count, in: screen.note) { _, _ in Issue.record("it was cancelled")
    }
    it.session.transaction("cancelled") {
      screen.note.count = 8
      handle.cancel()
    }
    #expect(screen.copied == [6, 8] && screen.elsewhere == 0)
    saving.mayEnd.open()
    await saving.task.value
    let log = try it.close()
    #expect(
      log.writes(to: "screen.count").map { log.transactions(around: $0) }
        == [["undone"], ["undone"], ["thrown"], ["cancelled"]])
  }

  @Test func whatIsMadeWithinATransactionShowsWhatIsPutBackAtItsEnd() throws {
    let session = Session()
    let note = PadNote()
    session.attach(note, as: "note")
    var shown: [Int] = []
    session.transaction("undone") {
      note.count = 5
      session.projection("View") { _ in shown.append(note.count) }
      note.count = 0
    }
    #expect(shown == [5, 0])
  }

  // MARK: Actions

  @Test @MainActor func whatATapStartsBelongsToIt() async throws {
    let it = try Recorded()
    let note = PadNote()
    it.session.attach(note, as: "screen")
    let store = await it.bakeryPad("store")
    let session = it.session
    session.onChange(of: \.count, in: note) { _, new in
      note.copy = new
      it.tasks.append(Task { note.texts.append("by a callback's task") })
    }
    session.onReceive(of: \.copy, in: note) { note.texts.append("copied \($0)") }
    let nothing = session.cause

    session.action("outer") {
      session.action("tap") { note.count = 1 }
      note.texts.append("outer")
      nothing.run { note.texts.append("nothing") }
    }
    await session.action("async") {
      await Task.yield()
      note.texts.append("async")
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await it.onBakery { store.note.texts.append("group") } }
      }
      await Task { note.texts.append("task") }.value
      await Task.detached { await it.onBakery { store.note.texts.append("detached") } }.value
      let cause = session.cause
      await Task.detached { await cause.run { await it.onBakery { store.note.texts.append("carried") } } }
        .value
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
          MainActor.assumeIsolated { cause.run { note.texts.append("queue") } }
          continuation.resume()
        }
      }
      await nothing.run {
        await Task.yield()
        note.texts.append("nothing, later")
        session.action("inner") { note.texts.append("inner") }
      }
    }
    note.texts.append("after")
    for task in it.tasks { await task.value }

    let log = try it.close()
    let belonging = [
      "copied 1": ["tap", "outer"], "by a callback's task": ["tap", "outer"], "outer": ["outer"],
      "nothing": [],
      "async": ["async"], "group": ["async"], "task": ["async"], "detached": [], "carried": ["async"],
      "queue": ["async"], "nothing, later": [], "inner": ["inner"], "after": [],
    ]
    #expect(log.actionsByText == belonging)
    #expect(log.writes(to: "screen.count").map { log.actions(above: $0) } == [["tap", "outer"]])
    #expect(log.writes(to: "screen.copy").map { log.actions(above: $0) } == [["tap", "outer"]])
  }

  @Test(arguments: [Delivery.immediate, .manual]) @MainActor
  func aChangeCarriesItsCauseToTheTaskThatAwaitsIt(delivery: Delivery) async throws {
    let it = try Recorded(delivery)
    let note = PadNote()
    it.session.attach(note, as: "screen")
    let changes = it.session.changes(of: \.count, in: note)
    let task = Task {
      for await change in changes {
        change.cause.run { note.texts.append("\(change.new)") }
        await change.cause.run {
          await Task.yield()
          note.texts.append("\(change.new), later")
        }
      }
    }
    for number in 1...3 {
      it.session.action("tap \(number)") { note.count = number }
      it.session.flush()
    }
    note.count = 4
    it.session.flush()
    #expect(await soon { note.texts.count == 8 })
    let log = try it.close()
    await task.value
    var belonging: [String: [String]] = ["4": [], "4, later": []]
    for number in 1...3 {
      belonging["\(number)"] = ["tap \(number)"]
      belonging["\(number), later"] = ["tap \(number)"]
    }
    #expect(log.actionsByText == belonging)
  }

  // MARK: What runs later

  @Test @MainActor func eachOfThreeTapsHasItsRuns() async throws {
    let it = try Recorded(.manual)
    let screen = it.mainPad("screen")
    for number in 1...3 {
      it.session.action("tap \(number)") { screen.note.count = number }
      it.session.flush()
      #expect(screen.shown.last == number && screen.copied.last == number && screen.received.last == number)
    }
    let log = try it.close()
    let taps = [["tap 1"], ["tap 2"], ["tap 3"]]
    let runs = log.runs(of: "screenView").dropFirst()
    #expect(runs.map { log.actions(above: $0) } == taps)
    #expect(runs.map { run in log.reasons(of: run).map { log.actions(above: $0) } } == taps.map { [$0] })
    #expect(log.writes(to: "screen.copy").map { log.actions(above: $0) } == taps)
  }

  @Test @MainActor func ofTwoTapsBeforeAFlushTheLastOneHasTheRun() async throws {
    let it = try Recorded(.manual)
    let screen = it.mainPad("screen")
    it.session.action("first") {
      screen.note.count = 1
      screen.note.texts.append("first")
    }
    it.session.action("second") { screen.note.count = 2 }
    it.session.flush()
    #expect(screen.shown == [0, 2] && screen.copied == [2] && screen.received == [1, 2])
    let log = try it.close()
    let run = try #require(log.runs(of: "screenView").last)
    #expect(log.actions(above: run) == ["second"])
    #expect(log.reasons(of: run).last.map { log.actions(above: $0) } == ["second"])
    #expect(log.writes(to: "screen.copy").map { log.actions(above: $0) } == [["second"]])
    // What the second has nothing to do with is the first one's.
    #expect(log.runs(of: "screenTexts").last.map { log.actions(above: $0) } == ["first"])
  }

  @Test(arguments: [Delivery.manual, .every(.milliseconds(1))]) @MainActor
  func whatIsCollectedOfSeveralActorsIsInOneTransactionOfTheSession(delivery: Delivery) async throws {
    let it = try Recorded(delivery)
    let screen = it.mainPad("screen")
    let store = await it.bakeryPad("store")
    let saving = it.save(store)
    await saving.hasBegun.opened()
    it.session.action("tap") { screen.note.count = 7 }
    saving.mayEnd.open()
    await saving.task.value
    it.session.flush()
    #expect(await soon { screen.shown.last == 7 && screen.copied.last == 7 })
    #expect(await soon { await it.onBakery { store.shown.last == 2 && store.copied.last == 2 } })
    #expect(screen.elsewhere == 0)
    #expect(await it.onBakery { store.elsewhere } == 0)
    let log = try it.close()
    #expect(log.unbalanced.isEmpty)
    let tap = try #require(log.writes(to: "screen.count").first)
    let own = log.events.filter { $0.body.kind == .begin && $0.strand == 1 }
    #expect(own.contains { $0.seq < tap.seq } && own.allSatisfy { $0.body == .begin(label: nil) })
    #expect(log.transactions(around: tap).isEmpty && tap.strand != 1)
    #expect(log.writes(to: "store.count").map { log.transactions(around: $0) } == [["save"], ["save"]])
    #expect(log.runs(of: "screenView").last.map { log.actions(above: $0) } == ["tap"])
    #expect(log.runs(of: "storeView").last.map { log.actions(above: $0) } == [])
  }

  @Test(arguments: [Delivery.immediate, .manual]) @MainActor
  func whatIsMadeInAnActionHasItAsTheCauseOfItsFirstRun(delivery: Delivery) async throws {
    let it = try Recorded(delivery)
    let note = PadNote()
    it.session.attach(note, as: "screen")
    var row: HostedProjection?
    it.session.action("open") {
      it.session.projection("View") { _ in note.count }
      row = it.session.hosted("Row")
    }
    it.session.action("tap") { note.count = 1 }
    it.session.flush()
    row?.run { note.count }
    it.session.action("again") { note.count = 2 }
    it.session.flush()
    row?.run { note.count }
    let log = try it.close()
    #expect(log.runs(of: "View").map { log.actions(above: $0) } == [["open"], ["tap"], ["again"]])
    #expect(log.runs(of: "Row").map { log.actions(above: $0) } == [["open"], ["again"]])
  }

  // MARK: Where code runs

  @Test @MainActor func aFlushElsewhereRunsWhatAnActorMadeOnThatActor() async throws {
    let it = try Recorded(.manual)
    let store = await it.bakeryPad("store")
    await it.onBakery { it.session.action("bake") { store.note.count = 4 } }
    it.session.flush()
    #expect(await soon { await it.onBakery { store.shown.last == 4 && store.copied.last == 4 } })
    #expect(await it.onBakery { store.elsewhere } == 0)
    let log = try it.close()
    #expect(log.runs(of: "storeView").last.map { log.actions(above: $0) } == ["bake"])
  }

  @Test @MainActor func callbacksThatWaitAreCalledOnTheirActor() async throws {
    let it = try Recorded()
    let store = await it.bakeryPad("store")
    await it.onBakery { store.addWaiting(isolation: Bakery.shared) }
    for number in 1...20 {
      await it.onBakery { it.session.action("bake \(number)") { store.note.count = number } }
      if number % 5 == 0 { it.session.flush() }
    }
    it.session.flush()
    #expect(await soon { await it.onBakery { store.throttled.last == 20 && store.debounced.last == 20 } })
    #expect(await it.onBakery { store.elsewhere } == 0)
    let log = try it.close()
    #expect(log.writes(to: "store.waited").last.map { log.actions(above: $0) } == ["bake 20"])
  }

  @Test(arguments: [Delivery.immediate, .manual, .every(.milliseconds(1))]) @MainActor
  func aSessionThatIsClosedElsewhereRunsNothingThere(delivery: Delivery) async throws {
    for _ in 0..<20 {
      let it = try Recorded(delivery)
      let store = await it.bakeryPad("store")
      await it.onBakery {
        store.addWaiting(isolation: Bakery.shared)
        store.note.count = 4
        store.note.count = 5
      }
      _ = try it.close()
      #expect(await it.onBakery { store.elsewhere } == 0)
    }
  }

  @Test(arguments: [Delivery.immediate, .manual, .every(.milliseconds(1))])
  func nothingIsLostWhereActorsWriteAndFlushAtOnce(delivery: Delivery) async throws {
    let it = try Recorded(delivery)
    let (first, second) = (await it.bakeryPad("first"), await it.pantryPad("second"))
    await it.onBakery { first.addWaiting(isolation: Bakery.shared) }
    async let bakes: Void = {
      for number in 1...200 {
        await it.onBakery { first.note.count = number }
        if number % 7 == 0 { await it.onBakery { it.session.flush() } }
      }
    }()
    async let stocks: Void = {
      for number in 1...200 {
        await it.onPantry { it.session.transaction { second.note.count = number } }
        if number % 11 == 0 { await it.onPantry { it.session.flush() } }
      }
    }()
    _ = await (bakes, stocks)
    await it.onBakery { it.session.flush() }
    await it.onPantry { it.session.flush() }
    #expect(await soon { await it.onBakery { first.isCurrent && first.throttled.last == 200 } })
    #expect(await soon { await it.onPantry { second.isCurrent } })
    #expect(await it.onBakery { first.received } == Array(1...200))
    #expect(await it.onPantry { second.received } == Array(1...200))
    #expect(await it.onPantry { second.elsewhere } + (await it.onBakery { first.elsewhere }) == 0)
    #expect(try it.close().unbalanced.isEmpty)
  }
}

// MARK: Actors and what they have

@globalActor private actor Bakery {
  static let shared = Bakery()
  nonisolated let executor = PlaceExecutor("bakery")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@globalActor private actor Pantry {
  static let shared = Pantry()
  nonisolated let executor = PlaceExecutor("pantry")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@Recorded private final class PadNote {
  var count = 0
  var copy = 0
  var waited = 0
  var texts: RecordedArray<String> = []
}

/// A note with a view and callbacks, which know whether they run on the actor that made them. It is used there alone.
private final class Pad: @unchecked Sendable {
  let note = PadNote()
  private let session: Session
  private let isMine: () -> Bool
  private(set) var shown: [Int] = []
  private(set) var copied: [Int] = []
  private(set) var received: [Int] = []
  private(set) var throttled: [Int] = []
  private(set) var debounced: [Int] = []
  /// How often something ran on another actor.
  private(set) var elsewhere = 0

  init(
    in session: Session, as name: String, isMine: @escaping @Sendable () -> Bool,
    isolation: isolated any Actor
  ) {
    self.session = session
    self.isMine = isMine
    session.attach(note, as: name)
    session.projection("\(name)View") { scope in
      self.look()
      self.shown.append(self.note.count)
      scope.child("\(name)Child") { self.read() }
    }
    session.projection("\(name)Texts") { _ in self.note.texts.count }
    session.onChange(of: \.count, in: note) { _, new in
      self.look()
      self.copied.append(new)
      self.note.copy = new
    }
    session.onReceive(of: \.count, in: note) { value in
      self.look()
      self.received.append(value)
    }
  }

  /// Adds callbacks that are not called at once.
  func addWaiting(isolation: isolated any Actor) {
    session.onChange(of: \.count, in: note, throttledTo: .milliseconds(2), name: "throttled") { _, new in
      self.look()
      self.throttled.append(new)
    }
    session.onChange(of: \.count, in: note, debouncedFor: .milliseconds(2), name: "debounced") { _, new in
      self.look()
      self.debounced.append(new)
      self.note.waited = new
    }
  }

  /// Whether the view and the callbacks have the last value.
  var isCurrent: Bool { [shown.last, copied.last, received.last] == [note.count, note.count, note.count] }

  private func read() -> Int {
    look()
    return note.count
  }

  private func look() { if !isMine() { elsewhere += 1 } }
}

/// A session with a log.
private final class Recorded: @unchecked Sendable {
  /// A transaction that another actor has open.
  struct Saving {
    let hasBegun = ActorGate()
    let mayEnd = ActorGate()
    var task: Task<Void, Never>!
  }

  let session: Session
  /// Those of the main actor that are to be awaited.
  @MainActor var tasks: [Task<Void, Never>] = []
  private let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")

  init(_ delivery: Delivery = .immediate, isolation: isolated (any Actor)? = #isolation) throws {
    session = try Session(recordingTo: url, delivery: delivery)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  @MainActor func mainPad(_ name: String) -> Pad {
    Pad(in: session, as: name, isMine: { ActorPlace.main.isCurrent }, isolation: MainActor.shared)
  }

  @Bakery func bakeryPad(_ name: String) -> Pad {
    Pad(in: session, as: name, isMine: { Bakery.shared.executor.isCurrent }, isolation: Bakery.shared)
  }

  @Pantry func pantryPad(_ name: String) -> Pad {
    Pad(in: session, as: name, isMine: { Pantry.shared.executor.isCurrent }, isolation: Pantry.shared)
  }

  @discardableResult
  @Bakery func onBakery<R: Sendable>(_ body: @Bakery @Sendable () -> R) -> R { body() }

  @discardableResult
  @Pantry func onPantry<R: Sendable>(_ body: @Pantry @Sendable () -> R) -> R { body() }

  /// Has the bakery hold a transaction, with a write before and one after.
  func save(_ pad: Pad) -> Saving {
    var saving = Saving()
    let (hasBegun, mayEnd) = (saving.hasBegun, saving.mayEnd)
    saving.task = Task.detached { @Bakery [session] in
      session.transaction("save") {
        pad.note.count = 1
        hasBegun.open()
        #expect(mayEnd.wait())
        pad.note.count = 2
      }
    }
    return saving
  }

  func close(isolation: isolated (any Actor)? = #isolation) throws -> ActorLog {
    try session.close()
    try RecordedInvalidations.check(log: url.path)
    return try ActorLog(url)
  }
}

extension ActorGate {
  /// Waits for another thread, without holding this one.
  fileprivate func opened() async {
    let isOpen = await withCheckedContinuation { continuation in
      DispatchQueue(label: "gate").async { continuation.resume(returning: self.wait()) }
    }
    #expect(isOpen)
  }
}

extension Event {
  fileprivate var strand: Int { origin?.strand ?? 0 }
}

extension ActorLog {
  fileprivate func runs(of projection: String) -> [Event] {
    events.filter {
      guard case .evaluate(projection, _, _, _, _) = $0.body else { return false }
      return true
    }
  }

  fileprivate func writes(to path: String) -> [Event] {
    events.filter {
      guard case .set(let written, _, _) = $0.body else { return false }
      return written.description == path
    }
  }

  /// To which actions the texts belong that were appended, by text.
  fileprivate var actionsByText: [String: [String]] {
    var actions: [String: [String]] = [:]
    for event in events {
      guard case .splice(_, _, _, .array(let texts), _) = event.body else { continue }
      for case .string(let text) in texts { actions[text] = self.actions(above: event) }
    }
    return actions
  }
}
