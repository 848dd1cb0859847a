import LogGenerator
import Testing

@testable import EventLog

@Suite struct ObjectHolderTests {
  @Test(arguments: 0..<8)
  func whatHoldsAnObjectAndHowItIsNamedIsWhatAWalkOfTheStateFinds(share: UInt64) {
    for seed in share * 12..<share * 12 + 12 {
      let program = ObjectProgram(seed: seed)
      guard program.fault(seed: seed) != nil else { continue }
      let small = program.shrunk(seed: seed)
      Issue.record("seed \(seed), \(small.fault(seed: seed) ?? "")\n\(small)")
      return
    }
  }

  private static func object(_ number: UInt64, _ fields: NamedValues<Value> = [:]) -> Value {
    .object(ObjectDefinition(id: ObjectID(number), type: "Node", fields: fields))
  }

  private static func path(_ text: String) throws -> Path { try Path(parsing: text) }

  private static func set(_ path: String, _ value: Value) throws -> Event.Body {
    .set(try Self.path(path), value, sameValue: false)
  }

  private static func remove(_ path: String) throws -> Event.Body {
    .remove(try Self.path(path), sameValue: false)
  }

  private static func expectName(_ name: String, of id: ObjectID, _ state: inout State) throws {
    let path = state.path(of: id)
    #expect(path == (try Self.path(name)))
  }

  @Test func anObjectThatNothingHoldsCanBeRemoved() throws {
    var state = State()
    try state.apply(
      Self.set("app", Self.object(1, ["child": Self.object(2, ["next": .reference(ObjectID(1))])])))
    try state.apply(Self.remove("app.child"))
    #expect(state.releasedObjects == [ObjectID(2)])
    let effect = try state.apply(Self.remove("#2"))
    guard case .replaced(let location, .map(["next": .reference(ObjectID(1))]), nil) = effect else {
      Issue.record("\(effect)")
      return
    }
    #expect(location == NamedLocation(owner: .object(ObjectID(2)), steps: []))
    #expect(state.objects.keys.sorted() == [ObjectID(1)])
    // Its number is not used again.
    #expect(state.freeObjectID == ObjectID(3))
    #expect(state.value(at: try Self.path("#2.next")) == nil)
    #expect(throws: StateError.self) { try state.apply(Self.set("#2.next", 1)) }
    #expect(throws: StateError.self) { try state.apply(Self.set("app.child", .reference(ObjectID(2)))) }
  }

  @Test func anObjectThatIsHeldOrIsNotThereCannotBeRemoved() throws {
    var state = State()
    try state.apply(
      Self.set("app", Self.object(1, ["list": [Self.object(2), .map(["of": Self.object(3)])]])))
    try state.apply(Self.set("#4", Self.object(4, ["self": .reference(ObjectID(4))])))
    try state.apply(Self.set("#5", Self.object(5, ["later": .reference(ObjectID(6))])))
    let before = state
    for number in 1...4 {
      #expect(throws: StateError.self) { try state.apply(Self.remove("#\(number)")) }
    }
    #expect(throws: StateError.self) { try state.apply(Self.remove("#6")) }
    #expect(throws: StateError.self) { try state.apply(Self.remove("#7")) }
    #expect(throws: StateError.self) { try state.apply(Self.remove("#18446744073709551615")) }
    #expect(state.objects.keys == before.objects.keys)
    #expect(state.freeObjectID == before.freeObjectID)
    try state.apply(Self.remove("#5"))
    try state.apply(Self.remove("#6"))
    try state.apply(Self.remove("#4.self"))
    try state.apply(Self.remove("#4"))
    #expect(state.objects.keys.sorted() == [ObjectID(1), ObjectID(2), ObjectID(3)])
  }

