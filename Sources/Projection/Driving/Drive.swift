import EventLog
import Observation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Drives a recording through the code of this program. The writes of the recorded session happen again, in a
/// new session with the projections, derived values and callbacks of this program.
///
///     let drive = try Drive(Recording(url), recordingTo: newURL)
///     let chat = try drive.attach(ChatViewModel.self, root: "chat")   // as it was when it was attached
///     ChatScreen(chat).mount(in: drive.session)
///     try drive.run()                                                 // or run(through: "mark:pay"), step()
///     try drive.session.close()                                       // newURL is a log like any other
///
/// A drive repeats the writes, transactions, marks and actions that no run and no callback of the recorded session
/// caused. The writes of callbacks and derived values are left to this program's own. The clock shows the
/// time of the recording. Callbacks that are due between two events run on the way from one to the next, so a
/// drive waits for nothing and has the same result each time. The classes' own `willSet` and `didSet` do not
/// run, since the recording contains what they wrote.
///
/// Each object of the recording is paired with one of this program: by the name of its root, then by its
/// place, or by its id in an array. Objects that the recorded session made later are made by their
/// initializers. Writes that do not fit are left out, and each is recorded as one of the ``problems`` and as a
/// mark in the new log; the drive goes on.
///
/// Call all methods in the isolation of the recorded classes, outside of bodies and callbacks.
public final class Drive {
  /// The session that is driven. Make projections and callbacks in it, and close it at the end.
  public let session: Session
  /// The recording that drives it.
  public let recording: Recording
  /// The new log; nil if nothing is recorded.
  public let log: URL?
  /// Which writes are driven.
  public let writes: DrivenWrites

  private let engine: Engine
  private let time: DrivenTime
  private let program: DrivenProgram
  private var events: RecordedEvents
  /// For each open transaction of the recording, whether it is open in the session too.
  private var transactions: [Int: [Bool]] = [:]
  /// Those that are open in both.
  private var open = OpenTransactions()
  /// The strand of the event that is being driven.
  private var strand = 0
  /// The actions of the recording so far, and those that stand for them in the session.
  private var actions: [UInt64: UInt64] = [:]
  /// Whether something has run in the recorded session since the last driven event.
  private var hasRunSince = false
  /// The cause of the last driven event; 0 if it had none.
  private var lastCause: UInt64 = 0
  /// The time that the session's clock shows; nil before the first event.
  private var stoodAt: UInt64?
  private var lastTime: UInt64 = 0
  /// The paths that bodies of this program have written since the last write without a cause, with counts;
  /// kept between calls.
  private var writtenByRuns: [Path: Int] = [:]

  /// Begins to drive a recording.
  ///
  /// - Parameters:
  ///   - recording: The recording, with its migrations and types.
  ///   - url: The new log; nil to record nothing.
  ///   - writes: Which writes are driven.
  ///   - delivery: When the session runs projections that are out of date. Changes that the recorded session
  ///     collected are transactions in its log, so `immediate` delivers them as that session did.
  ///   - options: How the new log is written.
  /// - Throws: `LogError` if the recording does not contain the state at its beginning, or the new log cannot
  ///   be created.
  public init(
    _ recording: Recording, recordingTo url: URL? = nil, applying writes: DrivenWrites = .uncaused,
    delivery: Delivery = .immediate, options: LogOptions = LogOptions()
  ) throws {
    let reader = recording.reader
    let state = reader.firstSeq > 1 ? try reader.state(at: reader.firstSeq - 1) : State()
    events = try RecordedEvents(reader)
    let log = try url.map { try LogWriter(creating: $0.path, options: options) }
    let time = DrivenTime()
    let engine = Engine(delivery: delivery, clock: SessionClock(time), log: log)
    engine.withLock { $0.recorder.stand(at: 0) }
    self.recording = recording
    self.log = url
    self.writes = writes
    self.time = time
    self.engine = engine
    session = Session(drivenBy: engine)
    program = DrivenProgram(engine, state, recording.rules)
  }

  /// The problems of the drive so far, in order; at most the first thousand. Repetitions for the same
  /// property of any object of a class count as one problem.
  public var problems: [DriveProblem] { program.problems.first }

  /// The number of problems, repetitions included.
  public var problemCount: Int { program.problems.count }

  /// The number of writes that were driven; 0 if no object to which they lead is attached.
  public var writeCount: Int { program.writeCount }

  /// The time of the recording that the session's clock shows.
  public var now: Duration { time.now }

