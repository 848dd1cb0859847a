import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Commands that make logs from logs.
@Suite struct RewriteTests {
  @Test func compactLeavesTheLogAndGivesAnEqualOne() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun("compact", log)
    #expect(run.status == .done && run.output.contains("run.compact.evlog: 22 events"), "\(run.errors)")
    #expect(ToolRun("diff", log, workspace.file("run.compact.evlog")).status == .done)
    // An existing file is not overwritten.
    #expect(ToolRun("compact", log).status == .refused)
    #expect(ToolRun("compact", log, "--replace").status == .done)
    let replaced = ToolRun("compact", log, "--in-place")
    #expect(replaced.status == .done && replaced.lines.last?.contains("run.old.evlog") == true)
    #expect(ToolRun("diff", log, workspace.file("run.old.evlog")).status == .done)
    #expect(
      workspace.files == ["run.compact.evlog", "run.evlog", "run.evlog.jsonl", "run.old.evlog"])
  }

  @Test func aPartShowsTheStatesOfTheWhole() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let part = workspace.file("part.evlog")
    let run = ToolRun("cut", log, "-o", part, "--from", "11", "--to", "20")
    #expect(run.status == .done && run.output.contains("part.evlog: 10 events of 11 to 20"), "\(run.errors)")
    for seq in ["10", "11", "15", "20"] {
      #expect(ToolRun("state", part, "--at", seq).output == ToolRun("state", log, "--at", seq).output)
    }
    // From there on the timeline equals that of the whole log.
    let whole = ToolRun("timeline", log, "--from", "11", "--to", "20", "--format", "json")
    #expect(ToolRun("timeline", part, "--format", "json").output == whole.output)
    #expect(ToolRun("verify", part).status == .done)
    #expect(ToolRun("cut", log, "-o", workspace.file("x.evlog"), "--from", "99").status == .refused)
    #expect(ToolRun("cut", log, "-o", part).status == .refused)
  }

  @Test func aPartByPathLeavesOutOtherWrites() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let part = workspace.file("part.evlog")
    let run = ToolRun("cut", log, "-o", part, "--path", "store.isLoading")
    #expect(run.status == .done && run.output.contains("anew"), "\(run.errors)")
    #expect(
      ToolRun("export", "--format", "jsonl", part).output == """
        {"seq":1,"time_ns":0,"kind":"set","path":"store","value":{"$object":"Store#1","rows":[{"$object":"Row#2","id":7,"count":0},{"id":8,"count":0}],"isLoading":false,"token":{"$redacted":true}}}
        {"seq":2,"time_ns":0,"kind":"projection","projection":"Spinner","tracking":"property"}
        {"seq":3,"time_ns":0,"kind":"reads","projection":"Spinner","paths":["store.isLoading"]}
        {"seq":4,"time_ns":0,"kind":"evaluate","projection":"Spinner","duration_ns":10}
        {"seq":5,"time_ns":2000000,"kind":"begin","label":"refresh"}
        {"seq":6,"time_ns":2000000,"kind":"set","path":"store.isLoading","value":true}
        {"seq":7,"time_ns":2000000,"kind":"splice","path":"store.rows","offset":2,"delete":0,"insert":[{"id":9,"count":0}]}
        {"seq":8,"time_ns":2000000,"kind":"end"}
        {"seq":9,"time_ns":2000000,"kind":"evaluate","projection":"Spinner","duration_ns":10,"changed":true,"cause":8}
        {"seq":10,"time_ns":3000000,"kind":"set","path":"store.isLoading","value":true,"same_value":true}
        {"seq":11,"time_ns":3000000,"kind":"set","path":"store.isLoading","value":false,"cause":8}
        {"seq":12,"time_ns":3000000,"kind":"evaluate","projection":"Spinner","duration_ns":10,"changed":true,"cause":11}

        """)
    #expect(ToolRun("verify", part).status == .done)
  }

  @Test func partsMakeTheWholeAgain() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let (a, b, whole) = (workspace.file("a.evlog"), workspace.file("b.evlog"), workspace.file("c.evlog"))
    #expect(ToolRun("cut", log, "-o", a, "--to", "12").status == .done)
    #expect(ToolRun("cut", log, "-o", b, "--from", "13").status == .done)
    let run = ToolRun("merge", b, a, "-o", whole)
    #expect(run.status == .done && run.output.contains("22 events of 1 recording"), "\(run.errors)")
    #expect(
      ToolRun("export", "--format", "jsonl", whole).output
        == ToolRun("export", "--format", "jsonl", log).output)
  }

  @Test func recordingsThatShareANameNeedPrefixes() throws {
    let workspace = try Workspace()
    let a = try workspace.log(screen, "a.evlog")
    // From the same lines it would be the same recording.
    let b = try workspace.log(screen.replacing("3000000", with: "4000000"), "b.evlog")
    let both = workspace.file("both.evlog")
    let refused = ToolRun("merge", a, b, "-o", both)
    #expect(refused.status == .refused && refused.errors.contains("--prefix"))
    #expect(ToolRun("merge", a, b, "-o", both, "--prefix", "a_").status == .refused)
    let run = ToolRun("merge", a, b, "-o", both, "--prefix", "a_", "--prefix", "b_")
    #expect(run.status == .done && run.output.contains("44 events of 2 recordings"), "\(run.errors)")
    #expect(ToolRun("verify", both).status == .done)
    let rows = ToolRun("state", both, "b_store.rows").output
    #expect(rows == ToolRun("state", b, "store.rows").output.replacing("store.rows", with: "b_store.rows"))
  }

  @Test func whatIsLostIsToldAndTheStatusIs3() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let bytes = try Data(contentsOf: URL(filePath: log))
    try bytes.dropLast(30).write(to: URL(filePath: log))
    for (arguments, output) in [(["compact"], "c.evlog"), (["cut"], "d.evlog"), (["merge"], "e.evlog")] {
      let run = ToolRun(arguments + [log, "-o", workspace.file(output)])
      #expect(run.status == .damaged && run.errors.contains("events from 23 on are lost"), "\(run.errors)")
      #expect(ToolRun("info", workspace.file(output)).status == .done)
    }
  }

  @Test func objectsCanBeDefinedByNumberInAnyOrder() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"#2","value":{"$object":"B#2","a":{"$ref":"#1"},"n":1}}
      {"kind":"set","path":"#1","value":{"$object":"A#1","b":{"$ref":"#2"}}}
      {"kind":"set","path":"#2.a","value":{"$ref":"#1"},"same_value":true}
      {"kind":"set","path":"app","value":{"$ref":"#2"}}
      {"kind":"set","path":"app.a.b.n","value":2}
      """)
    #expect(
      ToolRun("state", log, "--format", "json").output
        == #"{"seq":5,"state":{"app":{"a":{"b":{"$ref":"app"}},"n":2}}}"# + "\n")
    let again = try workspace.log(ToolRun("export", "--format", "jsonl", log).output, "again.evlog")
    #expect(ToolRun("diff", log, again).status == .done)
    for line in [
      ##"{"kind":"set","path":"#3","value":5}"##,
      ##"{"kind":"set","path":"#3","value":{"$object":"A#4"}}"##,
      ##"{"kind":"set","path":"#3","value":{"$object":"A#3","x":{"$object":"B#4"}}}"##,
    ] {
      let file = try workspace.write(line, to: "bad.jsonl")
      #expect(ToolRun("import", file, "-o", workspace.file("bad.evlog")).status == .refused, "\(line)")
    }
  }
}
