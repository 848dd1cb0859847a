import EventLog

/// What has put each projection out of date since its last run, and which run that was.
///
/// The events come in the order of the log: what invalidates a projection, its runs, and the beginning and end of its life.
/// A projection that only moves to another parent goes on with what it had.
struct Causation {
  /// What came before a run.
  struct Before {
    /// The first event since the projection's last run that invalidated it; 0 if none did.
    var first: UInt64
    /// If the run has several causes, the first of them; otherwise 0. See ``AnsweringRuns``.
    var since: UInt64
    /// The last run in the projection's life; 0 if there is none.
    var earlier: UInt64
    /// Whether that is all: the events since the projection's last run, or its beginning, were all there.
    var isWhole: Bool
  }

  private struct State {
    /// The first and the last event that invalidated the projection since its last run; 0 for none.
    var first: UInt64 = 0
    var last: UInt64 = 0
    /// The same for events that did so while that run was in progress.
    var firstMeanwhile: UInt64 = 0
    var lastMeanwhile: UInt64 = 0
    /// The last run; 0 for none.
    var run: UInt64 = 0
    var isWhole = false
  }

  private var states = ProjectionMap<State>(default: State())
  /// That of the projection that ended last.
  private var ended = State()
  private let firstSeq: UInt64

  /// - Parameter firstSeq: The first event that it gets.
  init(from firstSeq: UInt64 = 0) { self.firstSeq = firstSeq }

  /// Whether something has invalidated a projection since its last run.
  func isOutOfDate(_ projection: ProjectionID) -> Bool { states[projection].first > 0 }

  @inline(__always)
  mutating func invalidate(_ projection: ProjectionID, by seq: UInt64) {
    if states[projection].first == 0 { states[projection].first = seq }
    states[projection].last = seq
  }

  /// Starts over with a run.
  ///
  /// - Parameter cause: What the run names as its cause; 0 for none.
  mutating func run(_ projection: ProjectionID, cause: UInt64, isFirst: Bool, at seq: UInt64) -> Before {
    var state = states[projection]
    var before = Before(first: state.first, since: 0, earlier: state.run, isWhole: state.isWhole)
    // What put a projection out of date before its first run ended did so during that run.
    if cause == 0, !isFirst { state = State() }
    // The last run has seen what came while it was in progress, unless this run follows from that.
    let first = cause <= state.lastMeanwhile ? state.firstMeanwhile : state.first
    if first > 0, first < cause { before.since = first }
    let meanwhile = max(state.first, cause + 1)
    let isMeanwhile = state.last >= meanwhile
    states[projection] = State(
      firstMeanwhile: isMeanwhile ? meanwhile : 0, lastMeanwhile: isMeanwhile ? state.last : 0, run: seq,
      isWhole: cause == 0 || cause >= firstSeq)
    return before
  }

  mutating func apply(_ change: EventKind.LifeChange, of projection: ProjectionID, isMove: Bool) {
    switch change {
    case .begins: if isMove { states[projection] = ended } else { states[projection].isWhole = true }
    case .ends:
      ended = states[projection]
      states[projection] = State(isWhole: ended.isWhole)
    }
  }
}
