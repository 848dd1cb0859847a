import LogGenerator
import Testing

@testable import EventLog

@Suite struct CheckpointBlockTests {
  @Test(arguments: [1, 2_000, 4 << 20]) func anyStateIsFoundThroughCheckpoints(tableBytes: Int) throws {
    let seed = testSeed()
    let events = Self.events(3_000, seed: seed)
    let log = try Self.log(events, tableBytes: tableBytes)
    #expect(log.checkpoints.count > 1)
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let seq = Int.random(in: 0...events.count, using: &random)
      var whole = State()
      for event in events[..<seq] { try whole.apply(event) }
      #expect(Self.text(try log.state(at: UInt64(seq))) == Self.text(whole), "seed \(seed), event \(seq)")
    }
    #expect(Self.text(try log.state(at: .max)) == Self.text(try log.state(at: UInt64(events.count))))
    #expect(try log.allEvents() == events)
  }

  @Test func checkpointsTakeAtMostAnEighthOfTheLog() throws {
    let log = try Self.log(Self.events(20_000, seed: 1))
    let sizes = log.checkpoints.map { log.blocks[$0].reduce(0) { $0 + $1.compressedSize } }
    #expect(sizes.count > 1)
    #expect(UInt64(sizes.reduce(0, +) * 8) < log.byteCount)
  }

  @Test func aSmallLogHasNone() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "small", options: LogOptions(blockEvents: 64))
    for event in Self.events(1_000, seed: 2) { try writer.append(event) }
    try writer.close()
    #expect(try LogReader(file: file, path: "small").checkpoints.isEmpty)
  }

  @Test func anEventThatDoesNotFitEndsTheCheckpointsAndNotTheLog() throws {
    var events = Self.events(4_000, seed: 3)
    let lost = Path(root: .named("nobody"), components: [.property("a"), .property("b")])
    events[2_000].body = .set(lost, 1, sameValue: false)
    let log = try Self.log(events)
    #expect(log.isClean)
    #expect(try log.allEvents() == events)
    let last = try #require(log.checkpoints.last)
    #expect(log.blocks[last.lowerBound].firstSeq <= 2_001)
    #expect(throws: LogError.self) { try log.state(at: 3_000) }
    _ = try log.state(at: 2_000)
  }

  @Test func eventsThatAreNoCheckpointAreRefused() throws {
    for body: Event.Body in [
      .end, .mark(label: "x"), .set(Path(root: .object(ObjectID(1))), 1, sameValue: false),
    ] {
      let bodies: [Event.Body] = [.begin(label: "checkpoint"), body, .end]
      #expect((StateFold(checkpoint: bodies, after: 9, time: 0) == nil) == (body != .mark(label: "x")))
    }
    #expect(StateFold(checkpoint: [.begin(label: "checkpoint")], after: 9, time: 0) == nil)
    #expect(StateFold(checkpoint: [], after: 9, time: 0) == nil)
  }

  @Test func anUndefinedObjectCanBeDefinedAfterACheckpoint() throws {
    let (first, second) = (ObjectID(1), ObjectID(2))
    let definitions = [(first, "A"), (second, "B")].map { id, type in
      let object = ObjectDefinition(id: id, type: type, fields: ["next": .reference(second)])
      return Event.Body.set(Path(root: .object(id)), .object(object), sameValue: false)
    }
    var fold = StateFold()
    fold.apply(definitions[0])
    let checkpoint = fold.checkpoint()
    let events = try #require(checkpoint)
    var later = try #require(StateFold(checkpoint: events, after: 1, time: 0))
    for body in [definitions[1], definitions[1]] {
      fold.apply(body)
      later.apply(body)
      #expect((fold.failure == nil) == (later.failure == nil))
    }
    // Once, and not again.
    #expect(later.failure != nil)
    #expect(later.state.objects[second]?.type == "B")
  }

  @Test func checkpointsAreHeldAgainstTheEvents() throws {
    let log = try Self.log(Self.events(3_000, seed: 8))
    let check = try log.checkCheckpoints()
    #expect(check.count == log.checkpoints.count && check.count > 1 && check.findings.isEmpty)
  }

  @Test(arguments: [
    Event.Body.set(Path(root: .object(ObjectID(1)), components: [.property("n")]), -0.0, sameValue: true),
    .set(Path(root: .object(ObjectID(1)), components: [.property("more")]), 1, sameValue: false),
    .set(Path(root: .named("other")), .reference(ObjectID(1)), sameValue: false),
    .projection(name: "Row#9", parent: nil, tracking: .element),
  ]) func aCheckpointThatHoldsSomethingElseIsFound(more: Event.Body) throws {
    var fold = StateFold()
    for event in Self.events(300, seed: 9) { fold.apply(event) }
    fold.apply(.set(Path(root: .object(ObjectID(1)), components: [.property("n")]), 0.0, sameValue: false))
    let checkpoint = fold.checkpoint()
    let events = try #require(checkpoint)
    var same = try #require(StateFold(checkpoint: events, after: 300, time: 0))
    #expect(fold.difference(from: &same) == nil)
    var other = try #require(StateFold(checkpoint: events.dropLast() + [more, .end], after: 300, time: 0))
    #expect(fold.difference(from: &other) != nil)
  }

  @Test func aStateTooLargeForAnEventGetsNoCheckpoint() {
    let text = Value.bytes(Array(repeating: 1, count: LogFormat.payloadBytesMax))
    let path = Path(root: .named("a"), components: [.property("text")])
    #expect(CheckpointBlocks.bodies(of: [.set(path, text, sameValue: false)], time: 0) == nil)
    #expect(CheckpointBlocks.bodies(of: [.set(path, "x", sameValue: false)], time: 0)?.count == 1)
  }

  // MARK: Logs

  /// A log of rows with ids that are inserted and removed, numbers that are set, and projections that read them.
  static func events(_ count: Int, seed: UInt64) -> [Event] {
    var random = SplitMix64(seed: seed)
    func pick(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let root = Path(root: .named("store"))
    let rows = root.appending(.property("rows"))
    var object: UInt64 = 1
    var ids: [Int64] = []
    var bodies: [Event.Body] = [
      .set(
        root,
        .object(
          ObjectDefinition(id: ObjectID(1), type: "Store", fields: ["rows": .array([]), "text": "", "n": 0])),
        sameValue: false)
    ]
    var length = 0
    while bodies.count < count {
      switch pick(12) {
      case 0 where ids.count < 40:
        object += 1
        let row = ObjectDefinition(
          id: ObjectID(object), type: "Row",
          fields: ["id": .int(Int64(object)), "owner": .reference(ObjectID(1))])
        bodies.append(
          .splice(rows, offset: ids.count, delete: 0, insert: .array([.object(row)]), sameValue: false))
        ids.append(Int64(object))
      case 1 where !ids.isEmpty:
        let index = pick(ids.count)
        ids.remove(at: index)
        bodies.append(.remove(rows.appending(.index(index)), sameValue: false))
      case 2:
        bodies.append(
          .splice(root.appending(.property("text")), offset: length, delete: 0, insert: "é", sameValue: false)
        )
        length += 2
      case 3:
        var reads = Reads.paths([rows])
        if bodies.count % 2 == 0, let first = ids.first, let last = ids.last {
          let counts = [last, first].map { rows.appending(.id(.int($0))).appending(.property("count")) }
          reads = .change(added: [rows, counts[0]], dropped: [counts[1]])
        }
        bodies.append(.reads(projection: "Row#\(pick(5))", reads))
      case 4: bodies.append(.dispose(projection: "Row#\(pick(5))"))
      case 5: bodies += [.begin(label: nil), .set(root.appending(.property("n")), 1, sameValue: false), .end]
      case 6:
        bodies.append(.set(root.appending(.property("last")), .reference(ObjectID(object)), sameValue: false))
      case _ where !ids.isEmpty:
        let row = rows.appending(.id(.int(ids[pick(ids.count)])))
        bodies.append(.set(row.appending(.property("count")), .int(Int64(pick(1000))), sameValue: false))
      default: bodies.append(.set(root.appending(.property("n")), .int(Int64(pick(1000))), sameValue: false))
      }
    }
    return bodies.prefix(count).enumerated().map { Event(seq: UInt64($0) + 1, time: UInt64($0), body: $1) }
  }

  /// A log with as many checkpoints as their size allows.
  private static func log(_ events: [Event], tableBytes: Int = 4 << 20) throws -> LogReader {
    let file = MemoryFile()
    var options = LogOptions(blockEvents: 50)
    options.checkpointEvents = 100
    options.tableBytes = tableBytes
    let writer = try LogWriter(file: file, path: "log", options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    return try LogReader(file: file, path: "log")
  }

  /// The values of a state, without the paths of objects: if an object has several paths, the one in use
  /// depends on when its path was first requested. Tests of random sessions compare these.
  static func text(_ state: State) -> String {
    let roots = state.roots.map { "\($0) \($1)" }.joined(separator: "\n")
    return state.objects.keys.sorted().reduce(roots) { text, id in
      let object = state.objects[id]
      return text
        + "\n\(id) \(object?.type ?? "") \(Value.map(object?.fields ?? [:]).json)"
    }
  }
}
