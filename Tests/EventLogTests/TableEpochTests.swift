import LogGenerator
import SystemPackage
import Testing

@testable import EventLog

/// The writer's tables of paths and names start over when they are full, without any visible effect.
@Suite struct TableEpochTests {
  private static func options(_ tableBytes: Int, blockEvents: Int = 7) -> LogOptions {
    var options = LogOptions(blockEvents: blockEvents)
    options.tableBytes = tableBytes
    return options
  }

  @Test(arguments: [1, 200, 1000]) func logsOfManyEpochsReadBackAsTheyWereWritten(tableBytes: Int) throws {
    let seed = testSeed()
    var random = RandomEvents(seed: seed)
    let events = random.events(600)
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "epochs", options: Self.options(tableBytes))
    for event in events { try writer.append(event) }
    try writer.close()
    let log = try LogReader(file: file, path: "epochs")
    #expect(log.isClean, "seed \(seed)")
    #expect(exact(try log.allEvents()) == exact(events), "seed \(seed)")
  }

  /// A random program that keeps the ids and handles that the writer returned, in every form, with the events
  /// that they stand for.
  private struct Program {
    var random: SplitMix64
    let writer: LogWriter
    var events: [Event] = []
    var paths: [LogWriter.LoggedPath?]
    var pinned: [LogWriter.InternedPath?]
    var names = (0..<20).map { LogWriter.LoggedName("Row#\($0)") }
    var origins: [LogWriter.OriginID?] = Array(repeating: nil, count: 5)

    static let places = (0..<40).map { number in
      Path(root: .named("app"), components: [.property("rows"), .key("key \(number)"), .property("count")])
    }

    init(seed: UInt64, _ writer: LogWriter) {
      random = SplitMix64(seed: seed)
      self.writer = writer
      paths = Array(repeating: nil, count: Self.places.count)
      pinned = paths.map { _ in nil }
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func append(_ body: Event.Body, cause: UInt64? = nil, origin: Origin? = nil) {
      let seq = UInt64(events.count) + 1
      events.append(Event(seq: seq, time: seq * 1000, cause: cause, origin: origin, body: body))
    }

    mutating func step() throws {
      // Now and then the set of paths in use changes, so that each epoch defines others again.
      let range = [3, 40][events.count / 100 % 2]
      let index = pick(range)
      let time = UInt64(events.count + 1) * 1000
      let value = Value.int(Int64(events.count))
      let place = Self.places[index]
      switch pick(8) {
      case 0, 1:
        append(.set(place, value, sameValue: false))
        try writer.lock.withLock {
          if let path = paths[index],
            try writer.setUnderLock(path, value, sameValue: false, time: time, cause: nil) != nil
          {
            return
          }
          let path = try writer.logged(place, renewing: paths[index])
          paths[index] = path
          #expect(try writer.setUnderLock(path, value, sameValue: false, time: time, cause: nil) != nil)
        }
      case 2:
        append(.set(place, value, sameValue: true))
        let path = try pinned[index] ?? writer.intern(place)
        if pinned[index] != nil, pick(4) == 0 { #expect(try writer.intern(place) == path) }
        pinned[index] = path
        try writer.set(path, value, sameValue: true, time: time)
      case 3:
        // One step at a time below a path that may hold no more.
        let above = Self.places[0]
        append(.set(above.appending(.index(index)), value, sameValue: false))
        try writer.lock.withLock {
          var child = try paths[0].flatMap { try writer.logged([.index(index)], under: $0) }
          if child == nil {
            let renewed = try writer.logged(above, renewing: paths[0])
            paths[0] = renewed
            child = try writer.logged([.index(index)], under: renewed)
          }
          let path = try #require(child)
          #expect(try writer.setUnderLock(path, value, sameValue: false, time: time, cause: nil) != nil)
        }
      case 4:
        let name = index % names.count
        let cause = UInt64(pick(max(events.count, 1))) + 1
        guard cause <= events.count else { return }
        append(.invalidate(projection: names[name].text, causes: [cause]), cause: cause)
        try writer.lock.withLock { _ = try writer.appendInvalidate(&names[name], by: cause, time: time) }
      case 5:
        let name = index % names.count
        append(.evaluate(projection: names[name].text, duration: 7_000, changed: true))
        try writer.lock.withLock {
          _ = try writer.appendEvaluate(&names[name], duration: 7_000, changed: true, time: time)
        }
      case 6:
        let name = index % names.count
        append(.dispose(projection: names[name].text))
        try writer.lock.withLock { _ = try writer.appendDispose(&names[name], time: time) }
      default:
        let number = index % origins.count
        let origin = Origin(thread: "main", task: "task \(number)", stack: "app#1+\(number)")
        append(.mark(label: "m"), origin: origin)
        try writer.lock.withLock {
          let id = try writer.define(origin, renewing: origins[number])
          origins[number] = id
          try writer.append(.mark(label: "m"), time: time, cause: nil, site: nil, from: id)
        }
      }
    }
  }

  @Test(arguments: [1, 300, 2000, 4 << 20]) func whatIsKeptOfAnEarlierEpochIsRenewed(tableBytes: Int) throws {
    let seed = testSeed()
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "kept", options: Self.options(tableBytes))
    var program = Program(seed: seed, writer)
    for _ in 0..<1500 { try program.step() }
    try writer.close()
    let events = try LogReader(file: file, path: "kept").allEvents()
    #expect(exact(events) == exact(program.events), "seed \(seed)")
  }

  @Test func aPathOfAnotherWriterIsRefusedInEveryEpoch() throws {
    let a = try LogWriter(file: MemoryFile(), path: "a", options: Self.options(1, blockEvents: 1))
    let b = try LogWriter(file: MemoryFile(), path: "b", options: Self.options(1, blockEvents: 1))
    let path = try a.intern(Path(root: .named("x")))
    for _ in 0..<10 { try b.append(.mark(label: "m"), time: 0) }
    #expect(throws: LogError.self) { try b.set(path, 1, time: 0) }
    try a.close()
    try b.close()
  }

  @Test func manyLivingPathsAreNotDefinedOverAndOver() throws {
    // 1,000 paths are more than fit into the tables, and all are in use: after some rounds they are defined
    // permanently.
    let writer = try LogWriter(file: MemoryFile(), path: "wide", options: Self.options(4096))
    let paths = try (0..<1000).map { try writer.intern(Path(root: .named("app"), components: [.index($0)])) }
    for round in 0..<20 {
      for path in paths { try writer.set(path, .int(Int64(round)), time: 0) }
      if round > 15 { #expect(writer.tableEntries > 1000) }
    }
    try writer.close()
  }

  // MARK: Lives that come and go

  /// Objects that live for a while, each read by a separate projection.
  private struct Lives {
    var stage: Stage
    var sealer: Sealer
    var most = 0
    private var born = 0

    static let alive = 100

    init(_ file: MemoryFile, tableBytes: Int) throws {
      stage = Stage(path: "lives", tableBytes: tableBytes)
      var options = LogOptions()
      options.checkpointEvents = 1 << 14
      options.checkpointBytes = 1 << 18
      sealer = try Sealer(output: LogOutput(file, path: "lives"), options: options)
      try sealer.writeHeader(LogHeader(program: "", salt: 7, created: 0, metadata: [:]))
      let app = ObjectDefinition(id: ObjectID(1), type: "App", fields: ["rows": .map([:])])
      try put(.set(Path(root: .named("app")), .object(app), sameValue: false))
    }

    private mutating func put(_ body: Event.Body) throws {
      _ = try stage.append(body, time: stage.nextSeq, cause: nil, site: nil)
      if stage.chunk.events >= 256 { try seal() }
    }

    mutating func seal() throws {
      most = max(most, stage.tableEntries)
      let chunk = stage.popChunk(reusing: nil)
      try sealer.write(chunk, durableSeq: 0)
      most = max(most, sealer.tableEntries)
    }

    private func place(_ number: Int) -> Path {
      Path(root: .named("app"), components: [.property("rows"), .key("row \(number)")])
    }

    mutating func live() throws {
      let (number, name) = (born, "Row#\(born)")
      born += 1
      let row = ObjectDefinition(id: ObjectID(UInt64(number) + 2), type: "Row", fields: ["count": 0])
      try put(.set(place(number), .object(row), sameValue: false))
      try put(.projection(name: name, parent: nil, tracking: .element))
      let count = place(number).appending(.property("count"))
      try put(.reads(projection: name, .paths([count])))
      try put(.set(count, 1, sameValue: false))
      try put(.invalidate(projection: name, causes: [stage.nextSeq - 1]))
      if number < Self.alive { return }
      try put(.dispose(projection: "Row#\(number - Self.alive)"))
      try put(.remove(place(number - Self.alive), sameValue: false))
    }
  }

  @Test func tablesStayAsLargeAsTheyWereWhileObjectsComeAndGo() throws {
    let file = MemoryFile()
    let tableBytes = 1 << 16
    var lives = try Lives(file, tableBytes: tableBytes)
    for _ in 0..<5_000 { try lives.live() }
    let early = lives.most
    for _ in 5_000..<50_000 { try lives.live() }
    // Tables start over between chunks, and each event defines at most a few entries. The sealing thread has
    // three chunks.
    #expect(early <= 3 * (tableBytes / TableEpoch.entrySize + 3 * 256 + 2 * Lives.alive))
    #expect(lives.most <= early + 3 * 256, "\(lives.most) entries, \(early) before")
    try lives.seal()
    try lives.sealer.finish()

    let log = try LogReader(file: file, path: "lives")
    #expect(log.isClean)
    #expect(!log.checkpoints.isEmpty)
    #expect(log.eventCount == 1 + 50_000 * 7 - 2 * Lives.alive)
  }
}
