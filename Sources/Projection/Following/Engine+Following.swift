import EventLog
import Invalidation

extension Engine {
  /// What is needed to follow an object; see ``follow(_:publishedBy:)``.
  func makeFollowed(
    _ object: AnyObject, as name: String, _ properties: [any FollowedProperty], isPublished: Bool,
    isolation: (any Actor)?
  ) -> FollowedObject {
    let (attachment, way) = withLock { state in
      let attachment = Attachment(
        engine: self, id: state.objects.makeID(notBefore: state.core.freeObjectID),
        properties: properties.map { RecordedPropertyDescriptor($0.name, isConstant: !$0.isVariable) })
      return (attachment, state.followed?.way ?? state.followingWay)
    }
    return FollowedObject(
      object, as: name, properties, isPublished: isPublished, isolation: isolation, way, attachment)
  }

  /// Records an object, and follows it from now on, unless the session is closed or follows it already.
  ///
  /// - Parameter subscribe: What makes an object that publishes its changes give notice.
  func follow(
    _ followed: FollowedObject,
    publishedBy subscribe: ((_ notice: @escaping @Sendable () -> Void) -> Any)? = nil
  ) {
    guard let object = withLock({ $0.subject(toFollow: followed) }) else { return flush() }
    let values = reading { followed.properties.indices.map { followed.look(at: $0, of: object) } }
    let isNew = withLock { $0.begin(followed, values) }
    if isNew, let subscribe { followed.listen(subscribe) }
    if isNew, followed.way != .announced { ObjectLife.begin(of: object, followed) }
    // What was set meanwhile, by a getter or on another thread.
    for property in withLock({ _ in followed.popMissed() }) {
      let value = reading { followed.look(at: property, of: object) }
      value.record(of: followed.attachment, property: property)
    }
    flush()
  }

  /// Records an object whose key paths are not known, and follows it from now on.
  func followUnnamed(_ followed: FollowedObject, _ object: AnyObject) {
    if followed.properties.isEmpty {
      withLock {
        $0.report(
          "a \(followed.typeName) does not show its properties; name those to record: properties: \\.name")
      }
    }
    follow(followed)
    #if !canImport(Darwin)
      let registrars = followed.way == .exact ? AccessList.registrars(of: object) : []
    #else
      let registrars: [ObjectIdentifier] = []
    #endif
    withLock { $0.followed?.insertUnnamed(followed, registrars) }
  }

  /// Stops following an object. Its values stay in the log.
  func unfollow(_ followed: FollowedObject) {
    withLock { state in
      state.followed?.remove(followed)
      state.forgetReads(of: [followed])
    }
  }

  /// Takes the notice that a property of a followed object is about to change.
  func notice(changeOf followed: FollowedObject, _ property: Int) {
    let change = Notices.Change(object: followed, property: property, cause: currentCause)
    let isTurnNeeded = withLock { isClosed ? false : $0.followed?.add(change) ?? false }
    guard isTurnNeeded, let isolation = followed.isolation else { return }
    Task.detached { [self] in await recordTurns(of: isolation) }
  }

  /// Takes the notice that something changes which a run of a node has read.
  func notice(of reader: TrackedReader, run: UInt64) {
    let isTurnNeeded = withLock { isClosed ? false : $0.followed?.add(reader, run: run) ?? false }
    if isTurnNeeded { Task.detached { [self] in await recordTurns(of: MainActor.shared) } }
  }

  /// Records what has changed of an actor's objects, on that actor.
  private func recordTurns(of isolation: isolated any Actor) async {
    record(withLock { isClosed ? [] : $0.followed?.popTurns(of: isolation) ?? [] })
    flush()
  }

  /// Removes the notices of a change that its maker records.
  func adoptChange(of object: FollowedObject, _ property: Int) {
    if !OuterObserver.exists() { recordOwn(of: object, property, isRecorded: true) }
  }

  /// Records one change of which the current task was told, and who was told beside it.
  ///
  /// - Parameter isRecorded: Whether the new value is recorded in another way.
  func recordOwn(of object: FollowedObject, _ property: Int, isRecorded: Bool) {
    let turn = withLock { isClosed ? nil : $0.followed?.popOwn(of: object, property) }
    if let turn { record([turn], isRecorded: isRecorded) }
  }

