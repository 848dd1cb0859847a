import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Drives a recording through the code of this program: the writes of a recorded session happen again, in a session of their
/// own, with the projections, derived values and callbacks that this program has.
///
///     let drive = try Drive(Recording(url), recordingTo: newURL)
///     let chat = try drive.attach(ChatViewModel.self, root: "chat")   // as it was when it was attached
///     ChatScreen(chat).mount(in: drive.session)
///     try drive.run()                                                 // or run(through: "mark:checkout"), step()
///     try drive.session.close()                                       // newURL is a log as any other
///
/// Driven are the writes, transactions and marks that no run and no callback of the recorded session caused. What callbacks and
/// derived values wrote then is left to those of this program. Time is that of the recording: it stands still between two
/// events, and what the session waits for happens on the way from one to the next, so a drive waits for nothing and is the
/// same each time. Classes' own `willSet` and `didSet` do not run, since what they wrote is in the recording.
///
/// An object of the recording is paired with one of this program: by the name of its root, and then by its place, or by its id
/// in an array. Objects that the recorded session made on the way are made by their initializers. What does not fit is left
/// out, is one of the ``problems`` and a mark in the new log, and the rest goes on.
///
/// All of it is called in the isolation of the recorded classes, outside of bodies and callbacks.
public final class Drive {
  /// The session that is driven. Make projections and callbacks in it, and close it at the end.
  public let session: Session
  /// The recording that drives it.
  public let recording: Recording
  /// The new log, if there is one.
  public let log: URL?
  /// What is driven.
  public let writes: DrivenWrites

  private let engine: Engine
  private let time: DrivenTime
  private let objects: DrivenObjects
  private var events: RecordedEvents
  /// The transactions of the recording that are open, and whether each is open in the session too.
  private var transactions: [Bool] = []
  /// The last event of those between which the session runs nothing.
  private var heldUntil: UInt64?
  /// The roots whose first set has come.
  private var knownRoots: Set<String> = []
  /// The roots and properties of which it was reported that they are not driven.
  private var reported: Set<String> = []
  private var allProblems = DriveProblems()
  private var quickSets = QuickSets()
  private let quickWriter = QuickWriter()
  /// The time at which the session stands; nil before the first.
  private var stoodAt: UInt64?
  /// The time of the last event.
  private var lastTime: UInt64 = 0

