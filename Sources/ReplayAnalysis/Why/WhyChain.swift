import EventLog

/// Why a projection ran: a cause chain from its evaluation back to the root, step by step.
///
/// The steps are a flat list; only the steps of a write that has causes of its own are nested, to a fixed depth.
/// Of a very long chain the list has both ends.
package struct WhyChain: Encodable, Sendable {
  var projection: String
  package var steps: [WhyStep]
  /// The last event that invalidated the projection since that run, if it has not run again. It may be off
  /// screen, or a derived value that nobody reads.
  package var invalidatedAgain: UInt64?
  /// What the user must do to see more about the origin of the writes.
  package var advice: String?

  /// - Throws: `AnalysisError` when the projection is unknown or nothing invalidated it by then.
  package init(
    of name: String, at moment: Moment?, in log: LogSource, keeping limits: WhyLimits = .all,
    progress: AnalysisProgress = .hidden
  ) throws {
    let pattern = ProjectionPattern(name)
    let limit = try moment?.seq(in: log) ?? .max
    let search = WhySearch(for: pattern, upTo: limit, in: log, progress: progress)
    guard let subject = try search.subject() else {
      if pattern.isExact { try pattern.check(against: LogNames(log).projections, of: log) }
      throw AnalysisError(log, .neverInvalidated(projection: name, upTo: moment == nil ? nil : limit))
    }
    let (found, cascade, causeless) = (subject.found, subject.cascade, subject.causeless)
    invalidatedAgain = subject.invalidatedAgain
    var walk = WhyWalk(subject.run, of: log, keeping: limits)
    walk.enter(cascade)
    walk.causeless = causeless
    var drafts = [walk.chain(of: found)]
    advice = walk.symbolizer.advice
    if let more = try SupersededSearch.complete(&drafts, in: log, keeping: limits) { advice = advice ?? more }
    projection = drafts[0].projection
    steps = try WhyDetails.fill(drafts, log)[0]
  }
}

extension WhyChain {
  /// Creates the chain of a run from its steps.
  init(_ projection: String, _ steps: [WhyStep]) {
    self.projection = projection
    self.steps = steps
  }

  mutating func removeValues() { for index in steps.indices { steps[index].removeValues() } }
}

extension WhyStep {
  fileprivate mutating func removeValues() {
    (old, new, insert, differences) = (nil, nil, nil, nil)
    for index in because?.indices ?? 0..<0 { because?[index].removeValues() }
    for index in others?.indices ?? 0..<0 { others?[index].removeValues() }
  }
}

extension WhyChain {
  enum CodingKeys: String, CodingKey {
    case projection, steps
    case invalidatedAgain = "invalidated_again"
    case advice
  }
}

/// One step of a cause chain. Which fields it has depends on its kind.
package struct WhyStep: Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    case evaluation
    /// The projection ran because this ancestor did.
    case followed
    case invalidation, write
    /// An action or a mark because of which it was, or the end of a chain that does not end with a write.
    case origin
    /// Further steps, of which only the number is known: the chain is very long.
    case omitted
  }

  package var kind: Kind
  package var seq: UInt64?
  package var time: UInt64?

  // Of an evaluation; an invalidation has the projection too.
  package var projection: String?
  package var duration: UInt64?
  package var changed: Bool?
  package var input: String?
  var cause: UInt64?
  /// The paths that this run read and the previous one did not, and the reverse; nil if there was no previous
  /// run.
  package var newReads: [String]?
  package var droppedReads: [String]?
  /// The paths that both runs read, of another object each.
  package var replacedReads: [String]?
  /// The numbers of further new and dropped reads; nil if all are listed, as in the chain that `why` prints.
  var moreNewReads: Int?
  var moreDroppedReads: Int?
  var moreReplacedReads: Int?
  package var parent: String?

  // Of an invalidation.
  var causes: [UInt64]?
  var cascade: UInt64?
  var depth: Int?
  /// The other invalidations since the projection's last run, the latest first: the run followed them too. Each has
  /// its writes and what led to them in `because`.
  package var others: [WhyStep]?
  /// The number of earlier ones; nil if all are listed.
  package var moreOthers: Int?

  // Of a write.
  package var event: String?
  package var path: String?
  /// The values at the path before and after; nil if there was or is none.
  package var old: PrintedJSON?
  package var new: PrintedJSON?
  /// If another object was put there: its properties that differ from those of the one before, `song "a" -> "b"`, or all
  /// that it has if there was none; empty if they have the same content.
  package var differences: [String]?
  package var offset: Int?
  package var delete: Int?
  package var insert: PrintedJSON?
  package var sameValue: Bool?
  package var site: String?
  /// The places in the source that the step and those within it name.
  var sites: [String] {
    [site].compactMap { $0 } + ((others ?? []) + (because ?? [])).flatMap(\.sites)
  }
  /// The label of the transaction around the write; null if the transaction has none.
  package var transaction: Nullable<String>?
  /// Where the transaction was made, if that is known.
  package var transactionSite: String?
  /// The projection in whose run it was written, as a callback; nil if the app wrote it itself, or that is not known.
  package var writer: String?
  /// The projection that the write invalidated, whose reads are compared with it.
  var reader: String?
  /// The reads of the projection that the write affects.
  package var reads: [String]?
  /// The number of further reads; nil if all are listed.
  var moreReads: Int?
  /// The origin of the write; nil unless the recording was asked to keep origins.
  package var origin: WriteOrigin?
  /// What led to this write, if the writes of one transaction have different causes, or to one of `others`.
  package var because: [WhyStep]?

  package var text: String?

  /// The number of further steps, and of the evaluations among them.
  package var omitted: Int?
  package var omittedRuns: Int?

  enum CodingKeys: String, CodingKey {
    case kind, seq
    case time = "time_ns"
    case projection
    case duration = "duration_ns"
    case changed, input
    case newReads = "new_reads"
    case droppedReads = "dropped_reads"
    case replacedReads = "replaced_reads"
    case moreNewReads = "more_new_reads"
    case moreDroppedReads = "more_dropped_reads"
    case moreReplacedReads = "more_replaced_reads"
    case moreReads = "more_reads"
    case others = "superseded"
    case moreOthers = "more_superseded"
    case parent, causes, cascade, depth, event, path, old, new, differences, offset, delete, insert
    case sameValue = "same_value"
    case transactionSite = "transaction_site"
    case cause, site, transaction, writer, reads, origin, because, text, omitted
    case omittedRuns = "omitted_evaluations"
  }
}
