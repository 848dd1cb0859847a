import EventLog
import Invalidation

#if !canImport(Darwin)
  @_spi(SwiftUI) import Observation
#endif

/// What a run of a node has read of objects that are `@Observable` and not recorded.
///
/// Of what is followed the run depends by its reads, which are registered when it ends, like those of recorded objects. Only what no
/// followed property tells of stays observed: an object that is not followed, or a part of a property that is computed.
///
/// Guarded by the session's lock.
final class RunObservation: @unchecked Sendable {
  private(set) weak var node: Node?
  private let engine: Engine
  /// What of the reads must stay observed.
  private var others: Set<AnyKeyPath> = []
  /// Whether a followed property is computed from what was set last.
  private(set) var isExplained = false
  private var explained: Set<AnyKeyPath> = []
  private var isOver = false
  /// The number of sets under way that it was told of.
  private var open = 0

  init(_ node: Node, of engine: Engine) {
    self.node = node
    self.engine = engine
  }

  /// The node's rank in the order of creation.
  var order: UInt64 { node?.order ?? 0 }

  #if canImport(Darwin)
    func end() {}
  #else
    private var tracking: ObservationTracking?
    private var entries: AccessList.Entries = [:]

    /// Runs the body of the node, and finds out what it reads.
    func result<R, E: Error>(of body: () throws(E) -> R) -> Result<R, E> {
      let bell = Bell()
      let result = withObservationTracking {
        bell.hear()
        return Result { () throws(E) -> R in try body() }
      } willSet: { [self] tracking in
        begin(tracking)
      } didSet: { [self] tracking in
        end(tracking)
      }
      // No other observer hears it: those around have not begun.
      bell.ring()
      return result
    }

    private func begin(_ tracking: ObservationTracking) {
      let isDue = engine.withLock { _ in
        if self.tracking == nil, !isOver {
          // This is the bell, unless another thread was faster.
          (self.tracking, entries) = (tracking, AccessList(tracking)?.entries ?? [:])
        }
        guard !isOver, !engine.isClosed, let changed = tracking.changed, others.contains(changed) else {
          return false
        }
        open += 1
        return true
      }
      if isDue { engine.beginSet(ofReadBy: self) }
    }

    private func end(_ tracking: ObservationTracking) {
      let isDue = engine.withLock { _ in
        if open == 0 { return false }
        open -= 1
        if let changed = tracking.changed { isExplained = explained.contains(changed) }
        if isOver, open == 0 { tracking.cancel() }
        return true
      }
      if isDue { engine.endSet(ofReadBy: self) }
    }

    /// Ends the observation, but for sets that are under way.
    func end() {
      isOver = true
      if open == 0 { tracking?.cancel() }
      tracking = nil
    }

    /// The key paths that the run has read and of which followed objects did not know.
    func newKeyPaths(in followed: FollowedObjects) -> [(object: FollowedObject, keyPath: AnyKeyPath)] {
      entries.flatMap { registrar, entry in
        guard let object = followed.unnamed(registrar) else { return [(FollowedObject, AnyKeyPath)]() }
        return entry.properties.filter { object.storedProperty(at: $0) == nil }.map { (object, $0) }
      }
    }

    /// Finds what the run has read of followed objects, and keeps on observing the rest.
    ///
    /// - Returns: The followed properties, in an order that is the same in another run of the program.
    func settle(in followed: FollowedObjects) -> [SlotID] {
      var slots: Set<SlotID> = []
      for (registrar, entry) in entries {
        for property in entry.properties {
          if let slot = followed.slot(of: property, registrar) {
            slots.insert(slot)
            continue
          }
          let read = ObservedRead(object: registrar, property: property)
          if read.isOfSession { continue }
          others.insert(property)
          let computed = followed.computed(from: read)
          slots.formUnion(computed)
          if !computed.isEmpty { explained.insert(property) }
        }
      }
      entries = [:]
      // What a host observes itself it runs by itself.
      if others.isEmpty || node?.hosting != nil { end() }
      return slots.sorted()
    }
  #endif
}

#if !canImport(Darwin)
  extension Engine {
    /// Runs the body of a node, in its frame, and registers what it reads of followed objects.
    func observed<R, E: Error>(
      _ node: Node, _ frame: Frame, in followed: FollowedObjects, _ body: () throws(E) -> R
    ) throws(E) -> R {
      frame.hidesReads = frame.outer?.hidesReads == true || !OuterObserver.exists()
      let (observation, began) = (RunObservation(node, of: self), lastChange.seq)
      let result = observation.result(of: body)
      if followed.hasUnnamed { learn(withLock { _ in observation.newKeyPaths(in: followed) }) }
      withLock { state in
        node.otherReads?.end()
        node.otherReads = observation
        let slots = observation.settle(in: followed)
        node.readsFollowed = !slots.isEmpty
        if !slots.isEmpty { frame.add(slots, sinceChange: state.runs.hasNoChanges ? nil : began) }
      }
      return try result.get()
    }
  }
#endif
