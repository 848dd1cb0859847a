import EventLog
import Invalidation

/// The objects that a session follows, and what it was told of them and has not recorded yet.
///
/// A notice of the standard library comes before the change, and within a mutation that may still be going on, so nothing may be
/// read then. The notices of each thread are kept in order until the next turn of the object's actor. Then the new values are
/// recorded, after the reads of those that were told beside the change.
///
/// Guarded by the session's lock.
final class FollowedObjects {
  /// One call of the standard library, or of a publisher.
  fileprivate enum Notice {
    case change(Change)
    /// Something that a run of a node has read is about to change.
    case reader(TrackedReader, run: UInt64)
  }

  /// A property that is about to change.
  struct Change {
    let object: FollowedObject
    let property: Int
    let cause: UInt64?
  }

  /// What to do at a turn.
  struct Turn {
    /// The changes, in order, each with the readers to which it may have been told.
    var changes: [(change: Change, readers: [TrackedReader])] = []
    /// The readers of which something changed that the session does not follow.
    var others: [TrackedReader] = []
    /// For each reader that was told something, the number of the changes before.
    fileprivate var told: [ObjectIdentifier: Int] = [:]

    /// Whether a reader would have been told of a change if it had read what changed.
    func wouldHaveHeard(_ reader: TrackedReader, of change: Int) -> Bool {
      told[ObjectIdentifier(reader)].map { $0 > change } ?? reader.isObserved
    }
  }

  private var objects: [ObjectIdentifier: FollowedObject] = [:]
  private var types: Set<ObjectIdentifier> = []
  private var readers: [SlotID: [TrackedReader]] = [:]
  private var notices: [UInt: [Notice]] = [:]
  private var pending: Set<Key> = []
  private var awaitedTurns: Set<ObjectIdentifier> = []
  private var isSilent = false
  private var untilSweep = FollowedObjects.sweepMin
  private var reported: Set<Substring> = []

  private static let sweepMin = 64
  private static let noticesMax = 4_096

  private struct Key: Hashable {
    let object: ObjectIdentifier
    let property: Int

    init(_ change: Change) { (object, property) = (ObjectIdentifier(change.object), change.property) }
  }

  /// The followed object of the session for an object of the app.
  func find(_ object: AnyObject) -> FollowedObject? {
    guard let found = objects[ObjectIdentifier(object)], found.followedSubject === object else { return nil }
    return found
  }

  /// Adds an object.
  ///
  /// - Returns: One that had the same address, and that the app has released.
  func insert(_ followed: FollowedObject, for object: AnyObject) -> FollowedObject? {
    types.insert(ObjectIdentifier(type(of: object)))
    return objects.updateValue(followed, forKey: ObjectIdentifier(object))
  }

  /// Runs the body, in which notices mean nothing.
  func withoutNotices(_ body: () -> Void) {
    let was = isSilent
    isSilent = true
    defer { isSilent = was }
    body()
  }

  /// Adds a change; returns whether a turn of the object's actor must be asked for.
  func add(_ change: Change) -> Bool {
    guard !isSilent, !change.object.isOver, pending.insert(Key(change)).inserted else { return false }
    notices[RecursiveLock.currentThread, default: []].append(.change(change))
    return change.object.isolation.map { awaitedTurns.insert(ObjectIdentifier($0)).inserted } ?? false
  }

  /// Adds that something changes which a run has read.
  func add(_ reader: TrackedReader, run: UInt64) {
    reader.markEnd(ofRun: run)
    guard !isSilent, run == reader.run else { return }
    let thread = RecursiveLock.currentThread
    notices[thread, default: []].append(.reader(reader, run: run))
    // Those that have run since are not asked for.
    if notices[thread]?.count ?? 0 > Self.noticesMax {
      notices[thread]?.removeAll {
        if case .reader(let reader, let run) = $0 { reader.run != run } else { false }
      }
    }
  }

  /// The number of followed objects, with some that are gone.
  var count: Int { objects.count }

  /// The number of changes that are not recorded yet.
  var waiting: Int { pending.count }

  /// Whether a turn of some actor is still to come.
  var awaitsTurn: Bool { !awaitedTurns.isEmpty }

  /// Whether there is something to do on the current thread.
  var hasOwnNotices: Bool { notices[RecursiveLock.currentThread] != nil }

  /// Takes the notices of an actor's objects, which may have come on any thread.
  func takeTurn(of isolation: any Actor) -> [Turn] {
    awaitedTurns.remove(ObjectIdentifier(isolation))
    return notices.keys.sorted().map { take(from: $0) { $0.object.isolation === isolation } }
  }

