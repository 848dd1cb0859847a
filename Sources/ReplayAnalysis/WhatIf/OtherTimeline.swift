import EventLog
import Invalidation

/// The invalidation core driven by the events of a run as they would be under other rules.
struct OtherTimeline {
  /// A child that the rules make, for a read that moved into it.
  struct NewChild {
    var name: Int
    var rule: Int
  }

  private(set) var timeline = NumberedTimeline()
  private(set) var leftOut: LeftOutSets
  private(set) var moved: MovedReads
  /// By the parent.
  private(set) var newChildren: [Int: [NewChild]] = [:]
  /// Groups whose instances have no parent that could hand them anything.
  private(set) var orphans: Set<ExactString> = []
  private let rules: WhatIfRules
  private var generation = 0
  /// What projections read for themselves, where rules move reads up to parents.
  private var own: [Int: [Path]] = [:]
  private var handedUp: [Int: (parent: Int, paths: [Path])] = [:]
  /// By the parent: how many children need each.
  private var handed: [Int: [Path: Int]] = [:]
  /// Parents whose reads are to be brought up to date before the next write.
  private var stale: Set<Int> = []

  init(_ rules: WhatIfRules, _ run: inout Run, _ lives: inout LivingProjections) throws {
    self.rules = rules
    leftOut = LeftOutSets(rules)
    moved = MovedReads(rules)
    // Doubts about elements are about single hits.
    timeline.givesCrowds = !rules.wantsElements
    guard var base = run.log.base else { return }
    timeline = NumberedTimeline(base.state)
    timeline.givesCrowds = !rules.wantsElements
    for event in base.projections.asEvents() {
      if case .projection(let text, _, let tracking) = event {
        _ = timeline.addProjection(run.number(of: text), tracking: rules.tracking(of: text) ?? tracking)
      }
      if case .reads(let text, let paths) = event { read(paths, by: run.number(of: text), &run, &lives) }
    }
    for _ in 0..<base.openTransactions { timeline.begin() }
  }

  /// Whether a rule hands a projection its input.
  mutating func noteInput(_ name: String) -> Bool { moved.noteInput(name) }

  /// The projections that the last row would put out of date.
  var hits: [NumberedTimeline.Hit] {
    @inline(__always) _read { yield timeline.hits }
  }

  /// Whether they are many at once; then there are no hits, and they are in ``crowd``.
  var hasCrowd: Bool { timeline.hasCrowd }

  var crowd: NameSet {
    @inline(__always) _read { yield timeline.crowd }
  }

  /// Takes in the last row of a run.
  mutating func take(_ run: inout Run, _ lives: inout LivingProjections) throws(StateError) {
    if generation != run.tables.generation {
      generation = run.tables.generation
      timeline.forgetPaths()
    }
    switch run.row.kind {
    case .set, .splice, .remove:
      if !stale.isEmpty { readForChildren() }
      if rules.dropsSets, let path = run.path { return try take(write: path, &run) }
    case .projection:
      guard let name = run.name, let tracking = rules.tracking(of: run.tables.names[name]) else { break }
      try timeline.advance(to: run.row.seq, cause: run.row.cause)
      guard timeline.addProjection(name, tracking: tracking) else {
        throw StateError(nil, "the projection \(run.tables.names[name]) exists already; dispose it first")
      }
      return
    case .reads:
      guard let name = run.name else { break }
      let isConcerned = moved.concerns(name, run.tables)
      guard isConcerned || !moved.inputs.isEmpty else { break }
      if !isConcerned, handed[name] == nil {
        own[name] = run.readPaths.map { run.tables.paths.path($0) }
        break
      }
      try timeline.advance(to: run.row.seq, cause: run.row.cause)
      return read(run.readPaths.map { run.tables.paths.path($0) }, by: name, &run, &lives)
    default: if run.row.kind.lifeChange == .ends, let name = run.name { end(name, &lives) }
    }
    try run.apply(to: &timeline)
  }

  private mutating func take(write path: Int, _ run: inout Run) throws(StateError) {
    switch leftOut.answer(&run, path) {
    case .asRecorded: try run.apply(to: &timeline)
    case .leftOut: try timeline.advance(to: run.row.seq, cause: run.row.cause)
    case .onto(let before):
      try timeline.advance(to: run.row.seq, cause: run.row.cause)
      let (row, place) = (run.row, run.tables.paths.path(path))
      let isSame = (before ?? timeline.state.value(at: place)) == row.value
      if timeline.set(path, to: row.value, sameValue: isSame, seq: row.seq) { return }
      try timeline.set(path, at: place, to: row.value, sameValue: isSame, seq: row.seq)
    }
  }

  private mutating func read(
    _ paths: [Path], by name: Int, _ run: inout Run, _ lives: inout LivingProjections
  ) {
    guard moved.concerns(name, run.tables) else {
      own[name] = paths
      return timeline.setReads(reads(of: name), of: name)
    }
    let text = run.tables.names[name]
    let split = moved.split(paths, of: text)
    own[name] = split.own
    isolate(split.isolated, from: name, &run, &lives)
    timeline.setReads(reads(of: name), of: name)
    handUp(split.up, from: name, text, lives)
  }

  private mutating func isolate(
    _ parts: [(rule: Int, paths: [Path])], from name: Int, _ run: inout Run, _ lives: inout LivingProjections
  ) {
    for child in newChildren[name] ?? [] where !parts.contains(where: { $0.rule == child.rule }) {
      timeline.setReads([], of: child.name)
    }
    for (rule, paths) in parts {
      var child = newChildren[name]?.first { $0.rule == rule }?.name
      if child == nil {
        let label = moved.isolations[rule].text
        let number = run.number(of: "\(label) in \(run.tables.names[name])")
        lives.create(number, parent: nil, group: label)
        _ = timeline.addProjection(number, tracking: rules.tracking(of: run.tables.names[name]) ?? .element)
        newChildren[name, default: []].append(NewChild(name: number, rule: rule))
        child = number
      }
      if let child { timeline.setReads(paths, of: child) }
    }
  }

  private mutating func handUp(
    _ paths: [Path], from name: Int, _ text: String, _ lives: borrowing LivingProjections
  ) {
    if paths.isEmpty, handedUp[name] == nil { return }
    let parent = Int(lives[name].parent)
    guard parent >= 0 else {
      orphans.insert(text.projectionGroup)
      return
    }
    takeBack(name)
    for path in paths { handed[parent, default: [:]][path, default: 0] += 1 }
    handedUp[name] = (parent, paths)
    stale.insert(parent)
  }

  private mutating func readForChildren() {
    for parent in stale { timeline.setReads(reads(of: parent), of: parent) }
    stale.removeAll()
  }

  private func reads(of name: Int) -> [Path] {
    (own[name] ?? []) + (handed[name].map { Array($0.keys) } ?? [])
  }

  private mutating func takeBack(_ name: Int) {
    guard let (parent, paths) = handedUp.removeValue(forKey: name) else { return }
    stale.insert(parent)
    for path in paths {
      handed[parent]?[path, default: 0] -= 1
      if handed[parent]?[path] == 0 { handed[parent]?[path] = nil }
    }
  }

  private mutating func end(_ name: Int, _ lives: inout LivingProjections) {
    for child in newChildren.removeValue(forKey: name) ?? [] {
      _ = timeline.removeProjection(child.name)
      lives.end(child.name)
    }
    takeBack(name)
    own[name] = nil
    handed[name] = nil
    stale.remove(name)
  }
}