  /// The first event of the recording that was neither driven nor passed over.
  public var nextSeq: UInt64 { events.nextSeq }

  // MARK: Roots

  /// Makes the object at a root as it was when it was attached, and attaches it under the same name. Drives
  /// the earlier part of the recording first.
  ///
  /// Properties whose recorded values do not fit keep the values that the initializers set; they are among
  /// the ``problems``.
  ///
  /// Cost: reads the recording as far as the event that sets the root.
  ///
  /// - Throws: ``DriveError`` if the recording has no such root from here on, with nothing done;
  ///   ``RestoreError`` if its object cannot be made; `LogError` if the recording is damaged before the root.
  public func attach<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root name: String
  ) throws -> Model {
    try inSession {
      if let root = engine.root(name) {
        guard let model = root as? Model else {
          throw DriveError("\(name) is a \(Swift.type(of: root)) already, and no \(type)")
        }
        return model
      }
      if !program.hasRoot(name) { try advance(toRoot: name) }
      runHeldBack()
      return try program.make(type, root: name, after: events.nextSeq - 1)
    }
  }

  /// Gives an object the values that its properties had when the recorded session followed it, and follows it. Drives the earlier
  /// part of the recording first.
  ///
  ///     let player = Player()
  ///     try drive.follow(player, root: "player", properties: \.time, \.title)
  ///
  /// Sets of a followed property are driven through its key path. A property that cannot be set follows from the others.
  ///
  /// - Throws: As ``attach(_:root:)``.
  @discardableResult
  public func follow<Object: AnyObject & Observable, each Member>(
    _ object: Object, root name: String, properties: repeat KeyPath<Object, each Member>,
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Followed<Object> {
    let followed = engine.makeFollowed(
      object, as: name, observableProperties(at: repeat each properties), isPublished: false,
      isolation: isolation)
    try inSession {
      if engine.root(name) != nil { throw DriveError("\(name) is another object already") }
      if !program.hasRoot(name) { try advance(toRoot: name) }
      runHeldBack()
      program.fill(followed, root: name, after: events.nextSeq - 1)
      engine.follow(followed)
    }
    return Followed(object, followed)
  }

  /// Drives all events before the one that makes a root, and applies this one to the recording's state.
  private func advance(toRoot name: String) throws {
    let search = RootSearch(name)
    let found = try recording.reader.firstSeq(
      from: events.nextSeq, inBlocks: { search.look(at: $0) }, where: { row, _ in search.isFound(in: row) })
    guard let found else {
      let known = search.roots.sorted().joined(separator: ", ")
      throw DriveError(
        "the recording has no root \(name)" + (events.nextSeq > 1 ? " from event \(events.nextSeq) on" : "")
          + (known.isEmpty ? "; it has none" : "; its roots are \(known)"))
    }
    while try events.load(), events.row.seq < found { try driveLoaded() }
    guard try events.load(), let body = events.body() else {
      throw DriveError("\(name) is attached by no event that is left")
    }
    let seq = events.row.seq
    prepare(isContinuing: false)
    events.advance()
    try fitting(seq) { () throws(StateError) in try program.apply(root: body) }
  }

  // MARK: Driving

  /// Drives the rest of the recording. Then the clock shows the time of the last event.
  ///
  /// - Throws: `LogError` if the recording is damaged, or an event does not fit those before it. All earlier
  ///   events have been driven then.
  public func run() throws {
    try inSession {
      defer { end() }
      while try events.load() { try driveLoaded() }
    }
  }

  /// Drives through an event, a mark or a time. Passes over what followed from this event or mark in the
  /// recorded session.
  ///
  /// - Throws: ``DriveError``, with nothing driven, if the moment is past or not in the recording; `LogError`
  ///   as ``run()``.
  public func run(through moment: DriveMoment) throws {
    try inSession {
      switch moment {
      case .event(let seq): try drive(through: seq)
      case .mark(let label):
        let first = events.nextSeq
        let seq = try recording.reader.firstSeq(
          from: first,
          where: { row, tables in
            row.kind == .mark && row.label.map { tables.string($0).hasSameBytes(as: label) } ?? false
          })
        guard let seq else { throw DriveError("there is no mark \(label) from event \(first) on") }
        try drive(through: seq)
      case .time(let wanted):
        let end = wanted.nanoseconds
        guard wanted >= .zero, end >= time.nanoseconds else {
          throw DriveError("\(wanted) is past: the drive stands at \(now)")
        }
        while try events.load(), events.row.time <= end { try driveLoaded() }
        runHeldBack()
        stand(at: end)
      }
    }
  }

  private func drive(through seq: UInt64) throws {
    if seq < events.nextSeq - 1 {
      throw DriveError("event \(seq) is past: the next is \(events.nextSeq)")
    }
    if seq > recording.lastSeq { throw DriveError("the recording ends with event \(recording.lastSeq)") }
    while try events.load(), events.row.seq <= seq { try driveLoaded() }
    try passOver()
  }

  /// Passes over the consequences of the events so far. An error that ends the recording is thrown by the
  /// next call.
  private func passOver() throws {
    while (try? events.load()) ?? false, !isDriven { try driveLoaded() }
  }

  /// Drives the next write, transaction, mark or action, together with the rest of its transaction or write, and
  /// passes over its consequences in the recorded session.
  ///
  /// - Returns: The first event of these; nil at the end of the recording.
  /// - Throws: `LogError` as ``run()``.
  @discardableResult
  public func step() throws -> Event? {
    try inSession {
      guard try skipToDriven(), let body = events.body() else {
        end()
        return nil
      }
      let row = events.row
      let event = Event(
        seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: events.site, body: body)
      try driveUnit()
      return event
    }
  }

  /// Drives the rest of the recording at a multiple of its speed, for a person who watches. Callbacks
  /// that are due between two events run at their time.
  ///
  /// - Parameters:
  ///   - speed: How many times faster than recorded.
  ///   - clock: The clock that measures the waits.
  ///   - isolation: The isolation of the recorded classes.
  /// - Throws: What ``run()`` throws; `CancellationError`.
  public func run(
    atSpeed speed: Double, by clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    precondition(speed > 0, "time goes forward")
    let (start, first) = (clock.now, stoodAt ?? 0)
    func wait(until time: UInt64) async throws {
      let offset = Duration.nanoseconds(Int64(clamping: time - min(time, first))) / speed
      try await clock.sleep(until: start.advanced(by: offset), tolerance: nil)
    }
    while true {
      let next: UInt64?
      do { next = try inSession { try skipToDriven() ? events.row.time : nil } } catch {
        try inSession { end() }
        throw error
      }
      let due = time.nextWait
      if due < next ?? lastTime {
        try await wait(until: due)
        try inSession { stand(at: due) }
      } else if let next {
        try await wait(until: next)
        try inSession { try driveUnit() }
      } else {
        if lastTime > time.nanoseconds { try await wait(until: lastTime) }
        return try run()
      }
    }
  }

  /// Runs a part of the drive. Meanwhile the session does not run projections that are out of date, until the
  /// next event shows that the recorded session had run them. If all writes are driven, callbacks are off.
  private func inSession<R>(_ body: () throws -> R) throws -> R {
    if engine.isClosed { throw DriveError("the session of the drive is closed") }
    program.pairRoots()
    engine.withLock { state in
      state.own.isPaused = true
      if writes == .all { (state.playback.isSilent, state.playback.writtenByRuns) = (true, writtenByRuns) }
    }
    defer {
      engine.withLock { $0.own.isPaused = false }
      engine.flush()
      if writes == .all {
        engine.withLock { state in
          writtenByRuns = state.playback.writtenByRuns ?? [:]
          (state.playback.isSilent, state.playback.writtenByRuns) = (false, nil)
        }
      }
    }
    return try body()
  }

  /// Passes over events up to the next one that is driven; returns false at the end.
  private func skipToDriven() throws -> Bool {
    while try events.load() {
      if isDriven { return true }
      try driveLoaded()
    }
    return false
  }

  /// Drives the next event, and the rest of its transaction and of its write.
  private func driveUnit() throws {
    try driveLoaded()
    // An error that ends the recording is thrown by the next call.
    while (try? events.load()) ?? false {
      if open.depth(around: events.row.origin.strand) == 0, isDriven, !continuesReaction,
        !events.belongsToWrite()
      {
        return
      }
      try driveLoaded()
    }
  }

  /// Finishes the drive: moves the clock to the last event, and ends the transactions that the recording left
  /// open.
  private func end() {
    runHeldBack()
    stand(at: lastTime)
    for strand in transactions.keys.sorted() {
      on(strand) {
        while let isOpen = transactions[strand]?.popLast() { if isOpen { endTransaction(of: strand) } }
      }
    }
  }

  // MARK: Time and callbacks

  /// Runs the projections that the writes so far have put out of date.
  private func runHeldBack() {
    if open.depth(around: strand) > 0 { return }
    let state = engine.lock()
    let own = state.own
    if own.queue.isEmpty { return engine.unlock() }
    own.isPaused = false
    engine.flushAndUnlock(state)
    engine.withLock { $0.own.isPaused = true }
  }

  /// Moves the clock to a time, and runs the callbacks that are due on the way at their time. This is needed
  /// even if the clock shows this time already, since a callback may be due at once.
  @inline(__always)
  private func stand(at nanoseconds: UInt64) {
    if time.nextWait <= nanoseconds { fall(until: nanoseconds) }
    if stoodAt != nanoseconds { move(to: nanoseconds) }
  }

  /// Moves the clock to a time, without running callbacks that are due.
  @inline(__always)
  private func move(to nanoseconds: UInt64) {
    stoodAt = nanoseconds
    time.move(to: nanoseconds)
    let present = time.nanoseconds
    engine.withLock { $0.recorder.stand(at: present) }
  }

  /// Runs the callbacks that are due until a time, each at its time. A log may contain any times, so there
  /// may be any number of them. After ``fallsMax`` callbacks, the rest run together at the end.
  private func fall(until end: UInt64) {
    var count = 0
    func run() {
      let now = time.nanoseconds
      engine.withLock { state in
        state.recorder.stand(at: now)
        state.own.isPaused = false
      }
      engine.runWhatIsDue()
      engine.withLock { $0.own.isPaused = true }
    }
    while time.moveToNextWait(until: end) {
      run()
      count += 1
      if count < fallsMax { continue }
      program.report(
        "\(count) callbacks fell due before it; all others until then fall due together",
        before: events.nextSeq)
      time.skipWaits(until: end)
      return run()
    }
  }

  /// The maximum number of callbacks between two events that run each at its own time.
  var fallsMax = 1_000_000

  // MARK: Events

  /// Whether the next event is driven, and not left to the code of this program.
  private var isDriven: Bool {
    switch events.row.kind {
    case .set, .splice, .remove, .begin, .end, .action, .finish: !events.isCaused || writes == .all
    case .mark:
      !events.isCaused && events.label.map { MarkLabel($0).isOfApp } ?? false
    default: false
    }
  }

  /// Drives the next event, which is loaded.
  @inline(__always)
  private func driveLoaded() throws {
    lastTime = max(lastTime, events.row.time)
    if writes == .uncaused, let set = events.plainSet() {
      if program.driveQuickly(set, inBlock: events.blockNumber, preparedAndLocked()) {
        return events.advance()
      }
      engine.unlock()
    }
    try driveGenerally()
  }

  @inline(never)
  private func driveGenerally() throws { try on(events.row.origin.strand) { try driveOnStrand() } }

  private func driveOnStrand() throws {
    let isDriven = isDriven
    guard let body = events.body() else {
      if events.row.kind == .evaluate { hasRunSince = true }
      return events.advance()
    }
    let (position, site, action) = (events.position, events.site, actions[events.row.cause])
    let isContinuing = isDriven && mayContinue(body)
    if isDriven { prepare(isContinuing: isContinuing) }
    let isLeftToRun = isDriven && events.isCaused && isWrittenByRun(body)
    if isDriven, !events.isCaused, writes == .all {
      engine.withLock { $0.playback.writtenByRuns = [:] }
    }
    events.advance()
    try engine.carrying(action) {
      try drive(body, action, position, site, isDriven: isDriven, isLeftToRun: isLeftToRun)
    }
  }

  /// Runs the body as the code of a strand of the recording: what transactions it opens, and to which it belongs.
  private func on<R>(_ strand: Int, _ body: () throws -> R) rethrows -> R {
    if strand == 0 { return try body() }
    self.strand = strand
    engine.withLock { $0.own.owner = UInt(strand) }
    defer {
      self.strand = 0
      engine.withLock { $0.own.owner = $0.own.thread }
    }
    return try body()
  }

  private func endTransaction(of strand: Int) {
    _ = open.end(on: strand)
    if strand == OpenTransactions.session { engine.endForAll() } else { engine.endTransaction() }
  }

  /// Drives an event, or applies it to the recording's state alone.
  ///
  /// - Parameter action: The event in the session of the action that is its cause.
  private func drive(
    _ body: Event.Body, _ action: UInt64?, _ position: RecordedEvents.Position, _ site: String?,
    isDriven: Bool,
    isLeftToRun: Bool
  ) throws {
    switch body {
    case .begin(let label):
      transactions[strand, default: []].append(isDriven)
      if isDriven {
        open.begin(on: strand)
        engine.beginDriven(label, site: site, on: strand)
      }
    case .end:
      if transactions[strand]?.popLast() ?? false { endTransaction(of: strand) }
    case .mark(let label): if isDriven { engine.mark(label, site: site) }
    case .action(let label): if isDriven { actions[position.seq] = engine.beginAction(label, site: site) }
    case .finish(let outcome): if isDriven { engine.endAction(action, outcome) }
    default:
      guard let path = body.writtenPath else { return }
      try fitting(position.seq) { () throws(StateError) in
        if !isDriven || isLeftToRun || path.root == .named(Engine.derivedRoot) {
          return try program.apply(body)
        }
        engine.withLock { $0.continuesLast = site.hasSameBytes(as: Event.continuingSite) }
        defer { engine.withLock { $0.continuesLast = false } }
        try program.drive(body, at: path, position)
      }
    }
  }

  /// Prepares the session for an event that is driven.
  ///
  /// - Parameter isContinuing: Whether the event continues the last one, so that projections that are out of
  ///   date may not run before it.
  @inline(__always)
  private func prepare(isContinuing: Bool) {
    if !isContinuing {
      runHeldBack()
      program.pairNew()
    }
    let moment = events.row.time
    if isContinuing, time.nextWait <= moment, events.belongsToWrite() {
      // Callbacks that are due run when the write is complete.
      move(to: moment)
    } else {
      stand(at: moment)
    }
    (hasRunSince, lastCause) = (false, events.row.cause)
  }

  /// Prepares the session for an event that does not continue another, and takes the engine's lock.
  @inline(__always)
  private func preparedAndLocked() -> EngineState {
    let state = engine.lock()
    let moment = events.row.time
    guard time.nextWait > moment, !program.hasNew, state.own.queue.isEmpty else {
      engine.unlock()
      prepare(isContinuing: false)
      return engine.lock()
    }
    hasRunSince = false
    if stoodAt != moment {
      stoodAt = moment
      time.move(to: moment)
      state.recorder.stand(at: time.nanoseconds)
    }
    return state
  }

  /// Whether the next event may continue the last one, so that out-of-date projections and due callbacks wait
  /// for it. It does so if both belong to one write, or come from one callback, or if the event notes an
  /// object that has gone, which the recorded session did before it ran anything.
  ///
  /// Before the first event that a write caused, projections do run: the event may come from a body that this
  /// program has too.
  private func mayContinue(_ body: Event.Body) -> Bool {
    if continuesReaction { return true }
    if let path = body.writtenPath, case .object = path.root, path.components.count < 2 {
      if case .remove = body { return !hasRunSince }
      if path.components.isEmpty { return !hasRunSince }
    }
    let isWaiting = engine.withLock { !$0.own.queue.isEmpty } || time.nextWait <= events.row.time
    return isWaiting && events.belongsToWrite()
  }

  /// Whether the next event and the last driven one come from the same run or callback.
  private var continuesReaction: Bool {
    events.isCaused && events.row.cause == lastCause && !hasRunSince
  }

  /// Whether a body of this program has written to the event's path since the last write without a cause.
  /// Each such write is reported only once.
  private func isWrittenByRun(_ body: Event.Body) -> Bool {
    guard let path = body.writtenPath else { return false }
    return engine.withLock { $0.playback.removeReaction(at: path) }
  }

  /// Applies an event to the recording's state; a failure becomes an error of the log.
  private func fitting(_ seq: UInt64, _ body: () throws(StateError) -> Void) throws {
    do { try body() } catch {
      throw recording.reader.misfit(StateFold.Failure(seq: seq, error: error))
    }
  }
}

extension Engine {
  /// Opens a transaction as in the recording.
  fileprivate func beginDriven(_ label: String?, site: String?, on strand: Int) {
    withLock { state in
      state.collect()
      for measurement in state.measurements { measurement.markBegin(label, site: site ?? "") }
      if strand == OpenTransactions.session { return state.beginForAll(label, site: site) }
      state.begin(label, cause: currentCause, site: site)
    }
  }

  fileprivate func endForAll() {
    withLock { state in
      state.endForAll()
      for measurement in state.measurements { measurement.markEnd() }
    }
    flush()
  }
}
