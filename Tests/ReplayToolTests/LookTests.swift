import LogGenerator
import Testing

@testable import ReplayTool

@Suite struct LookTests {
  @Test func infoCountsWhatIsThere() throws {
    let workspace = try Workspace()
    let run = ToolRun("info", try workspace.log(screen), "--format", "json")
    #expect(run.status == .done)
    for part in [
      #""clean":true,"duration_ns":3000000,"events":22,"#, #""kinds":{"evaluate":8,"set":5,"#,
      #""objects":2,"#, #""projections":3,"#,
    ] {
      #expect(run.output.contains(part), "\(run.output)")
    }
  }

  @Test func timelineIsOneLineAnEntry() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    #expect(
      ToolRun("timeline", log, "--format", "json").output == """
        {"seq":11,"time_ns":1000000,"projection":"Row#7","causes":[11],"cascade":11,"depth":0}
        {"seq":16,"time_ns":2000000,"projection":"List","causes":[15],"cascade":16,"depth":0}
        {"seq":16,"time_ns":2000000,"projection":"Spinner","causes":[14],"cascade":16,"depth":0}
        {"seq":21,"time_ns":3000000,"projection":"Spinner","causes":[21],"cascade":16,"depth":1}

        """)
    #expect(
      ToolRun("timeline", log).output == """
        SEQ      TIME  PROJECTION  WOKEN BY              CASCADE  DEPTH
         11  1.000 ms  Row#7       store.rows[0].count        11      0
         16  2.000 ms  List        store.rows (15)            16      0
         16  2.000 ms  Spinner     store.isLoading (14)       16      0
         21  3.000 ms  Spinner     store.isLoading            16      1
        4 invalidations

        """)
  }

  @Test(arguments: [
    (["--projection", "Row"], [11]), (["--projection", "Row#7"], [11]),
    (["--projection", "*i*"], [16, 16, 21]),
    (["--path", "store.*"], [16, 16, 21]), (["--path", "store.rows[*].count"], [11]),
    (["--from", "12"], [16, 16, 21]),
    (["--to", "1ms"], [11]), (["--from", "2ms", "--to", "16"], [16, 16]),
    (["--path", "**"], [11, 16, 16, 21]),
  ])
  func timelineFilters(options: [String], seqs: [Int]) throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = run(["timeline", log, "--format", "json"] + options)
    #expect(run.lines.map { $0.prefix { $0 != "," } } == seqs.map { "{\"seq\":\($0)" })
  }

  @Test func stateTakesItsPathAsAnOptionToo() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun("state", log, "--path", "store.rows[id: 7].count", "--at", "10")
    #expect(run.status == .done)
    #expect(run.output == ToolRun("state", log, "store.rows[id: 7].count", "--at", "10").output)
    #expect(ToolRun("state", log, "store.rows", "--path", "store.rows").status == .refused)
  }

  @Test func stateIsATreeInWhichAnObjectStandsOnce() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      screen + #"{"kind":"set","path":"store.first","value":{"$ref":"store.rows[0]"}}"# + "\n")
    #expect(
      ToolRun("state", log, "--format", "json").output == """
        {"seq":23,"state":{"store":{"rows":[{"id":7,"count":1},{"id":8,"count":0},{"id":9,"count":0}],\
        "isLoading":false,"token":{"$redacted":true},"first":{"$ref":"store.rows[0]"}}}}

        """)
    #expect(
      ToolRun("state", log, "store.rows[id: 7].count", "--at", "10", "--format", "json").output
        == #"{"path":"store.rows[id: 7].count","seq":10,"state":0}"# + "\n")
    #expect(ToolRun("state", log, "--at", "1.5ms", "--format", "json").output.hasPrefix(#"{"seq":12,"#))
    #expect(ToolRun("state", log, "--at", "0", "--format", "json").output == "{\"seq\":0,\"state\":{}}\n")
    #expect(
      ToolRun("state", log, "store.rows").output == """
        store.rows: 3 elements
          [0]:
            id: 7
            count: 1
          [1]:
            id: 8
            count: 0
          [2]:
            id: 9
            count: 0

        """)
  }

  @Test func mistakesAreOneLineWithTheNearestName() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    for (arguments, message) in [
      (["timeline", log, "--projection", "Rwo"], "there is no projection Rwo; did you mean Row?"),
      (
        ["timeline", log, "--path", "store.isLoadin"],
        "no event writes or reads store.isLoadin; did you mean store.isLoading?"
      ),
      (
        ["state", log, "store.row"], "there is nothing at store.row after event 22; did you mean store.rows?"
      ),
      (["state", log, "stor.rows"], "did you mean store?"),
      (["state", log, "store..rows"], "expected a name, at column 7"),
      (["state", log, "--at", "99"], "there is no event 99; the last is 22"),
      (["why", log, "Spiner"], "there is no projection Spiner; did you mean Spinner?"),
      (["info", workspace.file("rum.evlog")], "did you mean \(log)?"),
      (["info", workspace.file("run.evlog.jsonl")], "this is not an event log"),
    ] {
      let run = run(arguments)
      #expect(run.status == .refused)
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  @Test func everyCommandExplainsItselfWithAnExample() {
    for command in [
      "info", "timeline", "cascades", "why", "hot", "state", "diff", "verify", "export", "import",
    ] {
      let run = ToolRun(command, "--help")
      #expect(run.status == .done)
      #expect(run.output.contains("Example: replay \(command)"))
    }
    #expect(ToolRun("info").status == .refused)
    #expect(ToolRun("nonsense").status == .refused)
    #expect(ToolRun("timeline", "x", "--from", "soon").status == .refused)
  }

  private func run(_ arguments: [String]) -> ToolRun { ToolRun(arguments) }
}
