import EventLog
import Synchronization

/// The ids of objects that the app has released, until the session takes them.
///
/// An object may be released on any thread, even while that thread holds the session's lock, so adding an id
/// takes no lock. The ids form a linked list: any thread adds to its front, and the session takes the whole
/// list. An entry belongs to the thread that makes it until it is in the list, then to the thread that takes
/// the list.
final class DepartedObjects: @unchecked Sendable {
  private struct Entry {
    let id: ObjectID
    var next: UnsafeMutablePointer<Entry>?
  }

  private let first = Atomic<UnsafeMutablePointer<Entry>?>(nil)

  /// Whether the list is empty. Cost: an atomic load.
  @inline(__always)
  var isEmpty: Bool { first.load(ordering: .relaxed) == nil }

  /// Adds an id.
  func add(_ id: ObjectID) {
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    entry.initialize(to: Entry(id: id, next: first.load(ordering: .relaxed)))
    while true {
      let (isAdded, other) = first.weakCompareExchange(
        expected: entry.pointee.next, desired: entry, successOrdering: .releasing, failureOrdering: .relaxed)
      if isAdded { return }
      entry.pointee.next = other
    }
  }

  /// Removes and returns all ids, the last one first.
  func popAll() -> [ObjectID] {
    var ids: [ObjectID] = []
    var next = first.exchange(nil, ordering: .acquiring)
    while let entry = next {
      ids.append(entry.pointee.id)
      next = entry.pointee.next
      entry.deallocate()
    }
    return ids
  }

  deinit { _ = popAll() }
}

/// The objects that the app has released but that are still in the state, because something there refers to
/// them: a weak property, or another released object. Each is checked again when its last reference in the
/// state is removed.
///
/// Released objects that only refer to each other would stay for ever. Therefore all waiting objects are
/// checked together whenever their number has doubled, which costs a constant for each.
struct Departures {
  private var waiting: Set<ObjectID> = []
  /// Waiting objects that lost a reference, so that nothing may hold them now.
  private var ready: [ObjectID] = []
  /// The number of waiting objects at which they are checked together.
  private var sweepCount = Departures.sweepMin
  /// For each restored object, the number of the app's objects that it is the record of.
  private var lives: [ObjectID: Int] = [:]
  /// The first object number that this session assigns.
  var firstNumber: UInt64 = 1

  private static let sweepMin = 64

  /// The number of objects that are removed together. The moment at which the app releases its last reference
  /// depends on compiler optimizations; removing each object at once would make the logs of two runs of a
  /// program differ everywhere.
  var batch = 256

  /// Whether enough objects may have become free to remove them.
  @inline(__always)
  var mayForget: Bool { mutating get { ready.count >= batch } }

  /// Adds objects that the app has released.
  mutating func add(_ ids: [ObjectID]) {
    for id in ids {
      if let count = lives[id] {
        lives[id] = count > 1 ? count - 1 : nil
        if count > 1 { continue }
      }
      if waiting.insert(id).inserted { ready.append(id) }
    }
  }

  /// Records that an object in the state is the record of one more object of the app, because it was
  /// restored.
  mutating func insertAnother(_ id: ObjectID) {
    let isAlive = id.number >= firstNumber && !waiting.contains(id)
    lives[id] = (lives[id] ?? (isAlive ? 1 : 0)) + 1
    waiting.remove(id)
  }

  /// Records objects that nothing in the state holds any more. Cost: nothing while no object is waiting.
  mutating func insertReleased(_ ids: [ObjectID]) {
    if waiting.isEmpty { return }
    for id in ids where waiting.contains(id) { ready.append(id) }
  }

  /// Removes and returns the next object that is in the state and that nothing there holds.
  ///
  /// - Parameter isFree: Whether this is true of an object.
  mutating func next(where isFree: (ObjectID) -> Bool) -> ObjectID? {
    while let id = ready.popLast() {
      if isFree(id), waiting.remove(id) != nil { return id }
    }
    return nil
  }

  /// The objects that only refer to each other, if it is time to check. Objects that no event contains are
  /// dropped here.
  mutating func circles(in state: State) -> [ObjectID] {
    guard waiting.count >= sweepCount else { return [] }
    waiting = waiting.filter { state.objects.contains($0) }
    let circles = state.onlyHeld(among: waiting)
    sweepCount = max(Self.sweepMin, 2 * (waiting.count - circles.count))
    return circles.sorted()
  }
}

extension EngineState {
  /// Adds the objects that the app has released to the departures.
  func addDeparted() {
    if !engine.departed.isEmpty { objects.departures.add(engine.departed.popAll()) }
  }

  /// Records the removal of released objects that nothing in the state holds, once there are many. Does
  /// nothing while a run or a transaction is under way.
  func forgetDeparted() {
    guard core.openTransactions == 0, runs.isNone, !engine.isClosed else { return }
    addDeparted()
    guard objects.departures.mayForget else { return }
    forgetReady()
    for id in objects.departures.circles(in: core.state) {
      for property in core.state.propertiesWithReferences(of: id) {
        recordRemoval(Path(root: .object(id), components: [.property(property)]))
      }
    }
    forgetReady()
  }

  private func forgetReady() {
    while let id = objects.departures.next(where: { core.isFree($0) }) {
      recordRemoval(Path(root: .object(id)))
      guard let slot = core.release(id) else { continue }
      if !redactedSlots.isEmpty { for property in core.children(of: slot) { redactedSlots[property] = nil } }
    }
  }

  /// Records the removal of objects that were just released, without waiting for more.
  func forgetReleased() {
    addDeparted()
    forgetReady()
  }

  /// Records the removal of something that the app cannot reach. It is not a write of the app, so
  /// measurements ignore it.
  private func recordRemoval(_ path: Path) {
    do {
      let body = Event.Body.remove(path, sameValue: false)
      let hits = try core.apply(body, seq: recorder.lastSeq + 1)
      objects.departures.insertReleased(core.state.releasedObjects)
      let seq = recorder.emit(body)
      withoutWriting { countMutation(seq, cause: nil) }
      invalidate(hits, by: seq)
    } catch {
      report("not recorded: \(error)")
    }
  }
}
