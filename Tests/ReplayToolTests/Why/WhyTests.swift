import LogGenerator
import Testing

@testable import ReplayTool

@Suite struct WhyTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func whatIsReadForTheFirstTimeAndNoMoreIsTold() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"x":1,"y":1,"z":1}}
      {"kind":"projection","projection":"P"}
      {"kind":"reads","projection":"P","paths":["a.x","a.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"set","path":"a.x","value":2}
      {"kind":"reads","projection":"P","paths":["a.x","a.z"]}
      {"kind":"evaluate","projection":"P","duration_ns":1,"cause":5}

      """)
    let run = ToolRun("why", log, "P")
    #expect(
      run.output == """
        P evaluated at 0.000 ms in 1 ns  event 7
             read for the first time: a.z
             read no more: a.y
          <- P invalidated at 0.000 ms  event 5
          <- set a.x  1 -> 2  event 5
             at 0.000 ms, read as a.x

        """)
    let json = ToolRun("why", log, "P", "--format", "json").output
    #expect(json.contains(#""dropped_reads":["a.y"]"#) && json.contains(#""new_reads":["a.z"]"#))
    #expect(!ToolRun("why", log, "P", "--at", "4").output.contains("read for the first time"))
  }

  @Test func aPathThatLeadsToAnotherObjectIsNeitherNewNorGone() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"$object":"App#1","song":{"$object":"Song#2","title":"x"}}}
      {"kind":"projection","projection":"P"}
      {"kind":"reads","projection":"P","paths":["a.song","a.song.title"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"set","path":"a.song","value":{"$object":"Song#3","title":"y"}}
      {"kind":"reads","projection":"P","paths":["a.song","a.song.title"]}
      {"kind":"evaluate","projection":"P","duration_ns":1,"cause":5}

      """)
    let run = ToolRun("why", log, "P")
    #expect(run.output.contains("read of another object: a.song.title"), "\(run.output)")
    #expect(!run.output.contains("read no more") && !run.output.contains("for the first time"))
  }

  @Test func manyAppendsOfOneTransactionAreOneCause() throws {
    var lines = #"{"kind":"set","path":"a","value":{"rows":[]}}"# + "\n"
    lines += #"{"kind":"reads","projection":"P","paths":["a.rows"]}"# + "\n"
    lines += #"{"kind":"evaluate","projection":"P","duration_ns":1}"# + "\n"
    lines += #"{"kind":"begin","label":"page"}"# + "\n"
    for row in 0..<20 {
      lines += #"{"kind":"splice","path":"a.rows","offset":\#(row),"delete":0,"insert":[\#(row)]}"# + "\n"
    }
    lines += #"{"kind":"end"}"# + "\n"
    lines += #"{"kind":"evaluate","projection":"P","duration_ns":1,"cause":25}"# + "\n"
    let log = try workspace.log(lines)
    let text = ToolRun("why", log, "P").output
    #expect(text.contains("and 19 writes more to a.rows, up to event 24"), "\(text)")
    #expect(text.split(separator: "\n").filter { $0.contains("<- splice") }.count == 1)
    #expect(
      ToolRun("why", log, "P", "--limit", "0").output.split(separator: "\n").filter {
        $0.contains("<- splice")
      }.count == 20)
  }

  @Test func theCallbackThatWroteIsNamedBetweenTwoWrites() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"page":0,"count":0}}
      {"kind":"reads","projection":"onChange(a.page)","paths":["a.page"]}
      {"kind":"evaluate","projection":"onChange(a.page)","duration_ns":1}
      {"kind":"reads","projection":"List","paths":["a.count"]}
      {"kind":"evaluate","projection":"List","duration_ns":1}
      {"kind":"set","path":"a.page","value":1,"site":"Feed.swift:50"}
      {"kind":"set","path":"a.count","value":1,"cause":6,"site":"Feed.swift:95"}
      {"kind":"evaluate","projection":"onChange(a.page)","duration_ns":1,"cause":6}
      {"kind":"evaluate","projection":"List","duration_ns":1,"cause":7}

      """)
    #expect(
      ToolRun("why", log, "List").output == """
        List evaluated at 0.000 ms in 1 ns  event 9
          <- List invalidated at 0.000 ms  event 7
          <- set a.count  0 -> 1  event 7  at Feed.swift:95
             at 0.000 ms, written by onChange(a.page), read as a.count
          <- set a.page  0 -> 1  event 6  at Feed.swift:50
             at 0.000 ms

        """)
  }

  @Test func writesOfOneTransactionThatCameOfDifferentEventsHaveChainsOfTheirOwn() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"p":0,"q":0,"x":0,"y":0}}
      {"kind":"reads","projection":"P","paths":["a.x","a.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"set","path":"a.p","value":1,"site":"Taps.swift:3"}
      {"kind":"set","path":"a.q","value":1}
      {"kind":"begin","label":"batch"}
      {"kind":"set","path":"a.x","value":1,"cause":4}
      {"kind":"set","path":"a.y","value":1,"cause":5}
      {"kind":"end"}
      {"kind":"evaluate","projection":"P","duration_ns":1,"changed":true,"cause":9}

      """)
    #expect(
      ToolRun("why", log, "P").output == """
        P evaluated at 0.000 ms in 1 ns, output changed  event 10
          <- P invalidated at 0.000 ms  event 9
          <- set a.x  0 -> 1  event 7
             at 0.000 ms, in transaction "batch", read as a.x
              <- set a.p  0 -> 1  event 4  at Taps.swift:3
                 at 0.000 ms
          <- set a.y  0 -> 1  event 8
             at 0.000 ms, in transaction "batch", read as a.y
              <- set a.q  0 -> 1  event 5
                 at 0.000 ms

        """)
    #expect(
      ToolRun("why", log, "P", "--format", "json").output.contains(
        #"{"because":[{"event":"set","kind":"write","new":1,"old":0,"path":"a.q","#))
  }

  @Test func aCauseBeforeACutIsNamed() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"x":0,"y":0}}
      {"kind":"reads","projection":"P","paths":["a.y"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"set","path":"a.x","value":1}
      {"kind":"set","path":"a.y","value":1,"cause":4}
      {"kind":"evaluate","projection":"P","duration_ns":1,"changed":true,"cause":5}

      """)
    let part = workspace.file("part.evlog")
    #expect(ToolRun("cut", log, "-o", part, "--from", "5").status == .done)
    #expect(
      ToolRun("why", part, "P").output == """
        P evaluated at 0.000 ms in 1 ns, output changed  event 6
          <- P invalidated at 0.000 ms  event 5
          <- set a.y  0 -> 1  event 5
             at 0.000 ms, read as a.y
          <- event 4 led to it, which lies before this part of the recording; it begins with event 5

        """)
    let rest = workspace.file("rest.evlog")
    #expect(ToolRun("cut", log, "-o", rest, "--from", "6").status == .done)
    #expect(
      ToolRun("why", rest, "P").lines.last
        == "  <- event 5 led to it, which lies before this part of the recording; it begins with event 6")
  }

  @Test func whatWasHandedInStandsBesideTheOutput() throws {
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"x":0}}
      {"kind":"projection","projection":"P"}
      {"kind":"projection","projection":"C","parent":"P"}
      {"kind":"reads","projection":"P","paths":["a.x"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"evaluate","projection":"C","duration_ns":1}
      {"kind":"set","path":"a.x","value":1}
      {"kind":"evaluate","projection":"P","duration_ns":1,"changed":true,"input":"changed","cause":7}
      {"kind":"evaluate","projection":"C","duration_ns":1,"input":"same","cause":7}

      """)
    #expect(
      ToolRun("why", log, "C").output == """
        C evaluated at 0.000 ms in 1 ns, same input  event 9
          <- ran because its parent P did
          <- P evaluated at 0.000 ms in 1 ns, output changed, input changed  event 8
          <- P invalidated at 0.000 ms  event 7
          <- set a.x  0 -> 1  event 7
             at 0.000 ms, read as a.x

        """)
    #expect(ToolRun("why", log, "C", "--format", "json").output.contains(#""input":"same""#))
  }

  @Test func aMarkIsAMoment() throws {
    let log = try workspace.log(
      screen.replacing(
        #"{"time_ns":2000000,"kind":"begin""#,
        with: #"{"time_ns":1500000,"kind":"mark","label":"half"}"# + "\n"
          + #"{"time_ns":2000000,"kind":"begin""#
      ).replacing(#""cause":16"#, with: #""cause":17"#).replacing(#""cause":21"#, with: #""cause":22"#))
    #expect(ToolRun("why", log, "Row", "--at", "mark:half").output.contains("event 12"))
    #expect(
      ToolRun("state", log, "store.isLoading", "--at", "mark:half").output == "store.isLoading: false\n")
    #expect(ToolRun("timeline", log, "--from", "mark:half").lines.count == 5)
    let run = ToolRun("timeline", log, "--from", "mark:halv")
    #expect(run.status == .refused)
    #expect(run.errors.contains(#"there is no mark "halv"; did you mean half?"#))
  }
}
