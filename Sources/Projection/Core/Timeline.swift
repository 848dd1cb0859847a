import EventLog

/// One line of the invalidation timeline: a projection that was found out of date.
package struct Invalidation: Hashable, Sendable {
  /// The event, or the end of the outermost transaction, that completed the change.
  package var seq: UInt64
  package var projection: String
  /// The events that changed what the projection read.
  package var causes: [UInt64]
  /// The root of the cause chain of `seq`: itself when nothing caused it.
  package var cascade: UInt64
  /// How many causes lead from `seq` back to the root.
  package var depth: Int

  package init(seq: UInt64, projection: String, causes: [UInt64], cascade: UInt64, depth: Int) {
    self.seq = seq
    self.projection = projection
    self.causes = causes
    self.cascade = cascade
    self.depth = depth
  }
}

/// The invalidation core driven by a log: events in, timeline out.
package struct Timeline: Sendable {
  private var core: InvalidationCore
  private var projections: [String: InvalidationCore.ProjectionID] = [:]
  private var names: [InvalidationCore.ProjectionID: String] = [:]
  private var chains = CauseChains()
  private var routes: [InvalidationCore.Route] = []
  private var routeIDs: [Path: Int] = [:]
  private static let routesMax = 1 << 16

  /// Starts before the first event.
  package init() { core = InvalidationCore() }

  /// Starts behind some event, with the state and the projections that there were.
  package init(resuming fold: StateFold) {
    var fold = fold
    core = InvalidationCore(fold.state)
    for event in fold.projections.asEvents() {
      if case .projection(let name, _, let tracking) = event { add(name, tracking) }
      if case .reads(let name, let paths) = event, let projection = projections[name] {
        core.setReads(paths, of: projection)
      }
    }
    for _ in 0..<fold.openTransactions { core.begin() }
  }

  /// The state after the events applied so far.
  package var state: State { core.state }

  /// The first event in the chain of causes that led to this one, as far back as it is remembered, and how many
  /// steps away it is.
  package func root(of seq: UInt64) -> (seq: UInt64, depth: Int) { chains.root(of: seq) }

  /// A number for a path that is written to, by which ``apply(_:route:)`` finds what it knows of it; nil when there
  /// are too many. Cost: one hash.
  package mutating func route(of path: Path) -> Int? {
    if let id = routeIDs[path] { return id }
    guard routes.count < Self.routesMax else { return nil }
    routes.append(InvalidationCore.Route(path))
    routeIDs[path] = routes.count - 1
    return routes.count - 1
  }

  /// Applies the next event and returns what it invalidated, in order of creation. The route is that of
  /// the path which the event sets; knowing it saves finding it.
  package mutating func apply(
    _ event: Event, route: Int? = nil
  ) throws(StateError) -> [Invalidation] {
    if let cause = event.cause {
      guard cause < event.seq else {
        throw StateError(nil, "the cause \(cause) does not come before the event")
      }
      chains.note(event.seq, causedBy: cause)
    }
    let hits: [InvalidationCore.Hit]
    switch event.body {
    case .set(let path, let value, let sameValue):
      if let route = route ?? self.route(of: path) {
        hits = try core.set(&routes[route], to: value, sameValue: sameValue, seq: event.seq)
      } else {
        hits = try core.apply(event.body, seq: event.seq)
      }
    case .splice, .remove: hits = try core.apply(event.body, seq: event.seq)
    case .begin:
      core.begin()
      hits = []
    case .end: hits = try core.end()
    case .projection(let name, _, let tracking):
      guard projections[name] == nil else {
        throw StateError(nil, "the projection \(name) exists already; dispose it first")
      }
      add(name, tracking)
      hits = []
    case .reads(let name, let paths):
      core.setReads(paths, of: projections[name] ?? add(name, .element))
      hits = []
    case .evaluate(let name, _, _):
      core.noteEvaluation(of: projections[name] ?? add(name, .element))
      hits = []
    case .dispose(let name):
      guard let projection = projections.removeValue(forKey: name) else {
        throw StateError(nil, "there is no projection \(name) to dispose")
      }
      names[projection] = nil
      core.removeProjection(projection)
      hits = []
    case .invalidate, .mark: hits = []
    }
    if hits.isEmpty { return [] }
    let (cascade, depth) = chains.root(of: event.seq)
    return hits.compactMap { hit in
      names[hit.projection].map {
        Invalidation(seq: event.seq, projection: $0, causes: hit.causes, cascade: cascade, depth: depth)
      }
    }
  }

  @discardableResult
  private mutating func add(_ name: String, _ tracking: Tracking) -> InvalidationCore.ProjectionID {
    let projection = core.addProjection(tracking: tracking)
    projections[name] = projection
    names[projection] = name
    return projection
  }
}

/// The root of every event's cause chain. Only caused events take memory, and only the latest half million of them:
/// an event whose cause is longer ago begins a chain of its own.
struct CauseChains: Sendable {
  private struct Link: Sendable {
    var root: UInt64
    var depth: Int
  }

  private var links = RecentEntries<Link>(keeping: 1 << 18)

  /// Notes that one event led to another. Causes come before effects.
  mutating func note(_ seq: UInt64, causedBy cause: UInt64) {
    let (root, depth) = root(of: cause)
    links[seq] = Link(root: root, depth: depth + 1)
  }

  /// The first event in the chain that led to this one, and how many steps away it is.
  func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    links[seq].map { ($0.root, $0.depth) } ?? (seq, 0)
  }
}
