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
    let commands = try workspace.write("go 9\n", to: "commands.txt")
    #expect(ToolRun("step", log, "--commands", commands).output.contains("C ran in 1 ns, same input"))
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
