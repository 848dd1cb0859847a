import EventLog

/// Finds projections that stay out of date while others beside them run turn after turn.
///
/// The log has no turns of a host. So a turn is told from what runs: among a projection's parent and its children a new one
/// begins when one of these runs a second time. A projection that is out of date and does not run may be off screen, as rows
/// of a lazy list are, and then nothing is wrong; see ``Found`` for what tells them apart.
struct OutOfDateStays {
  /// A projection that was out of date for many turns.
  struct Stay {
    var projection: ProjectionID
    /// Its name; empty as long as nobody asks.
    var name = ""
    /// The first event that put it out of date.
    var since: UInt64
    var turns: Int
    /// How many of these turns ran everything else below the same parent.
    var fullTurns: Int
    /// How often its host skipped it meanwhile, for an equal input.
    var skips: Int
    /// How many others below the same parent lived in the last turn.
    var others: Int
    /// Whether it has run since.
    var hasRun: Bool
  }

  /// The projections of one group.
  struct Found {
    /// How often one ran at once after it was put out of date.
    var prompt = 0
    /// Runs, but first ones, for nothing else than what was read, or for nothing.
    var plainRuns = 0
    /// Those that were out of date for long: that with the most turns, and the number of all.
    var longest: Stay?
    var late = 0
    var projections: Set<ProjectionID> = []
    var evidence = Evidence()
    /// The longest one that is certain to be on screen, since its host skipped it, or ran all others.
    var certain: Stay?
    /// The longest one that has not run since.
    var last: Stay?
  }

  /// A parent and its children; or those of a group that have no parent.
  private struct Family {
    var turn = 1
    var alive = 0
    /// The children that ran in this turn, and those that are out of date.
    var runs = 0
    var outOfDate = 0
    /// How many of these went out of date after they ran in this turn.
    var outOfDateAgain = 0
    var fullTurns = 0
    /// The children that lived when the last turn ended.
    var aliveLately = 0
    /// The last turn in which the parent ran.
    var parentTurn = 0

    /// Begins the next turn.
    mutating func endTurn() {
      let left = outOfDate - outOfDateAgain
      // Of many that are out of date some may be off screen; of one or few, while all others run, hardly.
      if alive >= 4, runs + left >= alive, left <= max(1, alive / 8) { fullTurns += 1 }
      turn += 1
      (runs, outOfDateAgain, aliveLately) = (0, 0, alive)
    }
  }

  /// A projection that is out of date.
  private struct Open {
    var since: UInt64
    var turn: Int
    var fullTurns: Int
    var skips = 0
  }

  private(set) var found = DenseMap<GroupID<ProjectionID>, Found>(default: Found())
  private var families = ProjectionMap<Family>(default: Family())
  private var orphans = DenseMap<GroupID<ProjectionID>, Family>(default: Family())
  private var open: [ProjectionID: Open] = [:]
  /// The last turn in which each projection ran.
  private var lastTurn = ProjectionMap<Int>(default: 0)
  /// Those that were out of date when they ended, as long as nothing else has happened since: the end of the session ends all.
  private var ending: [(stay: Stay, group: GroupID<ProjectionID>)] = []
  private let turnsMin: Int
  private var isCounting = false

  /// More are not followed, which bounds the memory.
  private static let openMax = 1 << 16
  private static let projectionsMax = 1 << 10
  private static let skipsMin = 2

  init(_ thresholds: LintThresholds) { turnsMin = max(2, thresholds.count) }

  mutating func begin(_ run: inout LogRun) {
    for projection in run.registry.living { change(familyOf: projection, &run) { $0.alive += 1 } }
  }

  /// Looks at the current row of a run.
  ///
  /// - Parameter isCounting: Whether it is among the events that are counted.
  @inline(__always)
  mutating func observe(_ run: inout LogRun, isCounting: Bool) {
    self.isCounting = isCounting
    for hit in run.hits where run.registry[hit.projection].hasRun {
      invalidate(hit.projection, by: hit.unit, &run)
    }
    switch run.row.kind {
    case .evaluate: if let projection = run.projection { count(projection, &run) }
    case .projection: if let projection = run.projection { begin(projection, &run) }
    case .mark: countSkip(&run)
    default: break
    }
    if run.row.kind.lifeChange == .ends {
      if let projection = run.projection { end(projection, &run) }
    } else if !ending.isEmpty {
      ending.removeAll()
    }
  }

