import EventLog

// Where the standard library tells of each set when it is made, a set of a followed object is recorded then and there, as one of a
// recorded object is: with its cause, on its thread, and before anything runs because of it.

/// How a session learns of sets of followed objects, and of who reads them. An object that publishes its changes is always followed
/// in the last way.
enum FollowingWay {
  /// Each set is told when it is made, and what a run has read is known when it ends.
  case exact
  /// Each set is told when it is made. Runs that are told beside a property have read it; see ``Notices``.
  case told
  /// A set is announced once, and read at the next turn. Runs are told likewise.
  case announced

  /// The best way that there is here.
  static let best: FollowingWay = {
    #if !canImport(Darwin)
      if SetObservation.isAvailable, AccessList.isAvailable { return .exact }
    #endif
    return SetObservation.isAvailable ? .told : .announced
  }()
}

/// The sets of followed objects that a thread is making: one within the mutation of another, and one that is told to several
/// properties, since some are computed from others. Guarded by the session's lock.
struct SetsUnderWay {
  /// The number of properties that were told of the beginning of a set, and not of its end.
  fileprivate var count = 0
  /// The properties that are computed from what was set. They are recorded after it, since the standard library tells in an order
  /// of its own in each run of the program.
  fileprivate var computed: [(object: FollowedObject, property: Int)] = []
  /// The runs that have read what was set, and of which no property that is followed tells.
  fileprivate var readers: [RunObservation] = []

  fileprivate mutating func addComputed(_ property: Int, of object: FollowedObject) {
    if computed.contains(where: { $0.object === object && $0.property == property }) { return }
    computed.append((object, property))
  }

  fileprivate mutating func popComputed() -> [(object: FollowedObject, property: Int)] {
    if computed.isEmpty { return [] }
    defer { computed = [] }
    return computed.sorted { ($0.object.attachment.id, $0.property) < ($1.object.attachment.id, $1.property) }
  }

  fileprivate mutating func popReaders() -> [RunObservation] {
    if readers.isEmpty { return [] }
    defer { readers = [] }
    return readers.sorted { $0.order < $1.order }
  }
}

extension Engine {
  /// Takes the notice that a property, or what it is computed from, is about to be set. Until that is done nothing runs on the
  /// thread, since the value is not recorded, and may be under mutation.
  func beginSet(of followed: FollowedObject, _ property: Int) {
    withLock { state in
      if isClosed { return }
      followed.beginSet(of: property)
      state.beginSet()
      if followed.way == .told {
        state.followed?.addOwn(Notices.Change(object: followed, property: property, cause: currentCause))
      }
    }
  }

  /// Takes the notice that it was set, and records that.
  ///
  /// - Parameter isItself: Whether the property itself was set.
  func endSet(of followed: FollowedObject, _ property: Int, isItself: Bool) {
    let end = withLock { state -> FollowedObject.SetEnd? in
      if isClosed { return nil }
      let (end, hasBegun) = followed.endSet(of: property, isItself: isItself)
      if !hasBegun { state.beginSet() }
      if case .compute = end { state.own.sets.addComputed(property, of: followed) }
      return end
    }
    switch end {
    case nil: return
    case .nothing, .compute: break
    case .keep(let object): keep(followed, property, of: object)
    case .record(let object): record(followed, property, of: object, isStored: true)
    }
    endSets()
  }

  /// Observes properties whose key paths a run has shown, and records what they have become unobserved.
  func learn(_ new: [(object: FollowedObject, keyPath: AnyKeyPath)]) {
    var learned: [(object: FollowedObject, property: Int)] = []
    for (object, keyPath) in new {
      if let property = withLock({ _ in object.learn(keyPath) }) { learned.append((object, property)) }
    }
    // The library lists them in an order of its own in each run of the program.
    for (followed, property) in learned.sorted(by: { ($0.0.attachment.id, $0.1) < ($1.0.attachment.id, $1.1) }
    ) {
      guard let object = withLock({ _ in followed.followedSubject }) else { continue }
      let value = Frame.untracked { followed.look(at: property, of: object) }
      compare(value, followed, property)
    }
  }

