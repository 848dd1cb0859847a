import EventLog
import Testing

@Suite struct StateFieldsTests {
  /// Objects of one type share the list of their fields' names if possible.
  @Test func aFieldKeepsItsSpellingBesideAnObjectOfItsTypeWithTheOther() throws {
    var state = State()
    let spellings = ["e\u{301}", "\u{e9}", "e\u{301}"]
    for (position, name) in spellings.enumerated() {
      let definition = ObjectDefinition(id: ObjectID(UInt64(position) + 1), type: "Café", fields: [name: 1])
      let root = Path(root: .named("root\(position)"))
      try state.apply(.set(root, .object(definition), sameValue: false))
    }
    for (position, name) in spellings.enumerated() {
      let object = try #require(state.objects[ObjectID(UInt64(position) + 1)])
      #expect(object.fields.keys.map { Array($0.utf8) } == [Array(name.utf8)])
      #expect(object.fields[name] == 1)
    }
  }
}