  /// Begins to drive a recording.
  ///
  /// - Parameters:
  ///   - recording: The recording, with its migrations and types.
  ///   - url: The new log; nil to record nothing.
  ///   - writes: What is driven.
  ///   - delivery: When the session runs what is out of date. Changes that the recorded session collected are transactions in
  ///     its log, so `immediate` delivers them as it did.
  ///   - options: How the new log is written.
  /// - Throws: `LogError` if the state at the beginning of the recording is not in it, or the new log cannot be made.
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
    objects = DrivenObjects(engine: engine, state, recording.rules)
  }

  /// What could not be driven, in order; the first thousand.
  public var problems: [DriveProblem] { allProblems.first }

  /// How many problems there were.
  public var problemCount: Int { allProblems.count }

  /// The time of the recording, at which the session's clock stands.
  public var now: Duration { time.now }

  /// The next event of the recording.
  public var nextSeq: UInt64 { events.nextSeq }

  // MARK: Roots

  /// Makes the object at a root as it was when it was attached, and attaches it under the same name. What the recording has
  /// before that is driven first.
  ///
  /// Values that do not fit stay as the initializers set them, and are among the ``problems``.
  ///
  /// - Throws: ``DriveError`` if the recording has no such root; ``RestoreError`` if its object cannot be made.
  public func attach<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root name: String
  ) throws -> Model {
    try withCallbacks {
      pairRoots()
      if let root = engine.root(name) {
        guard let model = root as? Model else {
          throw DriveError("\(name) is a \(Swift.type(of: root)) already, and no \(type)")
        }
        return model
      }
      if objects.restorer.state.roots[name] == nil { try advance(toRoot: name) }
      return try make(type, root: name)
    }
  }

  private func make<Model: RecordedObject>(_ type: Model.Type, root name: String) throws -> Model {
    let model: Model
    do { model = try objects.restorer.restore(type, root: name) } catch let problem as RestoreProblem {
      throw RestoreError(problems: [problem] + objects.restorer.takeProblems())
    }
    noteProblems(of: events.nextSeq - 1)
    knownRoots.insert(name)
    engine.attach(model, as: name)
    return model
  }

  /// Drives all before the event that sets a root, and takes that in.
  private func advance(toRoot name: String) throws {
    let path = Path(root: .named(name))
    let last = try recording.reader.fold(at: .max).state.roots
    guard try last[name] != nil || isSet(path) else {
      let known = last.keys.filter { $0 != Engine.derivedRoot }.joined(separator: ", ")
      throw DriveError(
        "the recording has no root \(name); " + (known.isEmpty ? "it has none" : "its roots are \(known)"))
    }
    while let next = events.peek(0) {
      if next.body.writtenPath == path, let event = try events.next() {
        stand(at: event.time)
        return try take(event, isDriven: true)
      }
      try drive(event: next)
    }
    throw DriveError("\(name) is attached by no event that is left")
  }

  /// Whether an event that is left writes a path.
  private func isSet(_ path: Path) throws -> Bool {
    var isSet = false
    try recording.reader.forEachEvent(from: events.nextSeq) {
      if $0.body.writtenPath == path { isSet = true }
    }
    return isSet
  }

  /// Pairs the roots that were attached by hand.
  private func pairRoots() {
    for (name, id) in objects.restorer.state.roots where !knownRoots.contains(name) {
      guard let root = engine.root(name) else { continue }
      knownRoots.insert(name)
      objects.pairRoot(root, with: id)
    }
  }

  // MARK: Driving

  /// Drives all that is left. Time goes on to that of the last event.
  ///
  /// - Throws: `LogError` where the recording is damaged, or an event does not fit those before it; all before has been driven
  ///   then.
  public func run() throws {
    try withCallbacks {
      defer { end() }
      while try driveNext() != nil {}
    }
  }

  /// Drives through an event, a mark or a time.
  ///
  /// - Throws: ``DriveError`` if there is none from here on; `LogError` as ``run()``.
  public func run(through moment: DriveMoment) throws {
    try withCallbacks {
      switch moment.kind {
      case .event(let seq): try drive { $0.seq <= seq }
      case .mark(let label):
        let seq = try seq(ofMark: label)
        try drive { $0.seq <= seq }
      case .time(let time):
        let end = time.nanoseconds
        try drive { $0.time <= end }
        stand(at: end)
      }
      releaseHeld()
    }
  }

  /// Drives the next write, transaction or mark, with those that the recorded session made in one go with it.
  ///
  /// - Returns: The event with which it begins; nil at the end of the recording.
  /// - Throws: `LogError` as ``run()``.
  @discardableResult
  public func step() throws -> Event? {
    try withCallbacks {
      while let event = try driveNext() { if isDriven(event) { return event } }
      end()
      return nil
    }
  }

  /// Drives all that is left in the time that it took, for a person who watches.
  ///
  /// - Parameters:
  ///   - speed: How much faster than recorded.
  ///   - isolation: The isolation of the recorded classes.
  /// - Throws: What ``run()`` throws; `CancellationError`.
  public func run(
    atSpeed speed: Double, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    precondition(speed > 0, "time goes forward")
    let clock = ContinuousClock()
    let (start, first) = (clock.now, lastTime)
    while let next = events.peek(0) {
      let offset = Duration.nanoseconds(Int64(clamping: next.time - min(next.time, first))) / speed
      try await clock.sleep(until: start.advanced(by: offset))
      if try withCallbacks({ try driveNext() }) == nil { break }
    }
    try run()
  }

  /// Drives event by event, also into a transaction, as long as the next one is wanted.
  private func drive(while isWanted: (Event) -> Bool) throws {
    while let next = events.peek(0), isWanted(next) { try drive(event: next) }
    if events.peek(0) == nil { _ = try events.next() }
  }

  private func seq(ofMark label: String) throws -> UInt64 {
    var found: UInt64?
    let first = events.nextSeq
    try recording.reader.forEachEvent(from: first) { event in
      if found == nil, case .mark(let other) = event.body, other == label { found = event.seq }
    }
    guard let found else { throw DriveError("there is no mark \(label) from event \(first) on") }
    return found
  }

  /// Runs a part of the drive. Callbacks are off where their writes are driven.
  private func withCallbacks<R>(_ body: () throws -> R) throws -> R {
    if engine.isClosed { throw DriveError("the session of the drive is closed") }
    pairRoots()
    if writes == .all { engine.withLock { $0.playback.isSilent = true } }
    defer { if writes == .all { engine.withLock { $0.playback.isSilent = false } } }
    return try body()
  }

  /// Drives the next event, and the rest of its transaction and of what is held back with it.
  private func driveNext() throws -> Event? {
    guard let first = events.peek(0) else {
      // An error that ends the recording.
      _ = try events.next()
      return nil
    }
    try drive(event: first)
    while transactions.contains(true) || heldUntil != nil, let next = events.peek(0) {
      try drive(event: next)
    }
    return first
  }

  /// What a drive leaves at its end: time goes on, and what the recording left open is ended.
  private func end() {
    stand(at: lastTime)
    releaseHeld()
    for isOpen in transactions.reversed() where isOpen { engine.endTransaction() }
    transactions = []
  }

  /// Runs what is held back.
  private func releaseHeld() {
    guard heldUntil != nil else { return }
    heldUntil = nil
    engine.release()
  }

  /// Lets time go on. What falls due on the way runs at its time.
  private func stand(at nanoseconds: UInt64) {
    if stoodAt == nanoseconds { return }
    stoodAt = nanoseconds
    let end = Duration.nanoseconds(Int64(clamping: nanoseconds))
    var falls = 0
    while time.moveToNextWait(until: end) {
      let now = time.now.nanoseconds
      engine.withLock { $0.recorder.stand(at: now) }
      engine.runWhatIsDue()
      falls += 1
      if falls == Self.fallsMax {
        note(DriveProblem(events.nextSeq, nil, "\(falls) callbacks fell due before it; no more are called"))
        break
      }
    }
    time.move(to: end)
    engine.withLock { $0.recorder.stand(at: end.nanoseconds) }
  }

  /// How many times something may fall due between two events: times in a log may be any.
  private static let fallsMax = 10_000_000

  private func isDriven(_ event: Event) -> Bool {
    switch event.body {
    case .set, .splice, .remove, .begin, .end: event.cause == nil || writes == .all
    case .mark(let label):
      event.cause == nil && ReportedDiagnostic(label: label) == nil && !label.hasPrefix(Self.markPrefix)
    default: false
    }
  }

  /// What the labels of marks begin with that record a problem of a drive.
  static let markPrefix = "drive: "

  /// Drives an event, the next one.
  private func drive(event: Event) throws {
    _ = try events.next()
    lastTime = max(lastTime, event.time)
    let isDriven = isDriven(event) || events.isCollection(event)
    if isDriven {
      objects.pairNew()
      stand(at: event.time)
      holdBack(from: event)
    }
    switch event.body {
    case .begin(let label):
      transactions.append(isDriven)
      if isDriven { engine.beginDriven(label, site: event.site) }
    case .end:
      if transactions.popLast() ?? false {
        stand(at: event.time)
        engine.endTransaction()
      }
    case .mark(let label):
      if isDriven { engine.mark(label, site: event.site) }
    case .set(let path, let value, let isSame) where isDriven && driveQuickly(path, value, isSame): break
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _):
      if !isDriven || path.root == .named(Engine.derivedRoot) {
        try take(event, isDriven: false)
      } else {
        try drive(write: event, at: path)
      }
    default: break
    }
    if event.seq == heldUntil { releaseHeld() }
  }

  /// Holds back what is out of date, if the recorded session did so after an event.
  private func holdBack(from event: Event) {
    guard heldUntil == nil else { return }
    switch event.body {
    case .set, .splice, .remove: if transactions.contains(true) { return }
    case .end: if transactions.count(where: \.self) != 1 { return }
    default: return
    }
    guard let last = events.lastHeldBack(by: event) else { return }
    heldUntil = last
    engine.hold()
  }

  /// Takes an event into the state of the recording.
  private func take(_ event: Event, isDriven: Bool) throws {
    do { try objects.apply(event.body, isDriven: isDriven) } catch {
      throw recording.reader.misfit(StateFold.Failure(seq: event.seq, error: error))
    }
  }

  // MARK: Writes

  /// Drives a set of a property to a scalar, if one at the same path was driven before and nothing has moved since; else does
  /// nothing and returns false.
  private func driveQuickly(_ path: Path, _ value: Value, _ isSame: Bool) -> Bool {
    guard value.isScalar, let target = quickSets.target(of: path, at: objects.routeVersion),
      objects.holdsScalar(in: target.cell), !target.object._$recorded.link.isWatched(target.property)
    else { return false }
    quickWriter.begin(value, wasSame: isSame)
    _ = target.object._$write(property: target.property, from: quickWriter)
    guard quickWriter.isDone else { return false }
    objects.put(value, in: target.cell)
    engine.set(value, isSame: quickWriter.isSame, of: target.attachment, property: target.property)
    return true
  }

  /// Notes where a set of a property to a scalar has led.
  private func noteQuick(
    _ body: Event.Body, at path: Path, _ components: [PathComponent], of owner: ObjectID,
    _ object: any RecordedObject
  ) {
    guard case .set(_, let value, _) = body, value.isScalar, components.count == 1,
      let name = components[0].propertyName, name != "id", objects.restorer.rules.migrations.isEmpty,
      let cell = objects.cell(of: owner, property: name), let attachment = object._$recorded.attachment,
      let property = attachment.properties.firstIndex(where: { $0.name == name }),
      !attachment.properties[property].isRedacted, !attachment.properties[property].isConstant
    else { return }
    quickSets.add(path, at: objects.routeVersion, cell, object, attachment, property)
  }

  private func drive(write event: Event, at path: Path) throws {
    if path.components.isEmpty {
      switch path.root {
      case .named(let name): return try drive(root: name, event)
      case .object(let id): return try drive(object: id, event)
      }
    }
    guard case .place(let place, _) = objects.restorer.state.resolve(path, withCrossed: false),
      case .object(let owner) = place.owner
    else {
      try take(event, isDriven: true)
      return note(DriveProblem(event.seq, path, "it is nowhere in the recording"))
    }
    let components = Array(path.components.suffix(place.steps.count))
    objects.pair(in: objects.restorer.state.replaced(by: event.body, at: place))
    let before = event.body.isSameValue ? objects.restorer.state.value(at: place) : nil
    let object = objects.object(owner)
    try take(event, isDriven: true)
    guard let object else { return noteMissing(path, event) }
    do {
      try drive(event.body, components, of: owner, object, before)
      noteQuick(event.body, at: path, components, of: owner, object)
    } catch let misfit as Misfit {
      note(DriveProblem(event.seq, path, misfit.reason))
    } catch let problem as RestoreProblem {
      note(DriveProblem(event.seq, problem.path, problem.driveReason))
    }
    noteProblems(of: event.seq)
  }

  private func drive(
    _ body: Event.Body, _ components: [PathComponent], of owner: ObjectID, _ object: any RecordedObject,
    _ before: Value?
  ) throws {
    guard let attachment = object._$recorded.attachment, attachment.engine === engine else {
      throw Misfit("its object is not in the session any more")
    }
    var (components, kind) = (components, Edit.Kind(body))
    try migrate(&components, &kind, of: owner)
    guard let name = components.first?.propertyName else { throw Misfit("it is no property") }
    guard let property = attachment.properties.firstIndex(where: { $0.name == name }) else {
      throw Misfit("\(type(of: object)) has no property \(name); declare a migration, `.rename` or `.remove`")
    }
    if components.count == 1, case .remove = kind { throw Misfit("a property is not removed") }
    guard let steps = engine.steps(of: components, in: attachment) else {
      throw Misfit("nothing is there in this session")
    }
    components.removeFirst()
    let context = RestoringContext(
      objects: objects.restorer, owner: owner, components: [.property(name)] + components)
    let place = DrivenPlace(
      engine: engine, restorer: objects.restorer, context: context, object: attachment.id, property: name,
      before: before)
    let edit = DrivenEdit(
      kind: kind, isSame: body.isSameValue, components: components, steps: Array(steps.dropFirst()))
    try engine.drive(edit, of: object, property: property, at: place)
  }

  /// Applies the recording's migrations to an edit of a property.
  private func migrate(_ components: inout [PathComponent], _ kind: inout Edit.Kind, of owner: ObjectID)
    throws
  {
    let restorer = objects.restorer
    if restorer.rules.migrations.isEmpty { return }
    guard let recorded = restorer.state.objects[owner], let name = components.first?.propertyName,
      let value = recorded.fields[name]
    else { return }
    var migrated = MigratedObject(type: recorded.type, fields: [name: value])
    let context = RestoringContext(objects: restorer, owner: owner, components: [])
    for migration in restorer.rules.migrations { try migration.apply(&migrated, context) }
    guard let field = migrated.fields.first else { throw Misfit("a migration has removed it") }
    if field.value == value {
      components[0] = .property(field.key)
    } else {
      (components, kind) = ([.property(field.key)], .set(field.value))
    }
  }

  private func drive(root name: String, _ event: Event) throws {
    let isFirst = knownRoots.insert(name).inserted
    try take(event, isDriven: true)
    guard let id = objects.restorer.state.roots[name] else {
      return note(DriveProblem(event.seq, Path(root: .named(name)), "a root is not detached"))
    }
    let live = engine.root(name)
    if isFirst, let live { return objects.pairRoot(live, with: id) }
    let context = RestoringContext(objects: objects.restorer, owner: id, components: [])
    do {
      guard let wanted = live.map({ Swift.type(of: $0) }) ?? objects.restorer.knownType(of: id) else {
        // It may be attached later.
        knownRoots.remove(name)
        return
      }
      let made = try objects.restorer.object(id, wanted, in: context)
      objects.restorer.fill()
      if let object = made as? any RecordedObject { engine.attach(object, as: name) }
    } catch let problem as RestoreProblem {
      note(DriveProblem(event.seq, problem.path, problem.driveReason))
    }
    noteProblems(of: event.seq)
  }

  /// Drives an event about an object by its number: its definition ahead of the write that refers to it, or its end.
  private func drive(object id: ObjectID, _ event: Event) throws {
    try take(event, isDriven: true)
    guard case .remove = event.body else { return }
    quickSets.removeAll()
    objects.restorer.forget(id)
    engine.withLock { $0.forgetReleased() }
    engine.flush()
  }

  // MARK: Problems

  private func note(_ problem: DriveProblem) {
    allProblems.add(problem)
    if allProblems.count == allProblems.first.count {
      engine.mark(Self.markPrefix + problem.description, site: nil)
    }
  }

  /// Notes what could not be restored in objects that an event led to, once for a property.
  private func noteProblems(of seq: UInt64) {
    for problem in objects.restorer.takeProblems() where isNew(problem.reason) {
      note(DriveProblem(seq, problem.path, problem.driveReason))
    }
  }

  /// Whether something that is reported once was not reported yet. A log may have any number of names.
  private func isNew(_ subject: String) -> Bool {
    reported.count < Self.reportedMax && reported.insert(subject).inserted
  }

  private static let reportedMax = 10_000

  /// Notes that the object of a write is not there; for a root that nothing is attached to, once.
  private func noteMissing(_ path: Path, _ event: Event) {
    if case .named(let name) = path.root, engine.root(name) == nil {
      guard isNew(name) else { return }
      return note(
        DriveProblem(
          event.seq, path,
          "nothing is attached as \(name), so what it leads to is left out; attach it, or list its class among the types"
        ))
    }
    note(DriveProblem(event.seq, path, "this program has no such object"))
  }
}

