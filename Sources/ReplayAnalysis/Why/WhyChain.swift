import EventLog
import Invalidation

/// Why a projection ran: from its evaluation back to the root, one step after the other.
struct WhyChain: Encodable, Sendable {
  var projection: String
  var steps: [WhyStep]
  /// What would show more of who made the writes.
  var advice: String?

  /// - Throws: `ToolError` when the projection is unknown or nothing woke it by then.
  init(of name: String, at moment: Moment?, in log: LogSource, progress: Progress = .hidden) throws {
    let limit = try moment?.seq(in: log) ?? .max
    var run = Run(log, progress: progress)
    guard let subject = try WhySubject.find(name, upTo: limit, in: &run, progress) else {
      let when = moment == nil ? "" : " up to event \(limit)"
      throw ToolError("\(log.path): \(name) was neither woken nor evaluated\(when)")
    }
    var walk = WhyWalk(run, subject.cascade)
    switch subject.found {
    case .evaluation(let evaluation):
      projection = run.tables.names[Int(evaluation.projection)]
      walk.follow(evaluation)
    case .invalidation(let invalidation):
      projection = run.tables.names[Int(invalidation.projection)]
      walk.follow(invalidation)
    }
    var details = WhyDetails(walk.steps, of: projection, readers: walk.readers, log)
    steps = try details.filled()
    advice = walk.symbolizer.advice
  }
}

/// One step of a chain. Which fields there are depends on what it is.
struct WhyStep: Encodable, Sendable {
  enum Kind: String, Encodable, Sendable {
    case evaluation
    /// The projection ran because this ancestor did.
    case followed
    case invalidation, write
    /// Where the chain ends, if that is no write.
    case origin
  }

  var kind: Kind
  var seq: UInt64?
  var time: UInt64?

  // An evaluation; the projection also of an invalidation.
  var projection: String?
  var duration: UInt64?
  var changed: Bool?
  var cause: UInt64?
  /// What this run read and the last did not, and the other way round; nil where there was no other.
  var newReads: [String]?
  var droppedReads: [String]?
  var parent: String?

  // An invalidation.
  var causes: [UInt64]?
  var cascade: UInt64?
  var depth: Int?

  // A write.
  var event: String?
  var path: String?
  /// The values at the path before and after; nil where there was or is none.
  var old: PrintedJSON?
  var new: PrintedJSON?
  var offset: Int?
  var delete: Int?
  var insert: PrintedJSON?
  var sameValue: Bool?
  var site: String?
  /// The label of the transaction around it, null if that has none.
  var transaction: Nullable<String>?
  /// What the projection reads there.
  var reads: [String]?
  /// Who made it, where the recording was asked to keep that.
  var origin: WriteOrigin?
  /// What led to this write, where writes of one transaction came of different events.
  var because: [WhyStep]?

  var text: String?

  enum CodingKeys: String, CodingKey {
    case kind, seq
    case time = "time_ns"
    case projection
    case duration = "duration_ns"
    case changed
    case newReads = "new_reads"
    case droppedReads = "dropped_reads"
    case parent, causes, cascade, depth, event, path, old, new, offset, delete, insert
    case sameValue = "same_value"
    case cause, site, transaction, reads, origin, because, text
  }
}
