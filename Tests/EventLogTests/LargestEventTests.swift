import Testing

@testable import EventLog

/// Rewritten events may be as large as FORMAT.md allows, and stay unchanged; larger ones are refused. No
/// value is replaced, as it would be in a recording.
@Suite struct LargestEventTests {
  /// Writes an event between two small ones, and reads it again.
  private func read(_ body: Event.Body, site: String? = nil) throws -> Event {
    let file = try TemporaryFile()
    var writer = try LogRewriter(file.path, replacing: true, program: "test")
    try writer.append(Event(seq: 1, time: 1, body: .mark(label: "before")))
    try writer.append(Event(seq: 2, time: 2, site: site, body: body))
    try writer.append(Event(seq: 3, time: 3, body: .mark(label: "behind")))
    try writer.finish()
    let reader = try LogReader(path: file.path)
    #expect(reader.isClean && reader.eventCount == 3)
    return try #require(reader.allEvents().dropFirst().first)
  }

  private func expectTooLarge(_ body: Event.Body, _ reason: String) throws {
    let error = #expect(throws: LogError.self) { _ = try read(body) }
    #expect(error?.code == .tooLarge && error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  private func set(_ value: Value) throws -> Event.Body {
    .set(try Path(parsing: "a.x"), value, sameValue: false)
  }

  @Test func aStringFillsABlock() throws {
    // The bytes of the rest of the block, whose two lengths are two bytes shorter than those for the largest string.
    let file = try TemporaryFile()
    var writer = try LogRewriter(file.path, replacing: true, program: "test")
    try writer.append(Event(seq: 1, time: 2, body: set(.string(String(repeating: "x", count: 1000)))))
    try writer.finish()
    let block = try #require(LogReader(path: file.path).blocks.first { $0.eventCount > 0 })
    let largest = LogFormat.payloadBytesMax - (block.payloadSize - 1000 + 4)
    let text = String(repeating: "x", count: largest)
    #expect(try read(set(.string(text))).body == set(.string(text)))
    try expectTooLarge(set(.string(text + "x")), "takes \(LogFormat.bodyBytesMax + 1) bytes")
  }

  @Test func anArrayHasAllThePartsOfABlock() throws {
    // Two strings, a root and a step below it, which counts as two, and the array itself.
    let largest = LogFormat.itemsMax - 2 - 3 - 1
    let array = Value.array(Array(repeating: .null, count: largest))
    #expect(try read(set(array)).body == set(array))
    try expectTooLarge(
      set(.array(Array(repeating: .null, count: largest + 1))), "has \(LogFormat.itemsMax + 1) parts")
  }

  @Test func valuesNestAsDeepAsInABlock() throws {
    func nested(_ depth: Int) -> Value { (1..<depth).reduce(.int(1)) { value, _ in .array([value]) } }
    #expect(try read(set(nested(64))).body == set(nested(64)))
    try expectTooLarge(set(nested(65)), "nested deeper than 64")
    let splice = Event.Body.splice(
      try Path(parsing: "a.x"), offset: 0, delete: 0, insert: nested(65), sameValue: false)
    try expectTooLarge(splice, "nested deeper than 64")
  }

  @Test func namesAndListsAreOfAnySize() throws {
    let long = String(repeating: "n", count: LogFormat.nameBytesMax + 1)
    let path = Path(root: .named(long), components: [.property(long), .id(.string(long))])
    let bodies: [Event.Body] = [
      .set(path, .int(1), sameValue: false), .mark(label: long), .begin(label: long),
      .projection(name: long, parent: long, tracking: .element),
      .reads(projection: long, .paths(Array(repeating: path, count: StageLimit.sharedItemsMax + 1))),
      .reads(
        projection: long,
        .change(
          added: [path], dropped: Array(repeating: path, count: StageLimit.sharedItemsMax))),
      .invalidate(projection: "p", causes: Array(repeating: 1, count: StageLimit.sharedItemsMax + 1)),
    ]
    for body in bodies { #expect(try read(body, site: long).body == body) }
    #expect(try read(.end, site: long).site == long)
  }

  @Test func aCopyReplacesNothing() throws {
    let (file, copy) = (try TemporaryFile(), try TemporaryFile())
    let large = try set(.string(String(repeating: "x", count: StageLimit.eventBytesMax + 1)))
    var writer = try LogRewriter(file.path, replacing: true, program: "test")
    try writer.append(Event(seq: 1, time: 1, body: large))
    try writer.finish()
    _ = try LogCompaction.run(file.path, to: copy.path, replacing: true)
    #expect(try LogReader(path: copy.path).allEvents().first?.body == large)
  }
}