  /// Takes the notices of the current thread, if no other thread can be using the objects.
  func takeOwn() -> Turn {
    take(from: RecursiveLock.currentThread) {
      $0.object.isolation == nil || $0.object.isolation === MainActor.shared
    }
  }

  /// Takes the notices of one property that has just been set on this thread.
  func takeOwn(of object: FollowedObject, _ property: Int) -> Turn {
    take(from: RecursiveLock.currentThread) { $0.object === object && $0.property == property }
  }

  private func take(from thread: UInt, where isMeant: (Change) -> Bool) -> Turn {
    guard let all = notices.removeValue(forKey: thread) else { return Turn() }
    var turn = Turn()
    if all.count == 1, case .change(let change) = all[0], isMeant(change) {
      turn.changes.append((change, []))
      pending.remove(Key(change))
      return turn
    }
    var rest: [Notice] = []
    // For each notice, the last change before it and the next one, whoever's they are. A reader is told together with the
    // change, before or after it, so the change is one of these two.
    var before: [Int?] = []
    var last: Int?
    for index in all.indices {
      before.append(last)
      if case .change = all[index] { last = index }
    }
    var places: [Int: Int] = [:]
    for index in all.indices {
      guard case .change(let change) = all[index], isMeant(change) else { continue }
      places[index] = turn.changes.count
      turn.changes.append((change, []))
      pending.remove(Key(change))
    }
    var next: Int?
    for index in all.indices.reversed() {
      switch all[index] {
      case .change:
        if places[index] == nil { rest.append(all[index]) }
        next = index
      case .reader(let reader, let run):
        guard run == reader.run else { continue }
        let both = [before[index], next].compactMap { $0 }
        if both.isEmpty {
          turn.others.append(reader)
          continue
        }
        let known = both.filter { reader.learned.contains(slot(all[$0])) }
        let told = known.isEmpty ? both : known
        if told.contains(where: { places[$0] == nil }) { rest.append(all[index]) }
        for place in told.compactMap({ places[$0] }) { turn.changes[place].readers.append(reader) }
        turn.told[ObjectIdentifier(reader)] =
          before[index].flatMap { before in
            places.filter { $0.key <= before }.values.max().map { $0 + 1 }
          } ?? 0
      }
    }
    if !rest.isEmpty { notices[thread] = rest.reversed() }
    return turn
  }

  private func slot(_ notice: Notice) -> SlotID {
    guard case .change(let change) = notice else { preconditionFailure("a reader's notice has no property") }
    return change.object.attachment.slot(change.property)
  }

  /// The nodes that are known to have read a property.
  func readers(of slot: SlotID) -> [TrackedReader] { readers[slot] ?? [] }

  func learn(_ reader: TrackedReader, reads slot: SlotID) {
    if reader.learned.contains(slot) { return }
    reader.learned.append(slot)
    readers[slot, default: []].append(reader)
  }

  func forget(_ reader: TrackedReader, reads slot: SlotID) {
    reader.learned.removeAll { $0 == slot }
    readers[slot]?.removeAll { $0 === reader }
    if readers[slot]?.isEmpty == true { readers[slot] = nil }
  }

  /// Removes a reader whose node has ended.
  func forget(reader: TrackedReader) {
    for slot in reader.learned { forget(reader, reads: slot) }
  }

  /// Whether an object of the class was followed.
  func follows(_ type: Any.Type) -> Bool { types.contains(ObjectIdentifier(type)) }

  /// Removes and returns the objects that the app has released, now and then.
  ///
  /// - Parameter isDue: Whether to look now.
  func takeReleased(isDue: Bool = false) -> [FollowedObject] {
    untilSweep -= 1
    guard isDue || untilSweep <= 0 else { return [] }
    let gone = objects.filter { $0.value.followedSubject == nil }
    for key in gone.keys { objects[key] = nil }
    untilSweep = max(Self.sweepMin, objects.count)
    return gone.values.sorted { $0.attachment.id < $1.attachment.id }
  }

  /// Stops following an object.
  func remove(_ followed: FollowedObject) {
    objects = objects.filter { $0.value !== followed }
    end(followed)
  }

  /// Ends an object, of which no change is awaited any more.
  func end(_ followed: FollowedObject) {
    followed.end()
    for property in followed.properties.indices {
      pending.remove(Key(Change(object: followed, property: property, cause: nil)))
    }
  }

  /// Stops following all objects.
  func removeAll() {
    for followed in objects.values { followed.end() }
    (objects, readers, notices, pending) = ([:], [:], [:], [])
  }

  /// Whether to report that readers of a name depend on what is not followed: that was not reported yet.
  func isNew(_ name: Substring) -> Bool { reported.insert(name).inserted }
}

// MARK: The session

