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

  @Test func nothingIsDoneWithoutAWord() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    var run = ToolRun("tail", log)
    #expect(run.status == .done && run.output.isEmpty)
    #expect(run.errors == "replay: \(log): the log is closed; --from 1 prints it\n")
    run = ToolRun("tail", log, "--from", "1")
    #expect(run.lines.count == 22 && run.errors.isEmpty)
    run = ToolRun("import", try workspace.write("\n", to: "empty.jsonl"), "-o", workspace.file("empty.evlog"))
    #expect(run.status == .refused && run.errors.contains("empty.jsonl: no events"))
    #expect(!workspace.files.contains("empty.evlog"))
    for arguments in [
      ["report", log, "-o", "-"], ["export", log, "-o", "-"], ["compact", log, "-o", "-"],
      ["cut", log, "-o", "-"], ["diff", log, log, "--html", "-"], ["recover", log, "-o", "-"],
    ] {
      run = ToolRun(arguments)
      #expect(run.status == .refused, "\(arguments)")
      #expect(run.errors.contains("the standard output is /dev/stdout, and a file of this name ./-"))
    }
    run = ToolRun("hot", log, "--from", "3ms", "--to", "1ms")
    #expect(run.errors.contains("--to (event 12) lies before --from (event 20)"), "\(run.errors)")
  }

  @Test(arguments: [
    (["what-if", "LOG", "--throttle", "p=5"], "expected a path pattern and an interval above 0, as"),
    (["what-if", "LOG", "--tracking", "foo"], "expected object, property or element, or one of them"),
    (["what-if", "LOG", "--isolate", "ChatView"], "expected a projection, a colon and a path pattern, as"),
    (["what-if", "LOG", "--input", ""], "expected a projection, as Row"),
    (["what-if", "LOG", "--no-same-value", "a..b"], "expected a name, * or **, at column 3"),
    (["hot", "LOG", "--path", "a..b"], "expected a name, * or **, at column 3"),
    (["hot", "LOG", "--from", "soon"], "expected 17, 1.5s, 250ms or mark:LABEL"),
    (
      ["lint", "LOG", "--threshold", "x=1"], "there is no threshold x; expected one of count, fan-out, wasted"
    ),
    (
      ["lint", "LOG", "--threshold", "wastd=1"], "there is no threshold wastd; did you mean wasted?; expected"
    ),
    (["lint", "LOG", "--threshold", "wasted"], "expected a threshold and a number, as fan-out=20"),
    (["lint", "LOG", "--threshold", "wasted=200"], "wasted is in per cent: expected 0 to 100"),
    (["lint", "LOG", "--threshold", "same-value=101"], "same-value is in per cent: expected 0 to 100"),
    (["lint", "LOG", "--threshold", "count=-1"], "expected a whole number from 0 to 1,000,000"),
    (["serve", "LOG", "--port", "99999"], "expected a whole number from 0 to 65535"),
    (["report", "LOG", "-o", "x", "--budget", "0.1"], "expected megabytes from 0.2 to 1000, as 4 or 0.5"),
    (["diff", "LOG", "LOG", "--slower-than", "much"], "expected per cent, as 50% or 12.5"),
    (["diff", "LOG", "LOG", "--fail-on", "more-fun"], "more-evaluations"),
  ])
  func aValueThatAnOptionCannotHaveIsRefusedWithItsForm(arguments: [String], form: String) throws {
    let run = ToolRun(arguments)
    #expect(run.status == .refused)
    #expect(run.errors.contains("is invalid for '--"), "\(run.errors)")
    #expect(run.errors.contains(form), "\(run.errors)")
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
