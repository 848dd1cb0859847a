import EventLog
import LogGenerator
import Testing

@testable import Invalidation

/// Following a path step by step leads to the slot that the whole path is bound to.
@Suite struct PathSlotsTests {
  @Test func aPathLeadsToTheSlotThatItIsBoundTo() throws {
    for trial in 0..<20 {
      let seed = testSeed(trial: trial)
      var session = ValidSession(seed: seed)
      let events = session.events(300)
      guard Asking.difference(events, seed) != nil else { continue }
      let few = Asking.shrunk(events, seed)
      let difference = Asking.difference(few, seed) ?? "nothing"
      let bodies = few.map { "\($0.seq) \($0.body)" }.joined(separator: "\n")
      Issue.record("seed \(seed): \(difference), of\n\(bodies)")
      return
    }
  }

  /// Sessions, and the paths to resolve before and after each event.
  @Test(arguments: [
    // A root that is added, removed, and becomes another object.
    [
      ##"{"kind":"set","path":"app","value":{"$object":"App#1","a":1}}"##,
      ##"{"kind":"remove","path":"app"}"##,
      ##"{"kind":"set","path":"app","value":{"$object":"App#2","a":{"$object":"Part#3","b":1}}}"##,
      ##"{"kind":"set","path":"app","value":{"$ref":"#1"}}"##,
    ],
    // Elements by index and by id, in an array of objects and in one of structs, as these move and change.
    [
      ##"{"kind":"set","path":"app","value":{"$object":"App#1","a":[{"$object":"Row#2","id":7,"b":1},{"id":8,"b":2}]}}"##,
      ##"{"kind":"splice","path":"app.a","offset":0,"delete":0,"insert":[{"$object":"Row#3","id":9,"b":3}]}"##,
      ##"{"kind":"set","path":"app.a[0].id","value":8}"##,
      ##"{"kind":"set","path":"app.a[2].id","value":7}"##,
      ##"{"kind":"set","path":"app.a[1]","value":{"id":9,"b":{"$ref":"#3"}}}"##,
      ##"{"kind":"set","path":"app.a","value":{"$ref":"#2"}}"##,
      ##"{"kind":"set","path":"app.a","value":5}"##,
    ],
    // An object that a path gives by its number before it exists, and by a reference that changes.
    [
      ##"{"kind":"set","path":"app","value":{"$object":"App#1","a":null}}"##,
      ##"{"kind":"set","path":"#2","value":{"$object":"Part#2","a":{"$ref":"#3"}}}"##,
      ##"{"kind":"set","path":"#3","value":{"$object":"Part#3","b":{"a":1}}}"##,
      ##"{"kind":"set","path":"#2.a","value":{"$ref":"#1"}}"##,
      ##"{"kind":"set","path":"app.a","value":{"$ref":"#2"}}"##,
      ##"{"kind":"set","path":"app.a","value":null}"##,
    ],
  ])
  func aPathLeadsElsewhereWhenSomethingHasMoved(lines: [String]) throws {
    let events = try lines.enumerated().map { index, line in
      try ParsedEvent(parsing: line).event(seq: UInt64(index) + 1, time: 0, sameValue: false)
    }
    let asked = try [
      "app", "app[#exists]", "app[#count]", "app.a", "app.a[#exists]", "app.a[#count]", "app.a.b",
      "app.a.b.a",
      "app.a.a", "app.a.a.b", "app.a.a.b[#exists]", "app.a.a.a.b", "app.a[0]", "app.a[0].b", "app.a[2]",
      "app.a[2].b", "app.a[9].b", "app.a[id: 7]", "app.a[id: 7].b", "app.a[id: 8].b.b",
      "app.a[id: 9].b", "app.a[id: 9][#exists]", "app.a[id: 9].b.b", "app.a[id: 1].b", "app.x[#exists]",
      "#1", "#1.a", "#1.a.b", "#1[#exists]", "#2", "#2.a", "#2.a.b", "#2.a.b.a", "#2.a.a", "#2.a[#exists]",
      "#2[#count]", "#3", "#3.b.a", "#3[#exists]", "#3[#order]", "#9.a",
    ].map { try Path(parsing: $0) }
    var asking = Asking()
    for event in events {
      asking.apply(event)
      for path in asked {
        let difference = asking.difference(at: path)
        #expect(difference == nil, "event \(event.seq)")
      }
    }
    // Steps after an aspect, which the text form cannot express.
    for path in asked {
      let behind = path.appending(.exists).appending(.property("a")).appending(.key("b"))
      let difference = asking.difference(at: behind)
      #expect(difference == nil)
    }
  }
}

/// A core whose slots are looked up by ids of paths and, as the oracle, by bound paths.
private struct Asking: ~Copyable {
  private var core = InvalidationCore()
  // So few that the ids start again now and then.
  private var tables = RunTables(pathsMax: 200)
  private var slots = PathSlots()
  private var paths: [Path] = []

  /// The first difference, if there is one.
  static func difference(_ events: [Event], _ seed: UInt64) -> String? {
    var asking = Asking()
    for event in events {
      asking.apply(event)
      // The paths depend on the event alone, so that they stay the same when other events are left out.
      var random = SplitMix64(seed: seed ^ event.seq)
      for _ in 0..<12 {
        guard let path = asking.path(&random) else { break }
        if let difference = asking.difference(at: path) { return "\(difference) after event \(event.seq)" }
      }
    }
    return nil
  }

  /// A shorter list of events that shows a difference too.
  static func shrunk(_ events: [Event], _ seed: UInt64) -> [Event] {
    var events = events
    var size = events.count / 2
    while size > 0 {
      var start = 0
      while start < events.count {
        var fewer = events
        fewer.removeSubrange(start..<min(start + size, events.count))
        if difference(fewer, seed) != nil { events = fewer } else { start += size }
      }
      size /= 2
    }
    return events
  }

  /// Applies an event, if it fits.
  mutating func apply(_ event: Event) {
    switch event.body {
    case .set, .splice, .remove: _ = try? core.apply(event.body, seq: event.seq)
    default: break
    }
    if let path = event.body.writtenPath { paths.append(path) }
    if case .reads(_, let reads) = event.body { paths += reads.allPaths }
    if paths.count > 400 { paths.removeFirst(100) }
    if event.seq % 64 == 0 { core.sweep() }
  }

  /// A path that an event named, or one above or below it.
  private func path(_ random: inout SplitMix64) -> Path? {
    guard let path = paths.randomElement(using: &random) else { return nil }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return Path(root: path.root, components: Array(path.components.dropLast()))
    case 1: return path.appending([.count, .order, .exists][Int.random(in: 0..<3, using: &random)])
    case 2:
      return [.property("next"), .index(0), .id(.int(1)), .key("id")].randomElement(using: &random).map {
        path.appending($0)
      }
    case 3:
      return Path(
        root: .object(ObjectID(UInt64.random(in: 1..<12, using: &random))), components: path.components)
    default: return path
    }
  }

  /// The difference between the slot that a path leads to and the slot that it is bound to; nil if they are
  /// the same.
  mutating func difference(at path: Path) -> String? {
    tables.startOverIfFull()
    _ = slots.begin(tables.epoch)
    let found = slots.slot(ofRead: tables.id(of: path), in: &core, tables)
    let bound = core.state.bound(path)
    if found == core.slot(ofBound: bound) { return nil }
    return "\(path) leads to \(core.path(of: found)), and is bound to \(bound)"
  }
}
