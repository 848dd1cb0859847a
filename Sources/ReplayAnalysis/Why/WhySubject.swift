import EventLog

/// What `why` explains: the last run of a projection, or its last invalidation if it never ran.
struct WhySubject {
  enum Found {
    case evaluation(Cascade.Evaluation)
    case invalidation(Cascade.Invalidation)
  }

  var found: Found
  /// The cascade that contains it.
  var cascade: Cascade
  /// For an evaluation: the last event that invalidated the projection since.
  var invalidatedAgain: UInt64?
}

/// Finds the last run of the projections that match a pattern, up to an event.
struct WhySearch: CascadeSink {
  private let pattern: ProjectionPattern
  private let limit: UInt64
  private var evaluation: (seq: UInt64, subject: WhySubject)?
  private var invalidation: (seq: UInt64, subject: WhySubject)?
  /// Whether each projection matches; nil if not determined yet.
  private var matches = ProjectionMap<Bool?>(default: nil)

  init(for pattern: ProjectionPattern, upTo limit: UInt64) {
    self.pattern = pattern
    self.limit = limit
  }

  /// The result; nil if no matching projection ran or was invalidated.
  var subject: WhySubject? {
    guard var found = evaluation?.subject else { return invalidation?.subject }
    if case .evaluation(let run) = found.found, case .invalidation(let last)? = invalidation?.subject.found,
      last.projection == run.projection, last.seq > run.seq
    {
      found.invalidatedAgain = last.seq
    }
    return found
  }

  var end: UInt64 { limit.addingClamped(1) }

  private mutating func isMeant(_ projection: ProjectionID, _ run: borrowing LogRun) -> Bool {
    if let isMeant = matches[projection] { return isMeant }
    let isMeant = pattern.matches(run.tables.name(projection))
    matches[projection] = isMeant
    return isMeant
  }

  mutating func note(_ found: Cascade.Evaluation, _ run: inout LogRun) {
    guard found.seq <= limit, isMeant(found.projection, run) else { return }
    // If the evaluation is part of a cascade, that arrives later and replaces this one.
    let cascade = Cascade()
    cascade.begin(found.seq)
    evaluation = (found.seq, WhySubject(found: .evaluation(found), cascade: cascade))
  }

  mutating func take(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    if let seq = evaluation?.seq, cascade.evaluations.contains(where: { $0.seq == seq }) {
      evaluation?.subject.cascade = cascade.copy()
    }
    guard
      let last = cascade.invalidations.last(where: { $0.seq <= limit && isMeant($0.projection, run) }),
      last.seq >= invalidation?.seq ?? 0
    else { return }
    invalidation = (last.seq, WhySubject(found: .invalidation(last), cascade: cascade.copy()))
  }
}
