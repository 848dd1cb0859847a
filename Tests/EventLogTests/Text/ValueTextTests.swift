import EventLog
import Foundation
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
    #"{"$date":"2026-11-28T08:30:00Z"}"#, #"{"$date":"2000-12-31T23:59:59.75Z"}"#,
    #"{"$date":"0001-01-01T00:00:00Z"}"#, #"{"$date":"2024-02-29T12:00:00.123456Z"}"#, #"{"$date":1e+20}"#,
    #"{"$date":-0.0}"#, #"{"$date":"-inf"}"#, #"{"$date":"nan:0xfff8000000000001"}"#,
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
    ("{\"$date\":\"2026-11-28\"}", 10), ("{\"$date\":\"2026-02-29T00:00:00Z\"}", 10), ("{\"$date\":5}", 10),
    ("{\"$date\":\"2026-11-28T24:00:00Z\"}", 10), ("{\"$date\":\"2026-11-28T08:30:00.Z\"}", 10),
    ("{\"$date\":\"2026-11-28T08:30:00+01:00\"}", 10), ("{\"$date\":true}", 10),
    ("{\"$ref\":\"#1\",\"a\":1}", 1), ("{\"$opaque\":\"T\"}", 1), ("'a'", 1),
  ])
  func malformedValuesNameTheColumn(text: String, column: Int) {
    let error = #expect(throws: TextError.self) { try Value(parsing: text) }
    #expect(error?.column == column, "\(text): \(String(describing: error))")
  }

  /// Foundation writes the whole seconds, and every text gives the bits again.
  @Test func aDateIsThatOfTheCalendar() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let style = Date.ISO8601FormatStyle(timeZone: .gmt)
    for round in 0..<2000 {
      // Foundation's calendar was another one before 1582.
      let whole = Double(Int64.random(in: -13_000_000_000..<252_423_993_600, using: &random))
      let text = Date(timeIntervalSinceReferenceDate: whole).formatted(style)
      #expect(Value.date(whole).json == "{\"$date\":\"\(text)\"}", "seed \(seed)")
      let seconds =
        round % 2 == 0
        ? Double.random(in: -1e10...1e10, using: &random) : Double(bitPattern: random.next())
      #expect(try Value(parsing: Value.date(seconds).json) == .date(seconds), "\(seconds), seed \(seed)")
      if abs(seconds) > 1e-3, abs(seconds) < 1e10 {
        #expect(Value.date(seconds).json.hasSuffix("Z\"}"), "\(seconds), seed \(seed)")
      }
    }
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
