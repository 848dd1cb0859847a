import EventLog

/// One line of the invalidation timeline: a projection that went out of date.
package struct TimelineLine: Hashable, Sendable {
  /// The event, or the end of the outermost transaction, that completed the change.
  package var seq: UInt64
  package var projection: String
  /// The events that changed what the projection read.
  package var causes: [UInt64]
  /// The root of the cause chain of `seq`: `seq` itself if it has no cause.
  package var cascade: UInt64
  /// The number of causes from `seq` back to the root.
  package var depth: Int

  package init(seq: UInt64, projection: String, causes: [UInt64], cascade: UInt64, depth: Int) {
    self.seq = seq
    self.projection = projection
    self.causes = causes
    self.cascade = cascade
    self.depth = depth
  }

  /// Whether both are equal; names are compared byte for byte.
  package static func == (a: TimelineLine, b: TimelineLine) -> Bool {
    a.seq == b.seq && a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
      && a.cascade == b.cascade && a.depth == b.depth
  }
}

/// The invalidation core driven by a log: events in, timeline out.
package struct Timeline: ~Copyable, Sendable {
  private var timeline: LogTimeline
  private var tables = RunTables(pathsMax: 1 << 16)

  /// Starts before the first event.
  package init() { timeline = LogTimeline() }

  /// Starts after some event, with the state and the projections at that event.
  package init(resuming fold: StateFold) {
    timeline = LogTimeline(resuming: fold, &tables)
  }

  /// The state after the events applied so far.
  package var state: State { timeline.state }

  /// The first event of the cause chain that led to this event, as far back as is remembered, and the number
  /// of steps to it.
  package mutating func root(of seq: UInt64) -> (seq: UInt64, depth: Int) { timeline.root(of: seq) }

  /// Applies the next event and returns what it invalidated, in order of creation.
  package mutating func apply(_ event: Event) throws(StateError) -> [TimelineLine] {
    tables.startOverIfFull()
    tables.giveBackProjections()
    if event.body.kind != .invalidate, let name = event.body.projectionName {
      tables.apply(event.body.kind, of: tables.id(ofProjection: name), at: event.seq)
    }
    try timeline.advance(to: event.seq, cause: event.cause ?? 0, on: event.origin?.strand ?? 0)
    switch event.body {
    case .set(let path, let value, let sameValue):
      let id = tables.id(of: path)
      if !timeline.set(id, to: value, sameValue: sameValue, seq: event.seq) {
        try timeline.set(id, at: path, to: value, sameValue: sameValue, seq: event.seq, tables)
      }
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      try timeline.splice(
        tables.id(of: path), at: path, offset: offset, delete: delete, insert: insert, sameValue: sameValue,
        seq: event.seq, tables)
    case .remove: try timeline.apply(event.body, seq: event.seq)
    case .begin: timeline.begin()
    case .end: try timeline.end()
    case .projection(let name, _, let tracking):
      guard timeline.addProjection(tables.id(ofProjection: name), tracking: tracking) else {
        throw StateError(nil, "the projection \(name) exists already; dispose it first")
      }
    case .reads(let name, .paths(let paths)): timeline.setReads(paths, of: tables.id(ofProjection: name))
    case .reads(let name, .change(let added, let dropped)):
      let (added, dropped) = (added.map { tables.id(of: $0) }, dropped.map { tables.id(of: $0) })
      timeline.changeReads(added: added, dropped: dropped, of: tables.id(ofProjection: name), tables)
    case .evaluate(let name, _, _, _, _): timeline.markEvaluation(of: tables.id(ofProjection: name))
    case .dispose(let name):
      guard timeline.removeProjection(tables.id(ofProjection: name)) else {
        throw StateError(nil, "there is no projection \(name) to dispose")
      }
    case .invalidate, .mark, .action, .finish: break
    }
    if timeline.hits.isEmpty { return [] }
    return timeline.hits.map { hit in
      let (cascade, depth) = timeline.root(of: hit.unit)
      return TimelineLine(
        seq: event.seq, projection: tables.name(hit.projection), causes: hit.causes.all, cascade: cascade,
        depth: depth)
    }
  }
}

extension LogTimeline {
  /// Starts after some event, with the state and the projections at that event.
  package init(resuming fold: StateFold, _ tables: inout RunTables, limits: ReadLimits? = nil) {
    self.init(fold.state, limits: limits)
    for event in fold.projectionEvents() {
      if case .projection(let name, _, let tracking) = event {
        let id = tables.id(ofProjection: name)
        tables.apply(.projection, of: id, at: 0)
        _ = addProjection(id, tracking: tracking)
      }
      if case .reads(let name, let reads) = event { apply(reads, of: tables.id(ofProjection: name)) }
    }
    for _ in 0..<fold.openTransactions { begin() }
  }
}
