import LogGenerator
import Testing

@testable import EventLog

@Suite struct CutTests {
  @Test func aPartHasItsEventsAndTheStateBeforeThem() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let (log, events) = try Self.log(2_000, seed: seed)
    let whole = try LogReader(path: log.path)
    for number in 0..<12 {
      let from = UInt64.random(in: 1...1_990, using: &random)
      let to = UInt64.random(in: from...2_000, using: &random)
      let part = LogPath(log.path).inserting("part\(number)")
      let result = try cut(log.path, .seq(from), .seq(to), to: part)
      let units = Self.units(in: events, from...to)
      #expect(result.seqs == units && !result.isRenumbered && result.loss == nil, "seed \(seed)")
      let (first, last) = (units.lowerBound, units.upperBound)
      let reader = try LogReader(path: part)
      #expect(reader.isClean && reader.firstSeq == first && reader.eventCount == last - first + 1)
      #expect(try reader.allEvents() == Array(events[Int(first) - 1..<Int(last)]), "seed \(seed)")
      let middle = UInt64.random(in: first - 1...last, using: &random)
      for seq in [first - 1, middle, last] {
        let (a, b) = (try reader.state(at: seq), try whole.state(at: seq))
        #expect(CheckpointBlockTests.text(a) == CheckpointBlockTests.text(b), "seed \(seed), event \(seq)")
      }
    }
  }

  /// The range with the transaction that is open before it, and the invalidations right after it.
  private static func units(in events: [Event], _ range: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    var begins: [UInt64] = []
    for event in events.prefix(Int(range.lowerBound) - 1) {
      if case .begin = event.body { begins.append(event.seq) }
      if event.body == .end { _ = begins.popLast() }
    }
    let more = events.dropFirst(Int(range.upperBound)).prefix { $0.body.kind == .invalidate }
    return (begins.first ?? range.lowerBound)...(range.upperBound + UInt64(more.count))
  }

  @Test func aPartOfAPartIsThePart() throws {
    let (log, _) = try Self.log(1_000, seed: 5)
    let (half, twice, once) = (name(log, "half"), name(log, "twice"), name(log, "once"))
    _ = try cut(log.path, .seq(200), .seq(900), to: half)
    _ = try cut(half, .seq(300), .seq(800), to: twice)
    _ = try cut(log.path, .seq(300), .seq(800), to: once)
    let (a, b) = (try LogReader(path: twice), try LogReader(path: once))
    #expect(try a.allEvents() == b.allEvents())
    #expect(
      CheckpointBlockTests.text(try a.state(at: 500)) == CheckpointBlockTests.text(try b.state(at: 500)))
    #expect(throws: LogError.self) { try cut(half, .seq(100), .seq(300), to: name(log, "none")) }
  }

  @Test func boundsCanBeTimesAndMarks() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 2))
    for (label, time) in [("a", 10), ("b", 20), ("a", 15), ("b", 30), ("c", 40)] as [(String, UInt64)] {
      try writer.append(.mark(label: label), time: time)
    }
    try writer.close()
    func seqs(_ from: LogCut.Bound?, _ to: LogCut.Bound?) throws -> ClosedRange<UInt64> {
      var cut = LogCut()
      cut.from = from
      cut.to = to
      return try CutRange(cut, in: LogReader(path: file.path)).seqs
    }
    #expect(try seqs(nil, nil) == 1...5)
    #expect(try seqs(.time(16), .time(30)) == 2...4)
    #expect(try seqs(.mark("b"), .mark("a")) == 2...3)
    #expect(try seqs(.mark("a"), .mark("b")) == 1...2)
    for (from, to) in [(.mark("x"), nil), (.time(50), nil), (.seq(3), .seq(2)), (nil, .seq(6))]
      as [(LogCut.Bound?, LogCut.Bound?)]
    {
      #expect(throws: LogError.self) { try seqs(from, to) }
    }
  }

  @Test func aFilterKeepsTheValuesOfItsPaths() throws {
    let seed = testSeed()
    let (log, events) = try Self.log(3_000, seed: seed)
    let whole = try LogReader(path: log.path)
    for (number, first) in [1, 1_500].enumerated() {
      var filter = LogCut()
      filter.from = .seq(UInt64(first))
      filter.paths = [try PathPattern(parsing: "store.text")]
      filter.projections = ["Row#2"]
      let output = name(log, "text\(number)")
      let result = try filter.run(log.path, to: output)
      #expect(result.isRenumbered && result.events < events.count)
      let part = try LogReader(path: output)
      #expect(part.firstSeq == 1)
      let text = Path(root: .named("store"), components: [.property("text")])
      let (a, b) = (try part.state(at: .max), try whole.state(at: .max))
      #expect(a.value(at: text) == b.value(at: text), "seed \(seed)")
      #expect(a.objects.count == b.objects.count)
      let names = try part.allEvents().compactMap { event -> String? in
        if case .reads(let name, _) = event.body { name } else { nil }
      }
      #expect(Set(names) == ["Row#2"])
      // All rows were read, so all their counts are kept.
      let rows = Path(root: .named("store"), components: [.property("rows")])
      #expect(a.value(at: rows) == b.value(at: rows))
    }
  }

  /// Who reads a path is kept, and whom the log says that a write to it invalidated, by whatever path that reads.
  @Test func aFilterByAPathKeepsWhoReadsWhatItWrites() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 100))
    func path(_ text: String) throws -> Path { try Path(parsing: text) }
    let rows = try Value(parsing: #"[{"id":1,"at":{"x":1,"y":1}},{"id":2,"at":{"x":1,"y":1}}]"#)
    let store = try Value(parsing: #"{"$object":"Store#1","other":0}"#)
    try writer.append(.set(try path("store"), store, sameValue: false), time: 1)
    try writer.append(.set(try path("store.rows"), rows, sameValue: false), time: 2)
    for (name, tracking, read) in [
      ("Whole", .element, "store.rows"), ("Row", .element, "store.rows[id: 1]"),
      ("Exact", .element, "store.rows[id: 1].at.x"), ("Beside", .element, "store.rows[id: 1].at.y"),
      ("Within", .element, "store.rows[id: 1].at"), ("Other row", .element, "store.rows[id: 2].at.x"),
      ("Offset", .element, "store.rows[0].at"), ("Count", .element, "store.rows[#count]"),
      ("Property", .property, "store.rows[id: 2].id"), ("Object", .object, "store.other"),
      ("Elsewhere", .property, "store.other"),
    ] as [(String, Tracking, String)] {
      try writer.append(.projection(name: name, parent: nil, tracking: tracking), time: 3)
      try writer.append(.reads(projection: name, .change(added: [try path(read)], dropped: [])), time: 3)
    }
    try writer.append(.set(try path("store.rows[id: 1].at.x"), 2, sameValue: false), time: 4)
    for name in ["Whole", "Row", "Exact", "Within", "Offset", "Property", "Object"] {
      try writer.append(.invalidate(projection: name, causes: [25]), time: 4, cause: 25)
    }
    try writer.append(.set(try path("store.rows[id: 2].at"), 3, sameValue: false), time: 5)
    for name in ["Whole", "Other row", "Property", "Object"] {
      try writer.append(.invalidate(projection: name, causes: [33]), time: 5, cause: 33)
    }
    try writer.close()
    func kept(_ pattern: String) throws -> Set<String> {
      var cut = LogCut()
      cut.paths = [try PathPattern(parsing: pattern)]
      let output = name(file, "\(pattern.utf8.reduce(0) { $0 &* 31 &+ Int($1) })")
      _ = try cut.run(file.path, to: output)
      return Set(try LogReader(path: output).allEvents().compactMap(\.body.projectionName))
    }
    #expect(
      try kept("store.rows[id: 1].at.x")
        == ["Whole", "Row", "Exact", "Within", "Offset", "Property", "Object"])
    #expect(try kept("store.rows[id: 2].at") == ["Whole", "Other row", "Property", "Object"])
    #expect(try kept("store.other") == ["Object", "Elsewhere"])
  }

  @Test func whatADroppedWriteWokeIsNotLaidToItsCause() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 100))
    let a = try Path(parsing: "s.a")
    let b = try Path(parsing: "s.b")
    let object = try Value(parsing: #"{"$object":"S#1","a":0,"b":0}"#)
    try writer.append(.set(try Path(parsing: "s"), object, sameValue: false), time: 1)
    try writer.append(.projection(name: "P", parent: nil, tracking: .element), time: 2)
    try writer.append(.reads(projection: "P", .change(added: [a, b], dropped: [])), time: 3)
    try writer.append(.set(a, 1, sameValue: false), time: 4)
    try writer.append(.set(b, 1, sameValue: false), time: 5, cause: 4)
    try writer.append(.invalidate(projection: "P", causes: [5]), time: 6, cause: 5)
    try writer.append(.evaluate(projection: "P", duration: 1, changed: nil), time: 7, cause: 5)
    try writer.append(.set(a, 2, sameValue: false), time: 8)
    try writer.append(.invalidate(projection: "P", causes: [8]), time: 9, cause: 8)
    try writer.append(.evaluate(projection: "P", duration: 1, changed: nil), time: 10, cause: 8)
    try writer.close()
    var filter = LogCut()
    filter.paths = [try PathPattern(parsing: "s.a")]
    _ = try filter.run(file.path, to: name(file, "a"))
    let events = try LogReader(path: name(file, "a")).allEvents()
    // The run after the dropped write has no cause: the write before it did not lead to it.
    #expect(events.map(\.time) == [1, 2, 3, 4, 7, 8, 9, 10])
    #expect(events.map(\.cause) == [nil, nil, nil, nil, nil, nil, 6, 6])
    #expect(events[6].body == .invalidate(projection: "P", causes: [6]))
  }

  @Test func aNameThatNothingInThePartHasIsRefused() throws {
    let (log, _) = try Self.log(200, seed: 5)
    for (path, projection) in [
      ("store.txet", nil), ("nosuch.**", nil), (nil, "Nosuch"), ("store.text", "Rwo*"),
    ]
      as [(String?, String?)]
    {
      var cut = LogCut()
      cut.paths = try path.map { [try PathPattern(parsing: $0)] } ?? []
      cut.projections = projection.map { [$0] } ?? []
      let error = #expect(throws: LogError.self) { try cut.run(log.path, to: name(log, "none")) }
      #expect(error?.code == .noSuchEvent)
      #expect(throws: LogError.self) { try LogReader(path: name(log, "none")) }
    }
  }

  @Test func causesOfAFilteredPartAreNumberedAnew() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 100))
    let (a, b) = (
      Path(root: .named("s"), components: [.property("a")]),
      Path(root: .named("s"), components: [.property("b")])
    )
    try writer.append(.set(a, 1, sameValue: false), time: 1)
    try writer.append(.set(b, 1, sameValue: false), time: 2)
    try writer.append(.set(b, 2, sameValue: false), time: 3)
    try writer.append(.set(a, 2, sameValue: false), time: 4)
    // An evaluation that is not kept led to the next write of a.
    try writer.append(.evaluate(projection: "P", duration: 1, changed: nil), time: 5, cause: 4)
    try writer.append(.set(a, 3, sameValue: false), time: 6, cause: 5)
    try writer.append(.begin(label: nil), time: 7)
    try writer.append(.set(b, 3, sameValue: false), time: 8)
    try writer.append(.end, time: 9)
    try writer.close()
    var filter = LogCut()
    filter.paths = [try PathPattern(parsing: "s.a")]
    _ = try filter.run(file.path, to: name(file, "a"))
    let events = try LogReader(path: name(file, "a")).allEvents()
    #expect(events.map(\.time) == [1, 2, 4, 6])
    #expect(events.map(\.cause) == [nil, nil, nil, 3])
  }

  private func cut(
    _ path: String, _ from: LogCut.Bound, _ to: LogCut.Bound, to output: String
  ) throws -> LogCut.Result {
    var cut = LogCut()
    cut.from = from
    cut.to = to
    return try cut.run(path, to: output)
  }

  private func name(_ file: TemporaryFile, _ part: String) -> String { LogPath(file.path).inserting(part) }

  static func log(_ count: Int, seed: UInt64) throws -> (TemporaryFile, [Event]) {
    let file = try TemporaryFile()
    var options = LogOptions(blockEvents: 50)
    options.checkpointEvents = 100
    let events = CheckpointBlockTests.events(count, seed: seed)
    let writer = try LogWriter(creating: file.path, options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    return (file, events)
  }
}
