import Testing

@testable import EventLog
@testable import LogGenerator

/// The names that a run remembers are those that the state would return if it were asked each time.
@Suite struct ReadNamesTests {
  @Test(arguments: 0..<8)
  func aNameIsThatOfTheMoment(share: UInt64) {
    for seed in share * 25..<share * 25 + 25 {
      let program = ObjectProgram(seed: seed)
      guard Self.fault(in: program, seed: seed) != nil else { continue }
      let small = program.shrunk { Self.fault(in: $0, seed: seed) != nil }
      Issue.record("seed \(seed), \(Self.fault(in: small, seed: seed) ?? "")\n\(small)")
      return
    }
  }

  /// Requests names between the events, of some objects and not of others, like an analysis.
  static func fault(in program: ObjectProgram, seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed &+ 2)
    // Requesting a name may set the place that an object is named by, so both states get the same requests.
    var (state, asked) = (State(), State())
    var names = ReadNames()
    var tables = RunTables(pathsMax: 1 << (4 + random.pick(8)))
    for (position, event) in program.events.enumerated() {
      _ = try? state.apply(event)
      _ = try? asked.apply(event)
      tables.startOverIfFull()
      for _ in 0..<random.pick(12) {
        let object = ObjectID(UInt64(random.pick(30) + 1))
        let path = Path(root: .object(object), components: Self.steps[random.pick(Self.steps.count)])
        // A path that crosses a reference is not bound to any of these.
        let steps = state.owner(of: path.components, in: object).steps
        guard steps.count == path.components.count else { continue }
        let name = names.name(of: tables.id(of: path), in: &state, &tables)
        let expected = asked.currentName(of: path)
        if tables.path(name) != expected {
          return "event \(position), \(event): \(path) is called \(tables.path(name)), and not \(expected)"
        }
      }
    }
    return nil
  }

  private static let steps: [[PathComponent]] = [
    [], [.exists], [.property("a")], [.property("b")], [.property("rows"), .count],
    [.property("rows"), .index(1)], [.property("rows"), .id(3), .key("of")], [.property("id")],
  ]

  @Test func aPathThatBeginsWithARootOrWouldBeTooLongIsItsOwnName() throws {
    var (state, names, tables) = (State(), ReadNames(), RunTables())
    try state.apply(
      .set(
        Path(root: .named("app")), .object(ObjectDefinition(id: ObjectID(1), type: "App", fields: [:])),
        sameValue: false))
    let deep = Path(
      root: .object(ObjectID(1)), components: Array(repeating: .property("a"), count: Path.maximumDepth))
    for (path, name) in [
      (try Path(parsing: "app.title"), "app.title"), (try Path(parsing: "#1.title"), "app.title"),
      (try Path(parsing: "#2.title"), "#2.title"), (deep, deep.description.replacing("#1", with: "app")),
      (deep.appending(.property("a")), deep.appending(.property("a")).description),
    ] {
      let found = names.name(of: tables.id(of: path), in: &state, &tables)
      #expect(tables.path(found).description == name)
    }
  }
}
