import Testing

/// Sessions in which the library once violated the rule, found at random and shrunk.
@Suite struct FoundSessionTests {
  @Test(arguments: Found.sessions)
  func aSessionThatOnceWentWrongIsWhatTheRuleSays(found: Found) throws {
    let script = try #require(Script(found.text))
    #expect(script.text.split(separator: "\n").count == found.text.split(separator: "\n").count)
    if let mismatch = script.mismatch() { Issue.record("\(mismatch)") }
  }

  @Test(arguments: [UInt64(1), 2, 3, 5])
  func theTextOfASessionReadsBackAsTheSession(seed: UInt64) throws {
    let text = Generator.session(seed: seed).text
    #expect(try #require(Script(text)).text == text)
  }
}

struct Found: CustomTestStringConvertible {
  var testDescription: String
  var text: String

  init(_ description: String, _ text: String) {
    testDescription = description
    self.text = text
  }
}
