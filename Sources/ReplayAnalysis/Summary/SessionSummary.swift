import EventLog

/// What one session cost, in rows that add up with those of others: what a team asks of many sessions at once.
///
/// Names are kinds, without keys and ids, so that a list has one name however long it is, and no person's data is in it.
/// Counts and times are of the whole log, as far as it can be read.
package struct SessionSummary: Sendable {
  /// The writes to paths of one kind, and what they led to.
  package struct PathLine: Sendable {
    package var kind: String
    package var writes = 0
    /// Writes that changed nothing.
    package var sameValue = 0
    /// How often a projection that had run was put out of date by one.
    package var woken = 0
    /// The runs that this led to, with those that ran along, and the ones of them with the same output as before.
    package var runs = 0
    package var wastedRuns = 0
    /// In nanoseconds.
    package var wastedTime: UInt64 = 0
  }

  /// The projections of one kind.
  package struct ProjectionLine: Sendable {
    package var kind: String
    package var runs = 0
    package var wastedRuns = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    package var durations = DurationHistogram()
    /// The longest run, the first of equal ones.
    package var exemplar: UInt64 = 0
  }

  /// The cascades of one shape.
  package struct CascadeLine: Sendable {
    /// Nil for those beyond ``shapesMax``, together.
    package var shape: String?
    /// What began them, as `set store.rows[*].count`; nil where ``shape`` is.
    package var root: String?
    package var count = 0
    package var runs = 0
    package var wastedRuns = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// Levels of projections, one below the other.
    package var depth = 0
    /// The event that began the one that took longest, the first of equal ones.
    package var exemplar: UInt64 = 0
    /// The shape as text, a node a line; empty where ``shape`` is nil.
    package var text = ""
  }

  package struct Finding: Sendable {
    package var rule: LintRule
    package var projection: String?
    package var path: String?
    /// The first of the events that show it.
    package var evidence: UInt64
    /// Time of runs that it made for nothing, in nanoseconds.
    package var saves: UInt64
  }

  package var identity: SessionIdentity
  /// From the first event to the last, in nanoseconds; from the session's beginning where the log has that.
  package var duration: UInt64 = 0
  package var events = 0
  package var writes = 0
  package var runs = 0
  package var wastedRuns = 0
  package var time: UInt64 = 0
  package var wastedTime: UInt64 = 0
  /// The time of the runs of the cascade that took longest.
  package var maxCascadeTime: UInt64 = 0
  package var state: LogDamage.State
  /// The first event that could not be read.
  package var unreadSeq: UInt64?
  package var paths: [PathLine] = []
  package var projections: [ProjectionLine] = []
  package var cascades: [CascadeLine] = []
  package var findings: [Finding] = []
  /// Lines of kinds that were left out since there were more than ``kindsMax``, each of less cost than those that are there.
  package var leftOut = 0

  /// More kinds of paths, or of projections, than an app has.
  package static let kindsMax = 4_096
  /// Likewise of shapes.
  package static let shapesMax = 1_024
  /// Names of kinds are cut at this many bytes.
  package static let kindBytesMax = 1_024
}

extension SessionSummary {
  /// Goes through a log once.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it. What cannot be read ends the pass, and is in
  ///   ``state`` and ``unreadSeq``.
  package init(_ log: LogSource) throws {
    var observer = SummaryObserver()
    let run = try log.play(to: &observer)
    self = observer.summary(run)
  }
}
