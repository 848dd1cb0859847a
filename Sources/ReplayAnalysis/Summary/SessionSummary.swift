import EventLog

/// The cost of one session, in rows that can be added to those of other sessions. Teams query these over many
/// sessions.
///
/// Names are those of kinds, without keys and ids. So a list has one name whatever its length, and no
/// personal data is included. Counts and times cover the readable part of the log.
package struct SessionSummary: Sendable, RunCounts {
  /// The writes to paths of one kind, and what they led to.
  package struct PathLine: Sendable {
    package var kind: String
    package var writes = 0
    /// Writes of an equal value.
    package var sameValue = 0
    /// How often a write to these paths invalidated a projection that had run before.
    package var invalidations = 0
    /// The runs that these writes led to, including those that ran along, and how many had the same output as
    /// before.
    package var evaluations = 0
    package var wasted = 0
    /// In nanoseconds.
    package var wastedTime: UInt64 = 0
  }

  /// The projections of one kind.
  package struct ProjectionLine: Sendable, RunCounts {
    package var kind: String
    package var evaluations = 0
    package var wasted = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    package var durations = DurationHistogram()
    /// The longest run; the first of equal ones.
    package var exemplar: UInt64 = 0
  }

  /// The cascades of one shape.
  package struct CascadeLine: Sendable, RunCounts {
    /// Nil for the line that adds up the shapes beyond ``shapesMax``.
    package var shape: String?
    /// The root of the cascades: `set store.rows[*].count`; nil if ``shape`` is.
    package var root: String?
    package var count = 0
    package var evaluations = 0
    package var wasted = 0
    /// In nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// The number of levels of projections.
    package var depth = 0
    /// The root of the cascade that took longest; the first of equal ones.
    package var exemplar: UInt64 = 0
    /// The shape as text, one node per line; empty if ``shape`` is nil.
    package var text = ""
  }

  package var identity: SessionIdentity
  /// The time from the first event to the last, in nanoseconds; from the beginning of the session if the log
  /// contains it.
  package var duration: UInt64 = 0
  package var events = 0
  package var writes = 0
  package var evaluations = 0
  package var wasted = 0
  package var time: UInt64 = 0
  package var wastedTime: UInt64 = 0
  /// The time of the runs of the cascade that took longest, in nanoseconds.
  package var maxCascadeTime: UInt64 = 0
  package var state: LogDamage.State
  /// The first event that could not be read.
  package var unreadSeq: UInt64?
  package var paths: [PathLine] = []
  package var projections: [ProjectionLine] = []
  package var cascades: [CascadeLine] = []
  /// The actions, by their labels without numbers.
  package var actions: [SpanReport.Line] = []
  package var findings: [LintReport.Finding] = []
  /// When the exemplars of lines happened, by seq, in nanoseconds since the session began; empty if it is not known when
  /// that was.
  package var times: [UInt64: UInt64] = [:]
  /// The number of lines that were left out because there were more than ``kindsMax``; each costs less than
  /// those that are kept.
  package var leftOut = 0

  /// More kinds of paths, or of projections, than an app has.
  package static let kindsMax = 4_096
  /// More shapes of cascades than are worth telling apart.
  package static let shapesMax = 1_024
  /// Names of kinds are cut at this many bytes.
  package static let kindBytesMax = 1_024
}

extension SessionSummary {
  /// Analyses a log in one pass. A look at the events of the lines follows, for their times.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it. An unreadable event ends the pass,
  ///   and is reported by ``state`` and ``unreadSeq``.
  package init(_ log: LogSource) throws {
    var observer = SummaryObserver()
    let run = try log.play(to: &observer)
    self = observer.summary(run)
    if identity.start == nil { return }
    times = log.times(
      of: projections.map(\.exemplar) + cascades.map(\.exemplar)
        + actions.map(\.settled.longestSeq).filter { $0 > 0 })
  }
}
