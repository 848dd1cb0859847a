import EventLog
import Invalidation

/// Learns which projections run whenever their parents do, as far as the log shows it.
struct Followers {
  private struct Known {
    /// The projection's own runs, to compare those of its children with.
    var runs: Int32 = 0
    /// The parent's runs at the time when the projection was created.
    var runsAtBirth: Int32 = 0
    /// The projection's runs within runs of its parent, other than the first.
    var runsWithin: Int32 = 0
    /// Whether it ran with its parent although nothing that it read had changed.
    var hasFollowed = false
  }

  private var known = ProjectionMap<Known>(default: Known())
  /// Parents whose children were already searched for ones that were skipped.
  private var searched: Set<ProjectionID> = []
  /// The groups of which an instance ran because its parent did, and those of which one did not run when its parent did.
  private(set) var followed: Set<GroupID<ProjectionID>> = []
  private(set) var skipped: Set<GroupID<ProjectionID>> = []

  /// Learns from the runs of a flush, which are nested.
  mutating func learn(_ entries: [FlushRuns.Entry], _ lives: borrowing OtherLives) {
    for entry in entries where !entry.isFirst { known[entry.projection].runs &+= 1 }
    var direct: [Int: Int] = [:]
    for entry in entries {
      guard let within = entry.within, let parent = entry.parent, entries[within].projection == parent else {
        continue
      }
      direct[within, default: 0] += 1
      if entry.isFirst {
        known[entry.projection].runsAtBirth = known[parent].runs
        known[entry.projection].runsWithin = 0
        known[entry.projection].hasFollowed = false
      } else {
        known[entry.projection].runsWithin &+= 1
        if !entry.wasInvalidated {
          known[entry.projection].hasFollowed = true
          followed.insert(entry.group)
        }
      }
    }
    for (index, entry) in entries.enumerated() where !entry.isFirst && !searched.contains(entry.projection) {
      guard direct[index, default: 0] < lives[entry.projection].childCount else { continue }
      searched.insert(entry.projection)
      let ran = Set(entries.lazy.filter { $0.within == index }.map(\.projection))
      lives.forEachChild(of: entry.projection) { child in
        guard lives[child].hasRun, !ran.contains(child), let group = lives.group(of: child) else { return }
        skipped.insert(group)
      }
    }
  }

  /// Whether a projection would run when its parent does, if it is not invalidated itself.
  func answer(
    _ projection: ProjectionID, in group: GroupID<ProjectionID>, _ lives: borrowing OtherLives
  ) -> Outcome {
    guard let parent = lives[projection].parent else { return .asks(group) }
    let runs = known[parent].runs - known[projection].runsAtBirth
    if known[projection].runsWithin < runs { return .stays }
    return runs >= 2 && known[projection].hasFollowed ? .runs : .asks(group)
  }
}
