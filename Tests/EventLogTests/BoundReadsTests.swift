import LogGenerator
import Testing

@testable import EventLog

/// Paths that are bound to the objects that they lead into, and logs whose reads are changes of such paths.
@Suite struct BoundReadsTests {
  // MARK: Bound paths and their names

  @Test(arguments: [
    ("app.title", "#1.title"), ("app", "app"), ("app[#exists]", "app[#exists]"),
    ("app[#count]", "#1[#count]"),
    ("app.rows", "#1.rows"), ("app.rows[0]", "#1.rows[0]"), ("app.rows[0].title", "#2.title"),
    ("app.rows[id: 7].title", "#2.title"), ("app.rows[0][#exists]", "#1.rows[0][#exists]"),
    ("app.rows[0][#count]", "#2[#count]"), ("app.rows[1].title", "#1.rows[1].title"),
    ("app.rows[9].title", "#1.rows[9].title"), ("app.gone.title", "#1.gone.title"),
    ("app.rows[0].next.next.title", "#2.title"), ("other.title", "other"),
    ("other[#exists]", "other[#exists]"),
    ("#2.next.title", "#2.next.title"), ("#9.title", "#9.title"), ("app.title.length", "#1.title.length"),
  ])
  func aPathIsBoundBehindTheLastReferenceThatItCrosses(path: String, bound: String) throws {
    let (path, bound) = (try Path(parsing: path), try Path(parsing: bound))
    let state = try Self.smallState()
    #expect(state.bound(path) == bound)
    #expect(state.bound(bound) == bound)
    #expect(state.bound(state.named(bound)) == bound)
  }

  @Test func aNameBeginsAtTheRootThatReachesTheObject() throws {
    var state = try Self.smallState()
    let title = try Path(parsing: "#2.title")
    #expect(state.named(title).description == "app.rows[id: 7].title")
    try state.apply(.remove(Path(parsing: "app.rows[0]"), sameValue: false))
    #expect(state.named(title) == title)
    // If a reference were stored on the way of a bound path, the path's name would lead elsewhere.
    let gone = try Path(parsing: "#1.gone.title")
    #expect(state.named(gone).description == "app.gone.title")
    try state.apply(.set(Path(parsing: "app.gone"), .reference(ObjectID(2)), sameValue: false))
    #expect(state.named(gone) == gone)
    #expect(state.bound(try Path(parsing: "app.gone.title")) == title)
  }

  @Test(arguments: [
    ("#1.title", "app.title"), ("#1.rows[0]", "app.rows[0]"), ("#1.rows[0].title", "#1.rows[0].title"),
    ("#1", "#1"), ("#1[#exists]", "#1[#exists]"), ("#1[#count]", "app[#count]"), ("#2.title", "#2.title"),
    ("#2.next", "#2.next"), ("#9.title", "#9.title"), ("app", "app"), ("other", "other"),
    ("app[#exists]", "app[#exists]"),
  ])
  func aLogCallsObjectsByTheirNumbersAndRootsByTheirNames(bound: String, called: String) throws {
    var state = try Self.smallState()
    let path = state.logged(try Path(parsing: bound))
    #expect(path.description == called)
    #expect(state.bound(path).description == bound)
  }

  /// Otherwise each of n rows that is read by id would search n rows.
  @Test func aLongArrayIsIndexedBeforeAReadInsideOfAnElementIsNamed() throws {
    var state = State()
    let rows: [Value] = (0..<100).map { .map(["id": .int($0), "title": "row"]) }
    let app = ObjectDefinition(id: ObjectID(1), type: "App", fields: ["rows": .array(rows)])
    try state.apply(.set(Path(root: .named("app")), .object(app), sameValue: false))
    func isIndexed() -> Bool {
      state.indexedElement(id: 99, of: ObjectID(1), property: "rows") == .some(rows[99])
    }
    // The target of the last step is not needed, so nothing is searched.
    #expect(state.logged(try Path(parsing: "#1.rows[id: 99]")).description == "app.rows[id: 99]")
    #expect(!isIndexed())
    #expect(state.logged(try Path(parsing: "#1.rows[id: 99].title")).description == "app.rows[id: 99].title")
    #expect(isIndexed())
  }

  @Test func anObjectThatIsNoLongerARootIsCalledByItsNumber() throws {
    var state = try Self.smallState()
    let title = try Path(parsing: "#1.title")
    try state.apply(.set(Path(parsing: "app.rows[0].next"), .reference(ObjectID(1)), sameValue: false))
    try state.apply(.set(Path(root: .named("row")), .reference(ObjectID(2)), sameValue: false))
    #expect(state.logged(title).description == "app.title")
    try state.apply(.remove(Path(root: .named("app")), sameValue: false))
    #expect(state.logged(title) == title)
    #expect(state.named(title) == title)
    // It is found again if another object holds it.
    #expect(state.currentName(of: title).description == "row.next.title")
    #expect(state.logged(title) == title)
    try state.apply(.set(Path(parsing: "row.next"), .null, sameValue: false))
    #expect(state.currentName(of: title) == title)
  }

