import EventLog
import Projection

/// What `why` is asked about: the last run of a projection, or what woke it last where it never ran.
struct WhySubject {
  enum Found {
    case evaluation(Cascade.Evaluation)
    case invalidation(Invalidation)
  }

  var found: Found
  /// The cascade that it is in.
  var cascade: Cascade

  /// - Throws: `ToolError` when no projection has this name.
  static func find(
    _ name: String, upTo limit: UInt64, in log: LogSource, _ progress: Progress
  ) throws -> WhySubject? {
    var search = WhySearch(pattern: ProjectionPattern(name), limit: limit)
    var names: Set<String> = []
    var run = Run(log, progress: progress)
    var feed = CascadeFeed(log)
    while let step = try run.next() {
      if let name = step.event.body.projectionName { names.insert(name) }
      if let evaluation = feed.add(step, of: run) { search.note(evaluation) }
      for cascade in feed.completed(at: step.event.seq) { search.note(cascade) }
      if search.isOver(at: step.event.seq) { break }
    }
    progress.finish()
    for cascade in feed.completed(at: .max, isEnd: true) { search.note(cascade) }
    try search.pattern.check(against: names, of: log)
    return search.evaluation ?? search.invalidation
  }
}

/// The latest that was found so far.
private struct WhySearch {
  let pattern: ProjectionPattern
  let limit: UInt64
  private(set) var evaluation: WhySubject?
  private(set) var invalidation: WhySubject?
  private var evaluationSeq: UInt64 = 0
  private var invalidationSeq: UInt64 = 0

  init(pattern: ProjectionPattern, limit: UInt64) {
    self.pattern = pattern
    self.limit = limit
  }

  /// Notes a run as it is met; if it is in a cascade, that is given later.
  mutating func note(_ found: Cascade.Evaluation) {
    guard found.seq <= limit, pattern.matches(found.projection) else { return }
    evaluationSeq = found.seq
    evaluation = WhySubject(found: .evaluation(found), cascade: Cascade(root: found.seq))
  }

  mutating func note(_ cascade: Cascade) {
    if evaluationSeq > 0, cascade.evaluations.contains(where: { $0.seq == evaluationSeq }) {
      evaluation?.cascade = cascade
    }
    let last = cascade.invalidations.last { $0.seq <= limit && pattern.matches($0.projection) }
    if let last, last.seq >= invalidationSeq {
      invalidationSeq = last.seq
      invalidation = WhySubject(found: .invalidation(last), cascade: cascade)
    }
  }

  /// Whether nothing that comes could be what is looked for.
  func isOver(at seq: UInt64) -> Bool {
    let (end, overflow) = limit.addingReportingOverflow(2 * CascadeFeed.patience)
    return !overflow && seq > end
  }
}
