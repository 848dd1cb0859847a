import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

@Suite struct UnderstandTests {
  @Test func hotCountsByNameAndByKindOfPlace() throws {
    let workspace = try Workspace()
    let run = ToolRun("hot", try workspace.log(screen), "--format", "json")
    #expect(
      run.output == """
        {"duration_ns":3000000,"paths":[\
        {"fan_out":1,"fan_out_max":1,"invalidations":2,"path":"store.isLoading","peak_per_second":3,\
        "same_value":1,"sets":3},\
        {"fan_out":1,"fan_out_max":1,"invalidations":1,"path":"store.rows","peak_per_second":1,\
        "same_value":0,"sets":1},\
        {"fan_out":1,"fan_out_max":1,"invalidations":1,"path":"store.rows[*].count","peak_per_second":1,\
        "same_value":0,"sets":1},\
        {"fan_out":0,"fan_out_max":0,"invalidations":0,"path":"store","peak_per_second":1,\
        "same_value":0,"sets":1}],\
        "projections":[\
        {"evaluations":3,"instances":1,"invalidations":1,"name":"Row","peak_per_second":3,\
        "time_ns":250,"wasted":1,"wasted_time_ns":50},\
        {"evaluations":3,"instances":1,"invalidations":2,"name":"Spinner","peak_per_second":3,\
        "time_ns":30,"wasted":0,"wasted_time_ns":0},\
        {"evaluations":2,"instances":1,"invalidations":1,"name":"List","peak_per_second":2,\
        "time_ns":1900,"wasted":0,"wasted_time_ns":0}]}

        """)
  }

  @Test func hotCountsRatesAndPeaksAndWastedTime() throws {
    let workspace = try Workspace()
    // Five sets in the first second, one in the third: twice the same value. Each after the first invalidates both readers.
    let sets = [(0, 1), (100, 2), (200, 2), (300, 3), (400, 4), (2_000, 5)].map { milliseconds, value in
      #"{"time_ns":\#(milliseconds * 1_000_000),"kind":"set","path":"a.x","value":\#(value)}"#
    }
    let log = try workspace.log(
      """
      \(sets[0])
      {"kind":"reads","projection":"P#1","paths":["a.x"]}
      {"kind":"reads","projection":"P#2","paths":["a.x"]}
      \(sets.dropFirst().joined(separator: "\n"))
      {"kind":"evaluate","projection":"P#1","duration_ns":70,"changed":false,"cause":8}
      {"kind":"evaluate","projection":"P#2","duration_ns":30,"changed":true,"cause":8}

      """)
    #expect(
      ToolRun("hot", log).output == """
        PROJECTION  INSTANCES  WOKEN  EVALUATIONS  WASTED    TIME  WASTED TIME  PER S  PEAK
        P                   2      8            2       1  100 ns        70 ns      1     2

        PATH  SETS  SAME VALUE  WOKE  FAN-OUT  MOST  PER S  PEAK
        a.x      6           1     8      1.6     2      3     5

        70 ns of 100 ns wasted in a run of 2.0 s
        1 same-value set suppressed

        """)
    #expect(
      ToolRun("hot", log, "--from", "300ms", "--to", "400ms", "--projection", "P#2").output == """
        PROJECTION  INSTANCES  WOKEN  EVALUATIONS  WASTED  TIME  WASTED TIME  PER S  PEAK
        P                   1      2            0       0  0 ns         0 ns      0     0

        PATH  SETS  SAME VALUE  WOKE  FAN-OUT  MOST  PER S  PEAK
        a.x      2           0     2        1     1     20     2

        0 ns of 0 ns wasted in a run of 100.0 ms

        """)
  }

  /// Each order is one of what the report says of the lines.
  @Test(arguments: ["hot", "cascades"]) func whatIsRankedIsInOrder(command: String) throws {
    let log = sample("mailbox")
    func amounts(_ order: String...) throws -> [[Int]] {
      let run = ToolRun([command, log, "--format", "json"] + order)
      let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      let lines = try #require((json?["projections"] ?? json?["cascades"]) as? [[String: Any]])
      return try lines.map { line in
        try ["evaluations", "time_ns", "wasted_time_ns", "wasted"].map { try #require(line[$0] as? Int) }
      }
    }
    func isFalling(_ numbers: [[Int]]) -> Bool {
      zip(numbers, numbers.dropFirst()).allSatisfy { !$0.lexicographicallyPrecedes($1) }
    }
    let usual = try amounts()
    let (time, waste) = (try amounts("--by", "time"), try amounts("--by", "waste"))
    #expect(try amounts("--by", "evaluations") == usual && isFalling(usual.map { [$0[0]] }))
    #expect(isFalling(time.map { [$0[1]] }) && !isFalling(usual.map { [$0[1]] }))
    #expect(isFalling(waste.map { Array($0[2...]) }) && !isFalling(usual.map { Array($0[2...]) }))
    for other in [time, waste] {
      #expect(
        other.sorted { $0.lexicographicallyPrecedes($1) } == usual.sorted { $0.lexicographicallyPrecedes($1) }
      )
    }
  }

  @Test func cascadesHangWhoFollowedBelowWhoLed() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    #expect(
      ToolRun("cascades", log).output == """
        transaction "refresh"  event 16
          4 evaluations, 970 ns, 1 wasted in 50 ns, fan-out 2, depth 2
            List  900 ns
              Row  50 ns, all wasted
            Spinner  10 ns
            set store.isLoading
              Spinner  10 ns
        set store.rows[*].count  event 11
          1 evaluation, 100 ns, fan-out 1, depth 1
            Row  100 ns

        """)
  }

  @Test func repeatedCascadesAreCountedTogether() throws {
    let workspace = try Workspace()
    let repeats = (0..<300).map { index in
      """
      {"kind":"set","path":"store.rows[0].count","value":\(index + 2)}
      {"kind":"evaluate","projection":"Row#7","duration_ns":100,"changed":true,"cause":\(23 + 2 * index)}

      """
    }
    let log = try workspace.log(screen + repeats.joined())
    #expect(
      ToolRun("cascades", log, "--limit", "1").output == """
        301 x set store.rows[*].count  events 11 to 621
          301 evaluations, 30.1 us, fan-out 1, depth 1
            Row  30.1 us
        and 1 more cascade; see --limit

        """)
    let json = ToolRun("cascades", log, "--format", "json").output
    #expect(
      json.hasPrefix(
        #"{"actions":[],"cascades":[{"count":301,"depth":1,"evaluations":301,"fan_out":1,"first_seq":11,"invalidations":301,"#
          + #""last_seq":621,"root":"set store.rows[*].count","superseded":0,"time_ns":30100,"tree":[{"children":[],"#
      ))
  }

  @Test func cascadesAreRankedByTimeAndChosen() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      screen + """
        {"kind":"set","path":"store.rows[0].count","value":9}
        {"kind":"evaluate","projection":"Row#7","duration_ns":5000,"changed":false,"cause":23}

        """)
    func roots(_ arguments: String...) -> [String] {
      ToolRun(["cascades", log] + arguments).lines.filter { !$0.hasPrefix(" ") }
    }
    let transaction = #"transaction "refresh"  event 16"#
    #expect(roots() == [transaction, "2 x set store.rows[*].count  events 11 to 23"])
    #expect(roots("--by", "time") == ["2 x set store.rows[*].count  events 11 to 23", transaction])
    #expect(roots("--by", "waste") == ["2 x set store.rows[*].count  events 11 to 23", transaction])
    #expect(roots("--from", "12") == [transaction, "set store.rows[*].count  event 23"])
    #expect(roots("--to", "12") == ["set store.rows[*].count  event 11"])
    #expect(roots("--path", "store.isLoading") == [transaction])
    #expect(roots("--path", "store.rows[*].count", "--projection", "Spinner") == ["nothing was woken"])
    #expect(ToolRun("cascades", log, "--projection", "Spiner").errors.contains("did you mean Spinner?"))
  }

  @Test func whyGoesBackToTheRoot() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    #expect(
      ToolRun("why", log, "Spinner").output == """
        Spinner evaluated at 3.000 ms in 10 ns, output changed  event 22
          <- Spinner invalidated at 3.000 ms  event 21
          <- set store.isLoading  true -> false  event 21
             at 3.000 ms, read as store.isLoading
          <- set store.isLoading  false -> true  event 14
             at 2.000 ms, in transaction "refresh", read as store.isLoading
          <- splice store.rows  at 2: 0 out, [{"id":9,"count":0}] in  event 15
             at 2.000 ms, in transaction "refresh"

        """)
    #expect(
      ToolRun("why", log, "Row#7").output == """
        Row#7 evaluated at 2.000 ms in 50 ns, same output  event 17
          <- ran because its parent List did
          <- List evaluated at 2.000 ms in 900 ns, output changed  event 18
          <- List invalidated at 2.000 ms  event 16
          <- splice store.rows  at 2: 0 out, [{"id":9,"count":0}] in  event 15
             at 2.000 ms, in transaction "refresh", read as store.rows[#count], store.rows[#order]

        """)
    #expect(
      ToolRun("why", log, "Row", "--at", "12").output == """
        Row#7 evaluated at 1.000 ms in 100 ns, output changed  event 12
          <- Row#7 invalidated at 1.000 ms  event 11
          <- set store.rows[0].count  0 -> 1  event 11  at Chat.swift:42
             at 1.000 ms, read as store.rows[id: 7].count

        """)
    #expect(
      ToolRun("why", log, "List", "--at", "9").output == """
        List evaluated at 0.000 ms in 1.0 us  event 8
          <- its first evaluation

        """)
    let json = ToolRun("why", log, "Row", "--at", "12", "--format", "json").output
    #expect(
      json.contains(
        #"{"event":"set","kind":"write","new":1,"old":0,"path":"store.rows[0].count","#
          + #""reads":["store.rows[id: 7].count"],"seq":11,"site":"Chat.swift:42","time_ns":1000000}"#),
      "\(json)")
  }

  @Test func diffOfARunWithItselfFindsNothing() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let later = screen.replacing("1000000,", with: "1500000,").replacing(
      "Chat.swift:42", with: "Chat.swift:43"
    )
    .replacing(#""duration_ns":900"#, with: #""duration_ns":901"#)
    let run = ToolRun("diff", log, try workspace.log(later, "b.evlog"), "--format", "json")
    #expect(run.status == .done)
    #expect(
      run.output
        == #"{"builds":[],"events":{"both":22,"moved":0,"only_a":0,"only_b":0},"failures":[],"#
        + #""first_divergence":null,"identical":true,"paths":[],"projections":[],"state":[]}"# + "\n")
  }

  @Test func diffShowsWhereRunsPartAndWhatEachDidMore() throws {
    let workspace = try Workspace()
    let a = try workspace.log(screen)
    let b = try workspace.log(
      screen + """
        {"kind":"set","path":"store.rows[id: 9].count","value":4}
        {"kind":"evaluate","projection":"Row#7","duration_ns":1}
        {"kind":"set","path":"store.title","value":"x"}

        """, "b.evlog")
    let run = ToolRun("diff", a, b, "--format", "json")
    #expect(run.status == .found)
    #expect(
      run.output == """
        {"builds":[],"events":{"both":22,"moved":0,"only_a":0,"only_b":3},"failures":[],\
        "first_divergence":{"a":null,"b":{"seq":23,"time_ns":3000000,"kind":"set",\
        "path":"store.rows[id: 9].count","value":4},"before":[\
        {"seq":20,"time_ns":3000000,"kind":"set","path":"store.isLoading","value":true,"same_value":true},\
        {"seq":21,"time_ns":3000000,"kind":"set","path":"store.isLoading","value":false,"cause":16},\
        {"seq":22,"time_ns":3000000,"kind":"evaluate","projection":"Spinner","duration_ns":10,"changed":true,\
        "cause":21}]},"identical":false,\
        "paths":[{"a":1,"b":2,"change":"more","path":"store.rows[*].count"},\
        {"a":0,"b":1,"change":"new","path":"store.title"}],\
        "projections":[{"a":3,"a_time_ns":250,"a_wasted":1,"b":4,\
        "b_time_ns":251,"b_wasted":1,"change":"more","name":"Row","slower":false}],\
        "state":[{"a":0,"b":4,"path":"store.rows[id: 9].count"},{"b":"x","path":"store.title"}]}

        """)
    #expect(
      ToolRun("diff", a, b).output == """
        first divergence
             set store.isLoading = true (same value)
             set store.isLoading = false
             evaluate Spinner, output changed
          a  the run has ended
          b  set store.rows[id: 9].count = 4
        projections with more in b
          Row  3 -> 4 evaluations, 250 ns -> 251 ns
        paths only in b
          store.title  1 set
        paths with more in b
          store.rows[*].count  1 -> 2 sets
        state at the end
          store.rows[id: 9].count  0 -> 4
          store.title  nothing -> "x"
        22 events in both, 3 only in b

        """)
  }

  @Test func theSamplesShowTheirShapes() throws {
    let run = ToolRun("diff", "\(samples)/chat-wide.evlog", "\(samples)/chat-isolated.evlog")
    #expect(run.status == .found)
    #expect(run.output.contains("MessageRow  15,050 -> 50 evaluations"))
    let cascades = ToolRun("cascades", "\(samples)/chat-wide.evlog").lines
    #expect(cascades.first?.hasPrefix("300 x set chat.tts.audioLevel") == true)
    let tree = cascades.dropFirst(2).map { $0.replacing(/\s[0-9.]+ ms/, with: "") }
    #expect(
      tree == [
        "    ChatView ", "      MessageRow x 50 , all wasted", "        MarkdownText x 50 , all wasted",
      ])
  }

  @Test(
    arguments: try FileManager.default.contentsOfDirectory(atPath: samples).filter { $0.hasSuffix(".evlog") })
  func everySampleAgreesWithItself(name: String) {
    let run = ToolRun("verify", "\(samples)/\(name)")
    #expect(run.status == .done, "\(run.output)\(run.errors)")
  }
}

private let samples = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/SampleLogs"
