import EventLog
import Invalidation
import OrderedCollections
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One run of the app's code on behalf of a session: what it has read so far, and why it runs.
///
/// Reads and writes find the frame of the innermost run through a thread-local, as accessors get no other context. A
/// frame is used by its own thread only.
final class Frame {
  let engine: Engine
  /// The projection that runs, or nil for a callback, which depends on nothing it reads.
  ///
  /// Unretained, because the code that runs the node retains it, and the outer frame.
  @exclusivity(unchecked) private(set) unowned(unsafe) var node: Node?
  /// The event that led to this run; what is written meanwhile carries it.
  @exclusivity(unchecked) private(set) var cause: UInt64?
  @exclusivity(unchecked) private(set) unowned(unsafe) var outer: Frame?
  @exclusivity(unchecked) private(set) var reads: ReadList
  /// The last change when the first slot was read; most runs see no later one.
  @exclusivity(unchecked) private var firstSeen: UInt64 = 0
  @exclusivity(unchecked) private var lastSeen: UInt64 = 0
  /// For each later change that a read saw: how many slots had been read before, and its seq; earliest first.
  @exclusivity(unchecked) private var changesSeen: [(reads: Int, seq: UInt64)] = []
  @exclusivity(unchecked) var isTracking: Bool
  /// The reads of objects that the session does not record.
  @exclusivity(unchecked) var earlyReads: OrderedDictionary<EarlyRead.Key, EarlyRead> = [:]
  /// The properties that were read before their object was attached during the run.
  @exclusivity(unchecked) var slotsReadEarly: Set<SlotID> = []
  /// Whether another thread attached such an object, so that the value read may be older than the recorded one.
  @exclusivity(unchecked) var sawUnattached = false
  /// The recorded collections that the run took out of a property, or out of another collection: the last one, and those
  /// before it. Most runs take one, and then no set is made.
  @exclusivity(unchecked) private var lastTaken: SlotID?
  @exclusivity(unchecked) private var takenBefore: Set<SlotID> = []
  /// Nanoseconds spent in runs nested in this one.
  @exclusivity(unchecked) var nestedTime: UInt64 = 0
  @exclusivity(unchecked) var firstAppearances: [() -> Void] = []
  /// The cleanups of the last run, which run before this one.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []
  @exclusivity(unchecked) var visited: Set<ObjectIdentifier> = []

  init(engine: Engine, node: Node?, cause: UInt64?, isTracking: Bool, outer: Frame? = Frame.current) {
    self.engine = engine
    self.node = node
    self.cause = cause
    self.isTracking = isTracking
    self.outer = outer
    reads = ReadList(expecting: node?.lastReads ?? [])
  }

  /// Resets a used frame for another run, which saves an allocation.
  func reuse(for node: Node, cause: UInt64?, outer: Frame?) {
    self.node = node
    self.cause = cause
    self.outer = outer
    reads.restart(expecting: node.lastReads)
    isTracking = true
  }

  /// Releases what the run has collected.
  func clear() {
    reads.forgetOthers()
    (firstSeen, lastSeen, nestedTime) = (0, 0, 0)
    changesSeen.removeEach()
    if !firstAppearances.isEmpty { firstAppearances = [] }
    if !cleanups.isEmpty { cleanups = [] }
    if !visited.isEmpty { visited = [] }
    lastTaken = nil
    if !takenBefore.isEmpty { takenBefore = [] }
    if !earlyReads.isEmpty { (earlyReads, slotsReadEarly, sawUnattached) = ([:], [], false) }
  }

  /// Notes that the run is over, so that a copy of the frame that the app kept leads to no node.
  func end() {
    node = nil
    outer = nil
  }

  /// The innermost run on this thread.
  @inline(__always)
  static var current: Frame? {
    guard running.load(ordering: .acquiring) > 0, let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<Frame>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Passes the innermost run on this thread to the body, if there is one. Retains nothing.
  @inline(__always)
  static func withCurrent(_ body: (Frame) -> Void) {
    guard running.load(ordering: .acquiring) > 0, let pointer = pthread_getspecific(key) else { return }
    Unmanaged<Frame>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }

  /// Runs the body with this frame as the innermost.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    // The frame outlives its entry: the caller holds it for the length of this call.
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    Self.running.add(1, ordering: .releasing)
    defer {
      Self.running.subtract(1, ordering: .relaxed)
      pthread_setspecific(Self.key, outer.map { Unmanaged.passUnretained($0).toOpaque() })
    }
    return try body()
  }

  /// Notes that a property was read, if the run depends on it.
  func note(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type) {
    guard isTracking else { return }
    guard let slot = link.slot(property, in: engine) else { return noteEarly(property, of: link, type()) }
    note(slot)
  }

  /// Notes that a recorded collection was read from a property. The collection registers reads of its elements itself,
  /// unless the session does not record the object.
  func noteCollection(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type) {
    guard isTracking else { return }
    guard let slot = link.slot(property, in: engine) else { return noteEarly(property, of: link, type()) }
    noteTaken(collectionAt: slot)
  }

  /// Notes that the run took a copy of a recorded collection.
  func noteTaken(collectionAt slot: SlotID) {
    if slot == lastTaken { return }
    if let lastTaken { takenBefore.insert(lastTaken) }
    lastTaken = slot
  }

  private func hasTaken(_ collection: SlotID) -> Bool {
    collection == lastTaken || !takenBefore.isEmpty && takenBefore.contains(collection)
  }

