import EventLog

#if !canImport(Darwin)
  @_spi(SwiftUI) import Observation
#endif

// A body may read an object that is `@Observable` but not recorded. No event says that it changes, so nothing runs
// then, and the projection shows old data while its log agrees with itself. To report that, a few runs are
// observed by means of the standard library, whose list of what they have read is looked up by reflection. It is
// public only to SwiftUI, and so not on Apple's systems, where nothing is reported.
//
// Observing a run takes some 20 us. The first run of each node may be observed, and then ever fewer, each after eight
// times as many runs as the one before; of nodes with one name, such as the rows of a list, the first four of these
// and then ever fewer. A session of nodes with ever new names observes a run per so many events.

/// Which runs are observed, and the classes that were found.
struct UnfollowedReads {
  /// The number of runs of each group of nodes that might have been observed.
  private var runs: [Substring: Int] = [:]
  /// The number of observed runs.
  private var observed: UInt64 = 0
  private var reported: Set<ObjectIdentifier> = []

  /// The number of runs of a group that are all observed.
  private static let alwaysMax = 4
  private static let groupsMax = 4_096
  /// The number of runs that are observed in any session, and the number of events for each one more.
  private static let runsMin: UInt64 = 64
  private static let eventsPerRun: UInt64 = 2_048

  /// Counts a run, and returns whether to observe it.
  ///
  /// - Parameters:
  ///   - name: The name of the node. Up to a `#` it is that of its group.
  ///   - events: The number of events so far.
  mutating func isDue(_ name: String, events: UInt64) -> Bool {
    if observed >= Self.runsMin + events / Self.eventsPerRun { return false }
    let group = name.prefix { $0 != "#" }
    guard let count = runs[group] ?? (runs.count < Self.groupsMax ? 0 : nil) else { return false }
    runs[group] = count + 1
    let isDue = count < Self.alwaysMax || count & (count - 1) == 0
    if isDue { observed += 1 }
    return isDue
  }

  /// Whether to report a class: it was not reported yet.
  mutating func isNew(_ type: Any.Type) -> Bool { reported.insert(ObjectIdentifier(type)).inserted }
}

extension Engine {
  /// Counts a run of a node, and returns whether it is one of those that may be observed.
  @inline(__always)
  func mayObserve(_ node: Node) -> Bool {
    node.runsToObserved &-= 1
    return node.runsToObserved == 0
  }

  /// Runs the body of a node that may be observed. In a session that follows objects, these are all runs.
  @inline(never)
  func observedIfDue<R, E: Error>(
    _ node: Node, _ frame: Frame, _ body: () throws(E) -> R
  ) throws(E) -> R {
    guard let reader = trackedReader(of: node) else {
      node.runsToObserved = node.widenGap()
      return try sampledIfDue(node, frame, body)
    }
    node.runsToObserved = 1
    return try reader.observe(frame) { () throws(E) -> R in
      try reader.isSampleDue() ? sampledIfDue(node, frame, body) : body()
    }
  }

  /// Runs the body of a node, and if the run is a sample that reads an object which is `@Observable` but neither recorded nor
  /// followed, reports that.
  private func sampledIfDue<R, E: Error>(
    _ node: Node, _ frame: Frame, _ body: () throws(E) -> R
  ) throws(E) -> R {
    #if canImport(Darwin)
      return try body()
    #else
      guard withLock({ $0.unfollowedReads.isDue(node.name, events: $0.recorder.lastSeq) }),
        // A host that observes its runs follows such objects itself.
        node.hosting == nil || !OuterObserver.exists()
      else { return try body() }
      let run = ObservedRun()
      let began = TickClock.now()
      let (result, duration) = run.result(of: body)
      if !frame.readsAside { report(unfollowed: run.types, by: node) }
      // The log has the duration of the body alone.
      let elapsed = TickClock.now() &- began
      frame.nestedTime += elapsed - min(elapsed, duration)
      return try result.get()
    #endif
  }

  #if !canImport(Darwin)
    private func report(unfollowed types: [Any.Type], by node: Node) {
      if types.isEmpty { return }
      let name = node.name.prefix { $0 != "#" }
      withLock { state in
        // A run for the object's next change need not be reported, too.
        if let followed = state.followed, types.contains(where: { !followed.follows($0) }) {
          _ = followed.isNew(name)
        }
        for type in types where state.followed?.follows(type) != true && state.unfollowedReads.isNew(type) {
          let reported = ReportedDiagnostic(
            reader: String(name), ofUnfollowed: "\(type)",
            runsAgain: state.followed != nil && node.hosting == nil)
          state.report(reported.message)
        }
      }
    }
  #endif
}

extension Node {
  /// The number of runs until the next sample, which is eight times as many as the last time.
  func widenGap() -> UInt32 {
    observedGap = min(max(observedGap, 1) * 8, 1 << 28)
    return observedGap
  }
}

extension Frame {
  /// Records that the app reads something on which neither this run nor the runs around it depend, so that an
  /// observation of these runs shows too much.
  func markReadsAside() {
    readsAside = true
    outer?.markReadsAside()
  }
}

#if !canImport(Darwin)
  /// A run that is observed: what the standard library notes that the run reads.
  private final class ObservedRun: Sendable {
    private let found = Lock<[Any.Type]>([])

    /// The classes whose properties the run has read, sorted by name, without recorded ones.
    var types: [Any.Type] { found.withLock { $0 } }

    /// Runs the body, and finds out what it reads. Observers of the app around it or in it are not affected.
    ///
    /// - Returns: The result of the body, and its duration in nanoseconds.
    func result<R, E: Error>(of body: () throws(E) -> R) -> (result: Result<R, E>, duration: UInt64) {
      let bell = Bell()
      let result = withObservationTracking(
        { () -> (Result<R, E>, UInt64) in
          bell.hear()
          let began = TickClock.now()
          do throws(E) {
            let output = try body()
            return (.success(output), TickClock.now() &- began)
          } catch {
            return (.failure(error), TickClock.now() &- began)
          }
        },
        willSet: { [found] tracking in
          tracking.cancel()
          let types = Self.types(in: tracking)
          found.withLock { $0 = types }
        })
      bell.ring()
      return result
    }

    /// The classes in `tracking.list.entries[*].properties`. If a later standard library keeps them elsewhere,
    /// there are none.
    private static func types(in tracking: ObservationTracking) -> [Any.Type] {
      guard let list = part("list", of: tracking), let entries = part("entries", of: list) else { return [] }
      var types: [ObjectIdentifier: Any.Type] = [:]
      for entry in Mirror(reflecting: entries).children {
        guard let entry = part("value", of: entry.value),
          let keyPaths = part("properties", of: entry) as? Set<AnyKeyPath>
        else { continue }
        for keyPath in keyPaths {
          let type = Swift.type(of: keyPath).rootType
          if type is any RecordedObject.Type || type == Bell.self { continue }
          types[ObjectIdentifier(type)] = type
        }
      }
      return types.values.sorted { "\($0)" < "\($1)" }
    }

    /// A stored part of a value, in an optional or not.
    private static func part(_ name: String, of value: Any) -> Any? {
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional {
        return mirror.children.first.flatMap { part(name, of: $0.value) }
      }
      return mirror.children.first { $0.label == name }?.value
    }
  }
#endif
