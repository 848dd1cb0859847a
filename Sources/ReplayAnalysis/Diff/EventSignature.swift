import EventLog

/// A hash of an event's content, by which the events of two runs of one program are compared.
///
/// Left out are the time, the duration, the seq, the seqs of causes, and the call site. An object's id
/// depends on all objects before it, so the path where the object first appeared is hashed instead. The same
/// holds for ids that the program creates anew in each run.
struct EventSignature {
  /// The hash of the whole content.
  var whole: UInt64 = 0
  /// For an evaluation or invalidation: the hash with the kinds and paths of its causes, but without the
  /// values that they wrote; else 0.
  var loose: UInt64 = 0
  /// Events of the same lane keep their order: a hash of the path that is written, or of the projection.
  var lane: UInt64 = 0
  /// A hash of the property that the path lies in; 0 if there is none.
  var property: UInt64 = 0
  /// Whether the event may move, create or remove other slots of the property.
  var isStructural = false
}

/// Computes the signatures of a run's rows. Equal events of two runs in one process have equal signatures;
/// different events have equal ones only by accident, with a probability of 2^-64.
struct SignatureMaker {
  /// The hashes of each path and of its property; 0 if not computed yet.
  private var paths = PathMap<(whole: UInt64, property: UInt64)>(default: (0, 0))
  /// The hash of each projection's name; 0 if not computed yet.
  private var projections = ProjectionMap<UInt64>(default: 0)
  private var objects = ObjectSignatures()
  /// For recent events: the hash of their kind and lane, and that of their content without their causes.
  private var recent = RecentRing<Recent>(keeping: 1 << 14)
  /// A hash of the writes in the open transaction.
  private var contents: [Int: UInt64] = [:]

  private struct Recent {
    var subject: UInt64 = 0
    var own: UInt64 = 0
  }

  /// The ids that the run has created so far.
  var ids: FreshIDs { objects.ids }

  /// The signature of the run's current row. Of `reads`, only the paths that the filter selects are hashed.
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
      if filter.looksIntoValues, !run.row.value.isScalar {
        combine(filter.compared(run.row.value, at: run.tables.path(path)), at: signature.lane, into: &hasher)
      } else {
        combine(run.row.value, at: signature.lane, into: &hasher)
      }
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
    append(run.row, signature, own: hasher.finalize())
    switch run.row.kind {
    case .evaluate, .invalidate:
      // The evaluations of a projection differ from each other only in what their causes wrote.
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

  private mutating func append(_ row: borrowing EventLog.Row, _ signature: EventSignature, own: UInt64) {
    var own = own
    switch row.kind {
    case .set, .splice, .remove:
      contents[row.origin.strand] = contents[row.origin.strand, default: 0] &* 31 &+ own
    case .begin: contents[row.origin.strand] = 0
    // The end of a transaction is hashed with the writes in it.
    case .end: own ^= contents[row.origin.strand] ?? 0
    default: break
    }
    var subject = EventHasher()
    subject.combine(Int(row.kind.rawValue))
    subject.combine(signature.lane)
    recent.append(row.seq, Recent(subject: subject.finalize(), own: own))
  }

  @inline(__always)
  private func combine(cause: UInt64, into hasher: inout EventHasher, _ loose: inout EventHasher) {
    if cause == 0 { return }
    // Causes that are too long ago are ignored.
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

  /// A hash of the selected paths that does not depend on their order. It uses the paths' names at this row,
  /// since the ids of objects depend on everything before.
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
  /// The hash, which is never 0.
  fileprivate var finalize64: UInt64 {
    let hash = UInt64(truncatingIfNeeded: finalize())
    return hash == 0 ? 1 : hash
  }
}
