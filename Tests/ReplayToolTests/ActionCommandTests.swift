import LogGenerator
import Testing

@testable import ReplayTool

/// Actions and dates, as the commands show them.
@Suite struct ActionCommandTests {
  private let lines = """
    {"kind":"set","path":"store","value":{"items":1,"when":{"$date":"2026-11-28T05:00:00Z"}}}
    {"kind":"projection","projection":"Row"}
    {"kind":"reads","projection":"Row","paths":["store.items","store.when"]}
    {"kind":"evaluate","projection":"Row","duration_ns":5000}
    {"kind":"action","label":"Refresh","time_ns":1000000}
    {"kind":"set","path":"store.items","value":2,"cause":5,"time_ns":1100000}
    {"kind":"evaluate","projection":"Row","duration_ns":5000,"cause":6,"time_ns":1200000}
    {"kind":"set","path":"store.when","value":{"$date":"2026-11-28T05:30:00.25Z"},"cause":5,"time_ns":5200000}
    {"kind":"evaluate","projection":"Row","duration_ns":5000,"cause":8,"time_ns":5300000}
    {"kind":"finish","outcome":"cancelled","cause":5,"time_ns":5400000}

    """

  @Test func aRunIsExplainedUpToTheAction() throws {
    let workspace = try Workspace()
    let log = try workspace.log(lines)
    #expect(
      ToolRun("why", log, "Row").output == """
        Row evaluated at 5.300 ms in 5.0 us  event 9
          <- Row invalidated at 5.200 ms  event 8
          <- set store.when  2026-11-28T05:00:00Z -> 2026-11-28T05:30:00.25Z  event 8
             at 5.200 ms, read as store.when
          <- action Refresh  event 5

        """)
    #expect(
      ToolRun("cascades", log).output.hasPrefix(
        "action \"Refresh\"  event 5\n  2 writes, 2 evaluations, 10.0 us, last run after 4.3 ms\n"))
    #expect(ToolRun("events", log).output.contains("end of an action, which was cancelled  <- 5"))
    #expect(ToolRun("verify", log).status == .done)
  }

  @Test func datesAreReadAsDates() throws {
    let workspace = try Workspace()
    let log = try workspace.log(lines)
    #expect(ToolRun("state", log, "store.when").output == "store.when: 2026-11-28T05:30:00.25Z\n")
    // A script gets what it can import again.
    #expect(
      ToolRun("state", log, "store.when", "--format", "json").output.contains(
        #"{"$date":"2026-11-28T05:30:00.25Z"}"#))
  }

  @Test func linesOfActionsAreExportedAsTheyAreImported() throws {
    let workspace = try Workspace()
    let log = try workspace.log(lines)
    let exported = ToolRun("export", log, "--format", "jsonl").output
    #expect(exported.contains(#"{"seq":5,"time_ns":1000000,"kind":"action","label":"Refresh"}"#))
    #expect(
      exported.contains(#"{"seq":10,"time_ns":5400000,"kind":"finish","outcome":"cancelled","cause":5}"#))
    let trace = ToolRun("export", log, "--format", "perfetto").output
    #expect(trace.contains(#""ph":"b""#) && trace.contains(#""outcome":"cancelled""#))
  }
}
