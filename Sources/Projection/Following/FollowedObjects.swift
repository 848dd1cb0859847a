import EventLog
import Invalidation
import OrderedCollections

/// The objects that a session follows, and what it was told of them and has not recorded yet.
///
/// A notice comes before the change, and within a mutation that may still be going on, so nothing may be read then. The ``Notices``
/// of each task are kept until the next turn of the object's actor. Then the new values are recorded, after the reads of those
/// that were told beside the change.
///
/// Guarded by the session's lock.
final class FollowedObjects {
  /// How objects are followed that do not publish their changes.
  let way: FollowingWay
  private var objects: [ObjectIdentifier: FollowedObject] = [:]
  private var types: Set<ObjectIdentifier> = []
  private var readers: [SlotID: [TrackedReader]] = [:]
  private var notices: OrderedDictionary<Notices.TaskOrThread, Notices> = [:]
  private var pending: Set<Key> = []
  private var awaitedTurns: Set<ObjectIdentifier> = []
  private var isSilent = false
  private var untilSweep = FollowedObjects.sweepMin
  private var reported: Set<Substring> = []
  /// The objects by their registrars, as far as these are known.
  private var byRegistrar: [ObjectIdentifier: FollowedObject] = [:]
  /// The properties that are computed from what is read here.
  private var computed: [ObservedRead: [Computed]] = [:]

  private static let sweepMin = 64

  init(_ way: FollowingWay) { self.way = way }

  private struct Key: Hashable {
    let object: ObjectIdentifier
    let property: Int

    init(_ change: Notices.Change) { (object, property) = (ObjectIdentifier(change.object), change.property) }
  }

  /// A property that is computed from others.
  private struct Computed: Equatable {
    let object: FollowedObject
    let property: Int

    static func == (a: Computed, b: Computed) -> Bool { a.object === b.object && a.property == b.property }
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
    // A key path to a property of a superclass begins there.
    var next: AnyClass? = type(of: object)
    while let type = next {
      types.insert(ObjectIdentifier(type))
      next = _getSuperclass(type)
    }
    return objects.updateValue(followed, forKey: ObjectIdentifier(object))
  }

  /// Runs the body, in which notices mean nothing.
  func withoutNotices(_ body: () -> Void) {
    let was = isSilent
    isSilent = true
    defer { isSilent = was }
    body()
  }

  /// Adds a change of which its maker takes care.
  func addOwn(_ change: Notices.Change) {
    guard !isSilent, !change.object.isOver, pending.insert(Key(change)).inserted else { return }
    notices[.current, default: Notices()].append(change)
  }

  /// Adds a change; returns whether a turn of the object's actor must be asked for.
  func add(_ change: Notices.Change) -> Bool {
    guard !isSilent, !change.object.isOver, pending.insert(Key(change)).inserted else { return false }
    notices[.current, default: Notices()].append(change)
    return change.object.isolation.map { awaitedTurns.insert(ObjectIdentifier($0)).inserted } ?? false
  }

  /// Adds that something changes which a run has read; returns whether a turn of the main actor must be asked for, on which it ran.
  func add(_ reader: TrackedReader, run: UInt64) -> Bool {
    reader.markEnd(ofRun: run)
    guard !isSilent, run == reader.run else { return false }
    notices[.current, default: Notices()].append(reader, run: run, isOnMain: isOnMain)
    return isOnMain && awaitedTurns.insert(ObjectIdentifier(MainActor.shared)).inserted
  }

  /// The number of followed objects, with some that are gone.
  var count: Int { objects.count }

  /// The number of changes that are not recorded yet.
  var waiting: Int { pending.count }

  /// Whether a turn of some actor is still to come.
  var awaitsTurn: Bool { !awaitedTurns.isEmpty }

  private var isOnMain: Bool { CurrentActor.isOn(MainActor.shared) }

  /// Whether there may be something to do in the current task, or on the main thread.
  var hasOwnNotices: Bool { !notices.isEmpty && (isOnMain || notices[.current] != nil) }

  /// Removes and returns the notices of an actor's objects, which may have come in any task.
  func popTurns(of isolation: any Actor) -> [Notices.Turn] {
    awaitedTurns.remove(ObjectIdentifier(isolation))
    let others: Notices.Others = isolation === MainActor.shared ? .onMain : .none
    return notices.keys.map {
      pop(from: $0, others) { $0.object.hasBegun && $0.object.isolation === isolation }
    }
  }

  /// Removes and returns the notices of the current task, and on the main thread those of its actor, since nothing
  /// else can be using the objects.
  func popOwn() -> [Notices.Turn] {
    let (own, isOnMain) = (Notices.TaskOrThread.current, isOnMain)
    return (isOnMain ? Array(notices.keys) : [own]).map { source in
      pop(from: source, source == own ? .all : .onMain) { change in
        guard change.object.hasBegun else { return false }
        return change.object.isolation.map { isOnMain && $0 === MainActor.shared } ?? (source == own)
      }
    }
  }