  /// Records what has changed of the current thread's objects, if the thread can read them now. Call it outside the lock.
  ///
  /// - Parameter isContinuing: Whether that continues the last write.
  func lookAtOwn(continuing isContinuing: Bool = false) {
    compareUnnamed()
    if followedEnd.exchange(false, ordering: .acquiringAndReleasing) {
      withLock { $0.endReleased(isDue: true) }
    }
    let turns = withLock { state -> [Notices.Turn] in
      guard let followed = state.followed, followed.hasOwnNotices, !isClosed, !OuterObserver.exists() else {
        return []
      }
      return followed.popOwn()
    }
    record(turns, continuing: isContinuing)
  }

  /// Reads what has changed, and then records it.
  ///
  /// - Parameters:
  ///   - isRecorded: Whether the new values are recorded in another way.
  ///   - isContinuing: Whether that continues the last write.
  private func record(
    _ turns: [Notices.Turn], isRecorded: Bool = false, continuing isContinuing: Bool = false
  ) {
    if turns.isEmpty { return }
    let subjects = withLock { _ in turns.map { $0.changes.map(\.change.object.followedSubject) } }
    let values = reading {
      zip(turns, subjects).map { turn, subjects in
        zip(turn.changes, subjects).map { entry, subject in
          subject.map { entry.change.object.look(at: entry.change.property, of: $0) }
        }
      }
    }
    withLock { state in
      if isClosed { return }
      for (turn, values) in zip(turns, values) {
        state.record(turn, values, isRecorded: isRecorded, continuing: isContinuing)
      }
    }
  }

  /// Reads objects that are followed. Their getters are code of the app, which may wait for another thread's set, so the lock is
  /// not held. Nothing runs on this thread meanwhile, since what is read is not recorded yet.
  private func reading<Values>(_ body: () -> Values) -> Values {
    let own = withLock { state in
      state.own.runs += 1
      return state.own
    }
    defer { withLock { _ in own.runs -= 1 } }
    return Frame.untracked(body)
  }

  /// Whether changes of followed objects wait for the turn of an actor.
  var awaitsTurn: Bool { withLock { $0.followed?.awaitsTurn ?? false } }

  /// The observer of a node's runs, in a session that does not know what they read.
  func trackedReader(of node: Node) -> TrackedReader {
    withLock { state in
      if let known = node.trackedReader { return known }
      let reader = TrackedReader(node, of: self)
      node.trackedReader = reader
      return reader
    }
  }
}

extension EngineState {
  /// The object of the app, if it can be followed from now on.
  fileprivate func subject(toFollow new: FollowedObject) -> AnyObject? {
    guard !engine.isClosed, let object = new.followedSubject else { return nil }
    if followed?.find(object) != nil {
      report("a \(new.typeName) is followed already, and was not followed as \(new.name)")
      return nil
    }
    if followed == nil {
      followed = FollowedObjects(followingWay)
      // Each run is observed from now on.
      for node in nodes.all { node.runsToObserved = 1 }
    }
    return object
  }

  /// Records an object of which all properties were read, and follows it; returns false if that has become impossible meanwhile.
  fileprivate func begin(_ new: FollowedObject, _ values: [any FollowedValue]) -> Bool {
    guard let object = subject(toFollow: new), let followed else {
      followed?.end(new)
      return false
    }
    endReleased()
    if let gone = followed.insert(new, for: object) { end([gone]) }
    playback.insert(new, as: new.name)
    let fields = engine.encoding { new.fields(values, in: &$0) }
    let definition = ObjectDefinition(id: new.attachment.id, type: new.typeName, fields: fields)
    mutate(Path(root: .named(new.name)), [Edit(kind: .set(.object(definition)), isSame: false)])
    new.isDefined = true
    return true
  }

