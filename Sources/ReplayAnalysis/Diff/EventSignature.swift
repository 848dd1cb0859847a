import EventLog

/// What an event says, as far as two runs of one program say the same: a number that is equal for equal events.
///
/// When it happened, how long it took, its number, those of its causes, and where in the source are left out. An object
/// stands for the place where it was first met, since its number depends on all that came before; so does an id that the
/// program makes anew each time it runs.
struct EventSignature {
  /// Of all that it says.
  var whole: UInt64 = 0
  /// Of a run or an invalidation: the same whatever its causes wrote, as long as they wrote the same places; else 0.
  var loose: UInt64 = 0
  /// What its order matters to: the path that it writes, or the projection that it is about.
  var lane: UInt64 = 0
  /// The property that the path lies in; 0 where there is none.
  var property: UInt64 = 0
  /// Whether it may move other places about, or make and remove them.
  var isStructural = false
}

/// Makes signatures of the rows of one run. They are equal for equal events of two runs of one process, and for others
/// only by accident, at odds of one in 2^64.
struct SignatureMaker {
  /// The hashes of a path and of the property that it lies in, by the path; 0 where it is not known yet.
  private var paths = PathMap<(whole: UInt64, property: UInt64)>(default: (0, 0))
  /// 0 where it is not known yet.
  private var projections = ProjectionMap<UInt64>(default: 0)
  private var objects = ObjectSignatures()
  /// What the latest events were about, and what they said without their causes.
  private var recent = RecentRing<Recent>(keeping: 1 << 14)
  /// Of the writes of the transaction that is open.
  private var contents: UInt64 = 0

  private struct Recent {
    var subject: UInt64 = 0
    var own: UInt64 = 0
  }

  /// The ids of the run that were met.
  var ids: FreshIDs { objects.ids }

  /// The signature of the last row of a run. Reads are those that are compared.
  mutating func signature(of run: inout LogRun, _ filter: inout DiffFilter) -> EventSignature {
    var signature = EventSignature()
    var hasher = EventHasher()
    hasher.combine(Int(run.row.kind.rawValue))
    if let path = run.path {
      (signature.lane, signature.property) = hashes(of: path, run.tables)
      signature.isStructural = run.row.kind != .set || !run.row.value.isScalar
      hasher.combine(signature.lane)
      hasher.combine(run.row.isSameValue)
      if run.row.kind == .splice {
        hasher.combine(run.row.offset)
        hasher.combine(run.row.delete)
      }
      combine(run.row.value, at: signature.lane, into: &hasher)
    } else if let projection = run.projection {
      signature.lane = hash(of: projection, run.tables)
      hasher.combine(signature.lane)
      combine(&run, &filter, into: &hasher)
    } else {
      var label = Hasher()
      if let text = run.label { objects.combine(text, into: &label) }
      hasher.combine(label.finalize())
      signature.lane = hasher.finalize()
    }
    note(run.row, signature, own: hasher.finalize())
    switch run.row.kind {
    case .evaluate, .invalidate:
      // A run has nothing of its own that tells it from the next: what its cause wrote does.
      var loose = hasher
      combine(cause: run.row.cause, into: &hasher, &loose)
      if run.row.kind == .invalidate {
        let causes = run.recordedCauses
        if let only = causes.only {
          combine(cause: only, into: &hasher, &loose)
        } else {
          for cause in causes.all { combine(cause: cause, into: &hasher, &loose) }
        }
      }
      signature.loose = loose.finalize()
    default: if run.row.cause > 0 { hasher.combine((recent[run.row.cause] ?? Recent()).subject) }
    }
    signature.whole = hasher.finalize()
    return signature
  }

  @inline(__always)
  private mutating func combine(_ value: borrowing Value, at place: UInt64, into hasher: inout EventHasher) {
    switch value {
    case .int(let number):
      hasher.combine(1)
      hasher.combine(Int(number))
    case .bool(let isTrue): hasher.combine(isTrue)
    default: combineRest(value, at: place, into: &hasher)
    }
  }

  private mutating func combineRest(_ value: Value, at place: UInt64, into hasher: inout EventHasher) {
    var rest = Hasher()
    if value.isScalar, !FreshIDs.mayHold(value) {
      rest.combine(value)
    } else {
      objects.combine(value, at: place, into: &rest)
    }
    hasher.combine(rest.finalize())
  }

  private mutating func note(_ row: borrowing EventLog.Row, _ signature: EventSignature, own: UInt64) {
    var own = own
    switch row.kind {
    case .set, .splice, .remove: contents = contents &* 31 &+ own
    case .begin: contents = 0
    // The end of a transaction stands for what was written in it.
    case .end: own ^= contents
    default: break
    }
    var subject = EventHasher()
    subject.combine(Int(row.kind.rawValue))
    subject.combine(signature.lane)
    recent.note(row.seq, Recent(subject: subject.finalize(), own: own))
  }

  @inline(__always)
  private func combine(cause: UInt64, into hasher: inout EventHasher, _ loose: inout EventHasher) {
    if cause == 0 { return }
    // A cause that was longer ago says nothing.
    let known = recent[cause] ?? Recent()
    hasher.combine(known.own)
    loose.combine(known.subject)
  }

  private mutating func combine(
    _ run: inout LogRun, _ filter: inout DiffFilter, into hasher: inout EventHasher
  ) {
    switch run.row.kind {
    case .projection:
      hasher.combine(hashOf: run.row.tracking)
      hasher.combine(run.parent.map { hash(of: $0, run.tables) } ?? 0)
    case .evaluate: if let changed = run.row.changed { hasher.combine(changed) }
    case .reads:
      hasher.combine(sum(of: run.readPaths, &run, &filter))
      if run.row.isChangeOfReads { hasher.combine(sum(of: run.droppedPaths, &run, &filter)) }
    default: break
    }
  }

  /// A hash of the paths that are compared, in whatever order; by the names that they have at the row, since the numbers
  /// of objects depend on all that came before.
  private mutating func sum(of paths: [PathID], _ run: inout LogRun, _ filter: inout DiffFilter) -> UInt64 {
    var sum: UInt64 = 0
    for path in paths {
      let name = run.name(ofRead: path)
      if filter.passes(path: name, run.tables) { sum &+= hashes(of: name, run.tables).whole }
    }
    return sum
  }

  private mutating func hash(of projection: ProjectionID, _ tables: borrowing RunTables) -> UInt64 {
    if projections[projection] == 0 {
      var hasher = Hasher()
      objects.combine(tables.name(projection), into: &hasher)
      projections[projection] = hasher.finalize64
    }
    return projections[projection]
  }

  private mutating func hashes(
    of id: PathID, _ tables: borrowing RunTables
  ) -> (whole: UInt64, property: UInt64) {
    let known = paths[id]
    if known.whole != 0 { return known }
    let path = tables.path(id)
    var hasher = Hasher()
    switch path.root {
    case .named(let name): hasher.combine(ExactString(name))
    case .object(let id): hasher.combine(objects[id])
    }
    var property = hasher
    for (depth, component) in path.components.enumerated() {
      objects.combine(component, into: &hasher)
      if depth == 0 { property = hasher }
    }
    let hashes = (whole: hasher.finalize64, property: property.finalize64)
    paths[id] = hashes
    return hashes
  }
}

extension Hasher {
  /// The hash, never 0.
  fileprivate var finalize64: UInt64 {
    let hash = UInt64(truncatingIfNeeded: finalize())
    return hash == 0 ? 1 : hash
  }
}
