import EventLog
import OrderedCollections

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
  let node: Node?
  /// The event that led to this run; what is written meanwhile carries it.
  let cause: UInt64?
  let outer: Frame?
  /// What was read, in order, each with the last event before it was first read.
  var reads: OrderedDictionary<PathTable.ID, UInt64> = [:]
  var isTracking: Bool
  /// Nanoseconds spent in runs nested in this one.
  var nestedTime: UInt64 = 0
  var firstAppearances: [() -> Void] = []
  var visited: Set<ObjectIdentifier> = []

  init(engine: Engine, node: Node?, cause: UInt64?, isTracking: Bool) {
    self.engine = engine
    self.node = node
    self.cause = cause
    self.isTracking = isTracking
    self.outer = Frame.current
  }

  /// The innermost run on this thread.
  static var current: Frame? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<Frame>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs the body with this frame as the innermost.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    // The frame outlives its entry: the caller holds it for the length of this call.
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer { pthread_setspecific(Self.key, outer.map { Unmanaged.passUnretained($0).toOpaque() }) }
    return try body()
  }

  /// Notes that a place was read.
  func note(_ place: PathTable.ID) {
    if reads[place] == nil { reads[place] = engine.lock.withLock { engine.lastSeq } }
  }

  /// Runs the body without registering what it reads: the session itself looks.
  static func untracked<R>(_ body: () throws -> R) rethrows -> R {
    guard let frame = current, frame.isTracking else { return try body() }
    frame.isTracking = false
    defer { frame.isTracking = true }
    return try body()
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