extension Engine {
  /// What is needed to follow an object; see ``follow(_:publishedBy:)``.
  func makeFollowed(
    _ object: AnyObject, as name: String, _ properties: [FollowedProperty], isPublished: Bool,
    isolation: (any Actor)?
  ) -> FollowedObject {
    let attachment = withLock { state in
      Attachment(
        engine: self, id: state.objects.makeID(notBefore: state.core.freeObjectID),
        properties: properties.map { RecordedPropertyDescriptor($0.name, isConstant: !$0.isVariable) })
    }
    return FollowedObject(
      object, as: name, properties, isPublished: isPublished, isolation: isolation, attachment)
  }

  /// Records an object, and follows it from now on, unless the session is closed or follows it already.
  ///
  /// - Parameter subscribe: What makes an object that publishes its changes give notice.
  func follow(
    _ followed: FollowedObject,
    publishedBy subscribe: ((_ notice: @escaping @Sendable () -> Void) -> Any)? = nil
  ) {
    let isNew = withLock { state in
      guard !isClosed, let object = followed.followedSubject else { return false }
      let all = state.followed ?? FollowedObjects()
      if all.find(object) != nil {
        state.report("a \(followed.typeName) is followed already, and was not followed as \(followed.name)")
        return false
      }
      if state.followed == nil {
        state.followed = all
        // Each run is observed from now on.
        for node in state.nodes.all { node.runsToObserved = 1 }
      }
      for gone in all.takeReleased() { state.end(gone) }
      if let gone = all.insert(followed, for: object) { state.end(gone) }
      state.playback.insert(followed, as: followed.name)
      let fields = encoding { followed.fields(in: &$0) }
      let definition = ObjectDefinition(id: followed.attachment.id, type: followed.typeName, fields: fields)
      state.mutate(
        Path(root: .named(followed.name)), [Edit(kind: .set(.object(definition)), isSame: false)])
      return true
    }
    if isNew, let subscribe { followed.listen(subscribe) }
    flush()
  }

  /// Stops following an object. Its values stay in the log.
  func unfollow(_ followed: FollowedObject) {
    withLock { state in
      state.followed?.remove(followed)
      state.forgetReads(of: followed)
    }
  }

  /// Takes the notice that a property of a followed object is about to change.
  func notice(changeOf followed: FollowedObject, _ property: Int) {
    let change = FollowedObjects.Change(object: followed, property: property, cause: currentCause)
    let isTurnNeeded = withLock { isClosed ? false : $0.followed?.add(change) ?? false }
    guard isTurnNeeded, let isolation = followed.isolation else { return }
    Task.detached { [self] in await takeTurn(of: isolation) }
  }

  /// Takes the notice that something changes which a run of a node has read.
  func notice(of reader: TrackedReader, run: UInt64) {
    withLock { if !isClosed { $0.followed?.add(reader, run: run) } }
  }

  /// Records what has changed of an actor's objects, on that actor.
  private func takeTurn(of isolation: isolated any Actor) async {
    withLock { state in
      guard !isClosed, let followed = state.followed else { return }
      for turn in followed.takeTurn(of: isolation) { state.record(turn) }
    }
    flush()
  }

  /// Takes the notices of a change that its maker records.
  func adoptChange(of object: FollowedObject, _ property: Int) {
    withLock { state in
      guard let followed = state.followed, !isClosed, !OuterObserver.exists() else { return }
      state.record(followed.takeOwn(of: object, property), isRecorded: true)
    }
  }

  /// Records what else has changed with a property that was just driven.
  func lookAtOwnAfterDriving() { withLock { $0.lookAtOwn(continuing: true) } }

  /// Whether changes of followed objects wait for the turn of an actor.
  var awaitsTurn: Bool { withLock { $0.followed?.awaitsTurn ?? false } }

  /// The observer of a node's runs; nil if the session follows nothing.
  func trackedReader(of node: Node) -> TrackedReader? {
    withLock { state in
      guard state.followed != nil, !isClosed else { return nil }
      if let known = node.trackedReader { return known }
      let reader = TrackedReader(node, of: self)
      node.trackedReader = reader
      return reader
    }
  }
}

extension EngineState {
  /// Records what has changed of the current thread's objects, if the thread can read them now.
  ///
  /// - Parameter isContinuing: Whether that continues the last write.
  func lookAtOwn(continuing isContinuing: Bool = false) {
    guard let followed, followed.hasOwnNotices, !engine.isClosed, !OuterObserver.exists() else { return }
    record(followed.takeOwn(), continuing: isContinuing)
  }

