/// The invalidation rule, by definition: all that each projection reads is compared before and after every event. It
/// shares nothing with the library, and is slow.
///
/// - A read is bound: it is the spot at the end of its route, where that was when it was bound. It crosses nothing,
///   then or later. The spots that hold the objects on the way are reads by themselves.
/// - A unit is an event outside a transaction, or an outermost transaction. A projection looks from the
///   unit's beginning, or from its own last `reads` or `evaluate` within the unit, to the unit's end.
/// - A spot that differs over that time wakes the projection. The causes are the events that changed it, step by
///   step, even those that a later event took back; an event that its log calls `same_value` is never one.
/// - An event that its log calls a change although the values agree changes the spots at its place and above.
/// - `.property` looks at the first property of the object last crossed in place of the end. `.object` looks
///   at none of it, but is woken by every event within that object, and by the one that defines it.
struct Oracle {
  struct Happening {
    var seq: Int
    var owner: Int?
    /// The objects that the event created.
    var born: Set<Int> = []
    var changed: Set<Spot> = []
    /// Places that changed only according to the log.
    var forced: Set<Spot> = []
  }

  var world = World()
  var projections: [Projection] = []
  var transactions = 0
  /// A difference between the two forms of the rule; set only if the model is wrong.
  var contradiction: String?
  private var unit: [Happening] = []
  private var causes: [Int: Int] = [:]
  private var looks: [Spot: Seen] = [:]
  /// Whether the unit has an event that changed values and that its log calls `same_value`.
  private var hidesChanges = false

  func projection(_ name: String) -> Int? { projections.firstIndex { $0.name == name } }

  /// Applies a line, and returns the projections that it invalidates, in order of creation.
  mutating func apply(_ line: Line, seq: Int) throws(Refusal) -> [Entry] {
    if let cause = line.cause {
      guard cause < seq else { throw .invalid("a cause comes first") }
      causes[seq] = cause
    }
    switch line.body {
    case .set, .splice, .remove: try happen(line.body, seq)
    case .begin:
      transactions += 1
      return []
    case .end:
      guard transactions > 0 else { throw .invalid("no open transaction") }
      transactions -= 1
    case .projection(let name, _, let tracker):
      guard projection(name) == nil else { throw .invalid("exists already") }
      add(name, tracker)
      return []
    case .reads(let name, let routes):
      let position = projection(name) ?? add(name, .element)
      projections[position].list(routes, in: world)
      settle(position)
      return []
    case .change(let name, let added, let dropped):
      let position = projection(name) ?? add(name, .element)
      projections[position].change(added: added, dropped: dropped, in: world)
      settle(position)
      return []
    case .evaluate(let name):
      settle(projection(name) ?? add(name, .element))
      return []
    case .dispose(let name):
      guard let position = projection(name) else { throw .invalid("no such projection") }
      projections.remove(at: position)
      return []
    case .invalidate, .mark: return []
    }
    return transactions == 0 ? finish(seq) : []
  }

  @discardableResult
  private mutating func add(_ name: String, _ tracker: Tracker) -> Int {
    projections.append(Projection(name: name, tracker: tracker, seen: unit.count, then: world))
    return projections.count - 1
  }

  private mutating func settle(_ position: Int) {
    projections[position].seen = unit.count
    projections[position].then = world
  }

  private mutating func happen(_ body: Line.Body, _ seq: Int) throws(Refusal) {
    let before = world
    let staysSame = world.staysSame(body)
    let isSame = body.same ?? staysSame
    guard let touch = try world.apply(body) else { return }
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
    if isSame, !staysSame { hidesChanges = true }
    unit.append(happening)
  }

  private mutating func finish(_ seq: Int) -> [Entry] {
    var root = seq
    var depth = 0
    while let cause = causes[root] {
      root = cause
      depth += 1
    }
    var entries: [Entry] = []
    for (position, projection) in projections.enumerated() {
      let causes = projection.causes(unit, now: world)
      if hidesChanges {
        // What was listed may lead elsewhere, although nothing was invalidated.
        projections[position].invalidate()
      } else {
        contradiction = projection.contradiction(causes, unit, now: world) ?? contradiction
      }
      if causes.isEmpty { continue }
      projections[position].invalidate()
      entries.append(
        Entry(seq: seq, projection: projection.name, causes: causes, cascade: root, depth: depth))
    }
    unit = []
    hidesChanges = false
    for position in projections.indices { settle(position) }
    return entries
  }
}
