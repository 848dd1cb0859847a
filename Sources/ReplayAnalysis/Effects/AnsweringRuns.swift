import Algorithms
import EventLog

/// Finds the run that followed an invalidation.
///
/// A run has several causes if its projection was invalidated several times since its last run, as happens when
/// the app collects changes, delays a callback, or a host draws once a frame. The event of the run names the last
/// of them, and there the run is counted, so that no sum counts it twice. The others are *superseded*: the
/// projection did run for them, but for another event as well. An invalidation that no run follows is neither; the
/// projection may be off screen.
///
/// An invalidation after the cause of a run came while the projection was running. If the next run has it as its
/// cause, the projection had read the old value; otherwise the run has seen the new one, as where it reads a derived
/// value that is computed meanwhile.
struct AnsweringRuns {
  private struct Run {
    /// The event that invalidated the projection, as far as is known.
    var cause: UInt64
    var seq: UInt64
  }

  /// The last runs of each projection, in order.
  private var runs = ProjectionMap<[Run]>(default: [])
  /// The projections of these runs, in order.
  private var projections: [ProjectionID] = []

  /// The most runs that are kept, which bounds the memory.
  private static let runsMax = 1 << 17

  var isEmpty: Bool { projections.isEmpty }

  /// Adds a run. Runs without a cause follow no invalidation that is known.
  @inline(__always)
  mutating func add(_ projection: ProjectionID, cause: UInt64, seq: UInt64) {
    runs[projection].append(Run(cause: cause, seq: seq))
    projections.append(projection)
    if projections.count > Self.runsMax { removeHalf() }
  }

  /// Whether a projection has run since an event invalidated it, but not for that event alone.
  func isSuperseded(_ seq: UInt64, of projection: ProjectionID) -> Bool {
    let runs = self.runs[projection]
    let first = runs.partitioningIndex { $0.seq > seq }
    guard first < runs.count, runs[first].cause != seq else { return false }
    let isAgain = runs[first].cause < seq && first + 1 < runs.count && runs[first + 1].cause == seq
    return !isAgain
  }

  @inline(never)
  private mutating func removeHalf() {
    var counts: [ProjectionID: Int] = [:]
    for projection in projections.prefix(Self.runsMax / 2) { counts[projection, default: 0] += 1 }
    for (projection, count) in counts { runs[projection].removeFirst(min(count, runs[projection].count)) }
    projections.removeFirst(Self.runsMax / 2)
  }
}