  /// - Parameter isRecorded: Whether the new values are recorded in another way.
  fileprivate func record(
    _ turn: FollowedObjects.Turn, isRecorded: Bool = false, continuing isContinuing: Bool = false
  ) {
    guard let followed else { return }
    // What depends on the changes runs once, after all of them. The present call stack is not theirs.
    let (own, wasContinuing, origins) = (own, continuesLast, recorder.takeOrigins())
    own.runs += 1
    defer {
      own.runs -= 1
      continuesLast = wasContinuing
      recorder.setOrigins(origins)
    }
    for (number, (change, readers)) in turn.changes.enumerated() {
      let slot = change.object.attachment.slot(change.property)
      // The standard library tells them in an order of its own in each run of the program.
      for reader in readers.sorted(by: { $0.order < $1.order }) { learn(reader, slot, change.cause) }
      for reader in followed.readers(of: slot) where !readers.contains(where: { $0 === reader }) {
        if turn.wouldHaveHeard(reader, of: number) { forget(reader, slot, change.cause) }
      }
      if isRecorded {
        change.object.observeAgain(change.property)
      } else {
        continuesLast = isContinuing || number > 0
        record(change)
      }
    }
    if isRecorded { return }
    // Nothing would tell these of the next change, if they did not run.
    for reader in turn.changes.flatMap(\.readers).sorted(by: { $0.order < $1.order }) {
      runAgain(reader, isExplained: true)
    }
    for reader in turn.others.sorted(by: { $0.order < $1.order }) { runAgain(reader, isExplained: false) }
    for gone in followed.takeReleased() { end(gone) }
  }

  /// Records a change with its own cause.
  private func record(_ change: FollowedObjects.Change) {
    if change.cause == engine.currentCause {
      return Frame.untracked { change.object.record(change.property) }
    }
    let frame = Frame(engine: engine, node: nil, cause: change.cause, isTracking: false)
    // If no run were registered, sets of scalars would not look up their cause.
    runs.begin()
    frame.run { change.object.record(change.property) }
    runs.forgetIfLast()
    runs.end()
  }

  /// Makes a node depend on a property that it was told of.
  private func learn(_ reader: TrackedReader, _ slot: SlotID, _ cause: UInt64?) {
    guard let node = reader.node, !node.isDisposed else { return }
    followed?.learn(reader, reads: slot)
    if node.lastReads.contains(slot) { return }
    node.lastReads.append(slot)
    changeReads(added: [slot], dropped: [], of: node, cause: cause)
  }

  /// Makes a node independent of a property of whose change it was not told.
  private func forget(_ reader: TrackedReader, _ slot: SlotID, _ cause: UInt64?) {
    followed?.forget(reader, reads: slot)
    guard let node = reader.node, !node.isDisposed, let place = node.lastReads.firstIndex(of: slot) else {
      return
    }
    node.lastReads.remove(at: place)
    changeReads(added: [], dropped: [slot], of: node, cause: cause)
  }

  /// Makes all nodes independent of an object that is followed no more. Otherwise those that live longer would keep a read of each.
  fileprivate func forgetReads(of ended: FollowedObject) {
    for property in ended.properties.indices {
      let slot = ended.attachment.slot(property)
      for reader in followed?.readers(of: slot) ?? [] { forget(reader, slot, nil) }
    }
  }

  /// Runs a node again that was told of a change which invalidates nothing: the session does not follow what changed, or the
  /// value is as before. The run has no cause in the log.
  private func runAgain(_ reader: TrackedReader, isExplained: Bool) {
    guard let node = reader.node, !node.isDisposed, !node.isDirty, !node.isRunning, node.hosting == nil else {
      return
    }
    let name = node.name.prefix { $0 != "#" }
    if !isExplained, followed?.isNew(name) == true {
      report(ReportedDiagnostic(reader: String(name), ofUnfollowed: nil, runsAgain: true).message)
    }
    node.isDirty = true
    node.pacing?.markInvalidation(at: clock)
    if node.derived != nil { markDependents(of: node) }
    enqueue(node)
  }

  /// Records the end of an object that the app has released.
  fileprivate func end(_ gone: FollowedObject) {
    followed?.end(gone)
    forgetReads(of: gone)
    let root = Path(root: .named(gone.name))
    guard core.state.value(at: root) == .reference(gone.attachment.id) else { return }
    mutate(root, [Edit(kind: .remove, isSame: false)])
  }

  /// Stops following, and reports what could not be read any more.
  func endFollowing() {
    guard let followed else { return }
    for gone in followed.takeReleased(isDue: true) { end(gone) }
    if followed.waiting > 0 {
      report(
        "\(followed.waiting) last changes of followed objects are not in the log; close the session on their actor"
      )
    }
    followed.removeAll()
  }
}
