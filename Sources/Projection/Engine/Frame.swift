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

/// One run of the app's code for a session: its reads so far, and its cause.
///
/// Reads and writes find the frame of the innermost run in a thread-local, because accessors have no other
/// context. A frame is used only by its own thread.
final class Frame {
  let engine: Engine
  /// The projection that runs; nil for a callback, whose reads are not tracked.
  ///
  /// It is unretained, because the code that runs the node retains the node and the outer frame.
  #if REPLAY_CHECKS
    private(set) unowned var node: Node?
    private(set) unowned var outer: Frame?
  #else
    @exclusivity(unchecked) private(set) unowned(unsafe) var node: Node?
    @exclusivity(unchecked) private(set) unowned(unsafe) var outer: Frame?
  #endif
  /// The event that caused this run; writes during the run carry it as their cause.
  @exclusivity(unchecked) private(set) var cause: UInt64?
  @exclusivity(unchecked) private(set) var reads: ReadList
  /// The last change at the time of the first read. Most runs see no later one.
  @exclusivity(unchecked) private var firstSeen: UInt64 = 0
  @exclusivity(unchecked) private var lastSeen: UInt64 = 0
  /// Each later change that a read saw: the number of slots read before it, and its seq; the earliest first.
  @exclusivity(unchecked) private var changesSeen: [(reads: Int, seq: UInt64)] = []
  @exclusivity(unchecked) var isTracking: Bool
  /// The reads of objects that the session does not record.
  @exclusivity(unchecked) var earlyReads: OrderedDictionary<EarlyRead.Key, EarlyRead> = [:]
  /// The properties that were read before their object was attached during the run.
  @exclusivity(unchecked) var slotsReadEarly: Set<SlotID> = []
  /// The followed properties that were read at some moment after an event, if anything has changed since.
  @exclusivity(unchecked) private var followedReads: (slots: Set<SlotID>, since: UInt64)?
  /// Whether another thread attached such an object, so that the value read may be older than the recorded
  /// one.
  @exclusivity(unchecked) var sawUnattached = false
  /// The recorded collections that the run has copied from a property or from another collection: the last
  /// one, and the earlier ones. Most runs copy at most one, which needs no set.
  @exclusivity(unchecked) private var lastTaken: SlotID?
  @exclusivity(unchecked) private var takenBefore: Set<SlotID> = []
  /// The nanoseconds spent in runs nested within this one.
  @exclusivity(unchecked) var nestedTime: UInt64 = 0
  /// The nanoseconds spent in comparing values, as far as they were measured; see ``ComparingTime``.
  @exclusivity(unchecked) var comparingTime: UInt64 = 0
  @exclusivity(unchecked) var firstAppearances: [() -> Void] = []
  /// The cleanups of the node's last run, which run before this one.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []
  @exclusivity(unchecked) var visited: Set<ObjectIdentifier> = []

  /// Whether the standard library is not told of reads of recorded objects: it observes the run for the session only, which knows
  /// these reads better. Otherwise each set of such an object would end the observation.
  @exclusivity(unchecked) var hidesReads = false
  /// The sample of this run, or of the nearest one around it; see ``UnfollowedReads``.
  @exclusivity(unchecked) var sample: ReadSample?

  init(engine: Engine, node: Node?, cause: UInt64?, isTracking: Bool, outer: Frame? = Frame.current) {
    self.engine = engine
    self.node = node
    self.cause = cause
    self.isTracking = isTracking
    self.outer = outer
    reads = ReadList(expecting: node?.lastReads ?? [])
    joinSample()
  }

  /// Resets a used frame for another run, which saves an allocation.
  func reuse(for node: Node, cause: UInt64?, outer: Frame?) {
    self.node = node
    self.cause = cause
    self.outer = outer
    reads.restart(expecting: node.lastReads)
    isTracking = true
    joinSample()
  }

  /// Takes part in the sample of the runs around this one, which counts it as not observed by itself so far.
  private func joinSample() {
    sample = outer?.sample
    if node != nil { sample?.unseenRuns += 1 }
  }

  /// Sets the cause of a run that had none.
  func setCause(_ seq: UInt64) { cause = seq }

