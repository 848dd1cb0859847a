import EventLog
import LogGenerator
import Testing

@Suite struct ValueTextTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-5", "9223372036854775807", "9223372036854775808", "18446744073709551615",
    "5.0", "-0.0", "1e-07", "1e+20", "5e-324", "0.1", "\"\"", #""a\"\\\n\t\u0001é""#, "[]", "[1,[2.0,\"x\"]]",
    "{}",
    #"{"b":1,"a":null}"#, #"{"$redacted":true}"#, #"{"$bytes":""}"#, #"{"$bytes":"AQI="}"#,
    #"{"$bytes":"AQID"}"#,
    #"{"$double":"nan"}"#, #"{"$double":"inf"}"#, #"{"$double":"-inf"}"#,
    #"{"$double":"nan:0xfff8000000000001"}"#,
    #"{"$opaque":"Foo<Bar>","identity":18446744073709551615}"#, ##"{"$ref":"#5"}"##,
    #"{"$object":"Row#5","id":7,"$$x":1}"#,
    #"{"$$a":1,"$$$b":2}"#, ##"{"$object":"#3"}"##,
  ])
  func valuesPrintAsTheyAreParsed(text: String) throws {
    #expect(try Value(parsing: text).json == text)
  }

  @Test func kindsOfNumbersAreKeptApart() throws {
    #expect(try Value(parsing: "5") == .int(5))
    #expect(try Value(parsing: "5.0") == .double(5))
    #expect(try Value(parsing: "5e0") == .double(5))
    #expect(try Value(parsing: "9223372036854775808") == .uint(1 << 63))
    #expect(try Value(parsing: "{\"$double\":\"nan\"}") == .double(.nan))
    #expect(try Value(parsing: #"{"$$ref":"x"}"#) == .map(["$ref": "x"]))
    #expect(try Value(parsing: #""😀é\u00e9""#) == "😀éé")
  }

  @Test(arguments: [
    ("", 1), ("nul", 1), ("01", 1), ("1.", 3), ("1e", 3), (".5", 1), ("+1", 1), ("-", 2), ("1e999", 1),
    ("NaN", 1),
    ("99999999999999999999", 1), ("[1,]", 4), ("[1", 3), ("{\"a\":1,}", 8), ("{\"a\" 1}", 6), ("{a:1}", 2),
    ("\"a", 1), ("\"\\x\"", 2), ("\"\\ud800\"", 2), ("\"\\ud800\\u0041\"", 2), ("\"\\udc00\"", 2),
    ("\"\\u12\"", 2),
    ("\"\u{1}\"", 2), ("{\"a\":1,\"a\":2}", 8), ("1 2", 3), ("{\"$what\":1}", 2),
    ("{\"$redacted\":false}", 14),
    ("{\"$bytes\":\"A\"}", 11), ("{\"$bytes\":\"AR==\"}", 11), ("{\"$double\":\"1\"}", 12),
    ("{\"$ref\":\"a.b\"}", 9),
    ("{\"$object\":\"Row\"}", 12), ("{\"$object\":\"Row#+5\"}", 12), ("{\"$object\":\"Row#0\"}", 12),
    ("{\"$ref\":\"#1\",\"a\":1}", 1), ("{\"$opaque\":\"T\"}", 1), ("'a'", 1),
  ])
  func malformedValuesNameTheColumn(text: String, column: Int) {
    let error = #expect(throws: TextError.self) { try Value(parsing: text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
  }

  @Test func nestingPastTheLimitIsRefused() throws {
    let open = String(repeating: "[", count: 64)
    let close = String(repeating: "]", count: 64)
    _ = try Value(parsing: open + close)
    // A scalar counts, as it does in a block.
    _ = try Value(parsing: open.dropFirst() + "1" + close.dropFirst())
    #expect(throws: TextError.self) { try Value(parsing: open + "1" + close) }
    #expect(throws: TextError.self) { try Value(parsing: String(repeating: "[", count: 1_000_000)) }
  }

  @Test func randomBytesNeverTrap() {
    let seed = testSeed()
    var generator = SplitMix64(seed: seed)
    let alphabet = Array(#"{}[]":,.0123456789eE+-\utrfnalse$objectref#*"#.utf8) + [0xFF, 0xC3, 0x00]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      let text = String(decoding: bytes, as: UTF8.self)
      if let value = try? Value(parsing: text) {
        #expect((try? Value(parsing: value.json)) == value, "seed \(seed): \(text)")
      }
      if let path = try? Path(parsing: text) {
        #expect((try? Path(parsing: path.description)) == path, "seed \(seed): \(text)")
      }
      _ = try? PathPattern(parsing: text)
      var naming = FixedNumbers()
      _ = try? ParsedEvent(parsing: bytes, naming: &naming)
    }
  }
}
