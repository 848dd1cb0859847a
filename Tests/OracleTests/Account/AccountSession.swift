import EventLog
import Invalidation
import LogGenerator

/// Random events of an app in which all that an account tells apart happens: equal values, objects of the same content,
/// actions that write again and again, transactions of several strands and of the session, lists whose rows are made anew,
/// moved or handed other inputs, also by a host that runs them after the list, and runs of which nothing is known.
struct AccountSession: ~Copyable {
  private(set) var events: [Event] = []
  private var random: SplitMix64
  private var time: UInt64 = 0
  private var timeline = Timeline()
  /// What the last event put out of date, in order, and what a run names as its cause then.
  private var outOfDate: [(name: String, unit: UInt64)] = []
  private var rows: [(name: String, list: String)] = []
  private var rowsMade = 0
  private var actions: [UInt64] = []
  private var lastWrite: UInt64?
  private var isInTransaction = false
  /// That of the next events.
  private var strand = 0

  private static let lists = ["List", "Board"]
  private static let tops = ["View", "Void", "onChange(app.a)", "total"]

  init(seed: UInt64, events count: Int) throws {
    random = SplitMix64(seed: seed)
    try begin()
    while events.count < count { try step() }
  }

  private mutating func begin() throws {
    let item = ObjectDefinition(id: ObjectID(2), type: "Item", fields: ["n": .int(1)])
    let app = ObjectDefinition(
      id: ObjectID(1), type: "App",
      fields: ["a": .int(0), "b": .int(0), "secret": .redacted, "item": .object(item)])
    try emit(.set(Path(root: .named("app")), .object(app), sameValue: false))
    for name in Self.tops + Self.lists {
      try emit(.projection(name: name, parent: nil, tracking: .element))
      try emit(.reads(projection: name, .paths(reads())))
      if random.chance(80) { try run(name, cause: nil) }
    }
  }

  @discardableResult
  private mutating func emit(_ body: Event.Body, cause: UInt64? = nil) throws -> UInt64 {
    let seq = UInt64(events.count + 1)
    var event = Event(seq: seq, time: time, cause: cause, body: body)
    if strand > 0 { event.origin = Origin(strand: strand) }
    outOfDate = try timeline.apply(event).map { line in
      let last = strand == OpenTransactions.session ? line.causes.last : nil
      let isOfAction = last.map { $0 < seq && events[Int($0) - 1].cause != nil } ?? false
      return (line.projection, isOfAction ? last ?? seq : seq)
    }
    events.append(event)
    return seq
  }

  // MARK: Steps

  private mutating func step() throws {
    pass()
    switch random.upTo(19) {
    case 0: actions.append(try emit(.action(label: "Tap"), cause: random.chance(20) ? actions.last : nil))
    case 1: if let action = actions.last { try emit(.finish(.returned), cause: action) }
    case 2: try transact()
    case 3: for _ in 0...random.upTo(5) { try write(to: "a", .int(Int64(events.count)), cause: actions.last) }
    case 4: try loop()
    case 5: try run(random.pick(Self.tops + Self.lists), cause: random.chance(50) ? lastWrite : nil)
    case 6: if random.chance(20) { try replaceView() }
    case 7: if let row = rows.randomElement(using: &random) { try move(row.name) }
    default: try writeAnything()
    }
  }

  private mutating func pass() {
    switch random.upTo(9) {
    case 0: time -= min(time, 1000)
    case 1: time += 2_000_000_000
    case 2...5: time += UInt64(random.upTo(5_000_000))
    default: time += UInt64(random.upTo(900))
    }
  }

  /// Writes that follow from each other, each after the runs for the one before.
  private mutating func loop() throws {
    guard let action = actions.last else { return }
    try emit(.finish(.returned), cause: action)
    var cause = action
    for round in 0...random.upTo(5) {
      time += random.chance(80) ? 600_000_000 : 100
      try write(to: "b", .int(Int64(events.count + round)), cause: cause)
      cause = lastWrite ?? cause
    }
  }

  private mutating func transact() throws {
    strand = random.pick([0, 0, OpenTransactions.session, 2])
    let cause = strand != OpenTransactions.session && random.chance(50) ? actions.last : nil
    try emit(.begin(label: nil), cause: cause)
    isInTransaction = true
    for _ in 0...random.upTo(3) { try writeAnything() }
    if strand == 2, random.chance(60) { try writeMeanwhile() }
    isInTransaction = false
    try emit(.end, cause: cause)
    strand = 0
    try runOutOfDate()
  }

