import EventLog

/// What `why` is asked about: the last run of a projection, or what woke it last where it never ran.
struct WhySubject {
  enum Found {
    case evaluation(Cascade.Evaluation)
    case invalidation(Cascade.Woken)
  }

  var found: Found
  /// The cascade that it is in.
  var cascade: Cascade

  /// Looks through a run.
  ///
  /// - Throws: `AnalysisError` when no projection has this name.
  static func find(_ name: String, upTo limit: UInt64, in run: inout Run, _ progress: AnalysisProgress) throws
    -> WhySubject?
  {
    var search = WhySearch(pattern: ProjectionPattern(name), limit: limit)
    var feed = CascadeFeed(&run)
    while try run.next() {
      search.note(nameIn: &run)
      if let evaluation = feed.add(&run) { search.note(evaluation, run) }
      feed.complete(at: run.row.seq) { cascade, _ in search.note(cascade, run) }
      if search.isOver(at: run.row.seq) { break }
    }
    progress.finish()
    feed.complete(at: .max, isEnd: true) { cascade, _ in search.note(cascade, run) }
    try search.pattern.check(against: search.names, of: run.log)
    return search.evaluation ?? search.invalidation
  }
}

/// The latest that was found so far.
private struct WhySearch {
  let pattern: ProjectionPattern
  let limit: UInt64
  private(set) var evaluation: WhySubject?
  private(set) var invalidation: WhySubject?
  /// The names of projections that events are about.
  private(set) var names: [String] = []
  private var evaluationSeq: UInt64 = 0
  private var invalidationSeq: UInt64 = 0
  /// By the number of a name: whether it is meant, nil where that was not asked yet; and whether it was met.
  private var matches = DenseMap<Int, Bool?>(default: nil)
  private var seen = DenseMap<Int, Bool>(default: false)

  init(pattern: ProjectionPattern, limit: UInt64) {
    self.pattern = pattern
    self.limit = limit
  }

  mutating func note(nameIn run: inout Run) {
    guard let name = run.name else { return }
    if seen[name] { return }
    seen[name] = true
    names.append(run.tables.names[name])
  }

  private mutating func isMeant(_ projection: Int32, _ run: borrowing Run) -> Bool {
    let name = Int(projection)
    if let isMeant = matches[name] { return isMeant }
    let isMeant = pattern.matches(run.tables.names[name])
    matches[name] = isMeant
    return isMeant
  }

  /// Notes a run as it is met; if it is in a cascade, that is given later.
  mutating func note(_ found: Cascade.Evaluation, _ run: borrowing Run) {
    guard found.seq <= limit, isMeant(found.projection, run) else { return }
    evaluationSeq = found.seq
    let cascade = Cascade()
    cascade.begin(found.seq)
    evaluation = WhySubject(found: .evaluation(found), cascade: cascade)
  }

  mutating func note(_ cascade: Cascade, _ run: borrowing Run) {
    if evaluationSeq > 0, cascade.evaluations.contains(where: { $0.seq == evaluationSeq }) {
      evaluation?.cascade = cascade.copy()
    }
    guard
      let place = cascade.invalidations.lastIndex(where: { $0.seq <= limit && isMeant($0.projection, run) })
    else { return }
    let last = cascade.invalidations[place]
    if last.seq >= invalidationSeq {
      invalidationSeq = last.seq
      invalidation = WhySubject(found: .invalidation(last), cascade: cascade.copy())
    }
  }

  /// Whether nothing that comes could be what is looked for.
  func isOver(at seq: UInt64) -> Bool {
    let (end, overflow) = limit.addingReportingOverflow(2 * CascadeFeed.patience)
    return !overflow && seq > end
  }
}
