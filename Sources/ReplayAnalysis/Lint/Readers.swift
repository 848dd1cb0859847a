import EventLog
import Invalidation

extension LintTally {
  /// The counts of one projection's instances.
  struct Readers {
    var hasParent = false
    var hasRun = false
    var tracking = Tracking.element
    /// The most paths that one instance began to read at once.
    var pathsMost = 0
    /// The event that created the first instance, and the group of its parent.
    var created: UInt64 = 0
    var parent: GroupID<ProjectionID>?
    /// Their runs, without the first run of each, and these.
    var work = LintSums()
    var firsts = LintSums()
    var growth = Growth()
  }

  /// Runs that nothing known asked for.
  struct Unasked {
    var work = LintSums()
    var evidence = Evidence()
  }
}
