import EventLog
import Invalidation

/// Drives the invalidation core by the events of a run as they would be under other rules.
struct OtherTimeline: ~Copyable {
  /// A child that a rule creates for the reads that it moves.
  struct NewChild {
    var projection: ProjectionID
    var group: GroupID<ProjectionID>
    /// The index of the rule.
    var rule: Int
  }

  private var timeline = LogTimeline()
  private(set) var leftOut: LeftOutSets
  private(set) var joined = JoinedWrites()
  private(set) var moved: MovedReads
  /// The new children of each parent.
  private(set) var newChildren: [ProjectionID: [NewChild]] = [:]
  /// Groups with instances that have no parent to pass an input in.
  private(set) var orphans: Set<ExactString> = []
  private let rules: WhatIfRules
  /// Whether a rule says that values at a path are compared; nil if not determined yet.
  private var equatable = PathMap<Bool?>(default: nil)
  private(set) var metEquatable = false
  /// The recorded reads of each projection, if rules move reads.
  private var recorded: [ProjectionID: RecordedReads] = [:]
  /// The reads that remain with a projection, as bound paths.
  private var own: [ProjectionID: [Path]] = [:]
  private var handedUp: [ProjectionID: (parent: ProjectionID, paths: [Path])] = [:]
  /// For each parent, how many children need each path.
  private var handed: [ProjectionID: [Path: Int]] = [:]
  /// Parents whose reads must be updated before the next write.
  private var stale: Set<ProjectionID> = []

  init(_ rules: WhatIfRules) {
    self.rules = rules
    leftOut = LeftOutSets(rules)
    moved = MovedReads(rules)
  }

  /// Prepares for the first row of a run, with the projections that live before it.
  mutating func begin(_ run: inout LogRun, _ lives: inout OtherLives) {
    var base = run.log.base
    timeline = LogTimeline(base?.state ?? State(), limits: run.log.limits)
    timeline.givesCrowds = !rules.wantsElements
    timeline.hitFactor = 8
    base?.settleNames()
    guard let base else { return }
    for event in base.projectionEvents() {
      if case .projection(let name, _, let tracking) = event {
        _ = timeline.addProjection(
          run.id(ofProjection: name), tracking: rules.tracking(of: name) ?? tracking)
      }
      if case .reads(let name, let reads) = event {
        read(reads, by: run.id(ofProjection: name), &run, &lives)
      }
    }
    for _ in 0..<base.openTransactions {
      timeline.begin()
      joined.nest(.begin)
    }
  }

  /// Whether an input rule applies to a projection.
  mutating func applyInput(_ name: String, hasParent: Bool) -> Bool {
    moved.applyInput(name, hasParent: hasParent)
  }

  /// Adds to a set those projections of another set that the current row invalidates.
  @inline(__always)
  mutating func join(_ set: inout ProjectionSet, among known: borrowing ProjectionSet) {
    timeline.join(&set, among: known)
  }

  /// The same as a list, for rules that track by element.
  var hits: [LogTimeline.Hit] {
    @inline(__always) _read { yield timeline.hits }
  }

  // MARK: Joined writes

  /// Whether writes are joined, and the current row begins the next unit.
  @inline(__always)
  func isUnitOver(before run: inout LogRun) -> Bool {
    guard joined.isOpen else { return false }
    let isOwn = run.isOwn(run.row.cause)
    return joined.isOver(before: run.row, isOwn: isOwn, rules.transactionGap ?? 0)
  }

  /// Opens a unit to which the events of all strands belong.
  private mutating func beginUnit(at seq: UInt64) throws(StateError) {
    try timeline.advance(to: seq, cause: 0, on: OpenTransactions.session)
    timeline.begin()
  }

  /// Ends the open unit of joined writes. ``hits`` are then what it invalidates.
  mutating func endUnit(_ run: inout LogRun, _ lives: inout OtherLives) throws(StateError) {
    try timeline.advance(to: run.row.seq, cause: 0, on: OpenTransactions.session)
    try timeline.end()
    for (projection, changes) in joined.close() {
      for reads in changes { apply(reads, by: projection, &run, &lives) }
    }
  }

  /// Takes in a row while writes are joined, or one that may begin a unit. Returns false if the row is to be taken as any
  /// other.
  private mutating func join(_ run: inout LogRun) throws(StateError) -> Bool {
    guard rules.transactionGap != nil else { return false }
    switch run.row.kind {
    case .set, .splice, .remove:
      if joined.add(run.row) { try beginUnit(at: run.row.seq) }
      return false
    case .begin, .end:
      if joined.add(run.row) { try beginUnit(at: run.row.seq) }
      joined.nest(run.row.kind)
      return false
    case .evaluate where joined.isOpen: joined.passRun(run.row, rules.transactionGap ?? 0)
    case .reads where joined.isOpen:
      guard let projection = run.projection, let reads = run.reads, joined.defer(reads, of: projection) else {
        return false
      }
    case .projection:
      if let projection = run.projection { joined.begin(projection) }
      return false
    default: return false
    }
    try timeline.advance(to: run.row.seq, cause: run.row.cause, on: run.row.origin.strand)
    return true
  }

