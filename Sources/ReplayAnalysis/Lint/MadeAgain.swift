import EventLog

/// Counts how many projections of each group are made and end, by which callbacks that nobody cancels are found.
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

  private(set) var lives = DenseMap<GroupID<ProjectionID>, Lives>(default: Lives())

  init() {}

  /// Counts a projection that begins to live after a write of the app; 0 if there was none.
  mutating func noteBirth(_ group: GroupID<ProjectionID>, at seq: UInt64, after lastWrite: UInt64) {
    lives[group].made += 1
    lives[group].evidence.note(seq)
    if lives[group].units == 0 || lives[group].lastUnit != lastWrite { lives[group].units += 1 }
    lives[group].lastUnit = lastWrite
  }

  mutating func noteEnd(_ group: GroupID<ProjectionID>) { lives[group].ended += 1 }
}
