import EventLog

/// Tells which projections are callbacks of the app, which show nothing.
///
/// A session names a callback after what it follows, unless the app gives it a name of its own. Then it is known by what only
/// a callback does: what `onChange` makes runs once to see the first value, which is no output, and has one in each
/// later run; what `onReceive` makes is put out of date before it has ever run. The name of a view whose output is hidden at
/// first, and not later, is taken for a callback's too.
struct Callbacks {
  /// Whether the first run of each projection had no output.
  private var beganWithout = ProjectionMap<Bool>(default: false)
  private var groups = DenseMap<GroupID<ProjectionID>, Bool>(default: false)

  init() {}

  func contains(_ group: GroupID<ProjectionID>) -> Bool { groups[group] }

  /// Looks at a projection that the current row of a run puts out of date before it has run.
  mutating func markEarly(_ projection: ProjectionID, _ run: inout LogRun) {
    let life = run.registry[projection]
    if life.isAlive, life.parent == nil { groups[run.group(of: projection)] = true }
  }

  /// Looks at a run, the current row of a run.
  mutating func countRun(of projection: ProjectionID, _ run: inout LogRun) {
    let life = run.registry[projection]
    if !life.hasRun {
      beganWithout[projection] = run.row.changed == nil && life.isAlive && life.parent == nil
    } else if run.row.changed != nil, beganWithout[projection] {
      groups[run.group(of: projection)] = true
    }
  }
}