  /// Records what a projection reads, as the rules move it.
  private mutating func apply(
    _ reads: Reads, by projection: ProjectionID, _ run: inout LogRun, _ lives: inout OtherLives
  ) {
    if moved.concerns(projection, run.tables) || handed[projection] != nil {
      read(reads, by: projection, &run, &lives)
    } else {
      if !moved.inputs.isEmpty { own[projection] = apply(reads, by: projection).paths }
      timeline.apply(reads, of: projection)
    }
  }

  // MARK: Rows

  /// Updates the core by the run's current row.
  mutating func apply(_ run: inout LogRun, _ lives: inout OtherLives) throws(StateError) {
    if try join(&run) { return }
    switch run.row.kind {
    case .set, .splice, .remove:
      if !stale.isEmpty { readForChildren() }
      if rules.dropsSets || !rules.equatable.isEmpty, let path = run.path {
        return try apply(write: path, &run)
      }
    case .projection:
      guard let projection = run.projection else { break }
      let name = run.tables.name(projection)
      guard let tracking = rules.tracking(of: name) else { break }
      try timeline.advance(to: run.row.seq, cause: run.row.cause, on: run.row.origin.strand)
      guard timeline.addProjection(projection, tracking: tracking) else {
        throw StateError(nil, "the projection \(name) exists already; dispose it first")
      }
      return
    case .reads:
      guard let projection = run.projection else { break }
      let isConcerned = moved.concerns(projection, run.tables)
      guard isConcerned || !moved.inputs.isEmpty else { break }
      guard let reads = run.reads else { break }
      if !isConcerned, handed[projection] == nil {
        own[projection] = apply(reads, by: projection).paths
        break
      }
      try timeline.advance(to: run.row.seq, cause: run.row.cause, on: run.row.origin.strand)
      return read(reads, by: projection, &run, &lives)
    default:
      if run.row.kind.lifeChange == .ends, let projection = run.projection { end(projection, &lives) }
    }
    try run.apply(to: &timeline)
  }

  private mutating func apply(write path: PathID, _ run: inout LogRun) throws(StateError) {
    switch rules.dropsSets ? leftOut.answer(&run, path) : .asRecorded {
    case .leftOut: try timeline.advance(to: run.row.seq, cause: run.row.cause, on: run.row.origin.strand)
    case .setting(let value): try set(path, to: value, run)
    case .asRecorded:
      if run.row.kind == .set, !run.row.isSameValue, isEquatable(path, run.tables),
        timeline.state.value(at: run.tables.path(path)) == run.row.value
      {
        return try set(path, to: run.row.value, run)
      }
      do throws(StateError) { try run.apply(to: &timeline) } catch {
        // A text that was left out under another name of its path is not as it was recorded.
        guard run.row.kind == .splice, let value = leftOut.valueAfter(path, run) else { throw error }
        try set(path, to: value, run)
      }
    }
  }

  /// Sets the path of the row to a value, which is compared with what is there.
  private mutating func set(_ path: PathID, to value: Value, _ run: borrowing LogRun) throws(StateError) {
    try timeline.advance(to: run.row.seq, cause: run.row.cause, on: run.row.origin.strand)
    let written = run.tables.path(path)
    let isSame = timeline.state.value(at: written) == value
    try timeline.set(path, at: written, to: value, sameValue: isSame, seq: run.row.seq, run.tables)
  }

  /// Makes a set that has waited long enough at a time. ``hits`` are then what it invalidates. Returns false if there is
  /// none.
  mutating func setLate(at time: UInt64, _ run: borrowing LogRun) throws(StateError) -> Bool {
    guard let late = leftOut.popLate(at: time) else { return false }
    try timeline.advance(to: run.row.seq, cause: 0)
    // What held the value may be gone.
    guard let old = timeline.state.value(at: late.path), old.isScalar else { return true }
    try timeline.apply(.set(late.path, late.value, sameValue: old == late.value), seq: run.row.seq)
    return true
  }

  private mutating func isEquatable(_ path: PathID, _ tables: borrowing RunTables) -> Bool {
    if let known = equatable[path] { return known }
    let written = tables.path(path)
    let isMatch = rules.equatable.contains { $0.matches(written) }
    equatable[path] = isMatch
    if isMatch { metEquatable = true }
    return isMatch
  }

