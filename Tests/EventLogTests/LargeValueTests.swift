import LogGenerator
import Testing

@testable import EventLog

/// A value that does not fit an event loses its largest parts; objects and what is small stay, and the log stays
/// readable.
@Suite struct LargeValueTests {
  private static let tooLong = String(repeating: "x", count: StageLimit.eventBytesMax + 1)
  private static let tooMany = [Value](repeating: .null, count: StageLimit.eventItemsMax + 1)

  private let root = Path(root: .named("app"))
  private var rows: Path { root.appending(.property("rows")) }

  private func object(_ id: UInt64, _ fields: NamedValues<Value>) -> Value {
    .object(ObjectDefinition(id: ObjectID(id), type: "T\(id)", fields: fields))
  }

  /// Records events with a writer, and reads them again. Checks that they fit the state.
  private func record(_ bodies: [Event.Body]) throws -> (bodies: [Event.Body], state: State) {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "large")
    for body in bodies { try writer.append(body, time: 0) }
    try writer.close()
    let log = try LogReader(file: file, path: "large")
    let fold = try log.fold(at: UInt64(bodies.count))
    #expect(log.isClean && fold.failure == nil, "\(String(describing: fold.failure))")
    return (try log.allEvents().map(\.body), fold.state)
  }

  @Test func anObjectLosesItsLargestPartAlone() throws {
    let child = object(2, ["name": "child", "image": .bytes([1, 2, 3])])
    let (_, state) = try record([
      .set(
        root, object(1, ["title": "t", "text": .string(Self.tooLong), "child": child, "count": 1]),
        sameValue: false),
      .set(root.appending(.property("count")), 2, sameValue: false),
      .set(
        Path(root: .named("app"), components: [.property("child"), .property("name")]), "c", sameValue: false),
    ])
    let first = try #require(state.objects[ObjectID(1)])
    #expect(first.type == "T1" && first.fields["title"] == "t" && first.fields["count"] == 2)
    #expect(first.fields["text"]?.isTooLarge == true)
    let second = try #require(state.objects[ObjectID(2)])
    #expect(second.fields == ["name": "c", "image": .bytes([1, 2, 3])])
  }

  @Test func onlyAsManyPartsAsNecessaryAreLeftOut() throws {
    let part = Value.string(String(repeating: "y", count: 4 << 20))
    let (bodies, _) = try record([
      .set(root, object(1, ["images": .array(Array(repeating: part, count: 4))]), sameValue: false)
    ])
    guard case .set(_, .object(let definition), _) = bodies[0],
      case .array(let images)? = definition.fields["images"]
    else { return #expect(Bool(false), "\(bodies)") }
    #expect(images.count(where: \.isTooLarge) == 1 && images.count { $0 == part } == 3)
  }

  @Test func manySmallElementsAreLeftOutTogether() throws {
    let row = Value.map(["title": "row", "count": 1])
    let (_, state) = try record([
      .set(
        root, object(1, ["rows": .array(Array(repeating: row, count: 300_000)), "other": .array([row])]),
        sameValue: false)
    ])
    #expect(state.value(at: rows)?.isTooLarge == true)
    #expect(state.value(at: root.appending(.property("other"))) == .array([row]))
  }

  @Test func asMuchAsABlockHoldsIsKept() throws {
    let bytes = Value.bytes(Array(repeating: 7, count: StageLimit.eventBytesMax - 1000))
    let numbers = Value.array((0..<(StageLimit.eventItemsMax - 1)).map { .int($0 % 2 == 0 ? .max : .min) })
    let (bodies, _) = try record([
      .set(root, object(1, ["a": 1]), sameValue: false),
      .set(root.appending(.property("bytes")), bytes, sameValue: false),
      .set(root.appending(.property("a")), 2, sameValue: false),
      .set(rows, numbers, sameValue: false),
      .set(root.appending(.property("a")), 3, sameValue: false),
    ])
    #expect(bodies[1] == .set(root.appending(.property("bytes")), bytes, sameValue: false))
    #expect(bodies[3] == .set(rows, numbers, sameValue: false))
  }

  /// The parts of such a value are not known, so edits of them change it as a whole.
  @Test func editsOfAValueThatIsLeftOutLeaveTheLogReadable() throws {
    let (bodies, state) = try record([
      .set(root, object(1, ["rows": .array([1, 2])]), sameValue: false),
      .splice(rows, offset: 2, delete: 0, insert: .array(Self.tooMany), sameValue: false),
      .set(rows.appending(.index(3)), 4, sameValue: false),
      .splice(rows, offset: 0, delete: 1, insert: .array([object(2, ["n": 1])]), sameValue: false),
      .remove(rows.appending(.index(0)), sameValue: false),
      .set(Path(root: .object(ObjectID(2)), components: [.property("n")]), 2, sameValue: false),
    ])
    guard case .set(_, let replaced, _) = bodies[1] else { return #expect(Bool(false), "\(bodies[1])") }
    #expect(replaced.isTooLarge)
    let last = try #require(state.value(at: rows))
    #expect(last.isTooLarge && last != replaced)
    #expect(state.objects[ObjectID(2)]?.fields == ["n": 2])
    let (_, healed) = try record(bodies + [.set(rows, .array([5]), sameValue: false)])
    #expect(healed.value(at: rows) == .array([5]))
  }

  @Test func aTextThatGrowsByTooMuchIsLeftOut() throws {
    let text = root.appending(.property("text"))
    let (bodies, _) = try record([
      .set(root, object(1, ["text": "a"]), sameValue: false),
      .splice(text, offset: 1, delete: 0, insert: .string(Self.tooLong), sameValue: false),
      .splice(text, offset: 1, delete: 1, insert: "b", sameValue: false),
      .set(text, "c", sameValue: false),
    ])
    guard case .set(text, let value, _) = bodies[1] else { return #expect(Bool(false), "\(bodies[1])") }
    #expect(value.isTooLarge)
  }

  /// An event that cannot lose parts is refused, and the log goes on.
  @Test func moreObjectsThanAnEventCanDefineAreRefused() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "objects")
    let objects = (0..<400_000).map { object(UInt64($0) + 2, ["n": 1]) }
    let error = #expect(throws: LogError.self) {
      try writer.append(.set(root, object(1, ["rows": .array(objects)]), sameValue: false), time: 0)
    }
    #expect(error?.code == .tooLarge)
    try writer.append(.set(root, object(1, [:]), sameValue: false), time: 0)
    try writer.close()
    #expect(try LogReader(file: file, path: "objects").allEvents().count == 1)
  }

  @Test func whatNestsTooDeepIsLeftOutThere() throws {
    func nested(_ depth: Int) -> Value {
      (1..<depth).reduce(.int(1)) { value, _ in .map(["in": value, "n": 2]) }
    }
    let (_, state) = try record([
      .set(root, object(1, ["deep": nested(80), "n": 1]), sameValue: false)
    ])
    #expect(state.value(at: root.appending(.property("n"))) == 1)
    var value = state.value(at: root.appending(.property("deep")))
    var depth = 1
    while case .map(let fields)? = value {
      #expect(fields["n"] == 2)
      value = fields["in"]
      depth += 1
    }
    #expect(depth == 63 && value?.isTooLarge == true)
  }

  // MARK: Any value

  /// Random values, of which the parts that were left out, and no others, differ from before.
  @Test(arguments: 1...20) func randomValuesKeepTheirObjectsAndAllThatIsNotLeftOut(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var id: UInt64 = 0
    let value = Self.random(&random, depth: 0, id: &id)
    guard let fitted = FittedEvent(.set(rows, value, sameValue: false)) else {
      return #expect(Bool(false), "seed \(seed): the value was refused")
    }
    guard case .set(_, let rest, _) = fitted.body else { return }
    #expect(ValueSize(exactlyOf: rest).isWithin(.event))
    let whole = value.definedObjects
    #expect(rest.definedObjects.keys == whole.keys, "seed \(seed)")
    var expected = value
    for part in fitted.replaced {
      expected = expected.replacing(part.path.components.dropFirst(), by: rest)
    }
    #expect(expected == rest, "seed \(seed)")
    let isLarge = !ValueSize(exactlyOf: value).isWithin(.event)
    #expect(isLarge == !fitted.replaced.isEmpty, "seed \(seed)")
    if isLarge { #expect(fitted.replaced.allSatisfy { $0.bytes > 1000 }, "seed \(seed)") }
    // Fitting it again changes nothing.
    #expect(FittedEvent(fitted.body)?.body == fitted.body)
  }

  private static func random(_ random: inout SplitMix64, depth: Int, id: inout UInt64) -> Value {
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    func values(_ count: Int) -> [Value] {
      (0..<count).map { _ in Self.random(&random, depth: depth + 1, id: &id) }
    }
    func fields(_ count: Int) -> NamedValues<Value> {
      NamedValues(uniqueKeysWithValues: values(count).enumerated().map { ("f\($0.offset)", $0.element) })
    }
    switch depth == 0 ? 9 : pick(depth > 4 ? 6 : 10) {
    case 0: return .int(Int64(pick(1000)))
    case 1: return .string(String(repeating: "t", count: pick(30)))
    case 2: return .string(String(repeating: "t", count: 1 << pick(25)))
    case 3: return .bytes(Array(repeating: 1, count: 1 << pick(24)))
    case 4: return .array(Array(repeating: .int(1), count: 1 << pick(20)))
    case 5: return .array(Array(repeating: .map(["a": "b"]), count: 1 << pick(18)))
    case 6: return .array(values(pick(6)))
    case 7: return .map(fields(pick(6)))
    default:
      id += 1
      let number = ObjectID(id)
      return .object(ObjectDefinition(id: number, type: "T\(number.number)", fields: fields(1 + pick(6))))
    }
  }

  // MARK: Checkpoints

  /// Fields that grew by edits, beyond what an event can hold, come in parts in a checkpoint.
  @Test func checkpointsHoldFieldsThatGrewTooLargeForAnEvent() throws {
    var fold = StateFold()
    let text = root.appending(.property("text"))
    let maps = root.appending(.property("maps"))
    fold.apply(
      .set(
        root,
        object(
          1,
          [
            "first": 1, "text": "", "rows": .array([]), "maps": .map([:]), "child": object(2, ["n": 1]),
            "last": 2,
          ]),
        sameValue: false))
    let part = String(repeating: "é", count: 3 << 20)
    for index in 0..<3 {
      fold.apply(
        .splice(text, offset: index * part.utf8.count, delete: 0, insert: .string(part), sameValue: false))
      let numbers = (0..<400_000).map { Value.int(Int64($0)) } + [.reference(ObjectID(2))]
      fold.apply(
        .splice(rows, offset: index * numbers.count, delete: 0, insert: .array(numbers), sameValue: false))
      fold.apply(
        .set(maps.appending(.key("k\(index)")), .bytes(Array(repeating: 1, count: 9 << 20)), sameValue: false)
      )
    }
    #expect(fold.failure == nil)
    let checkpoint = fold.checkpoint()
    let events = try #require(checkpoint)
    #expect(
      events.allSatisfy { body in
        if case .set(_, let value, _) = body { ValueSize(exactlyOf: value).isWithin(.event) } else { true }
      })
    #expect(CheckpointBlocks.bodies(of: events, time: 0)?.count ?? 0 > 3)
    var held = try #require(StateFold(checkpoint: events, after: 9, time: 0))
    #expect(fold.difference(from: &held) == nil)
    let names = held.state.objects[ObjectID(1)]?.fields.map(\.key) ?? []
    #expect(names == ["first", "text", "rows", "maps", "child", "last"])
    var (before, after) = (fold.state, held.state)
    #expect(before.path(of: ObjectID(2)) == after.path(of: ObjectID(2)))
  }
}

