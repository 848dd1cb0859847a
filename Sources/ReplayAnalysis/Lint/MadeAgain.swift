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
  private var isKnown = ProjectionMap<Bool>(default: false)
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
    if isKnown[projection], waiting.count < Self.waitingMax {
      waiting.append(Birth(group: group, seq: seq, cause: cause))
    }
    isKnown[projection] = true
  }

  mutating func markEnd(_ group: GroupID<ProjectionID>) { lives[group].ended += 1 }

  /// Looks at a run that has ended. What was made in it has the same cause. In its first run a projection makes what it
  /// needs, so these do not count.
  mutating func countRun(of maker: GroupID<ProjectionID>, cause: UInt64, isFirst: Bool) {
    if waiting.isEmpty { return }
    for birth in waiting where birth.cause == cause && !isFirst {
      let edge = Edge(maker: maker, made: birth.group)
      inRuns[edge, default: InRuns()].count += 1
      inRuns[edge]?.evidence.append(birth.seq)
    }
    waiting.removeAll { $0.cause == cause }
  }

  /// Starts the next flush.
  mutating func removeAll() { waiting.removeAll(keepingCapacity: true) }
}
