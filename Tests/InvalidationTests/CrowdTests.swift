import EventLog
import LogGenerator
import Testing

@testable import Invalidation

/// Readers that are many are joined as bits, and are those that the list of hits has.
@Suite struct CrowdTests {
  @Test func aJoinFindsWhatIsInTheListOfHits() throws {
    var leftOut = 0
    for trial in 0..<20 {
      let seed = testSeed(trial: trial)
      let bodies = Self.session(seed)
      let result = Self.compare(bodies)
      leftOut += result.leftOut
      guard result.difference != nil else { continue }
      let few = Self.shrunk(bodies)
      let difference = Self.compare(few).difference ?? "nothing"
      let lines = few.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "\n")
      Issue.record("seed \(seed): \(difference), of\n\(lines)")
      return
    }
    // Else there would have been no crowds to join.
    #expect(leftOut > 0)
  }

  @Test func aGraphWhoseCallerChoosesIDsKeepsNoListOfFreeOnes() {
    var graph = SlotGraph()
    var removedCount = 0
    for _ in 0..<1000 {
      graph.addNode(NodeID(3), tracking: .element)
      if graph.removeNode(NodeID(3)) { removedCount += 1 }
    }
    let (freeCount, nodeCount) = (graph.freeNodes.count, graph.nodeCount)
    #expect(removedCount == 1000 && freeCount == 0 && nodeCount == 4)
  }

  @Test func aCrowdThatScattersIsAListAgain() throws {
    var tables = RunTables()
    var timeline = LogTimeline()
    timeline.givesCrowds = true
    try timeline.apply(Self.root, seq: 1)
    let path = try Path(parsing: "app.n")
    let id = tables.id(of: path)
    let all = (0..<200).map { ProjectionID($0) }
    for projection in all { timeline.changeReads(added: [id], dropped: [], of: projection, tables) }
    var known = ProjectionSet()
    for projection in all { known.insert(projection) }
    for count in [200, 150, 63, 1, 0] {
      // The first go, one after the other.
      for projection in all.dropLast(count) where timeline.removeProjection(projection) {}
      let seq = UInt64(1_000 - count)
      try timeline.advance(to: seq, cause: 0)
      try timeline.set(id, at: path, to: .int(Int64(count)), sameValue: false, seq: seq, tables)
      #expect(timeline.hits.isEmpty == (count > 63 || count == 0))
      var found = ProjectionSet()
      timeline.join(&found, among: known)
      for projection in all {
        #expect(found.contains(projection) == (projection.denseIndex >= 200 - count))
      }
    }
  }

  // MARK: Sessions

  private static let root = Event.Body.set(
    Path(root: .named("app")),
    .object(
      ObjectDefinition(
        id: ObjectID(1), type: "App",
        fields: [
          "n": 0, "m": 0, "s": .map(["t": 0, "u": 0]),
          "a": .array((0..<4).map { .map(["id": .int($0), "b": 0]) }),
        ])), sameValue: false)

  private static let paths = [
    "app.n", "app.m", "app.s", "app.s.t", "app.a", "app.a[0].b", "app.a[2].b", "app.a[id: 2].b", "app",
  ].map { try? Path(parsing: $0) }.compactMap(\.self)

  private static let scalars = ["app.n", "app.m", "app.s.t", "app.s.u", "app.a[0].b", "app.a[2].b", "#1.n"]
    .map { try? Path(parsing: $0) }.compactMap(\.self)

  /// Hundreds that read nearly the same, come and go, and now and then read something else.
  private static func session(_ seed: UInt64) -> [Event.Body] {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 70...400, using: &random)
    let tracking = [Tracking.element, .property, .object].randomElement(using: &random) ?? .element
    var bodies = [root]
    func begin(_ number: Int) {
      let own = Int.random(in: 0..<8, using: &random) == 0 ? Tracking.element : tracking
      bodies.append(.projection(name: "P#\(number)", parent: nil, tracking: own))
      let read = paths[number % 3 == 0 ? Int.random(in: 0..<paths.count, using: &random) : 0]
      bodies.append(.reads(projection: "P#\(number)", .change(added: [read], dropped: [])))
    }
    for number in 0..<count { begin(number) }
    for _ in 0..<300 {
      let number = Int.random(in: 0..<count, using: &random)
      let path = paths[Int.random(in: 0..<paths.count, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0: bodies.append(.dispose(projection: "P#\(number)"))
      case 1: begin(number)
      case 2, 3: bodies.append(.reads(projection: "P#\(number)", .change(added: [path], dropped: [])))
      case 4, 5: bodies.append(.reads(projection: "P#\(number)", .change(added: [], dropped: [path])))
      case 6:
        // Most go at once, so that the rest are no crowd.
        for other in 0..<count where other % 8 != number % 8 {
          bodies.append(.dispose(projection: "P#\(other)"))
        }
        for other in 0..<count where Bool.random(using: &random) { begin(other) }
      case 7: bodies.append(Bool.random(using: &random) ? .begin(label: nil) : .end)
      case 8:
        let element = Value.map(["id": .int(Int64.random(in: 0..<5, using: &random)), "b": 1])
        let array = Path(root: .named("app"), components: [.property("a")])
        bodies.append(.splice(array, offset: 1, delete: 1, insert: .array([element]), sameValue: false))
      default:
        let path = scalars[Int.random(in: 0..<scalars.count, using: &random)]
        let isSame = Int.random(in: 0..<6, using: &random) == 0
        bodies.append(
          .set(path, .int(Int64.random(in: 0..<4, using: &random)), sameValue: isSame))
      }
    }
    return bodies
  }

  /// How two runs differ of which one gives crowds; nil if they do not. And the hits that it left out of its lists.
  private static func compare(_ bodies: [Event.Body]) -> (difference: String?, leftOut: Int) {
    var tables = RunTables()
    var plain = LogTimeline()
    var crowded = LogTimeline()
    crowded.givesCrowds = true
    var known = ProjectionSet()
    for number in 0..<400 where number % 5 != 1 { known.insert(ProjectionID(number)) }
    var leftOut = 0
    for (index, body) in bodies.enumerated() {
      let seq = UInt64(index) + 1
      let isFit = (try? apply(body, seq: seq, &plain, &tables)) != nil
      guard (try? apply(body, seq: seq, &crowded, &tables)) != nil else {
        if isFit { return ("event \(seq) is refused", leftOut) }
        continue
      }
      var (expected, found) = (ProjectionSet(), ProjectionSet())
      for hit in plain.hits where known.contains(hit.projection) { expected.insert(hit.projection) }
      crowded.join(&found, among: known)
      leftOut += plain.hits.count - crowded.hits.count
      for word in 0..<max(expected.wordCount, found.wordCount)
      where expected[word: word] != found[word: word] {
        let texts = (found[word: word], expected[word: word])
        return ("event \(seq) joins \(texts.0) instead of \(texts.1) to word \(word)", leftOut)
      }
    }
    return (nil, leftOut)
  }

  private static func apply(
    _ body: Event.Body, seq: UInt64, _ timeline: inout LogTimeline, _ tables: inout RunTables
  ) throws(StateError) {
    try timeline.advance(to: seq, cause: 0)
    switch body {
    case .set(let path, let value, let sameValue):
      try set(path, to: value, sameValue: sameValue, seq: seq, &timeline, &tables)
    case .splice, .remove: try timeline.apply(body, seq: seq)
    case .begin: timeline.begin()
    case .end: try timeline.end()
    case .projection(let name, _, let tracking):
      _ = timeline.addProjection(tables.id(ofProjection: name), tracking: tracking)
    case .reads(let name, .change(let added, let dropped)):
      let ids = (added.map { tables.id(of: $0) }, dropped.map { tables.id(of: $0) })
      timeline.changeReads(added: ids.0, dropped: ids.1, of: tables.id(ofProjection: name), tables)
    case .dispose(let name): _ = timeline.removeProjection(tables.id(ofProjection: name))
    case .reads, .evaluate, .invalidate, .mark, .action, .finish: break
    }
  }

  private static func set(
    _ path: Path, to value: Value, sameValue: Bool, seq: UInt64, _ timeline: inout LogTimeline,
    _ tables: inout RunTables
  ) throws(StateError) {
    let id = tables.id(of: path)
    if timeline.set(id, to: value, sameValue: sameValue, seq: seq) { return }
    try timeline.set(id, at: path, to: value, sameValue: sameValue, seq: seq, tables)
  }

  private static func shrunk(_ bodies: [Event.Body]) -> [Event.Body] {
    var bodies = bodies
    var size = bodies.count / 2
    while size > 0 {
      var start = 0
      while start < bodies.count {
        var fewer = bodies
        fewer.removeSubrange(start..<min(start + size, bodies.count))
        if compare(fewer).difference != nil { bodies = fewer } else { start += size }
      }
      size /= 2
    }
    return bodies
  }
}
