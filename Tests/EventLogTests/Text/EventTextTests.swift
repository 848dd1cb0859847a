import EventLog
import Testing

@Suite struct EventTextTests {
  @Test(arguments: [
    #"{"seq":1,"time_ns":0,"kind":"set","path":"store.rows[2].count","value":5}"#,
    #"{"seq":18,"time_ns":7,"kind":"set","path":"store.isLoading","value":true,"same_value":true,"cause":17,"site":"Chat.swift:42"}"#,
    #"{"seq":1,"time_ns":0,"kind":"splice","path":"document.text","offset":5,"delete":1,"insert":"ab"}"#,
    #"{"seq":1,"time_ns":0,"kind":"splice","path":"document.list","offset":0,"delete":0,"insert":[1,2]}"#,
    #"{"seq":1,"time_ns":0,"kind":"remove","path":"store.episodes[\"a1\"]"}"#,
    #"{"seq":1,"time_ns":0,"kind":"projection","projection":"Row#42","parent":"List","tracking":"element"}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","paths":["store.rows[id: 42].count"]}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","paths":[]}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","added":["a.b"],"dropped":["a.c","a[#count]"]}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","added":["a.b"]}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","dropped":["a.b"]}"#,
    #"{"seq":1,"time_ns":0,"kind":"reads","projection":"Row#42","added":[]}"#,
    #"{"seq":18,"time_ns":0,"kind":"invalidate","projection":"Row#42","causes":[17],"cause":17}"#,
    #"{"seq":1,"time_ns":0,"kind":"evaluate","projection":"Row#42","duration_ns":1200,"changed":false}"#,
    #"{"seq":1,"time_ns":0,"kind":"evaluate","projection":"Row#42","duration_ns":1200}"#,
    #"{"seq":1,"time_ns":0,"kind":"evaluate","projection":"Row#42","duration_ns":1200,"input":"same"}"#,
    #"{"seq":1,"time_ns":0,"kind":"evaluate","projection":"R","duration_ns":1,"changed":true,"input":"changed"}"#,
    #"{"seq":1,"time_ns":0,"kind":"dispose","projection":"Row#42"}"#,
    #"{"seq":1,"time_ns":0,"kind":"begin","label":"refresh"}"#, #"{"seq":1,"time_ns":0,"kind":"begin"}"#,
    #"{"seq":1,"time_ns":0,"kind":"end"}"#, #"{"seq":1,"time_ns":0,"kind":"mark","label":"tap"}"#,
  ])
  func everyKindPrintsAsItIsParsed(line: String) throws {
    let event = try Event(parsing: line)
    #expect(event.json() == line)
  }

  @Test func fieldsThatALineLeavesOutAreNil() throws {
    let parsed = try ParsedEvent(parsing: #" { "path" : "a.b" , "value" : 1, "kind":"set" } "#)
    #expect(parsed.seq == nil && parsed.time == nil && parsed.sameValue == nil)
    let event = parsed.event(seq: 4, time: 9, sameValue: true)
    #expect(event.json() == #"{"seq":4,"time_ns":9,"kind":"set","path":"a.b","value":1,"same_value":true}"#)
    let stated = try ParsedEvent(parsing: #"{"kind":"set","path":"a.b","value":1,"same_value":false}"#)
    #expect(stated.event(seq: 1, time: 0, sameValue: true).body.sameValue == false)
    #expect(
      stated.event(seq: 1, time: 0, sameValue: true).json(statesSameValue: true)
        == #"{"seq":1,"time_ns":0,"kind":"set","path":"a.b","value":1,"same_value":false}"#)
  }

  @Test(arguments: [
    ("", 1, "expected an event"), ("[]", 1, "expected an event"), ("{}", 1, "no \"kind\""),
    (#"{"kind":"reads","projection":"P","paths":[],"added":[]}"#, 34, "\"paths\" does not belong"),
    (#"{"kind":"reads","projection":"P"}"#, 9, "needs \"paths\""),
    (#"{"kind":"jump"}"#, 9, "unknown kind"), (#"{"kind":"end","colour":1}"#, 15, "unknown field"),
    (#"{"kind":"end","label":"x"}"#, 15, "does not belong"), (#"{"kind":"mark"}"#, 9, "needs \"label\""),
    (#"{"kind":"mark","label":3}"#, 24, "must be a string"), (#"{"kind":"end","seq":-1}"#, 21, "from 0 up"),
    (#"{"kind":"end","seq":1.0}"#, 21, "from 0 up"), (#"{"kind":"end","seq":"1"}"#, 21, "must be an integer"),
    (#"{"kind":"set","path":"a..b","value":1}"#, 25, "expected a name"),
    (#"{"kind":"set","path":"a.b[#count]","value":1}"#, 15, "can only be read"),
    (#"{"kind":"set","path":"a.b","value":1,"value":2}"#, 38, "given twice"),
    (#"{"kind":"end"} x"#, 16, "unexpected text"), (#"{"kind":"end""#, 14, "the text ends here"),
    (#"{"kind":"splice","path":"a.b","offset":0,"delete":0,"insert":5}"#, 53, "a string or an array"),
    (#"{"kind":"projection","projection":"P","tracking":"x"}"#, 50, "tracking is"),
    (#"{"kind":"evaluate","projection":"P","duration_ns":1,"changed":1}"#, 63, "true or false"),
    (#"{"kind":"evaluate","projection":"P","duration_ns":1,"input":"new"}"#, 61, #"is "same" or "changed""#),
    (#"{"kind":"evaluate","projection":"P","duration_ns":1,"input":true}"#, 61, "must be a string"),
    (#"{"kind":"dispose","projection":"P","input":"same"}"#, 36, "does not belong"),
  ])
  func malformedLinesNameTheColumn(line: String, column: Int, reason: String) {
    let error = #expect(throws: TextError.self) { try ParsedEvent(parsing: line) }
    #expect(error?.column == column, "\(line): \(String(describing: error))")
    #expect(error?.reason.contains(reason) == true, "\(line): \(String(describing: error))")
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    var naming = FixedNumbers()
    let line = Array(#"{"kind":"mark","label":""#.utf8) + [0xFF] + Array("\"}".utf8)
    let error = #expect(throws: TextError.self) { try ParsedEvent(parsing: line, naming: &naming) }
    #expect(error?.code == .encoding)
    #expect(error?.column == 24)
  }
}
