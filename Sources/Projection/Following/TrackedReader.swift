import EventLog
import Invalidation
import Observation

/// What the standard library tells of one node's reads of objects that the session follows.
///
/// A run is observed as a whole, so a notice says only that something changed which the run has read. Of what is followed, that is
/// what was announced beside it; see ``Notices``. Guarded by the session's lock.
final class TrackedReader: @unchecked Sendable {
  private(set) weak var node: Node?
  private let engine: Engine
  /// The number of the last observed run.
  private(set) var run: UInt64 = 0
  /// Whether that run is still observed: the standard library gives one notice only.
  private(set) var isObserved = false
  /// The followed properties that it is known to have read.
  var learned: [SlotID] = []
  /// The observations of earlier runs that have not ended.
  private var leftOver = 0
  /// The number of runs since the last notice.
  private var awaited = 0
  private var bell = Bell()

  /// After so many they are ended.
  private static let leftOverMax = 128

  init(_ node: Node, of engine: Engine) {
    self.node = node
    self.engine = engine
  }

  /// The node's rank in the order of creation.
  var order: UInt64 { node?.order ?? 0 }

  /// Runs the body of the node, in its frame, and observes what it reads.
  func observe<R, E: Error>(_ frame: Frame, _ body: () throws(E) -> R) throws(E) -> R {
    frame.hidesReads = frame.outer?.hidesReads == true || !OuterObserver.exists()
    // A host that observes its runs must not hear the bell, which would make it run them again. Its runs are observed as long as
    // no notice is awaited, and otherwise ever more rarely: the host itself follows what they read.
    let isObservedByHost = !frame.hidesReads && frame.node?.hosting != nil
    guard let number = engine.withLock({ begin(isObservedByHost, in: $0) }) else { return try body() }
    // Usually no observation is left over, and this one will end by its notice.
    let bell = isObservedByHost || leftOver == 0 ? nil : bell
    return try withObservationTracking { () -> Result<R, E> in
      bell?.hear()
      return Result { () throws(E) -> R in try body() }
    } onChange: { [self] in
      engine.notice(of: self, run: number)
    }.get()
  }

  /// Counts a run that begins; returns nil if it is not observed.
  private func begin(_ isObservedByHost: Bool, in state: EngineState) -> UInt64? {
    if isObserved {
      awaited += 1
      if isObservedByHost, awaited & (awaited - 1) != 0 { return nil }
      leftOver += 1
    } else {
      awaited = 0
    }
    if !isObservedByHost, leftOver > Self.leftOverMax {
      leftOver = 0
      let old = bell
      bell = Bell()
      state.followed?.withoutNotices { old.ring() }
    }
    run += 1
    isObserved = true
    return run
  }

  /// The actor on which it was told of a change first; nil if it was told of none, or on none.
  private var actor: ObjectIdentifier?

  /// Whether it may have been told of a change on an actor; nil for an object of no actor, which any may use.
  func runs(on actor: ObjectIdentifier?) -> Bool { actor == nil || self.actor == nil || actor == self.actor }

  /// Marks the first actor of what it has read.
  func markActor(_ actor: ObjectIdentifier?) { self.actor = self.actor ?? actor }

  /// Ends all observations, once the node has ended.
  func end(in state: EngineState) {
    isObserved = false
    if !learned.isEmpty { state.followed?.forget(reader: self) }
    state.followed?.withoutNotices { bell.ring() }
  }

  /// Marks that the observation of a run has ended.
  func markEnd(ofRun number: UInt64) {
    if number == run { isObserved = false } else if leftOver > 0 { leftOver -= 1 }
  }
}