  /// Releases what the run has collected.
  func clear() {
    reads.forgetOthers()
    (firstSeen, lastSeen, nestedTime, comparingTime, hidesReads) = (0, 0, 0, 0, false)
    changesSeen.removeEach()
    if followedReads != nil { followedReads = nil }
    if !firstAppearances.isEmpty { firstAppearances = [] }
    if !cleanups.isEmpty { cleanups = [] }
    if !visited.isEmpty { visited = [] }
    lastTaken = nil
    if !takenBefore.isEmpty { takenBefore = [] }
    if !earlyReads.isEmpty { (earlyReads, slotsReadEarly, sawUnattached) = ([:], [], false) }
  }

  /// Ends the run, so that a reference to the frame that the app has kept does not lead to the node.
  func end() {
    node = nil
    outer = nil
    sample = nil
  }

  /// The innermost run on this thread.
  @inline(__always)
  static var current: Frame? {
    guard running.load(ordering: .acquiring) > 0, let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<Frame>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Calls the body with the innermost run on this thread, if there is one, without retaining it.
  @inline(__always)
  static func withCurrent(_ body: (Frame) -> Void) {
    guard running.load(ordering: .acquiring) > 0, let pointer = pthread_getspecific(key) else { return }
    Unmanaged<Frame>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }

  /// Runs the body with this frame as the innermost one.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    // The caller holds the frame during this call, so the unretained pointer stays valid.
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    Self.running.add(1, ordering: .releasing)
    defer {
      Self.running.subtract(1, ordering: .relaxed)
      pthread_setspecific(Self.key, outer.map { Unmanaged.passUnretained($0).toOpaque() })
    }
    // A callback or a cleanup may read anything.
    return try node == nil && sample != nil ? aside(body) : body()
  }

  /// Runs the body with another cause of the innermost run on this thread, if that is the engine's.
  static func withCause<R>(_ seq: UInt64?, in engine: Engine, _ body: () throws -> R) rethrows -> R {
    guard let frame = current, frame.engine === engine else { return try body() }
    let own = frame.cause
    frame.cause = seq
    defer { frame.cause = own }
    return try body()
  }

  /// Registers a read of a property, if the run tracks reads.
  func register(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type) {
    guard isTracking else { return }
    guard let slot = link.slot(property, in: engine) else { return registerEarly(property, of: link, type()) }
    register(slot)
  }

  /// Registers that a recorded collection was read from a property. The collection registers reads of its
  /// elements itself, unless the session does not record the object.
  func registerCollection(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type)
  {
    guard isTracking else { return }
    guard let slot = link.slot(property, in: engine) else { return registerEarly(property, of: link, type()) }
    registerTaken(collectionAt: slot)
  }

  /// Registers that the run copied a recorded collection.
  func registerTaken(collectionAt slot: SlotID) {
    if slot == lastTaken { return }
    if let lastTaken { takenBefore.insert(lastTaken) }
    lastTaken = slot
  }

  private func hasTaken(_ collection: SlotID) -> Bool {
    collection == lastTaken || !takenBefore.isEmpty && takenBefore.contains(collection)
  }

  /// Registers a read of a slot within a recorded collection.
  ///
  /// If an outer run made the copy and passed it to this run, the outer run depends on the whole collection,
  /// because only it can make a new copy. This run alone would run again with the same old copy.
  func register(_ slot: SlotID, in collection: SlotID) {
    register(slot)
    if hasTaken(collection) { return }
    var next = outer
    while let run = next {
      if run.engine === engine, run.hasTaken(collection) { return run.register(collection) }
      next = run.outer
    }
  }

  /// Registers a read of each whole collection that a hosted projection copied without reading from it. Its
  /// host or a child's run reads the copy later, outside this frame.
  func registerHandedOn(in state: EngineState) {
    guard let lastTaken else { return }
    // The order must be the same in another run of the program.
    for collection in takenBefore.union([lastTaken]).sorted() {
      let property = state.core.property(of: collection)
      if !reads.slots.contains(where: { state.core.property(of: $0) == property }) { register(collection) }
    }
  }

  /// Registers a read of a slot.
  func register(_ slot: SlotID) {
    let seq = engine.lastChange.seq
    if seq != lastSeen { markSeen(seq) }
    reads.insert(slot)
  }

  /// Adds reads of followed objects.
  ///
  /// - Parameter began: The last change before the run, if there were others since: which of them a read has seen is not known.
  func add(_ slots: [SlotID], sinceChange began: UInt64? = nil) {
    for slot in slots { register(slot) }
    if let began { followedReads = (Set(slots), began) }
  }

