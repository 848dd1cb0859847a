import EventLog

/// The invalidation core as it was before slots and links, driven by events: an oracle for the present one.
///
/// Every event goes through the core itself. The caches with which a session and a log's run shorten the way were not
/// copied, so the comparison tests those too.
package struct FormerTimeline: Sendable {
  /// A projection that an event put out of date.
  package struct Hit: Equatable, Sendable, CustomStringConvertible {
    package var projection: String
    /// The events that changed what the projection read.
    package var causes: [UInt64]

    package init(projection: String, causes: [UInt64]) {
      self.projection = projection
      self.causes = causes
    }

    /// Whether both are the same, the name byte for byte.
    package static func == (a: Hit, b: Hit) -> Bool {
      a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
    }

    package var description: String { "\(projection) because of \(causes)" }
  }

  private var core = InvalidationCore()
  /// The projections that live.
  private var ids: [ExactString: InvalidationCore.ProjectionID] = [:]
  /// The name of each projection that ever lived, by its id.
  private var names: [String] = []

  /// Starts before the first event.
  package init() {}

  /// Applies the next event and returns what it invalidated, in order of creation.
  package mutating func apply(_ event: Event) throws(StateError) -> [Hit] {
    if let cause = event.cause, cause >= event.seq {
      throw StateError(nil, "the cause \(cause) does not come before the event")
    }
    switch event.body {
    case .set, .splice, .remove: return hits(try core.apply(event.body, seq: event.seq))
    case .begin: core.begin()
    case .end: return hits(try core.end())
    case .projection(let name, _, let tracking):
      guard ids[ExactString(name)] == nil else {
        throw StateError(nil, "the projection \(name) exists already; dispose it first")
      }
      add(name, tracking)
    case .reads(let name, .paths(let paths)):
      let id = id(of: name)
      core.forgetBound(of: id)
      core.changeReads(added: paths, dropped: [], of: id)
    case .reads(let name, .change(let added, let dropped)):
      core.changeReads(added: added, dropped: dropped, of: id(of: name))
    case .evaluate(let name, _, _, _): core.noteEvaluation(of: id(of: name))
    case .dispose(let name):
      guard let id = ids.removeValue(forKey: ExactString(name)) else {
        throw StateError(nil, "there is no projection \(name) to dispose")
      }
      core.removeProjection(id)
    case .invalidate, .mark: break
    }
    return []
  }

  /// The id of a projection; a log may begin with a run of one that it did not announce.
  private mutating func id(of name: String) -> InvalidationCore.ProjectionID {
    ids[ExactString(name)] ?? add(name, .element)
  }

  @discardableResult
  private mutating func add(_ name: String, _ tracking: Tracking) -> InvalidationCore.ProjectionID {
    let id = core.addProjection(tracking: tracking)
    ids[ExactString(name)] = id
    names.append(name)
    return id
  }

  private func hits(_ hits: [InvalidationCore.Hit]) -> [Hit] {
    hits.map { Hit(projection: names[$0.projection], causes: $0.causes) }
  }
}

// MARK: The state

extension FormerTimeline {
  /// The value at a place, or nil where there is none.
  package func value(at path: Path) -> Value? { core.state.value(at: path) }

  /// Whether applying an event now would leave every value as it is, judged by the values alone.
  package func wouldStaySame(_ body: Event.Body) -> Bool { core.state.wouldStaySame(body) }

  /// The whole state as text, see ``text(roots:objects:)``.
  package var stateText: String {
    Self.text(
      roots: core.state.roots,
      objects: core.state.objects.map { ($0.key, $0.value.type, $0.value.fields) })
  }

  /// A state as text, a line for each root and each object, down to the bits of doubles and the order of names.
  package static func text(
    roots: NamedValues<ObjectID>, objects: [(id: ObjectID, type: String, fields: NamedValues<Value>)]
  ) -> String {
    let roots = roots.map { name, id in "\(name) = \(id)" }
    let objects = objects.sorted { $0.id < $1.id }.map { id, type, fields in
      "\(type)\(id) \(Value.map(fields).json)"
    }
    return (roots + objects).joined(separator: "\n")
  }
}