/// What is driven.
public enum DrivenWrites: Hashable, Sendable {
  /// The writes that no run and no callback of the recorded session caused.
  case uncaused
  /// Those of callbacks too, for code that has none of them; the session's own callbacks are off meanwhile.
  case all
}

/// An event of a recording, a mark or a time: `17`, `"mark:checkout"`, `.time(.seconds(2))`.
public struct DriveMoment: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  enum Kind: Hashable {
    case event(UInt64)
    case mark(String)
    case time(Duration)
  }

  let kind: Kind

  /// An event, by its number.
  public static func event(_ seq: UInt64) -> DriveMoment { DriveMoment(kind: .event(seq)) }

  /// The next mark with a label.
  public static func mark(_ label: String) -> DriveMoment { DriveMoment(kind: .mark(label)) }

  /// The last event up to a time of the recording.
  public static func time(_ time: Duration) -> DriveMoment { DriveMoment(kind: .time(time)) }

  private init(kind: Kind) { self.kind = kind }

  /// An event.
  public init(integerLiteral seq: UInt64) { self = .event(seq) }

  /// A mark, with or without `mark:`.
  public init(stringLiteral text: String) {
    self = .mark(text.hasPrefix("mark:") ? String(text.dropFirst(5)) : text)
  }
}

/// Why a drive cannot do what it was asked to.
public struct DriveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what there is.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension RestoreProblem {
  fileprivate var driveReason: String { "recorded as \(recorded), and wanted as \(expected): \(reason)" }
}