  private func mayHaveReadFollowed(before seq: UInt64) -> Bool {
    followedReads.map { seq > $0.since } ?? false
  }

  private func markSeen(_ seq: UInt64) {
    lastSeen = seq
    if reads.count == 0 { firstSeen = seq } else { changesSeen.append((reads.count, seq)) }
  }

  /// Whether anything was read before the event.
  func mayHaveRead(before seq: UInt64) -> Bool {
    reads.count > 0 && firstSeen < seq || !slotsReadEarly.isEmpty || mayHaveReadFollowed(before: seq)
  }

  /// Whether something within the property was read before the event changed it.
  func hasRead(_ property: SlotID, before seq: UInt64, in state: EngineState) -> Bool {
    slotsReadEarly.contains(property)
      || mayHaveReadFollowed(before: seq) && followedReads?.slots.contains(property) == true
      || reads(before: seq).contains { state.core.property(of: $0) == property }
  }

  /// Whether anything of the object that has the property was read before the event.
  func hasRead(objectOf property: SlotID, before seq: UInt64, in state: EngineState) -> Bool {
    let object = state.core.object(of: property)
    return slotsReadEarly.contains { state.core.object(of: $0) == object }
      || mayHaveReadFollowed(before: seq)
        && followedReads?.slots.contains { state.core.object(of: $0) == object } == true
      || reads(before: seq).contains { state.core.object(of: $0) == object }
  }

  private func reads(before seq: UInt64) -> some Sequence<SlotID> {
    if firstSeen >= seq { return reads.slots.prefix(0) }
    return reads.slots.prefix(changesSeen.first { $0.seq >= seq }?.reads ?? reads.count)
  }

  /// Adds the reads of another frame.
  func addReads(of inner: Frame) {
    for slot in inner.reads.slots { register(slot) }
    for (key, read) in inner.earlyReads { earlyReads[key] = read }
  }

  /// Runs the body without registering what it reads, for reads by the session itself.
  static func untracked<R>(_ body: () throws -> R) rethrows -> R {
    guard let frame = current, frame.isTracking else { return try body() }
    frame.isTracking = false
    defer { frame.isTracking = true }
    return try body()
  }

  /// The number of runs on all threads. While it is 0, reads need not look up the thread's frame, and the key
  /// may not exist yet.
  private static let running = Atomic<Int>(0)

  /// The key of the thread-local. It is not a lazily initialized constant, because then each access would be
  /// a call.
  nonisolated(unsafe) private static var key: pthread_key_t = 0
  private static let hasKey = pthread_key_create(&key, nil) == 0

  /// Creates the key. It is called before the first frame is made, so a thread that sees a run also sees the
  /// key.
  static func prepare() { precondition(hasKey, "there is no thread-local left") }
}

/// The slots that one run has read, in the order of their first reads.
///
/// Most runs read the same slots as the last run, in the same order. As long as that is so, a read costs one
/// comparison.
struct ReadList {
  private var expected: [SlotID]
  /// The number of expected slots that were read, before any other slot.
  private var matched = 0
  /// The slots read, once they differ from the expected ones.
  private var own: [SlotID]?
  /// The same slots as a set, once there are too many to search.
  private var seen: Set<SlotID> = []

  private static let searchedMax = 8

  init(expecting expected: [SlotID]) { self.expected = expected }

  /// Empties the list.
  mutating func restart(expecting expected: [SlotID]) {
    self.expected = expected
    matched = 0
    forgetOthers()
  }

  /// Releases the list of slots that differs from the expected one. The expected list belongs to the node.
  mutating func forgetOthers() {
    guard own != nil else { return }
    own = nil
    if !seen.isEmpty { seen = [] }
  }

  /// Whether exactly the expected slots were read.
  var isAsExpected: Bool { own == nil && matched == expected.count }

  /// The slots, each once.
  var slots: ArraySlice<SlotID> { own.map { $0[...] } ?? expected[..<matched] }

  /// The slot that is read next if this run reads the same as the last.
  var next: SlotID? { own == nil && matched < expected.count ? expected[matched] : nil }

  /// The number of slots.
  var count: Int { own?.count ?? matched }

  /// The slots that were added to and dropped from a list of reads. Their order does not matter.
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
