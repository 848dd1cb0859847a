import LogGenerator

/// Makes random sessions. Alphabets are small, so that the same places are read, written, moved and removed again and
/// again.
struct Generator {
  var random: SplitMix64
  var oracle = Oracle()
  var script = Script()
  /// Earlier values of places, to be set again: from A to B and back to A.
  var earlier: [(Route, Plain)] = []
  var lastGiven = 0
  /// Whether the session mostly concerns elements with ids in one array.
  var isKeyed = false
  /// Whether some reads are recorded as changes of the previous ones.
  private let hasChanges: Bool
  /// Whether the events are on several strands, with transactions that overlap.
  private let hasStrands: Bool
  private var created = 0

  init(seed: UInt64, hasChanges: Bool = false, hasStrands: Bool = false) {
    random = SplitMix64(seed: seed)
    self.hasChanges = hasChanges
    self.hasStrands = hasStrands
  }

  /// Every second session has changes of reads, every fifth has strands.
  static func session(seed: UInt64) -> Script {
    var generator = Generator(seed: seed, hasChanges: seed % 2 == 1, hasStrands: seed % 5 == 0)
    return generator.session()
  }

  private mutating func session() -> Script {
    let count = 30 + random.upTo(50)
    isKeyed = random.chance(40)
    for root in ["store", "app"] where random.chance(80) {
      add(.set(Route(root: root, steps: []), object(depth: 3), same: nil))
    }
    for _ in 0...random.upTo(3) { addProjection() }
    while script.lines.count < count { step() }
    while oracle.transactions > 0 { addEnd() }
    return script
  }

  private mutating func step() {
    if hasStrands, random.chance(40) { return addOverlap() }
    switch random.upTo(99) {
    case ..<38: addWrite()
    case ..<46: addRestore()
    case ..<58: addSplice()
    case ..<66: addRemoval()
    case ..<76: addReads()
    case ..<79: addProjection()
    case ..<81: if let name = anyProjection() { add(.dispose(name)) }
    case ..<86: if let name = anyProjection() { add(.evaluate(name)) }
    case ..<91: addBegin()
    case ..<98: addEnd()
    default: add(.mark("tap"))
    }
  }

  /// Transactions that overlap, and writes and runs within them that concern the same places.
  private mutating func addOverlap() {
    switch random.upTo(9) {
    case ..<2: addBegin()
    case 2: addEnd()
    case 3: if let name = anyProjection() { add(.evaluate(name)) }
    default: addRestore()
    }
  }

  private mutating func addBegin() {
    if oracle.transactions < (hasStrands ? 6 : 3) { add(.begin) }
  }

  /// Ends a transaction; with strands, now and then on one that has none open.
  private mutating func addEnd() {
    guard oracle.transactions > 0 else { return }
    let hasOpen = !hasStrands || random.chance(85)
    add(.end, on: hasStrands && hasOpen ? random.pick(oracle.open.keys.sorted()) : nil)
  }

  /// Adds a line if it fits the state. A few that do not fit are kept: the library must refuse them.
  mutating func add(_ body: Line.Body, on strand: Int? = nil) {
    let seq = script.lines.count + 1
    let cause = random.chance(10) && seq > 1 ? random.upTo(seq - 2) + 1 : nil
    let line = Line(cause: cause, strand: strand ?? (hasStrands ? random.upTo(3) : 0), body: body)
    var next = oracle
    let world = oracle.world
    do {
      _ = try next.apply(line, seq: seq)
      oracle = next
      script.lines.append(line)
    } catch .invalid where random.chance(1) {
      script.lines.append(line)
    } catch {
      return
    }
    remember(body, in: world)
  }

  private mutating func remember(_ body: Line.Body, in world: World) {
    switch body {
    case .set(let route, _, _), .splice(let route, _, _, _, _), .remove(let route, _):
      guard let end = world.trace(route).end, case .value(let value) = world.look(end), !end.steps.isEmpty
      else {
        return
      }
      earlier.append((route, value))
      if earlier.count > 4 { earlier.removeFirst() }
    default: break
    }
  }

  mutating func flag() -> Bool? {
    switch random.upTo(99) {
    // What others call the same value, though it is not, has no place in the rule for what they change meanwhile.
    case ..<6: hasStrands ? nil : true
    case ..<12: false
    default: nil
    }
  }

  private mutating func anyProjection() -> String? {
    oracle.projections.isEmpty ? nil : random.pick(oracle.projections.map(\.name))
  }

  private mutating func addProjection() {
    guard oracle.projections.count < 6 else { return }
    created += 1
    let name = random.chance(20) ? "Row#\(random.upTo(3))" : "Row#\(created + 9)"
    add(.projection(name, parent: nil, random.chance(50) ? .element : random.pick(Tracker.allCases)))
    add(reads(of: name))
  }

  private mutating func addReads() {
    let name = random.chance(4) ? "New#\(random.upTo(2))" : anyProjection()
    guard let name else { return }
    let reads = reads(of: name)
    add(reads)
    // A run ends after the change of its reads.
    if case .change = reads { add(.evaluate(name)) } else if random.chance(50) { add(.evaluate(name)) }
  }

  private mutating func reads(of name: String) -> Line.Body {
    guard hasChanges, random.chance(70) else { return .reads(name, list()) }
    // Mostly drops routes that are there.
    var dropped: [Route] = random.chance(10) ? routes() : []
    if let known = oracle.projection(name) {
      dropped += oracle.projections[known].routes.filter { _ in random.chance(30) }
    }
    let added = validRoutes()
    if added.isEmpty, dropped.isEmpty { return .reads(name, list()) }
    return .change(name, added: added, dropped: dropped)
  }

  /// Some routes, and mostly all that they lead through.
  private mutating func list() -> [Route] {
    let routes = validRoutes()
    if random.chance(25) { return routes }
    let holders = routes.flatMap { oracle.world.trace($0).holders }.filter { !$0.isWay }
    return routes + holders.map(\.route)
  }

  /// Routes that can be bound. One that begins with a number counts as bound: it crosses nothing, and the object
  /// exists.
  private mutating func validRoutes() -> [Route] {
    routes().filter { route in
      guard let number = route.number else { return true }
      return number <= oracle.world.lastNumber && oracle.world.trace(route).crossed.count == 1
    }
  }

  private mutating func routes() -> [Route] {
    (0...random.upTo(2)).map { _ in readRoute() }
  }
}

extension Spot {
  /// The bound route that consists of the spot.
  fileprivate var route: Route {
    if let owner { return Route(root: "#\(owner)", steps: steps) }
    return Route(root: steps.first?.name ?? "", steps: Array(steps.dropFirst()))
  }
}