extension Value {
  /// The types of all objects that it defines, by id.
  fileprivate var definedObjects: [ObjectID: String] {
    switch self {
    case .array(let elements): elements.reduce(into: [:]) { $0.merge($1.definedObjects) { a, _ in a } }
    case .map(let fields): fields.values.reduce(into: [:]) { $0.merge($1.definedObjects) { a, _ in a } }
    case .object(let definition):
      definition.fields.values.reduce(into: [definition.id: definition.type]) {
        $0.merge($1.definedObjects) { a, _ in a }
      }
    default: [:]
    }
  }

  /// The value with the part at the end of a path taken from another value.
  fileprivate func replacing(_ components: ArraySlice<PathComponent>, by other: Value) -> Value {
    guard let component = components.first else { return other }
    let rest = components.dropFirst()
    switch (self, other, component) {
    case (.array(var elements), .array(let others), .index(let index)):
      elements[index] = elements[index].replacing(rest, by: others[index])
      return .array(elements)
    case (.map(var fields), .map(let others), .property(let name)),
      (.map(var fields), .map(let others), .key(let name)):
      if let field = fields[name], let other = others[name] {
        fields[name] = field.replacing(rest, by: other)
      }
      return .map(fields)
    case (.object(var definition), .object(let others), .property(let name)):
      if let field = definition.fields[name], let other = others.fields[name] {
        definition.fields[name] = field.replacing(rest, by: other)
      }
      return .object(definition)
    default: return self
    }
  }
}
