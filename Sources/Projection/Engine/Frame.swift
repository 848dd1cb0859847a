import EventLog
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
/// The frame of the innermost run is found through the current thread, as reads and writes have no other
/// way to know whom they belong to. A frame is used by its own thread only.
final class Frame {
  let engine: Engine
  /// The projection that runs, or nil for a callback, which depends on nothing it reads.
  ///
  /// Whoever runs it holds it, and the frame outside this one.
  @exclusivity(unchecked) private(set) unowned(unsafe) var node: Node?
  /// The event that led to this run; what is written meanwhile carries it.
  @exclusivity(unchecked) private(set) var cause: UInt64?
  @exclusivity(unchecked) private(set) unowned(unsafe) var outer: Frame?
  @exclusivity(unchecked) private(set) var reads: ReadList
  /// The last change when the first place was read; most runs see no later one.
  @exclusivity(unchecked) private var firstSeen: UInt64 = 0
  @exclusivity(unchecked) private var lastSeen: UInt64 = 0
  /// How many places had been read when a later change was first seen, and its seq; the earliest first.
  @exclusivity(unchecked) private var changesSeen: [(reads: Int, seq: UInt64)] = []
  @exclusivity(unchecked) var isTracking: Bool
  /// What was read of objects that the session does not record.
  @exclusivity(unchecked) var earlyReads: OrderedDictionary<EarlyRead.Key, EarlyRead> = [:]
  /// The properties that were read before their object was attached, which it was when the run ended.
  @exclusivity(unchecked) var placesReadEarly: Set<PathTable.ID> = []
  /// Whether another thread attached such an object: what was read may be older than what was recorded.
  @exclusivity(unchecked) var sawUnattached = false
  /// The recorded collections that the run took out of a property, or out of another collection.
  @exclusivity(unchecked) private var taken: Set<PathTable.ID> = []
  @exclusivity(unchecked) private var lastTaken: PathTable.ID?
  /// Nanoseconds spent in runs nested in this one.
  @exclusivity(unchecked) var nestedTime: UInt64 = 0
  @exclusivity(unchecked) var firstAppearances: [() -> Void] = []
  /// What the body of the last run wants done before this one.
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

  /// Makes a frame that has served ready for another run, which spares the making of one.
  func reuse(for node: Node, cause: UInt64?, outer: Frame?) {
    self.node = node
    self.cause = cause
    self.outer = outer
    reads.restart(expecting: node.lastReads)
    isTracking = true
  }

  /// Lets go of what a run has left.
  func clear() {
    reads.restart(expecting: [])
    (firstSeen, lastSeen, nestedTime) = (0, 0, 0)
    if !changesSeen.isEmpty { changesSeen = [] }
    if !firstAppearances.isEmpty { firstAppearances = [] }
    if !cleanups.isEmpty { cleanups = [] }
    if !visited.isEmpty { visited = [] }
    if lastTaken != nil { (taken, lastTaken) = ([], nil) }
    if !earlyReads.isEmpty { (earlyReads, placesReadEarly, sawUnattached) = ([:], [], false) }
  }

  /// Notes that the run is over: who has kept the frame finds nobody in it.
  func end() {
    node = nil
    outer = nil
  }

  /// The innermost run on this thread.
  @inline(__always)
  static var current: Frame? {
    guard running.load(ordering: .relaxed) > 0, let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<Frame>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs the body with this frame as the innermost.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    // The frame outlives its entry: the caller holds it for the length of this call.
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    Self.running.add(1, ordering: .relaxed)
    defer {
      Self.running.subtract(1, ordering: .relaxed)
      pthread_setspecific(Self.key, outer.map { Unmanaged.passUnretained($0).toOpaque() })
    }
    return try body()
  }

  /// Notes that a property was read, if the run depends on it.
  func note(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type) {
    guard isTracking else { return }
    guard let attachment = link.attachment, attachment.engine === engine else {
      return noteEarly(property, of: link, type())
    }
    note(attachment.places[property])
  }

  /// Notes that a recorded collection was taken out of a property. It registers itself what is read of it, unless the
  /// session does not record the object.
  func noteCollection(_ property: Int, of link: Link, _ type: @autoclosure () -> any RecordedObject.Type) {
    guard isTracking else { return }
    guard let attachment = link.attachment, attachment.engine === engine else {
      return noteEarly(property, of: link, type())
    }
    noteTaken(collectionAt: attachment.places[property])
  }