  /// Notes that a slot within a recorded collection was read.
  ///
  /// If an outer run took the copy and passed it in, that run depends on all of the collection: only it can take a new
  /// copy. This run alone would run again with the same old copy.
  func note(_ slot: SlotID, in collection: SlotID) {
    note(slot)
    if hasTaken(collection) { return }
    var next = outer
    while let run = next {
      if run.engine === engine, run.hasTaken(collection) { return run.note(collection) }
      next = run.outer
    }
  }

  /// Notes as read all of each collection that the run of a hosted projection took and of which it has read nothing
  /// itself: its host or the run of a child reads that later, beyond this frame.
  func noteHandedOn(in state: EngineState) {
    guard let lastTaken else { return }
    // In an order that is the same in another run of the program.
    for collection in takenBefore.union([lastTaken]).sorted() {
      let property = state.core.property(of: collection)
      if !reads.slots.contains(where: { state.core.property(of: $0) == property }) { note(collection) }
    }
  }

  /// Notes that a slot was read.
  func note(_ slot: SlotID) {
    let seq = engine.lastChange.seq
    if seq != lastSeen { noteSeen(seq) }
    reads.insert(slot)
  }

  private func noteSeen(_ seq: UInt64) {
    lastSeen = seq
    if reads.count == 0 { firstSeen = seq } else { changesSeen.append((reads.count, seq)) }
  }

  /// Whether anything at all was read before the event.
  func mayHaveRead(before seq: UInt64) -> Bool {
    reads.count > 0 && firstSeen < seq || !slotsReadEarly.isEmpty
  }

  /// Whether something within the property was read before the event changed it.
  func hasRead(_ property: SlotID, before seq: UInt64, in state: EngineState) -> Bool {
    slotsReadEarly.contains(property)
      || reads(before: seq).contains { state.core.property(of: $0) == property }
  }

  /// Whether anything of the object that has the property was read before the event.
  func hasRead(objectOf property: SlotID, before seq: UInt64, in state: EngineState) -> Bool {
    let object = state.core.object(of: property)
    return slotsReadEarly.contains { state.core.object(of: $0) == object }
      || reads(before: seq).contains { state.core.object(of: $0) == object }
  }

  private func reads(before seq: UInt64) -> some Sequence<SlotID> {
    if firstSeen >= seq { return reads.slots.prefix(0) }
    return reads.slots.prefix(changesSeen.first { $0.seq >= seq }?.reads ?? reads.count)
  }

  /// Adds the reads of another frame.
  func take(_ inner: Frame) {
    for slot in inner.reads.slots { note(slot) }
    for (key, read) in inner.earlyReads { earlyReads[key] = read }
  }

  /// Runs the body without registering what it reads, for reads by the session itself.
  static func untracked<R>(_ body: () throws -> R) rethrows -> R {
    guard let frame = current, frame.isTracking else { return try body() }
    frame.isTracking = false
    defer { frame.isTracking = true }
    return try body()
  }

  /// The number of runs on all threads: while it is 0, a read need not look up the thread's frame, and there may be no key.
  private static let running = Atomic<Int>(0)

  /// The key of the thread-local. It is no constant that is made at its first use, because each further use would be a call.
  nonisolated(unsafe) private static var key: pthread_key_t = 0
  private static let hasKey = pthread_key_create(&key, nil) == 0

  /// Makes the key. Called before the first frame is made, so a thread that sees a run sees the key.
  static func prepare() { precondition(hasKey, "there is no thread-local left") }
}

/// The slots that one run has read, in the order of first reads.
///
/// Most runs read what the last one did, in the same order. As long as that holds, a read costs one comparison.
struct ReadList {
  private var expected: [SlotID]
  /// How many of the expected slots were read, before any other.
  private var matched = 0
  /// The slots read, once they differ from what was expected.
  private var own: [SlotID]?
  /// The same, once there are too many to search.
  private var seen: Set<SlotID> = []

  private static let searchedMax = 8

  init(expecting expected: [SlotID]) { self.expected = expected }

  /// Empties the list.
  mutating func restart(expecting expected: [SlotID]) {
    self.expected = expected
    matched = 0
    forgetOthers()
  }

  /// Releases what was read otherwise than expected. What was expected is the node's own list.
  mutating func forgetOthers() {
    guard own != nil else { return }
    own = nil
    if !seen.isEmpty { seen = [] }
  }

  /// Whether everything was read that was expected, and nothing else.
  var isAsExpected: Bool { own == nil && matched == expected.count }

  /// The slots, each once.
  var slots: ArraySlice<SlotID> { own.map { $0[...] } ?? expected[..<matched] }

  /// How many there are.
  var count: Int { own?.count ?? matched }

  /// What one list of reads has and another has not, both ways. The order of reads is no difference.
  static func difference(
    from old: [SlotID], to new: [SlotID]
  ) -> (added: [SlotID], dropped: [SlotID]) {
    if old.isEmpty { return (new, []) }
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (old, new) = (old[start...].dropLast(end), new[start...].dropLast(end))
    if old.isEmpty || new.isEmpty { return (Array(new), Array(old)) }
    let (before, after) = (Set(old), Set(new))
    return (new.filter { !before.contains($0) }, old.filter { !after.contains($0) })
  }

  mutating func insert(_ slot: SlotID) {
    if own == nil {
      if matched < expected.count, expected[matched] == slot {
        matched += 1
        return
      }
      if matched > 0, expected[matched - 1] == slot { return }
      own = Array(expected[..<matched])
      if matched > Self.searchedMax { seen = Set(expected[..<matched]) }
    }
    let isKnown = count > Self.searchedMax ? seen.contains(slot) : own?.contains(slot) ?? false
    if isKnown { return }
    own?.append(slot)
    if count <= Self.searchedMax { return }
    if seen.isEmpty { seen = Set(slots) } else { seen.insert(slot) }
  }
}
