import EventLog
import Testing

@Suite struct PathTextTests {
  @Test(arguments: [
    "store", "store.rows[2].count", #"app.episodes["a1"].title"#, "store.rows[id: 7]",
    #"store.rows[id: "x"].name"#, "store.rows[#count]", "store.rows[#order]", "store.x[#exists]", "#5.title",
    #"store["a b"]["line\nbreak \"quoted\""]"#, #"["my root"].x"#, "store.größe", "store.rows[id: 5.0]",
    "store.rows[id: 18446744073709551615]", "store.rows[id: null]", #"store[""]"#,
  ])
  func pathsPrintAsTheyAreParsed(text: String) throws {
    #expect(try Path(parsing: text).description == text)
  }

  @Test func stepsAreWhatTheyLookLike() throws {
    let path = try Path(parsing: #"store.rows[2]["k"][id: 7][id:"x"].name[#count]"#)
    #expect(
      path.components == [
        .property("rows"), .index(2), .key("k"), .id(7), .id("x"), .property("name"), .count,
      ])
    #expect(try Path(parsing: "#5").root == .object(ObjectID(5)))
  }

  @Test func aNameThatIsNotPlainIsWrittenAsAKey() {
    let path = Path(
      root: .named("a"), components: [.property("x y"), .property("2"), .property("a\u{202E}")])
    #expect(path.description == #"a["x y"]["2"]["a\u202e"]"#)
  }

  @Test(arguments: [
    ("", 1), (".a", 1), ("a.", 3), ("a..b", 3), ("a[", 3), ("a[1", 4), ("a[-1]", 3), ("a[x]", 3), ("a b", 2),
    ("a[\"x]", 3), ("a[\"\\q\"]", 4), ("a[id: [1]]", 7), ("a[#size]", 3), ("#", 2), ("#0", 2),
    ("a[99999999999999999999]", 3),
    ("a[\"\\ud800\"]", 4),
  ])
  func malformedPathsNameTheColumn(text: String, column: Int) {
    let error = #expect(throws: TextError.self) { try Path(parsing: text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
  }

  @Test func aPathDeeperThanTheLimitIsRefused() throws {
    let deepest = "a" + String(repeating: ".b", count: 64)
    #expect(try Path(parsing: deepest).components.count == 64)
    #expect(throws: TextError.self) { try Path(parsing: deepest + ".b") }
  }

  @Test(arguments: [
    ("store.rows", "store.rows", true), ("store.rows", "store.rows[0]", false),
    ("store.*", "store.rows", true), ("store.*", "store.rows[0]", false),
    ("store.is*", "store.isLoading", true),
    ("store.is*ing", "store.isLoading", true), ("store.is*ing", "store.isLoaded", false),
    ("store.rows[*].count", "store.rows[2].count", true),
    ("store.rows[*].count", "store.rows[id: 7].count", true),
    ("store.rows[*].count", #"store.rows["k"].count"#, true), ("store.rows[*]", "store.rows[#count]", false),
    ("store.**", "store", true), ("store.**", "store.rows[2].count", true), ("**", "a.b.c", true),
    ("**.count", "store.rows[2].count", true), ("**.count", "count", true), ("**.count", "a.count.b", false),
    ("a.**.b.**.c", "a.x.b.b.y.c", true), ("a.**.b.**.c", "a.x.c", false),
    (#"a["k*"]"#, #"a["key"]"#, true), (#"a["k\u002a"]"#, #"a["key"]"#, false),
    (#"a["k\u002a"]"#, #"a["k*"]"#, true), ("a.name", #"a["name"]"#, true),
    ("a[id: 7]", "a[id: 7]", true), ("a[id: 7]", "a[7]", false), ("a[id: *]", "a[id: 7]", true),
    (#"a[id: "x*"]"#, #"a[id: "xyz"]"#, true), ("#5.*", "#5.title", true), ("#*.*", "#6.title", true),
    ("*.isLoading", "store.isLoading", true), ("a[#*]", "a[#order]", true), ("a[#count]", "a[#order]", false),
  ])
  func patternsFitWholePaths(pattern: String, path: String, fits: Bool) throws {
    #expect(try PathPattern(parsing: pattern).matches(Path(parsing: path)) == fits)
  }

  @Test(arguments: [("", 1), ("a**", 3), ("**a", 3), ("a.***", 5), ("a[**]", 4), ("a.[1]", 3), ("a[1", 4)])
  func malformedPatternsNameTheColumn(text: String, column: Int) {
    let error = #expect(throws: TextError.self) { try PathPattern(parsing: text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
  }
}