  @Test func whatALogCallsABoundPathIsBoundToIt() throws {
    let seed = testSeed()
    var session = ValidSession(seed: seed)
    var (state, paths) = (State(), Set<Path>())
    for event in session.events(1_500) {
      try state.apply(event)
      if let path = event.body.writtenPath { paths.insert(path) }
      if case .reads(_, let reads) = event.body { paths.formUnion(reads.allPaths) }
      guard event.seq % 50 == 0 else { continue }
      for path in paths {
        let bound = state.bound(path)
        let place = "\(path) after event \(event.seq), seed \(seed)"
        let called = state.logged(bound)
        #expect(state.bound(called) == bound, "\(place)")
        #expect(called == bound || called.components == bound.components, "\(place)")
        let name = state.currentName(of: bound)
        #expect(state.bound(name) == bound, "\(place)")
      }
    }
  }

  private static func smallState() throws -> State {
    var state = State()
    let row = ObjectDefinition(
      id: ObjectID(2), type: "Row", fields: ["id": 7, "title": "a", "next": .reference(ObjectID(2))])
    let app = ObjectDefinition(
      id: ObjectID(1), type: "App",
      fields: ["title": "b", "rows": .array([.object(row), .map(["title": "c"])])])
    try state.apply(.set(Path(root: .named("app")), .object(app), sameValue: false))
    return state
  }

  @Test func aBoundPathLeadsWhereItsPathDoesAndItsNameBackToIt() throws {
    let seed = testSeed()
    var session = ValidSession(seed: seed)
    var (state, paths) = (State(), Set<Path>())
    for event in session.events(1_500) {
      try state.apply(event)
      if let path = event.body.writtenPath { paths.insert(path) }
      if case .reads(_, let reads) = event.body { paths.formUnion(reads.allPaths) }
      guard event.seq % 50 == 0 else { continue }
      for path in paths {
        let bound = state.bound(path)
        let place = "\(path) after event \(event.seq), seed \(seed)"
        #expect(state.bound(bound) == bound, "\(place)")
        #expect(state.bound(state.named(bound)) == bound, "\(place)")
        // A name may mean something else in another state; a bound path means the same in all.
        #expect(State().bound(bound) == bound, "\(place)")
        #expect(state.value(at: path) == state.value(at: bound) || bound.components.isEmpty, "\(place)")
      }
    }
  }

  // MARK: Events

  @Test func aChangeDropsFirstAndAddsEachPathOnce() throws {
    let (title, rows) = (try Path(parsing: "app.title"), try Path(parsing: "app.rows"))
    let row = try Path(parsing: "app.rows[0].title")
    var state = try Self.smallState()
    var reads: BoundReads?
    func apply(_ event: Reads, _ expected: String) {
      reads.apply(event, in: &state)
      let found = reads?.paths.map(\.description).joined(separator: " ")
      #expect(found == expected)
    }
    apply(.change(added: [title, title, rows], dropped: []), "#1.title #1.rows")
    apply(.change(added: [row], dropped: [rows, row]), "#1.title #2.title")
    apply(.change(added: [], dropped: []), "#1.title #2.title")
    apply(.change(added: [title], dropped: [title]), "#2.title #1.title")
    apply(.paths([row, title]), "#2.title #1.title")
    apply(.change(added: [rows], dropped: [title]), "#2.title #1.rows")
  }

  @Test func aFoldKeepsWhatWasReadAsALogCallsIt() throws {
    var fold = StateFold(try Self.smallState())
    let row = try Path(parsing: "app.rows[0].title")
    fold.apply(.projection(name: "P", parent: nil, tracking: .element))
    fold.apply(.reads(projection: "P", .change(added: [row, try Path(parsing: "app.title")], dropped: [])))
    let other = ObjectDefinition(id: ObjectID(3), type: "Row", fields: ["id": 8])
    fold.apply(
      .splice(
        try Path(parsing: "app.rows"), offset: 0, delete: 0, insert: .array([.object(other)]),
        sameValue: false))
    fold.apply(.set(try Path(parsing: "app.rows[id: 7].id"), 9, sameValue: false))
    let events = fold.checkpoint()
    let checkpoint = try #require(events)
    let added = [try Path(parsing: "#2.title"), try Path(parsing: "app.title")]
    #expect(checkpoint.contains(.reads(projection: "P", .change(added: added, dropped: []))))
    let held = try #require(StateFold(checkpoint: checkpoint, after: 9, time: 0))
    #expect(Self.text(held) == Self.text(fold))
    #expect(Self.text(held).contains("#2.title"))
  }