  /// Notes that the run took a copy of a recorded collection.
  func noteTaken(collectionAt place: PathTable.ID) {
    if place == lastTaken { return }
    lastTaken = place
    taken.insert(place)
  }

  /// Notes that a place in a recorded collection was read.
  ///
  /// A copy that an outer run took and handed in is made anew by that run alone, so that run follows all of it: else
  /// this one would run again with the same old copy.
  func note(_ place: PathTable.ID, in collection: PathTable.ID) {
    note(place)
    if collection == lastTaken || taken.contains(collection) { return }
    var next = outer
    while let run = next {
      if run.engine === engine, run.taken.contains(collection) { return run.note(collection) }
      next = run.outer
    }
  }

  /// Notes that a place was read.
  func note(_ place: PathTable.ID) {
    let seq = engine.lastChange.load(ordering: .acquiring)
    if seq != lastSeen { noteSeen(seq) }
    reads.insert(place)
  }

  private func noteSeen(_ seq: UInt64) {
    lastSeen = seq
    if reads.count == 0 { firstSeen = seq } else { changesSeen.append((reads.count, seq)) }
  }

  /// Whether anything at all was read before the event.
  func mayHaveRead(before seq: UInt64) -> Bool {
    reads.count > 0 && firstSeen < seq || !placesReadEarly.isEmpty
  }

  /// Whether a place of the property was read before the event changed it.
  func hasRead(_ property: PathTable.ID, before seq: UInt64) -> Bool {
    placesReadEarly.contains(property)
      || reads(before: seq).contains { engine.places.property(of: $0) == property }
  }

  /// Whether anything of the object that has the property was read before the event.
  func hasRead(objectOf property: PathTable.ID, before seq: UInt64) -> Bool {
    let object = engine.places.object(of: property)
    return placesReadEarly.contains { engine.places.object(of: $0) == object }
      || reads(before: seq).contains { engine.places.object(of: $0) == object }
  }

  private func reads(before seq: UInt64) -> some Sequence<PathTable.ID> {
    if firstSeen >= seq { return reads.places.prefix(0) }
    return reads.places.prefix(changesSeen.first { $0.seq >= seq }?.reads ?? reads.count)
  }

  /// Counts as read what was read in another frame.
  func take(_ inner: Frame) {
    for place in inner.reads.places { note(place) }
    for (key, read) in inner.earlyReads { earlyReads[key] = read }
  }

  /// Runs the body without registering what it reads: the session itself looks.
  static func untracked<R>(_ body: () throws -> R) rethrows -> R {
    guard let frame = current, frame.isTracking else { return try body() }
    frame.isTracking = false
    defer { frame.isTracking = true }
    return try body()
  }

  /// How many runs there are on any thread: while there are none, a read need not ask for its own.
  private static let running = Atomic<Int>(0)

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}

/// The places that one run has read, in the order of first reads.
///
/// Most runs read what the last one did, in the same order: as long as that holds, a read costs a comparison.
struct ReadList {
  private var expected: [PathTable.ID]
  /// How many of the expected were read so far, while nothing else was.
  private var matched = 0
  /// What was read, once it is not what was expected.
  private var own: [PathTable.ID]?
  private var seen: Set<PathTable.ID> = []

  init(expecting expected: [PathTable.ID]) { self.expected = expected }

  /// Begins anew.
  mutating func restart(expecting expected: [PathTable.ID]) {
    self.expected = expected
    matched = 0
    guard own != nil else { return }
    own = nil
    seen = []
  }

  /// Whether everything was read that was expected, and nothing else.
  var isAsExpected: Bool { own == nil && matched == expected.count }

  /// The places, each once.
  var places: ArraySlice<PathTable.ID> { own.map { $0[...] } ?? expected[..<matched] }

  /// How many there are.
  var count: Int { own?.count ?? matched }

  mutating func insert(_ place: PathTable.ID) {
    if own == nil {
      if matched < expected.count, expected[matched] == place {
        matched += 1
        return
      }
      if matched > 0, expected[matched - 1] == place { return }
      own = Array(expected[..<matched])
      seen = Set(expected[..<matched])
    }
    if seen.insert(place).inserted { own?.append(place) }
  }
}
