import EventLog
import Synchronization

/// The ids of objects that the app has released, until the session takes them.
///
/// An object may be released on any thread, and under the session's lock. So adding an id takes no lock: ids are a linked
/// list, to the front of which any thread adds, and which the session takes as a whole. An entry belongs to the thread that
/// makes it until it is in the list, and then to the one that takes the list.
final class DepartedObjects: @unchecked Sendable {
  private struct Entry {
    let id: ObjectID
    var next: UnsafeMutablePointer<Entry>?
  }

  private let first = Atomic<UnsafeMutablePointer<Entry>?>(nil)

  /// Whether there are none. Cost: a load.
  @inline(__always)
  var isEmpty: Bool { first.load(ordering: .relaxed) == nil }

  /// Adds one.
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

  /// Takes all, the last first.
  func take() -> [ObjectID] {
    var ids: [ObjectID] = []
    var next = first.exchange(nil, ordering: .acquiring)
    while let entry = next {
      ids.append(entry.pointee.id)
      next = entry.pointee.next
      entry.deallocate()
    }
    return ids
  }

  deinit { _ = take() }
}

/// The objects that the app has released and that are in the state still, because something there refers to them: a weak
/// property, or an object that was released with them. Each is looked at again when its last reference in the state goes.
///
/// Objects that only refer to each other would wait for ever. So when the number of those that wait has doubled, all of them
/// are looked at together, which makes the cost of that a constant for each.
struct Departures {
  private var waiting: Set<ObjectID> = []
  /// Those that wait and that nothing may hold now.
  private var ready: [ObjectID] = []
  /// How many wait when they are looked at together.
  private var sweepCount = Departures.sweepMin
  /// The objects that were restored, and of how many objects of the app each is the record.
  private var lives: [ObjectID: Int] = [:]
  /// The first number that this session gives.
  var firstNumber: UInt64 = 1

  private static let sweepMin = 64

  /// How many objects are removed together. When the app's last reference to an object goes differs by the compiler's
  /// optimisation, so a removal of each at once would make two runs of one program differ everywhere.
  var batch = 256

  /// Whether so many objects may have become free that it is time to remove them.
  @inline(__always)
  var mayForget: Bool { ready.count >= batch }

  /// Takes in objects that the app has released.
  mutating func add(_ ids: [ObjectID]) {
    for id in ids {
      if let count = lives[id] {
        lives[id] = count > 1 ? count - 1 : nil
        if count > 1 { continue }
      }
      if waiting.insert(id).inserted { ready.append(id) }
    }
  }

  /// Notes that an object of the state is the record of another object of the app, since it was restored.
  mutating func noteAnother(_ id: ObjectID) {
    let isAlive = id.number >= firstNumber && !waiting.contains(id)
    lives[id] = (lives[id] ?? (isAlive ? 1 : 0)) + 1
    waiting.remove(id)
  }

  /// Notes objects that nothing in the state holds any more. Cost while none waits: nothing.
  mutating func noteReleased(_ ids: [ObjectID]) {
    if waiting.isEmpty { return }
    for id in ids where waiting.contains(id) { ready.append(id) }
  }

  /// The next object that is in the state and that nothing there holds; it waits no longer.
  ///
  /// - Parameter isFree: Whether an object is such a one.
  mutating func next(where isFree: (ObjectID) -> Bool) -> ObjectID? {
    while let id = ready.popLast() {
      if isFree(id), waiting.remove(id) != nil { return id }
    }
    return nil
  }

  /// Those that only refer to each other, if it is time to look. Objects that are in no event so far are forgotten here.
  mutating func circles(in state: State) -> [ObjectID] {
    guard waiting.count >= sweepCount else { return [] }
    waiting = waiting.filter { state.objects.contains($0) }
    let circles = state.onlyHeld(among: waiting)
    sweepCount = max(Self.sweepMin, 2 * (waiting.count - circles.count))
    return circles.sorted()
  }
}

extension EngineState {
  /// Takes in the objects that the app has released.
  func takeDeparted() {
    if !engine.departed.isEmpty { objects.departures.add(engine.departed.take()) }
  }

  /// Records the removal of the objects that the app has released and nothing in the state holds, once there are many,
  /// unless a run or a transaction is under way.
  func forgetDeparted() {
    guard core.openTransactions == 0, runs.isNone, !engine.isClosed else { return }
    takeDeparted()
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

  /// Records the removal of objects that have just been released, without waiting for more.
  func forgetReleased() {
    takeDeparted()
    forgetReady()
  }

  /// Records that something is gone that the app cannot reach. It is no write of the app, so nothing measures it.
  private func recordRemoval(_ path: Path) {
    do {
      let body = Event.Body.remove(path, sameValue: false)
      let hits = try core.apply(body, seq: recorder.lastSeq + 1)
      objects.departures.noteReleased(core.state.releasedObjects)
      let seq = recorder.emit(body)
      withoutWriting { noteMutation(seq) }
      invalidate(hits, by: seq)
    } catch {
      diagnostics.report("not recorded: \(error)")
    }
  }
}
