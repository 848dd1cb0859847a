import Testing

@testable import EventLog

@Suite struct StringTableTests {
  private func intern(_ text: String, _ table: inout StringTable) -> Int {
    var text = text
    return text.withUTF8 { table.intern($0) }
  }

  @Test func everyStringHasOneNumberAlsoAfterTheTableGrew() {
    var table = StringTable()
    let texts = (0..<5000).map { "string \($0)" } + ["", "é", "e\u{301}"]
    for _ in 0..<2 {
      for (number, text) in texts.enumerated() { #expect(intern(text, &table) == number) }
    }
    #expect(table.count == texts.count)
    #expect(Array(table.bytes) == Array(texts.joined().utf8))
    #expect((0..<table.count).map { table.length($0) } == texts.map(\.utf8.count))
  }

  @Test func anEmptiedTableStartsOver() {
    var table = StringTable()
    for number in 0..<100 { _ = intern("first \(number)", &table) }
    table.removeAll()
    #expect(table.count == 0)
    #expect(table.bytes.isEmpty)
    #expect(intern("first 99", &table) == 0)
    #expect(intern("first 0", &table) == 1)
  }

  @Test func aStringGoesToAnotherTableWithItsHash() {
    var (all, block) = (StringTable(), StringTable())
    for number in 0..<100 { _ = intern("name \(number)", &all) }
    let moved = all.withString(42) { bytes, hash in block.intern(bytes, hash: hash) }
    #expect(moved == 0)
    #expect(intern("name 42", &block) == 0)
  }
}
