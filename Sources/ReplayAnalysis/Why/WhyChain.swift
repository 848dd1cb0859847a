import EventLog

/// Why a projection ran: from its evaluation back to the root, one step after the other.
package struct WhyChain: Encodable, Sendable {
  var projection: String
  package var steps: [WhyStep]
  /// The last event that has invalidated the projection since that run, as far as it has not run since: it is off screen, or
  /// nobody reads it.
  package var invalidatedAgain: UInt64?
  /// What would show more of who made the writes.
  package var advice: String?

  /// - Throws: `AnalysisError` when the projection is unknown or nothing invalidated it by then.
  package init(
    of name: String, at moment: Moment?, in log: LogSource, progress: AnalysisProgress = .hidden
  ) throws {
    let pattern = ProjectionPattern(name)
    let limit = try moment?.seq(in: log) ?? .max
    var feed = CascadeFeed(WhySearch(for: pattern, upTo: limit))
    let run = try log.play(to: &feed, progress: progress)
    guard let subject = feed.sink.subject else {
      if pattern.isExact { try pattern.check(against: LogNames(log).projections, of: log) }
      throw AnalysisError(log, .neverWoken(projection: name, upTo: moment == nil ? nil : limit))
    }
    var walk = WhyWalk(run)
    walk.enter(subject.cascade)
    let draft = walk.chain(of: subject.found)
    projection = draft.projection
    invalidatedAgain = subject.invalidatedAgain
    steps = try WhyDetails.fill([draft], log)[0]
    advice = walk.symbolizer.advice
  }
}

extension WhyChain {
  /// The chain of a run that was found by other means, as far as that run.
  init(_ projection: String, _ steps: [WhyStep]) {
    self.projection = projection
    self.steps = steps
  }

  /// Takes all recorded values away.
  mutating func removeValues() { for index in steps.indices { steps[index].removeValues() } }
}

extension WhyStep {
  fileprivate mutating func removeValues() {
    (old, new, insert) = (nil, nil, nil)
    for index in because?.indices ?? 0..<0 { because?[index].removeValues() }
  }
}

extension WhyChain {
  enum CodingKeys: String, CodingKey {
    case projection, steps
    case invalidatedAgain = "invalidated_again"
    case advice
  }
}

/// One step of a chain. Which fields there are depends on what it is.
package struct WhyStep: Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    case evaluation
    /// The projection ran because this ancestor did.
    case followed
    case invalidation, write
    /// Where the chain ends, if that is no write.
    case origin
  }

  package var kind: Kind
  package var seq: UInt64?
  package var time: UInt64?

  // An evaluation; the projection also of an invalidation.
  package var projection: String?
  package var duration: UInt64?
  package var changed: Bool?
  package var input: String?
  var cause: UInt64?
  /// What this run read and the last did not, and the other way round; nil where there was no other.
  package var newReads: [String]?
  package var droppedReads: [String]?
  /// How many there are besides those that are named; nil where these are all, as they are for a chain by itself.
  var moreNewReads: Int?
  var moreDroppedReads: Int?
  package var parent: String?

  // An invalidation.
  var causes: [UInt64]?
  var cascade: UInt64?
  var depth: Int?

  // A write.
  package var event: String?
  package var path: String?
  /// The values at the path before and after; nil where there was or is none.
  package var old: PrintedJSON?
  package var new: PrintedJSON?
  package var offset: Int?
  package var delete: Int?
  package var insert: PrintedJSON?
  package var sameValue: Bool?
  package var site: String?
  /// The label of the transaction around it, null if that has none.
  package var transaction: Nullable<String>?
  /// What the projection reads there.
  package var reads: [String]?
  /// How many there are besides those that are named, likewise.
  var moreReads: Int?
  /// Who made it, where the recording was asked to keep that.
  package var origin: WriteOrigin?
  /// What led to this write, where writes of one transaction came of different events.
  package var because: [WhyStep]?

  package var text: String?

  enum CodingKeys: String, CodingKey {
    case kind, seq
    case time = "time_ns"
    case projection
    case duration = "duration_ns"
    case changed, input
    case newReads = "new_reads"
    case droppedReads = "dropped_reads"
    case moreNewReads = "more_new_reads"
    case moreDroppedReads = "more_dropped_reads"
    case moreReads = "more_reads"
    case parent, causes, cascade, depth, event, path, old, new, offset, delete, insert
    case sameValue = "same_value"
    case cause, site, transaction, reads, origin, because, text
  }
}