  private mutating func invalidate(_ projection: ProjectionID, by seq: UInt64, _ run: inout LogRun) {
    guard open[projection] == nil, open.count < Self.openMax else { return }
    let last = lastTurn[projection]
    let family = change(familyOf: projection, &run) { family in
      family.outOfDate += 1
      if last == family.turn { family.outOfDateAgain += 1 }
    }
    open[projection] = Open(since: seq, turn: family.turn, fullTurns: family.fullTurns)
  }

  private mutating func count(_ projection: ProjectionID, _ run: inout LogRun) {
    let group = run.group(of: projection)
    let isFirst = !run.registry[projection].hasRun
    if isCounting, !isFirst, run.row.inputChanged != true { found[group].plainRuns += 1 }
    let last = lastTurn[projection]
    let family = change(familyOf: projection, &run) { family in
      if last == family.turn { family.endTurn() }
      family.runs += 1
    }
    lastTurn[projection] = family.turn
    if let stay = close(projection, hasRun: true, &run), isCounting {
      if stay.turns <= 1 { found[group].prompt += 1 } else { add(stay, group, run) }
    }
    if families[projection].alive == 0 { return }
    if families[projection].parentTurn == families[projection].turn { families[projection].endTurn() }
    families[projection].parentTurn = families[projection].turn
  }

  private mutating func begin(_ projection: ProjectionID, _ run: inout LogRun) {
    lastTurn[projection] = 0
    let parent = run.parent
    if let parent, parent != projection {
      families[parent].alive += 1
    } else {
      orphans[run.group(of: projection)].alive += 1
    }
  }

  private mutating func end(_ projection: ProjectionID, _ run: inout LogRun) {
    if let stay = close(projection, hasRun: false, &run), stay.turns >= turnsMin {
      ending.append((stay, run.group(of: projection)))
    }
    change(familyOf: projection, &run) { $0.alive -= 1 }
  }

  private mutating func countSkip(_ run: inout LogRun) {
    if open.isEmpty { return }
    guard let label = run.label, case .skipped(let name) = MarkLabel(label) else { return }
    open[run.id(ofProjection: name)]?.skips += 1
  }

  /// A projection is no longer out of date.
  private mutating func close(_ projection: ProjectionID, hasRun: Bool, _ run: inout LogRun) -> Stay? {
    guard let stay = open.removeValue(forKey: projection) else { return nil }
    let family = change(familyOf: projection, &run) { $0.outOfDate -= 1 }
    return Stay(
      projection: projection, since: stay.since, turns: family.turn - stay.turn,
      fullTurns: family.fullTurns - stay.fullTurns, skips: stay.skips, others: max(0, family.aliveLately - 1),
      hasRun: hasRun)
  }

  private mutating func add(_ stay: Stay, _ group: GroupID<ProjectionID>, _ run: borrowing LogRun) {
    guard stay.turns >= turnsMin else { return }
    var stay = stay
    stay.name = run.tables.name(stay.projection)
    found[group].late += 1
    found[group].evidence.append(stay.since)
    if found[group].projections.count < Self.projectionsMax {
      found[group].projections.insert(stay.projection)
    }
    found[group].longest.replace(by: stay)
    if stay.skips >= Self.skipsMin || stay.fullTurns >= turnsMin { found[group].certain.replace(by: stay) }
    if !stay.hasRun { found[group].last.replace(by: stay) }
  }

  /// Counts those that are still out of date, in the order in which they went so.
  mutating func finish(_ run: inout LogRun) {
    for projection in open.sorted(by: { $0.value.since < $1.value.since }).map(\.key) {
      if let stay = close(projection, hasRun: false, &run) { add(stay, run.group(of: projection), run) }
    }
    for (stay, group) in ending { add(stay, group, run) }
    ending = []
  }

  /// Changes the family that a projection is a child of.
  @discardableResult
  private mutating func change(
    familyOf projection: ProjectionID, _ run: inout LogRun, _ body: (inout Family) -> Void
  ) -> Family {
    if let parent = run.registry[projection].parent, parent != projection {
      body(&families[parent])
      return families[parent]
    }
    let group = run.group(of: projection)
    body(&orphans[group])
    return orphans[group]
  }
}

extension OutOfDateStays.Stay? {
  /// Keeps that with more turns.
  fileprivate mutating func replace(by other: OutOfDateStays.Stay) {
    if other.turns > self?.turns ?? 0 { self = other }
  }
}