  /// A write of another strand, which the open transaction does not hold back.
  private mutating func writeMeanwhile() throws {
    (strand, isInTransaction) = (0, false)
    try writeAnything()
    (strand, isInTransaction) = (2, true)
    if random.chance(50) { try writeAnything() }
  }

  private mutating func writeAnything() throws {
    let cause =
      random.chance(40) ? nil : random.chance(50) ? actions.randomElement(using: &random) : lastWrite
    switch random.upTo(5) {
    case 0: try write(to: "secret", .redacted, cause: cause)
    case 1, 2:
      let fields: NamedValues<Value> = random.chance(80) ? ["n": .int(1)] : ["n": .redacted]
      let item = ObjectDefinition(id: timeline.state.freeObjectID, type: "Item", fields: fields)
      try write(to: "item", .object(item), cause: cause)
    case 3: try write(to: "total", in: "derived", .int(Int64(random.upTo(2))), cause: cause)
    default: try write(to: random.pick(["a", "b"]), .int(Int64(random.upTo(1))), cause: cause)
    }
  }

  private mutating func write(to name: String, in root: String = "app", _ value: Value, cause: UInt64?) throws
  {
    let path = Path(root: .named(root), components: [.property(name)])
    let seq = try emit(.set(path, value, sameValue: random.chance(10)), cause: cause)
    lastWrite = seq
    if !isInTransaction { try runOutOfDate() }
  }

  private mutating func runOutOfDate() throws {
    for (name, cause) in outOfDate where random.chance(85) && timelineHas(name) {
      try emit(.invalidate(projection: name, causes: [cause]), cause: cause)
      try run(name, cause: random.chance(80) ? cause : events[events.count - 1].seq)
    }
  }

  private func timelineHas(_ name: String) -> Bool {
    Self.tops.contains(name) || Self.lists.contains(name) || rows.contains { $0.name == name }
  }

  // MARK: Projections

  private mutating func reads() -> [Path] {
    let paths = ["a", "b", "secret", "item", "item.n"].filter { _ in random.chance(45) }
    return paths.map { name in
      Path(root: .named("app"), components: name.split(separator: ".").map { .property(String($0)) })
    }
  }

  private mutating func run(_ name: String, cause: UInt64?) throws {
    var leaving: [String] = []
    let isList = Self.lists.contains(name)
    let isHost = isList && random.chance(25)
    if isList, !isHost { leaving = try runRows(of: name, cause: cause) }
    time += UInt64(random.upTo(2000))
    let changed: Bool? = name == "Void" ? nil : [nil, false, false, true][random.upTo(3)]
    try emit(
      .evaluate(
        projection: name, duration: UInt64(random.upTo(9000)), changed: changed,
        inputChanged: [nil, false, true][random.upTo(2)]), cause: cause)
    if isHost { leaving = try runRows(of: name, cause: cause) }
    for row in leaving { try end(row) }
  }

  /// Returns the rows that end after the run.
  private mutating func runRows(of list: String, cause: UInt64?) throws -> [String] {
    let own = rows.filter { $0.list == list }.map(\.name)
    let isAnew = random.chance(50)
    let leaving = isAnew ? own : own.filter { _ in random.chance(10) }
    let made = isAnew && random.chance(80) && !own.isEmpty ? own.count : random.upTo(3)
    if random.chance(70), !isAnew { for row in own where random.chance(30) { try run(row, cause: cause) } }
    for _ in 0..<made { try make(below: list, cause: cause) }
    return leaving
  }

  private mutating func make(below list: String, cause: UInt64?) throws {
    rowsMade += 1
    let name = "Row#\(rowsMade)"
    try emit(.projection(name: name, parent: list, tracking: .element), cause: cause)
    let paths = random.chance(60) ? [Path(root: .named("app"), components: [.property("a")])] : reads()
    if random.chance(80) { try emit(.reads(projection: name, .paths(paths)), cause: cause) }
    rows.append((name, list))
    if random.chance(90) { try run(name, cause: cause) }
  }

  private mutating func end(_ row: String) throws {
    try emit(.dispose(projection: row))
    rows.removeAll { $0.name == row }
  }

  private mutating func move(_ row: String) throws {
    let end = try emit(.dispose(projection: row))
    let list = random.pick(Self.lists)
    try emit(.projection(name: row, parent: list, tracking: .element), cause: end)
    rows.removeAll { $0.name == row }
    rows.append((row, list))
  }

  /// Ends the view, and makes one of the same name.
  private mutating func replaceView() throws {
    try emit(.dispose(projection: "View"))
    try emit(.projection(name: "View", parent: nil, tracking: .element))
    try emit(.reads(projection: "View", .paths(reads())))
    try run("View", cause: nil)
  }
}