  /// Compares the properties whose key paths are not known, of the objects that the current code may read. None may be under
  /// mutation, which nothing tells of them.
  func compareUnnamed() {
    let objects = withLock {
      isClosed || $0.followed?.hasUnnamed != true ? [] : $0.followed?.comparable ?? []
    }
    for followed in objects { compareUnnamed(of: followed) }
  }

  private func compareUnnamed(of followed: FollowedObject) {
    let (object, properties) = withLock { _ in (followed.followedSubject, followed.unnamed) }
    guard let object else { return }
    for property in properties {
      let value = Frame.untracked { followed.look(at: property, of: object) }
      if compare(value, followed, property) { reportUnnamed(followed, property) }
    }
  }

  /// Records a value unless it is recorded; returns whether it was not.
  @discardableResult
  private func compare(_ value: any FollowedValue, _ followed: FollowedObject, _ property: Int) -> Bool {
    let name = followed.properties[property].name
    let isNew = encoding { value.encode(in: &$0) } != recorded(name, of: followed.attachment.id)
    if isNew { value.record(of: followed.attachment, property: property) }
    return isNew
  }

  private func reportUnnamed(_ followed: FollowedObject, _ property: Int) {
    let (name, type) = (followed.properties[property].name, followed.typeName)
    withLock {
      $0.report(
        "\(followed.name).\(name) was set before anything read it, so it is not known when: name it, "
          + "session.follow(object, as: \"\(followed.name)\", properties: \\\(type).\(name))")
    }
  }

  /// Runs code that sets properties, and records what it has set before what is computed from that.
  func settingFollowed<R>(_ body: () throws -> R) rethrows -> R {
    withLock { $0.beginSet() }
    defer { endSets() }
    return try body()
  }

  /// Takes the notice that something is about to be set that a run has read, and of which no followed property tells.
  func beginSet(ofReadBy reader: RunObservation) { withLock { $0.beginSet() } }

  /// Takes the notice that it was set.
  func endSet(ofReadBy reader: RunObservation) {
    withLock { $0.own.sets.readers.append(reader) }
    endSets()
  }

  /// Ends a set; the outermost one of the thread runs what is out of date.
  private func endSets() {
    var state = lock()
    while let computed = state.popComputed() {
      unlock()
      for (followed, property) in computed {
        guard let object = withLock({ _ in followed.followedSubject }) else { continue }
        record(followed, property, of: object, isStored: false)
      }
      state = lock()
    }
    state.endSet()
    flushAndUnlock(state)
  }

  /// - Parameter isStored: Whether nothing but the property itself was set, so that it need not be observed anew.
  private func record(_ followed: FollowedObject, _ property: Int, of object: AnyObject, isStored: Bool) {
    if followed.way == .told { return recordOwn(of: followed, property, isRecorded: false) }
    Frame.untracked {
      if isStored,
        followed.properties[property].recordScalar(of: object, of: followed.attachment, property: property)
      {
        return
      }
      followed.look(at: property, of: object).record(of: followed.attachment, property: property)
    }
  }

  private func keep(_ followed: FollowedObject, _ property: Int, of object: AnyObject) {
    if followed.way == .told { return recordOwn(of: followed, property, isRecorded: true) }
    let value = Frame.untracked { followed.look(at: property, of: object) }
    withLock { _ in value.keep() }
  }
}

extension EngineState {
  fileprivate func beginSet() {
    hold()
    own.sets.count += 1
  }

  /// Ends a set, and queues the readers of what was set that nothing else has put out of date.
  fileprivate func endSet() {
    let own = own
    own.sets.count -= 1
    endHold()
    if own.sets.count > 0 { return }
    for reader in own.sets.popReaders() where reader.node?.otherReads === reader { runAgain(reader) }
  }

  /// Removes and returns the computed properties to record, when the outermost set ends; nil if there are none.
  fileprivate func popComputed() -> [(object: FollowedObject, property: Int)]? {
    let own = own
    if own.sets.count > 1 || engine.isClosed { return nil }
    let computed = own.sets.popComputed()
    return computed.isEmpty ? nil : computed
  }

  private func runAgain(_ reader: RunObservation) {
    if let node = reader.node { runAgain(node, isExplained: reader.isExplained) }
  }
}
