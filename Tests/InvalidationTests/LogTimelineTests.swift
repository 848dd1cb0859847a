import EventLog
import LogGenerator
import Testing

@testable import Invalidation

/// The timeline of a log, which uses slots, finds the same invalidations as the core finds for each event by
/// itself.
@Suite struct LogTimelineTests {
  @Test func theTimelineIsThatOfTheCore() throws {
    for trial in 0..<30 {
      let seed = testSeed(trial: trial)
      var session = ValidSession(seed: seed)
      let events = Self.withMoreSets(session.events(400), seed)
      guard Self.difference(events) != nil else { continue }
      let few = Self.shrunk(events)
      let difference = Self.difference(few) ?? "nothing"
      let bodies = few.map { "\($0.seq) \($0.body)" }.joined(separator: "\n")
      Issue.record("seed \(seed): \(difference), of\n\(bodies)")
      return
    }
  }

  /// Sessions in which a scalar is set that has readers beyond those of its own slot.
  @Test(arguments: [
    // By index and by id, of the element, the array and the object.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","added":["app.a[0].b"]}
    {"kind":"projection","projection":"B"}
    {"kind":"reads","projection":"B","added":["app.a[id: 7].b"]}
    {"kind":"projection","projection":"C"}
    {"kind":"reads","projection":"C","added":["app.a[id: 7]","app.a"]}
    {"kind":"set","path":"app.a[0].b","value":2}
    {"kind":"set","path":"app.a[id: 7].b","value":3}
    {"kind":"set","path":"app.a[0].b","value":4}
    {"kind":"splice","path":"app.a","offset":0,"delete":0,"insert":[{"id":9,"b":0}]}
    {"kind":"set","path":"app.a[0].b","value":5}
    {"kind":"set","path":"app.a[id: 7].b","value":6}
    {"kind":"set","path":"app.a[id: 7].b","value":7}
    """,
    // The whole object, by an equal value too.
    """
    {"kind":"projection","projection":"A","tracking":"object"}
    {"kind":"reads","projection":"A","added":["app.n"]}
    {"kind":"projection","projection":"B"}
    {"kind":"reads","projection":"B","added":["app.n"]}
    {"kind":"set","path":"app.n","value":1}
    {"kind":"set","path":"app.n","value":1,"same_value":true}
    {"kind":"set","path":"app.n","value":1,"same_value":true}
    {"kind":"set","path":"app.n","value":2,"same_value":true}
    {"kind":"set","path":"app.n","value":2}
    {"kind":"set","path":"app.m","value":2}
    {"kind":"set","path":"app.m","value":3}
    """,
    // Below a scalar.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","added":["app.n.x"]}
    {"kind":"set","path":"app.n","value":1}
    {"kind":"set","path":"app.n","value":2}
    {"kind":"set","path":"app.n","value":{"x":2}}
    {"kind":"set","path":"app.n","value":3}
    """,
    // Within a transaction, read and not read.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","added":["app.n"]}
    {"kind":"begin"}
    {"kind":"set","path":"app.n","value":1}
    {"kind":"set","path":"app.m","value":1}
    {"kind":"set","path":"app.n","value":0}
    {"kind":"set","path":"app.m","value":2}
    {"kind":"projection","projection":"B"}
    {"kind":"reads","projection":"B","added":["app.m"]}
    {"kind":"set","path":"app.m","value":3}
    {"kind":"set","path":"app.a[0].b","value":3}
    {"kind":"end"}
    """,
    // A property that is removed and added again, so that other properties have moved.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","added":["app.n","app.s.t"]}
    {"kind":"set","path":"app.n","value":1}
    {"kind":"set","path":"app.s.t","value":1}
    {"kind":"remove","path":"app.m"}
    {"kind":"set","path":"app.n","value":2}
    {"kind":"remove","path":"app.n"}
    {"kind":"set","path":"app.s.t","value":2}
    {"kind":"set","path":"app.n","value":3}
    {"kind":"set","path":"app.n","value":4}
    {"kind":"remove","path":"app.s.u"}
    {"kind":"set","path":"app.s.t","value":3}
    """,
    // A part of a string.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","added":["app.t","app.u[#count]"]}
    {"kind":"projection","projection":"B"}
    {"kind":"reads","projection":"B","added":["app","app.v.x"]}
    {"kind":"splice","path":"app.t","offset":0,"delete":0,"insert":"ab"}
    {"kind":"splice","path":"app.t","offset":1,"delete":1,"insert":"c"}
    {"kind":"splice","path":"app.t","offset":0,"delete":0,"insert":""}
    {"kind":"splice","path":"app.t","offset":0,"delete":2,"insert":"","same_value":true}
    {"kind":"splice","path":"app.t","offset":9,"delete":0,"insert":"x"}
    {"kind":"splice","path":"app.u","offset":0,"delete":0,"insert":"x"}
    {"kind":"splice","path":"app.v","offset":0,"delete":0,"insert":"x"}
    {"kind":"begin"}
    {"kind":"splice","path":"app.t","offset":0,"delete":0,"insert":"d"}
    {"kind":"splice","path":"app.t","offset":0,"delete":1,"insert":""}
    {"kind":"end"}
    """,
    // An object that a path crosses moves; some readers follow the path, others are bound.
    """
    {"kind":"projection","projection":"A"}
    {"kind":"reads","projection":"A","paths":["app.o.n"]}
    {"kind":"projection","projection":"B"}
    {"kind":"reads","projection":"B","added":["app.o.n"]}
    {"kind":"set","path":"app.o.n","value":1}
    {"kind":"set","path":"app.o.n","value":2}
    {"kind":"set","path":"app.o","value":{"$object":"Part#3","n":0}}
    {"kind":"set","path":"app.o.n","value":3}
    {"kind":"set","path":"#2.n","value":4}
    {"kind":"set","path":"app.o.n","value":5}
    {"kind":"reads","projection":"A","added":["app.o.n"],"dropped":["app.o.n"]}
    {"kind":"set","path":"app.o.n","value":6}
    """,
  ])
  func aSetOfAScalarConcernsWhomItConcernsInTheCore(lines: String) throws {
    let root = """
      {"kind":"set","path":"app","value":{"$object":"App#1","n":0,"m":0,"t":"","u":"","v":"","s":{"u":0,"t":0},\
      "o":{"$object":"Part#2","n":0},"a":[{"id":7,"b":0},{"id":8,"b":0}]}}
      """
    let all = [root] + lines.split(separator: "\n").map { String($0) }
    let events = try all.enumerated().map { index, line in
      try ParsedEvent(parsing: line).event(seq: UInt64(index) + 1, time: 0, sameValue: false)
    }
    #expect(Self.difference(events) == nil)
  }

  @Test func manyAreInvalidatedInTheOrderOfTheirCreation() throws {
    var timeline = LogTimeline()
    var tables = RunTables()
    let path = try Path(parsing: "app.n")
    let app = ObjectDefinition(id: ObjectID(1), type: "App", fields: ["n": 0])
    try timeline.apply(.set(Path(root: .named("app")), .object(app), sameValue: false), seq: 1)
    let id = tables.id(of: path)
    for number in (0..<1_000).reversed() {
      timeline.changeReads(added: [id], dropped: [], of: ProjectionID(number), tables)
    }
    // One projection ends, and another begins in its place.
    let isRemoved = timeline.removeProjection(ProjectionID(500))
    #expect(isRemoved)
    timeline.changeReads(added: [id], dropped: [], of: ProjectionID(2_000), tables)
    let expected = (0..<1_000).reversed().filter { $0 != 500 } + [2_000]
    for seq in 2..<UInt64(5) {
      try timeline.advance(to: seq, cause: 0)
      try timeline.set(id, at: path, to: .int(Int64(seq)), sameValue: false, seq: seq, tables)
      #expect(timeline.hits.map(\.projection.denseIndex) == expected)
      #expect(timeline.hits.allSatisfy { $0.causes.only == seq })
      #expect(timeline.state.value(at: path) == .int(Int64(seq)))
    }
  }

  /// Sets of scalars are rare in a session, and repeated sets at the same path rarer.
  private static func withMoreSets(_ events: [Event], _ seed: UInt64) -> [Event] {
    var random = SplitMix64(seed: seed)
    var state = State()
    var paths: [Path] = []
    var more: [Event] = []
    func add(_ body: Event.Body) {
      more.append(Event(seq: UInt64(more.count) + 1, time: 0, cause: nil, body: body))
    }
    for event in events {
      if (try? state.apply(event)) == nil { continue }
      add(event.body)
      if let path = event.body.writtenPath { paths.append(path) }
      if case .reads(_, let reads) = event.body { paths += reads.allPaths }
      if paths.count > 30 { paths.removeFirst(10) }
      for _ in 0..<3 {
        guard let path = paths.randomElement(using: &random), let value = state.value(at: path),
          value.isScalar
        else { continue }
        let isSame = Int.random(in: 0..<5, using: &random) == 0
        let body = Event.Body.set(
          path, isSame && Bool.random(using: &random) ? value : .int(Int64.random(in: 0..<4, using: &random)),
          sameValue: isSame)
        if (try? state.apply(body)) != nil { add(body) }
      }
    }
    return more
  }

  /// The first difference between the timeline and the core; nil if there is none. Leaves out events that do
  /// not fit.
  private static func difference(_ events: [Event]) -> String? {
    var timeline = Timeline()
    var plain = PlainTimeline()
    for event in events {
      var copy = plain.copy()
      guard let expected = try? copy.hits(of: event) else { continue }
      plain = copy
      do {
        let found = try timeline.apply(event).map { "\($0.projection) \($0.causes)" }
        if found != expected { return "event \(event.seq) hits \(found) instead of \(expected)" }
      } catch {
        return "event \(event.seq) is refused: \(error)"
      }
      var states = (timeline.state, plain.state)
      if event.seq % 16 == 0, states.0.asEvents() != states.1.asEvents() {
        return "the states differ after event \(event.seq)"
      }
    }
    return nil
  }

  private static func shrunk(_ events: [Event]) -> [Event] {
    var events = events
    var size = events.count / 2
    while size > 0 {
      var start = 0
      while start < events.count {
        var fewer = events
        fewer.removeSubrange(start..<min(start + size, events.count))
        if difference(fewer) != nil { events = fewer } else { start += size }
      }
      size /= 2
    }
    return events
  }
}

/// The core, which receives every event unchanged.
private struct PlainTimeline: ~Copyable {
  private var core = InvalidationCore()
  private var nodes: [String: NodeID] = [:]
  private var names: [NodeID: String] = [:]

  var state: State { core.state }

  func copy() -> PlainTimeline {
    var copy = PlainTimeline()
    copy.core = core.copy()
    (copy.nodes, copy.names) = (nodes, names)
    return copy
  }

  mutating func hits(of event: Event) throws(StateError) -> [String] {
    switch event.body {
    case .set, .splice, .remove: return texts(try core.apply(event.body, seq: event.seq))
    case .begin: core.begin()
    case .end: return texts(try core.end())
    case .projection(let name, _, let tracking):
      guard nodes[name] == nil else { throw StateError(nil, "it lives already") }
      add(name, tracking)
    case .reads(let name, .paths(let paths)): core.setReads(paths, of: node(name))
    case .reads(let name, .change(let added, let dropped)):
      core.changeReads(added: added, dropped: dropped, of: node(name))
    case .evaluate(let name, _, _, _, _): core.markEvaluation(of: node(name))
    case .dispose(let name):
      guard let node = nodes.removeValue(forKey: name) else { throw StateError(nil, "it does not live") }
      names[node] = nil
      core.removeNode(node)
    case .invalidate, .mark, .action, .finish: break
    }
    return []
  }

  private func texts(_ hits: [InvalidationCore.Hit]) -> [String] {
    hits.compactMap { hit in names[hit.node].map { "\($0) \(hit.causes)" } }
  }

  private mutating func node(_ name: String) -> NodeID { nodes[name] ?? add(name, .element) }

  @discardableResult
  private mutating func add(_ name: String, _ tracking: Tracking) -> NodeID {
    let node = core.addNode(tracking: tracking)
    (nodes[name], names[node]) = (node, name)
    return node
  }
}