  /// Adds recorded reads of a projection, and returns all of them.
  private mutating func apply(_ reads: Reads, by projection: ProjectionID) -> RecordedReads {
    recorded[projection, default: RecordedReads()].apply(reads, in: &timeline)
    return recorded[projection] ?? RecordedReads()
  }

  private mutating func read(
    _ reads: Reads, by projection: ProjectionID, _ run: inout LogRun, _ lives: inout OtherLives
  ) {
    let all = apply(reads, by: projection)
    guard moved.concerns(projection, run.tables) else {
      own[projection] = all.paths
      return timeline.setReads(self.reads(of: projection), of: projection)
    }
    let name = run.tables.name(projection)
    let split = moved.split(all.paths, of: name) { all.name(of: $0) }
    let parent = lives[projection].parent
    // Without a parent that could hand it anything, it reads as before.
    own[projection] = parent == nil ? split.own + split.up : split.own
    if parent == nil, !split.up.isEmpty { orphans.insert(name.projectionGroup) }
    isolate(split.isolated, from: projection, name, &run, &lives)
    timeline.setReads(self.reads(of: projection), of: projection)
    handUp(split.up, from: projection, to: parent)
  }

  private mutating func isolate(
    _ parts: [(rule: Int, paths: [Path])], from projection: ProjectionID, _ name: String, _ run: inout LogRun,
    _ lives: inout OtherLives
  ) {
    for child in newChildren[projection] ?? [] where !parts.contains(where: { $0.rule == child.rule }) {
      timeline.setReads([], of: child.projection)
    }
    for (rule, paths) in parts {
      let known = newChildren[projection]?.first { $0.rule == rule }?.projection
      let child = known ?? makeChild(rule, of: projection, name, &run, &lives)
      timeline.setReads(paths, of: child)
    }
  }

  /// Creates the child into which a rule moves reads of a projection.
  private mutating func makeChild(
    _ rule: Int, of projection: ProjectionID, _ name: String, _ run: inout LogRun, _ lives: inout OtherLives
  ) -> ProjectionID {
    let label = moved.isolations[rule].text
    let child = NewChild(
      projection: run.id(ofProjection: "\(label) in \(name)"), group: run.projectionGroup(called: label),
      rule: rule)
    let tracking = rules.tracking(of: name) ?? .element
    lives.create(child.projection, parent: nil, tracking, in: child.group)
    _ = timeline.addProjection(child.projection, tracking: tracking)
    newChildren[projection, default: []].append(child)
    return child.projection
  }

  private mutating func handUp(
    _ paths: [Path], from projection: ProjectionID, to parent: ProjectionID?
  ) {
    removeHandedUp(by: projection)
    guard let parent, !paths.isEmpty else { return }
    for path in paths { handed[parent, default: [:]][path, default: 0] += 1 }
    handedUp[projection] = (parent, paths)
    stale.insert(parent)
  }

  private mutating func readForChildren() {
    for parent in stale { timeline.setReads(reads(of: parent), of: parent) }
    stale.removeAll()
  }

  private func reads(of projection: ProjectionID) -> [Path] {
    (own[projection] ?? []) + (handed[projection].map { Array($0.keys) } ?? [])
  }

  private mutating func removeHandedUp(by projection: ProjectionID) {
    guard let (parent, paths) = handedUp.removeValue(forKey: projection) else { return }
    stale.insert(parent)
    for path in paths {
      handed[parent]?[path, default: 0] -= 1
      if handed[parent]?[path] == 0 { handed[parent]?[path] = nil }
    }
  }

  private mutating func end(_ projection: ProjectionID, _ lives: inout OtherLives) {
    for child in newChildren.removeValue(forKey: projection) ?? [] {
      _ = timeline.removeProjection(child.projection)
      lives.end(child.projection)
    }
    removeHandedUp(by: projection)
    joined.forget(projection)
    own[projection] = nil
    recorded[projection] = nil
    handed[projection] = nil
    stale.remove(projection)
  }
}

/// The recorded reads of a projection, with the names that bound paths had when they were recorded.
private struct RecordedReads {
  private var reads: BoundReads?
  private var names: [Path: Path] = [:]

  var paths: [Path] { reads?.paths ?? [] }

  func name(of path: Path) -> Path { names[path] ?? path }

  mutating func apply(_ event: Reads, in timeline: inout LogTimeline) {
    timeline.apply(event, to: &reads)
    let added: [Path]
    switch event {
    case .paths(let paths): (names, added) = ([:], paths)
    case .change(let paths, let dropped):
      for path in dropped { names[timeline.bound(path)] = nil }
      added = paths
    }
    for path in added { names[timeline.bound(path)] = timeline.currentName(of: path) }
  }
}
