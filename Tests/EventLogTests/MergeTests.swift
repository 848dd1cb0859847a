import LogGenerator
import Testing

@testable import EventLog

@Suite struct MergeTests {
  @Test func thePartsOfALogMakeTheLogAgain() throws {
    let (log, events) = try CutTests.log(1_500, seed: 7)
    var parts: [String] = []
    for (number, range) in [(900, 1_500), (1, 400), (350, 899)].enumerated() {
      var cut = LogCut()
      cut.from = .seq(UInt64(range.0))
      cut.to = .seq(UInt64(range.1))
      parts.append(name(log, "part\(number)"))
      _ = try cut.run(log.path, to: parts[number])
    }
    let result = try LogMerge.run(parts, to: name(log, "whole"))
    #expect(result.recordings == 1 && result.losses.isEmpty)
    #expect(try LogReader(path: name(log, "whole")).allEvents() == events)
    // Without the part in the middle events are missing.
    #expect(throws: LogError.self) { try LogMerge.run([parts[0], parts[1]], to: name(log, "hole")) }
    // Two consecutive parts make one part.
    _ = try LogMerge.run([parts[0], parts[2]], to: name(log, "rest"))
    let rest = try LogReader(path: name(log, "rest"))
    #expect(rest.firstSeq == 350)
    #expect(try rest.allEvents() == Array(events[349...]))
    #expect(
      CheckpointBlockTests.text(try rest.state(at: 349))
        == CheckpointBlockTests.text(try LogReader(path: log.path).state(at: 349)))
  }

  private static func openTransactions(_ events: [Event]) -> Int {
    events.reduce(0) { open, event in
      if case .begin = event.body { return open + 1 }
      return event.body == .end ? open - 1 : open
    }
  }

  @Test func recordingsAreInterleavedByWallTime() throws {
    let seed = testSeed()
    let (a, events) = try CutTests.log(400, seed: seed)
    let (b, others) = try CutTests.log(300, seed: seed &+ 1)
    let output = name(a, "both")
    let result = try LogMerge.run([a.path, b.path], to: output, prefixes: ["a_", "b_"])
    #expect(result.recordings == 2)
    let merged = try LogReader(path: output)
    let all = try merged.allEvents()
    // A transaction that a recording leaves open is ended.
    let left = Self.openTransactions(events) + Self.openTransactions(others)
    #expect(all.count == events.count + others.count + left, "seed \(seed)")
    // Transactions are whole: none begins while one is open.
    var depth = 0
    for event in all {
      if case .begin = event.body { depth += 1 }
      if event.body == .end { depth -= 1 }
      #expect(depth <= 1, "seed \(seed)")
    }
    #expect(depth == 0, "seed \(seed)")
    // The state has the roots of both.
    var state = State()
    for event in all { try state.apply(event) }
    for (prefix, log) in [("a_", a), ("b_", b)] {
      let alone = try LogReader(path: log.path).state(at: .max)
      let (before, after) = (Self.root("store", alone), Self.root(prefix + "store", state))
      for property in ["text", "n"] { #expect(before[property] == after[property], "seed \(seed)") }
      guard case .array(let rows)? = before["rows"], case .array(let merged)? = after["rows"] else {
        Issue.record("no rows")
        return
      }
      #expect(rows.map { alone.id(of: $0) } == merged.map { state.id(of: $0) })
    }
  }

  @Test func aNameThatTwoRecordingsHaveIsAConflict() throws {
    let (a, _) = try CutTests.log(20, seed: 1)
    let (b, _) = try CutTests.log(20, seed: 2)
    let error = #expect(throws: LogError.self) { try LogMerge.run([a.path, b.path], to: name(a, "both")) }
    #expect(error?.code == .conflict && error?.message.contains("--prefix") == true)
    #expect(try SystemFileSystem().names(in: LogPath(a.path).directory) == ["run.evlog"])
  }

  @Test func causesAndImplicitObjectsAreMapped() throws {
    let (a, b) = (try TemporaryFile("a.evlog"), try TemporaryFile("b.evlog"))
    for (file, root) in [(a, "x"), (b, "y")] {
      let writer = try LogWriter(creating: file.path)
      // Creates object 1, then object 2, without naming their ids.
      try writer.append(
        .set(Path(root: .named(root), components: [.property("n")]), 1, sameValue: false), time: 0)
      try writer.append(
        .set(Path(root: .named(root + "2")), .map(["m": 2]), sameValue: false), time: 1, cause: 1)
      let number = Path(root: .object(ObjectID(2)), components: [.property("m")])
      try writer.append(.set(number, 3, sameValue: false), time: 2, cause: 2)
      try writer.append(.invalidate(projection: root, causes: [1, 3]), time: 3, cause: 3)
      try writer.close()
    }
    let output = name(a, "both")
    _ = try LogMerge.run([a.path, b.path], to: output)
    var state = State()
    let events = try LogReader(path: output).allEvents()
    for event in events { try state.apply(event) }
    for root in ["x", "y"] {
      #expect(Self.root(root, state)["n"] == 1)
      #expect(Self.root(root + "2", state)["m"] == 3)
    }
    for event in events {
      guard case .invalidate(let root, let causes) = event.body else { continue }
      let writes = causes.map { events[Int($0) - 1].body }
      #expect(
        writes.first == .set(Path(root: .named(root), components: [.property("n")]), 1, sameValue: false))
      #expect(event.cause == causes.last)
    }
  }

  private static func root(_ name: String, _ state: State) -> [String: Value] {
    guard let id = state.roots[name], let object = state.objects[id] else { return [:] }
    return Dictionary(uniqueKeysWithValues: object.fields.map { ($0, $1) })
  }

  private func name(_ file: TemporaryFile, _ part: String) -> String { LogPath(file.path).inserting(part) }
}
