import EventLog

#if !canImport(Darwin)
  @_spi(SwiftUI) import Observation
#endif

// A body may read an object that is `@Observable` but not recorded. No event says that it changes, so nothing runs
// then, and the projection shows old data while its log agrees with itself. To report that, a few runs are
// observed by means of the standard library, which lists what they have read (`AccessList`). That is
// public only to SwiftUI, and so not on Apple's systems, where nothing is reported.
//
// Observing a run takes some microseconds. The first run of each node may be observed, and then ever fewer, each after eight
// times as many runs as the one before; of nodes with one name, such as the rows of a list, the first four of these
// and then ever fewer. A session of nodes with ever new names observes a run per so many events.
//
// What a run within a sample reads is in the list of the outer one too. If the inner run is a sample itself, and where code is
// `untracked` or a callback, it is observed by itself and left out of the outer list. If not, the report says that the outer
// projection or one within it reads the object.

/// Which runs are observed, and the classes that were found.
struct UnfollowedReads {
  /// The number of runs of each group of nodes that might have been observed. That of the last group is in `last`.
  private var runs: [ExactString: Int] = [:]
  /// The group of which a run was counted last: the rows of a list run one after the other.
  private var last: (group: String, runs: Int)?
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
    if last.map({ name.isOfGroup($0.group) }) != true { turn(to: name.group) }
    guard let count = last?.runs else { return false }
    last?.runs = count + 1
    let isDue = count < Self.alwaysMax || count & (count - 1) == 0
    if isDue { observed += 1 }
    return isDue
  }

  /// Makes a group the last one; none, if there are too many groups.
  @inline(never)
  private mutating func turn(to group: String) {
    if let last { runs[ExactString(last.group)] = last.runs }
    last = nil
    guard let count = runs[group] ?? (runs.count < Self.groupsMax ? 0 : nil) else { return }
    runs[group] = count
    last = (group, count)
  }

  /// Whether to report a class: it was not reported yet.
  mutating func isNew(_ type: Any.Type) -> Bool { reported.insert(ObjectIdentifier(type)).inserted }
}

extension String {
  /// The name of the group of a node with this name: what comes before a `#`.
  fileprivate var group: String { utf8.firstIndex(of: 0x23).map { String(self[..<$0]) } ?? self }

