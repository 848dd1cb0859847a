import EventLog

/// Counts how many projections of each group are made and end, by which callbacks that nobody cancels are found; and
/// which are made once more in each run of another projection.
struct MadeAgain {
  struct Lives {
    var made = 0
    var ended = 0
    /// The units of the app in which instances were made.
    var units = 0
    fileprivate var lastUnit: UInt64 = 0
    var evidence = Evidence()

    /// How many live at the end of the run.
    var living: Int { made - ended }
  }

  /// A projection that was made again, under the name of one before, in runs of its maker.
  struct Edge: Hashable {
    var maker: GroupID<ProjectionID>
    var made: GroupID<ProjectionID>
  }

  struct InRuns {
    var count = 0
    var evidence = Evidence()
  }

  private struct Birth {
    var group: GroupID<ProjectionID>
    var seq: UInt64
    var cause: UInt64
  }

  private(set) var lives = DenseMap<GroupID<ProjectionID>, Lives>(default: Lives())
  private(set) var inRuns: [Edge: InRuns] = [:]
  /// The event with which the last projection of each name began to live.
  private var births = ProjectionMap<UInt64>(default: 0)
  /// Projections that were made again in a run that has not ended.
  private var waiting: [Birth] = []
  private static let waitingMax = 1 << 10

  init() {}

  /// Counts a projection that begins to live after a write of the app; 0 if there was none.
  mutating func markBirth(
    of projection: ProjectionID, _ group: GroupID<ProjectionID>, at seq: UInt64, cause: UInt64,
    after lastWrite: UInt64
  ) {
    lives[group].made += 1
    lives[group].evidence.append(seq)
    if lives[group].units == 0 || lives[group].lastUnit != lastWrite { lives[group].units += 1 }
    lives[group].lastUnit = lastWrite
    if births[projection] > 0, waiting.count < Self.waitingMax {
      waiting.append(Birth(group: group, seq: seq, cause: cause))
    }
    births[projection] = seq
  }

  mutating func markEnd(_ group: GroupID<ProjectionID>) { lives[group].ended += 1 }

  /// Looks at a run that has ended. What was made in it has the same cause, and began to live after the projection. In its
  /// first run a projection makes what it needs, so this does not count.
  mutating func countRun(
    of projection: ProjectionID, _ maker: GroupID<ProjectionID>, cause: UInt64, isFirst: Bool
  ) {
    if waiting.isEmpty { return }
    let birth = births[projection]
    waiting.removeAll { made in
      guard made.cause == cause, made.seq > birth else { return false }
      if !isFirst {
        let edge = Edge(maker: maker, made: made.group)
        inRuns[edge, default: InRuns()].count += 1
        inRuns[edge]?.evidence.append(made.seq)
      }
      return true
    }
  }

  /// Starts the next flush.
  mutating func removeAll() { waiting.removeAll(keepingCapacity: true) }
}