  @Test func objectsThatHoldOnlyEachOtherAreFoundTogether() throws {
    var state = State()
    try state.apply(
      Self.set(
        "app",
        Self.object(
          1, ["folder": Self.object(2, ["child": Self.object(3, ["parent": .reference(ObjectID(2))])])])))
    let both: Set = [ObjectID(2), ObjectID(3)]
    #expect(state.onlyHeld(among: both).isEmpty)
    try state.apply(Self.remove("app.folder"))
    #expect(state.onlyHeld(among: both) == both)
    #expect(state.onlyHeld(among: [ObjectID(2)]).isEmpty)
    #expect(state.propertiesWithReferences(of: ObjectID(3)) == ["parent"])
    try state.apply(Self.set("app.kept", .reference(ObjectID(3))))
    #expect(state.onlyHeld(among: both).isEmpty)
  }

  @Test func aNameStaysAsItIsWhereAnotherPlaceOfItsObjectChanges() throws {
    var state = State()
    let rows = (2...30).map { Self.object($0, ["id": .int(Int64($0))]) }
    try state.apply(Self.set("app", Self.object(1, ["rows": .array(rows)])))
    try Self.expectName("app.rows[id: 5]", of: ObjectID(5), &state)
    let version = state.shapeVersion
    try state.apply(Self.set("app.selected", .reference(ObjectID(5))))
    try state.apply(Self.set("app.selected", .reference(ObjectID(6))))
    try state.apply(Self.remove("app.selected"))
    try state.apply(
      .splice(Self.path("app.rows"), offset: 29, delete: 0, insert: [Self.object(31)], sameValue: false))
    try state.apply(Self.set("app.tags", ["a", "b"]))
    try state.apply(Self.set("app.tags", ["c"]))
    #expect(state.shapeVersion == version)
    try state.apply(.splice(Self.path("app.rows"), offset: 3, delete: 1, insert: [], sameValue: false))
    #expect(state.shapeVersion != version)
    try Self.expectName("#5", of: ObjectID(5), &state)
    try Self.expectName("app.rows[id: 6]", of: ObjectID(6), &state)
    try Self.expectName("app.rows[28]", of: ObjectID(31), &state)
  }

  @Test func anObjectWithoutReferencesThatComesAndGoesLeavesOtherNamesAsTheyAre() throws {
    var state = State()
    try state.apply(
      Self.set("app", Self.object(1, ["rows": .map([:]), "list": .array([]), "kept": Self.object(2)])))
    let (shape, kept) = (state.shapeVersion, state.nameVersion(of: ObjectID(2)))
    for number in 3..<20 {
      let id = ObjectID(UInt64(number))
      try state.apply(Self.set("app.rows.a", Self.object(UInt64(number), ["count": 0])))
      try Self.expectName("app.rows[\"a\"]", of: id, &state)
      let version = state.nameVersion(of: id)
      try state.apply(Self.remove("app.rows.a"))
      #expect(state.nameVersion(of: id) != version)
      try Self.expectName("#\(number)", of: id, &state)
    }
    #expect(state.shapeVersion == shape)
    #expect(state.nameVersion(of: ObjectID(2)) == kept)
    // If an object holds another object, the other object's name is wrong too.
    try state.apply(Self.set("app.rows.b", Self.object(30, ["child": Self.object(31)])))
    try Self.expectName("app.rows[\"b\"].child", of: ObjectID(31), &state)
    let child = state.nameVersion(of: ObjectID(31))
    try state.apply(Self.remove("app.rows.b"))
    #expect(state.nameVersion(of: ObjectID(31)) != child)
    try Self.expectName("#31", of: ObjectID(31), &state)
  }

  @Test func aCheckpointHoldsNoForgottenObjectAndGivesNoNumberAgain() throws {
    var fold = StateFold()
    for (position, body) in [
      try Self.set("app", Self.object(1, ["child": Self.object(7)])), try Self.remove("app.child"),
      try Self.remove("#7"),
    ].enumerated() {
      fold.apply(Event(seq: UInt64(position) + 1, time: 0, body: body))
    }
    #expect(fold.failure == nil)
    let written = fold.checkpoint()
    let checkpoint = try #require(written)
    var read = try #require(StateFold(checkpoint: checkpoint, after: 3, time: 0))
    let state = read.state
    #expect(state.objects.keys.sorted() == [ObjectID(1)])
    #expect(state.freeObjectID == ObjectID(8))
    let again = read.checkpoint()
    #expect(again == checkpoint)
  }
}