  /// - Parameters:
  ///   - values: What was read of each change; nil if the app has released the object.
  ///   - isRecorded: Whether the new values are recorded in another way.
  fileprivate func record(
    _ turn: Notices.Turn, _ values: [(any FollowedValue)?], isRecorded: Bool, continuing isContinuing: Bool
  ) {
    guard let followed else { return }
    // What depends on the changes runs once, after all of them. The present call stack is not theirs, unless they are made now.
    let isLate = turn.changes.contains { $0.change.object.way == .announced }
    let (own, wasContinuing, origins) = (own, continuesLast, isLate ? recorder.removeOrigins() : nil)
    own.runs += 1
    defer {
      own.runs -= 1
      continuesLast = wasContinuing
      if isLate { recorder.setOrigins(origins) }
    }
    for (number, (change, readers)) in turn.changes.enumerated() {
      let slot = change.object.attachment.slot(change.property)
      // The standard library tells them in an order of its own in each run of the program.
      for reader in readers.sorted(by: { $0.order < $1.order }) { learn(reader, slot, change.cause) }
      for reader in followed.readers(of: slot) where !readers.contains(where: { $0 === reader }) {
        if turn.wouldHaveHeard(reader, of: number) { forget(reader, slot, change.cause) }
      }
      guard let value = values[number], !change.object.isOver else { continue }
      if isRecorded {
        value.keep()
      } else {
        continuesLast = isContinuing || number > 0
        record(change, value)
      }
    }
    if isRecorded { return }
    // Nothing would tell these of the next change, if they did not run.
    for reader in turn.changes.flatMap(\.readers).sorted(by: { $0.order < $1.order }) {
      runAgain(reader.node, isExplained: true)
    }
    for reader in turn.others.sorted(by: { $0.order < $1.order }) {
      runAgain(reader.node, isExplained: false)
    }
    endReleased()
  }

  /// Records a change with its own cause.
  private func record(_ change: Notices.Change, _ value: any FollowedValue) {
    let attachment = change.object.attachment
    if change.cause == engine.currentCause {
      return Frame.untracked { value.record(of: attachment, property: change.property) }
    }
    let frame = Frame(engine: engine, node: nil, cause: change.cause, isTracking: false)
    // If no run were registered, sets of scalars would not look up their cause.
    runs.begin()
    frame.run { value.record(of: attachment, property: change.property) }
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
    guard let node = reader.node, !node.isDisposed, let index = node.lastReads.firstIndex(of: slot) else {
      return
    }
    node.lastReads.remove(at: index)
    changeReads(added: [], dropped: [slot], of: node, cause: cause)
  }

  /// Makes all nodes independent of objects that are followed no more. Otherwise those that live longer would keep a read of each.
  fileprivate func forgetReads(of ended: [FollowedObject]) {
    var slots: Set<SlotID> = []
    for object in ended {
      for property in object.properties.indices { slots.insert(object.attachment.slot(property)) }
    }
    for slot in slots {
      for reader in followed?.readers(of: slot) ?? [] { followed?.forget(reader, reads: slot) }
    }
    for node in nodes.all where !node.isDisposed {
      let dropped = node.lastReads.filter { slots.contains($0) }
      if dropped.isEmpty { continue }
      node.lastReads.removeAll { slots.contains($0) }
      changeReads(added: [], dropped: dropped, of: node, cause: nil)
    }
  }

  /// Runs a node again that was told of a change which invalidates nothing: the session does not follow what changed, or the
  /// value is as before. The run has no cause in the log.
  func runAgain(_ node: Node?, isExplained: Bool) {
    guard let node, !node.isDisposed, !node.isDirty, !node.isRunning, node.hosting == nil else { return }
    let name = node.name.prefix { $0 != "#" }
    if !isExplained, followed?.isNew(name) == true {
      report(ReportedDiagnostic(reader: String(name), ofUnfollowed: nil, runsAgain: true).message)
    }
    node.isDirty = true
    node.pacing?.markInvalidation(at: clock)
    if node.derived != nil { markDependents(of: node) }
    enqueue(node)
  }

  /// Records the ends of the objects that the app has released, now and then.
  ///
  /// - Parameter isDue: Whether to look now.
  fileprivate func endReleased(isDue: Bool = false) {
    if let gone = followed?.popReleased(isDue: isDue), !gone.isEmpty, !engine.isClosed { end(gone) }
  }

  private func end(_ gone: [FollowedObject]) {
    for object in gone { followed?.end(object) }
    forgetReads(of: gone)
    for object in gone {
      let root = Path(root: .named(object.name))
      guard core.state.value(at: root) == .reference(object.attachment.id) else { continue }
      mutate(root, [Edit(kind: .remove, isSame: false)])
    }
  }

  /// Stops following, and reports what could not be read any more.
  func endFollowing() {
    guard let followed else { return }
    endReleased(isDue: true)
    if followed.waiting > 0 {
      report(
        "\(followed.waiting) last changes of followed objects are not in the log; close the session on their actor"
      )
    }
    followed.removeAll()
  }
}