  /// Removes and returns the notices of one property that has just been set in the current task.
  func popOwn(of object: FollowedObject, _ property: Int) -> Notices.Turn {
    pop(from: .current, .none) { $0.object === object && $0.property == property }
  }

  private func pop(
    from source: Notices.TaskOrThread, _ others: Notices.Others, where isMeant: (Notices.Change) -> Bool
  ) -> Notices.Turn {
    guard var all = notices.removeValue(forKey: source) else { return Notices.Turn() }
    let turn = all.pop(others, where: isMeant)
    if !all.isEmpty { notices[source] = all }
    for (change, _) in turn.changes { pending.remove(Key(change)) }
    return turn
  }

  #if !canImport(Darwin)
    /// Sets what the getter of a property has read.
    func setReads(_ reads: AccessList.Entries, of object: FollowedObject, _ property: Int) {
      forgetReads(of: object, property)
      if object.isOver { return }
      var all: [ObservedRead] = []
      for (registrar, entry) in reads {
        for property in entry.properties {
          let read = ObservedRead(object: registrar, property: property)
          if !(read.type is any ObservationProbe.Type) { all.append(read) }
        }
      }
      if all.count == 1, object.properties[property].keyPath == all[0].property {
        byRegistrar[all[0].object] = object
        return object.addStored(property, in: all[0].object)
      }
      object.setReads(all, of: property)
      for read in all { computed[read, default: []].append(Computed(object: object, property: property)) }
    }
  #endif

  private func forgetReads(of object: FollowedObject, _ property: Int) {
    for read in object.reads(of: property) {
      computed[read]?.removeAll { $0 == Computed(object: object, property: property) }
      if computed[read]?.isEmpty == true { computed[read] = nil }
    }
    object.setReads([], of: property)
  }

  /// Adds an object of which no key path is known, by its registrars.
  func insertUnnamed(_ object: FollowedObject, _ registrars: [ObjectIdentifier]) {
    if object.isOver || !object.isDefined { return }
    hasUnnamed = true
    for registrar in registrars {
      object.add(registrar)
      byRegistrar[registrar] = object
    }
  }

  /// The objects with properties whose key paths are not known, which the current code may read.
  var comparable: [FollowedObject] {
    objects.values.filter { object in
      object.isDefined && !object.unnamed.isEmpty
        && (object.isolation.map { CurrentActor.isOn($0) } ?? (object.thread == RecursiveLock.currentThread))
    }.sorted { $0.attachment.id < $1.attachment.id }
  }

  /// Whether there may be such objects.
  private(set) var hasUnnamed = false

  /// The object with a registrar, if some of its key paths are not known.
  func unnamed(_ registrar: ObjectIdentifier) -> FollowedObject? {
    guard hasUnnamed, let object = byRegistrar[registrar], !object.unnamed.isEmpty else { return nil }
    return object
  }

  /// Where a stored property of a followed object is recorded; nil if that is not followed.
  func slot(of property: AnyKeyPath, _ registrar: ObjectIdentifier) -> SlotID? {
    guard let object = byRegistrar[registrar], let number = object.storedProperty(at: property) else {
      return nil
    }
    return object.attachment.slot(number)
  }

  /// Where the properties are recorded that are computed from a read.
  func computed(from read: ObservedRead) -> [SlotID] {
    computed[read]?.map { $0.object.attachment.slot($0.property) } ?? []
  }

  /// The nodes that are known to have read a property.
  func readers(of slot: SlotID) -> [TrackedReader] { readers[slot] ?? [] }

  func learn(_ reader: TrackedReader, reads slot: SlotID) {
    if reader.learned.contains(slot) { return }
    reader.learned.append(slot)
    reader.node?.readsFollowed = true
    readers[slot, default: []].append(reader)
  }

  func forget(_ reader: TrackedReader, reads slot: SlotID) {
    reader.learned.removeAll { $0 == slot }
    reader.node?.readsFollowed = !reader.learned.isEmpty
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
  func popReleased(isDue: Bool = false) -> [FollowedObject] {
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
    withoutNotices { followed.end() }
    for registrar in followed.registrars where byRegistrar[registrar] === followed {
      byRegistrar[registrar] = nil
    }
    for property in followed.properties.indices {
      forgetReads(of: followed, property)
      pending.remove(Key(Notices.Change(object: followed, property: property, cause: nil)))
    }
  }

  /// Stops following all objects.
  func removeAll() {
    withoutNotices { for followed in objects.values { followed.end() } }
    (objects, readers, notices, pending) = ([:], [:], [:], [])
    (byRegistrar, computed) = ([:], [:])
  }

  /// Whether to report that readers of a name depend on what is not followed: that was not reported yet.
  func isNew(_ name: Substring) -> Bool { reported.insert(name).inserted }
}