extension PathComponent {
  fileprivate var propertyName: String? {
    switch self {
    case .property(let name), .key(let name): name
    default: nil
    }
  }
}

extension Edit.Kind {
  fileprivate init(_ body: Event.Body) {
    switch body {
    case .set(_, let value, _): self = .set(value.referring)
    case .splice(_, let offset, let delete, let insert, _):
      self = .splice(offset: offset, delete: delete, insert: insert.referring)
    default: self = .remove
    }
  }
}

extension State {
  /// What a write takes away.
  fileprivate func replaced(by body: Event.Body, at place: Place) -> Value? {
    guard case .splice(_, let offset, let delete, .array, _) = body else {
      if case .splice = body { return nil }
      return value(at: place)
    }
    guard delete > 0, case .array(let elements)? = value(at: place), offset >= 0, offset <= elements.count,
      delete <= elements.count - offset
    else { return nil }
    return .array(Array(elements[offset..<(offset + delete)]))
  }
}

extension ObjectRestorer {
  /// The class of an object by the list of types; nil if it is not there.
  fileprivate func knownType(of id: ObjectID) -> (any RecordedObject.Type)? {
    let name = migrated(id).type
    return rules.types.first { $0.name == name }?.type
  }
}

extension Engine {
  /// Opens a transaction as the recording has it.
  fileprivate func beginDriven(_ label: String?, site: String?) {
    withLock { state in
      state.collect(cause: nil)
      for measurement in state.measurements { measurement.noteBegin(label, site: site ?? "") }
      state.begin(label, cause: nil, site: site)
    }
  }
}
