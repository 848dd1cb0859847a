/// The invalidation rule, by definition: all that each projection reads is compared before and after every event. It
/// shares nothing with the library, and is slow.
///
/// - A read is bound: it is the spot at the end of its route, where that was when it was bound. It crosses nothing,
///   then or later. The spots that hold the objects on the way are reads by themselves.
/// - A unit is an event outside a transaction, or an outermost transaction with the events of its strand, or of all
///   strands if it is the session's. Several may be open. A projection looks from the unit's beginning, or from its own
///   last `reads` or `evaluate` while the unit is open, to the unit's end.
/// - A spot that differs over that time invalidates the projection. The causes are the unit's events that changed it, step by
///   step, even those that a later event took back; an event that its log calls `same_value` is never one. Without a
///   cause, the spot was changed by others, and the projection is not invalidated.
/// - A spot that others changed during that time, too, counts as different: the projection may have seen neither value.
/// - An event that its log calls a change although the values agree changes the spots at its place and above.
/// - `.property` looks at the first property of the object last crossed in place of the end. `.object` looks
///   at none of it, but is invalidated by every event within that object, and by the one that defines it.
struct Oracle {
  var world = World()
  var projections: [Projection] = []
  /// The number of open transactions of each strand that has some.
  private(set) var open: [Int: Int] = [:]
  /// A difference between the two forms of the rule; set only if the model is wrong.
  var contradiction: String?
  /// The units of the outermost transactions, each by its strand.
  private var units: [Int: Unit] = [:]
  private var causes: [Int: Int] = [:]
  private var looks: [Spot: Seen] = [:]

  var transactions: Int { open.values.reduce(0, +) }

  func projection(_ name: String) -> Int? { projections.firstIndex { $0.name == name } }

  /// Applies a line, and returns the projections that it invalidates, in order of creation.
  mutating func apply(_ line: Line, seq: Int) throws(Refusal) -> [Entry] {
    if let cause = line.cause {
      guard cause < seq else { throw .invalid("a cause comes first") }
      causes[seq] = cause
    }
    switch line.body {
    case .set, .splice, .remove:
      let before = world
      guard let happening = try happening(line.body, seq) else { return [] }
      let strand = unit(around: line.strand)
      // What was listed may lead elsewhere before the other units end.
      if units.keys.contains(where: { $0 != strand }) { invalidateAll() }
      for other in units.keys where other != strand {
        units[other]?.changedByOthers.append(happening.changed.union(happening.forced))
      }
      guard let strand else { return finish(Unit(before: before, happenings: [happening]), seq) }
      units[strand]?.happenings.append(happening)
    case .begin:
      open[line.strand, default: 0] += 1
      beginUnits()
    case .end:
      let strand = open[line.strand] == nil ? 0 : line.strand
      guard let depth = open[strand] else { throw .invalid("no open transaction") }
      open[strand] = depth > 1 ? depth - 1 : nil
      guard depth == 1, let unit = units.removeValue(forKey: strand) else { return [] }
      defer { beginUnits() }
      return finish(unit, seq, ofSession: line.strand == Line.session)
    case .projection(let name, _, let tracker):
      guard projection(name) == nil else { throw .invalid("exists already") }
      add(name, tracker)
    case .reads(let name, let routes):
      let position = projection(name) ?? add(name, .element)
      projections[position].list(routes, in: world)
      settle(name)
    case .change(let name, let added, let dropped):
      let position = projection(name) ?? add(name, .element)
      projections[position].change(added: added, dropped: dropped, in: world)
      settle(name)
    case .evaluate(let name):
      let position = projection(name) ?? add(name, .element)
      // What was listed may lead elsewhere, and this is not said any more.
      if units.values.contains(where: { !$0.unseen(by: name).isEmpty }) { projections[position].invalidate() }
      settle(name)
    case .dispose(let name):
      guard let position = projection(name) else { throw .invalid("no such projection") }
      projections.remove(at: position)
    case .invalidate, .mark: break
    }
    return []
  }

  /// The strand of the unit to which an event of a strand belongs; nil if it is outside of all.
  private func unit(around strand: Int) -> Int? { [strand, Line.session].first { units[$0] != nil } }

  /// Begins a unit for each strand with transactions that are part of none: one that just began, or that went on when the
  /// session's ended.
  private mutating func beginUnits() {
    for strand in open.keys where unit(around: strand) == nil { units[strand] = Unit(before: world) }
  }

  @discardableResult
  private mutating func add(_ name: String, _ tracker: Tracker) -> Int {
    projections.append(Projection(name: name, tracker: tracker))
    settle(name)
    return projections.count - 1
  }

  /// A projection has seen all of every unit up to now.
  private mutating func settle(_ name: String) {
    for strand in units.keys { units[strand]?.settle(name, in: world) }
  }

  private mutating func invalidateAll() {
    for position in projections.indices { projections[position].invalidate() }
  }

  /// Applies a write; nil if it does nothing.
  private mutating func happening(_ body: Line.Body, _ seq: Int) throws(Refusal) -> Happening? {
    let before = world
    let staysSame = world.staysSame(body)
    let isSame = body.same ?? staysSame
    guard let touch = try world.apply(body) else { return nil }
    var happening = Happening(seq: seq, owner: touch.owner)
    if !isSame { happening.born = Set(world.objects.keys).subtracting(before.objects.keys) }
    var newLooks: [Spot: Seen] = [:]
    for spot in Set(projections.flatMap(\.spots)) {
      let old = looks[spot] ?? before.look(spot)
      let new = world.look(spot)
      newLooks[spot] = new
      if isSame { continue }
      if old != new { happening.changed.insert(spot) }
      if staysSame, let at = touch.at, before.spot(spot, isAtOrAbove: at) { happening.forced.insert(spot) }
    }
    looks = newLooks
    // What was listed may lead elsewhere, although nothing is invalidated.
    if isSame, !staysSame { invalidateAll() }
    return happening
  }

  private mutating func finish(_ unit: Unit, _ seq: Int, ofSession: Bool = false) -> [Entry] {
    var entries: [Entry] = []
    for (position, projection) in projections.enumerated() {
      let causes = projection.causes(unit, now: world)
      contradiction = projection.contradiction(causes, unit, now: world) ?? contradiction
      guard let last = causes.last else { continue }
      projections[position].invalidate()
      // What a session collected leaves the run to the action of the last write.
      let (root, depth) = cascade(of: ofSession && self.causes[last] != nil ? last : seq)
      entries.append(
        Entry(seq: seq, projection: projection.name, causes: causes, cascade: root, depth: depth))
    }
    return entries
  }

  /// The first of an event's chain of causes, and their number.
  private func cascade(of seq: Int) -> (root: Int, depth: Int) {
    guard let cause = causes[seq] else { return (seq, 0) }
    let (root, depth) = cascade(of: cause)
    return (root, depth + 1)
  }
}