  /// Whether that is the name of the group. Allocates nothing.
  fileprivate func isOfGroup(_ group: String) -> Bool {
    var rest = utf8.makeIterator()
    for byte in group.utf8 {
      if rest.next() != byte { return false }
    }
    let end = rest.next()
    return end == nil || end == 0x23
  }
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
    guard let followed = withLock({ isClosed ? nil : $0.followed }) else {
      node.runsToObserved = node.widenGap()
      return try sampledIfDue(node, frame, body)
    }
    node.runsToObserved = 1
    func sampled() throws(E) -> R {
      node.runsToSample -= 1
      if node.runsToSample > 0 { return try body() }
      node.runsToSample = node.widenGap()
      return try sampledIfDue(node, frame, body)
    }
    #if !canImport(Darwin)
      if followed.way == .exact { return try observed(node, frame, in: followed, sampled) }
    #endif
    return try trackedReader(of: node).observe(frame, sampled)
  }

  /// Runs the body of a node, and if the run is a sample that reads an object which is `@Observable` but neither recorded nor
  /// followed, reports that.
  private func sampledIfDue<R, E: Error>(
    _ node: Node, _ frame: Frame, _ body: () throws(E) -> R
  ) throws(E) -> R {
    #if canImport(Darwin)
      return try body()
    #else
      let isDue = withLock { $0.unfollowedReads.isDue(node.name, events: $0.recorder.lastSeq) }
      return try isDue ? sampled(node, frame, body) : body()
    #endif
  }

  #if !canImport(Darwin)
    /// This is a function of its own, because it looks up the type of the body's result.
    @inline(never)
    private func sampled<R, E: Error>(
      _ node: Node, _ frame: Frame, _ body: () throws(E) -> R
    ) throws(E) -> R {
      // A host that observes its runs follows such objects itself.
      let isObserved = frame.isObservedByApp
      if isObserved, node.hosting != nil { return try body() }
      let (sample, around, observed) = (
        ReadSample(isObservedByApp: isObserved), frame.sample, ObservedReads()
      )
      around?.unseenRuns -= 1
      frame.sample = sample
      let result = observed.result(of: body, in: frame)
      frame.sample = around
      around?.leaveOut(observed.reads)
      report(unfollowed: sample.types(in: observed.reads), by: node, isAlone: sample.unseenRuns == 0)
      return try result.get()
    }

    private func report(unfollowed types: [Any.Type], by node: Node, isAlone: Bool) {
      if types.isEmpty { return }
      let name = node.name.prefix { $0 != "#" }
      withLock { state in
        // A run for the object's next change need not be reported, too.
        if let followed = state.followed, types.contains(where: { !followed.follows($0) }) {
          _ = followed.isNew(name)
        }
        for type in types where state.followed?.follows(type) != true && state.unfollowedReads.isNew(type) {
          let reported = ReportedDiagnostic(
            reader: String(name), isAlone: isAlone, ofUnfollowed: "\(type)",
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
  /// Whether the app observes what this run reads.
  fileprivate var isObservedByApp: Bool {
    if hidesReads { return false }
    return sample.map { $0.lookForObserver() } ?? OuterObserver.exists()
  }

  /// Runs code on whose reads the runs around it do not depend, so that a sample of these leaves them out.
  func aside<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    #if canImport(Darwin)
      return try body()
    #else
      guard let sample, sample.mayLeaveOut() else { return try body() }
      _ = isObservedByApp
      let observed = ObservedReads()
      let result = observed.result(of: body, in: self)
      sample.leaveOut(observed.reads)
      return try result.get()
    #endif
  }
}

/// The sample of a run, until the run ends.
final class ReadSample {
  /// The number of runs within it that are not observed by themselves.
  var unseenRuns = 0
  /// What was read within it on which the run itself does not depend, or which another sample has found. What the run itself
  /// has read as well cannot be told apart.
  private var aside: Set<ObservedRead> = []
  private var asides = 0

  /// Whether the app observes the run, or some code within it.
  private var isObservedByApp: Bool
  private let mark = OuterObserver.newMark()

  /// Each is an observation of its own, so the sample of a run with more finds nothing.
  private static let asidesMax = 64

  init(isObservedByApp: Bool) { self.isObservedByApp = isObservedByApp }

  /// Whether the app observes the present code. Once it has observed some, its observations are not told from the sample's.
  func lookForObserver() -> Bool {
    isObservedByApp = isObservedByApp || OuterObserver.mark(mark)
    return isObservedByApp
  }

  /// Marks that an observation of the sample has begun.
  func begin() {
    if !isObservedByApp { OuterObserver.mark(mark) }
  }

  /// Counts code that is to be left out, and returns whether that can still be observed.
  func mayLeaveOut() -> Bool {
    asides += 1
    return asides <= Self.asidesMax
  }

  /// Leaves out what was read by code within the run.
  func leaveOut(_ reads: Set<ObservedRead>) { aside.formUnion(reads) }

  /// The classes whose properties the run itself has read, sorted by name.
  func types(in reads: Set<ObservedRead>) -> [Any.Type] {
    if asides > Self.asidesMax { return [] }
    var types: [ObjectIdentifier: Any.Type] = [:]
    for read in reads.subtracting(aside) { types[ObjectIdentifier(read.type)] = read.type }
    return types.values.sorted { "\($0)" < "\($1)" }
  }
}

/// A read of a property of an object that is `@Observable` and not recorded.
struct ObservedRead: Hashable {
  let object: ObjectIdentifier
  let property: AnyKeyPath

  var type: Any.Type { Swift.type(of: property).rootType }

  /// Whether the session knows of it in another way: it is of a recorded object, or of one of the session's own.
  var isOfSession: Bool {
    let type = type
    return type == Bell.self || type is any RecordedObject.Type || type is any ObservationProbe.Type
  }
}

#if !canImport(Darwin)
  /// What the standard library notes that some code reads.
  private final class ObservedReads: Sendable {
    private let found = Lock<Set<ObservedRead>>([])

    /// The reads, once the code has run.
    var reads: Set<ObservedRead> { found.withLock { $0 } }

    /// Runs the code, and finds out what it reads. Observers of the app around it or in it are not affected, and the log has
    /// the duration of the code alone.
    func result<R, E: Error>(of body: () throws(E) -> R, in frame: Frame) -> Result<R, E> {
      let bell = Bell()
      let began = TickClock.now()
      let (result, duration) = withObservationTracking(
        { () -> (Result<R, E>, UInt64) in
          bell.hear()
          frame.sample?.begin()
          let began = TickClock.now()
          let result = Result { () throws(E) -> R in try body() }
          return (result, TickClock.now() &- began)
        },
        willSet: { [found] tracking in
          tracking.cancel()
          let reads = Self.reads(in: tracking)
          found.withLock { $0 = reads }
        })
      bell.ring()
      let elapsed = TickClock.now() &- began
      frame.nestedTime += elapsed - min(elapsed, duration)
      return result
    }

    /// What is noted of objects that are not recorded. If a later standard library notes it elsewhere, there is nothing.
    private static func reads(in tracking: ObservationTracking) -> Set<ObservedRead> {
      var reads: Set<ObservedRead> = []
      for (object, entry) in AccessList(tracking)?.entries ?? [:] {
        for property in entry.properties {
          let read = ObservedRead(object: object, property: property)
          if !read.isOfSession { reads.insert(read) }
        }
      }
      return reads
    }
  }
#endif