  // MARK: Logs

  @Test func tooManyPathsAreRefused() throws {
    let file = try TemporaryFile()
    let log = try LogWriter(creating: file.path)
    let half = Array(repeating: try Path(parsing: "app.title"), count: StageLimit.eventItemsMax / 2 + 1)
    func code(_ added: [Path], _ dropped: [Path]) -> LogError.Code? {
      do throws(LogError) {
        try log.append(.reads(projection: "Row#1", .change(added: added, dropped: dropped)), time: 1)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(half, half) == .tooLarge)
    #expect(code(half, []) == nil)
    try log.close()
    #expect(try LogReader(path: file.path).eventCount == 1)
  }

  @Test(arguments: [1, 4 << 20]) func checkpointsCutsMergesAndCompactionKeepWhatIsRead(
    tableBytes: Int
  ) throws {
    let seed = testSeed()
    var session = ValidSession(seed: seed)
    let events = SlotReads(session.events(1_200))
    let file = try TemporaryFile()
    var options = LogOptions(blockEvents: 40)
    options.checkpointEvents = 80
    options.tableBytes = tableBytes
    let writer = try LogWriter(creating: file.path, options: options)
    for event in events.changed { try writer.append(event) }
    try writer.close()

    func name(_ part: String) -> String { LogPath(file.path).inserting(part) }
    func cut(_ from: UInt64, _ to: UInt64) throws -> String {
      var cut = LogCut()
      (cut.from, cut.to) = (.seq(from), .seq(to))
      _ = try cut.run(file.path, to: name("part\(from)"))
      return name("part\(from)")
    }
    _ = try LogMerge.run([cut(1, 700), cut(500, 1_200)], to: name("merged"))
    _ = try LogCompaction.run(file.path, to: name("small"))
    let whole = try LogReader(path: file.path)
    #expect(try whole.checkCheckpoints().findings == [], "seed \(seed)")
    let logs = try ["part500", "merged", "small"].map { try LogReader(path: name($0)) }
    var fold = StateFold()
    for (event, listed) in zip(events.changed, events.listed) {
      #expect(event.seq == listed.seq)
      fold.apply(event)
      guard event.seq % 97 == 0 || event.seq == 1_200 else { continue }
      let expected = Self.text(fold)
      #expect(Self.text(try whole.fold(at: event.seq)) == expected, "event \(event.seq), seed \(seed)")
      for log in logs where event.seq >= log.firstSeq {
        #expect(
          Self.text(try log.fold(at: event.seq)) == expected, "\(log.path), event \(event.seq), seed \(seed)")
      }
    }
    // The other form of the session has the same reads.
    var other = StateFold()
    for event in events.listed { other.apply(event) }
    #expect(Self.text(other) == Self.text(fold), "seed \(seed)")
  }

  @Test func twoMergedRecordingsReadWhatEachDid() throws {
    let seed = testSeed()
    let files = (try TemporaryFile(), try TemporaryFile())
    var expected: [String] = []
    for (index, file) in [files.0, files.1].enumerated() {
      var session = ValidSession(seed: seed &+ UInt64(index))
      let events = SlotReads(session.events(400)).changed
      let writer = try LogWriter(creating: file.path)
      var fold = StateFold()
      for event in events {
        try writer.append(event)
        fold.apply(event)
      }
      try writer.close()
      for body in fold.projectionEvents() {
        guard case .reads(let name, let reads) = body else { continue }
        // Objects get every second number.
        let paths = reads.allPaths.map { path in
          let bound = fold.state.bound(path)
          guard case .object(let id) = bound.root else { return "\(bound)" }
          let number = (id.number - 1) * 2 + UInt64(index) + 1
          return "\(Path(root: .object(ObjectID(number)), components: bound.components))"
        }
        expected.append("\(["a_", "b_"][index])\(name) \(paths)")
      }
    }
    let output = LogPath(files.0.path).inserting("both")
    _ = try LogMerge.run([files.0.path, files.1.path], to: output, prefixes: ["a_", "b_"])
    let fold = try LogReader(path: output).fold(at: .max)
    let found = fold.projectionEvents().compactMap { body -> String? in
      guard case .reads(let name, let reads) = body else { return nil }
      let fold = fold
      let state = fold.state
      return "\(name) \(reads.allPaths.map { "\(state.bound($0))" })"
    }
    #expect(found.sorted() == expected.sorted(), "seed \(seed)")
  }

  /// The reads of each projection, bound.
  private static func text(_ fold: StateFold) -> String {
    let fold = fold
    let state = fold.state
    return fold.projectionEvents().map { body in
      guard case .reads(let name, let reads) = body else { return body.projectionName ?? "" }
      return "\(name) reads \(reads.allPaths.map { state.bound($0).description })"
    }.joined(separator: "\n")
  }
}
