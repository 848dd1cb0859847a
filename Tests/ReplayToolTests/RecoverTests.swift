import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

@Suite struct RecoverTests {
  private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

  @Test func aTornLogIsMadeWholeAndItsEndKept() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let whole = try bytes(log)
    try Data(whole.dropLast(20)).write(to: URL(filePath: log))
    try Data([1, 2, 3]).write(to: URL(filePath: workspace.file("other.evlog")))
    var run = ToolRun("recover", log)
    // Only the end of the seek table was missing.
    #expect(run.status == .done)
    #expect(run.output.contains("was not closed; completed"))
    #expect(try bytes(log) == whole)

    try Data(whole.prefix(whole.count / 2)).write(to: URL(filePath: log))
    run = ToolRun("recover", log)
    #expect(run.status == .damaged)
    #expect(run.output.contains("lost: whatever came from event 1 on"))
    #expect(FileManager.default.fileExists(atPath: log + ".torn"))
    #expect(ToolRun("recover", log).status == .done)
    #expect(ToolRun("verify", log).status == .done)
    #expect(ToolRun("recover", workspace.file("other.evlog")).status == .refused)
    #expect(ToolRun("recover", workspace.file("missing.evlog")).status == .refused)
  }

  /// Every byte of the first block; what is behind it can be read.
  @Test func aLogWhoseFirstBlockIsDamagedIsSaidToBeRecoverable() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let whole = try bytes(log)
    for offset in [0, 2, 4, 20, 40] {
      var damaged = whole
      damaged[offset] ^= 0xFF
      try Data(damaged).write(to: URL(filePath: log))
      let hot = ToolRun("hot", log)
      #expect(hot.status == .refused)
      #expect(hot.errors.contains("recover what is behind it"), "byte \(offset): \(hot.errors)")
      #expect(!hot.errors.contains("are good"), "byte \(offset): \(hot.errors)")
      let saved = workspace.file("saved-\(offset).evlog")
      let run = ToolRun("recover", log, "-o", saved)
      #expect(run.output.contains("events 1 to 22"), "byte \(offset): \(run.output)\(run.errors)")
      #expect(!run.output.contains("are good"), "\(run.output)")
    }
    let other = ToolRun("hot", try workspace.write("no log", to: "other.evlog"))
    #expect(other.errors.contains("this is not an event log"), "\(other.errors)")
  }

  @Test func aBlockThatSaysWhatCannotBeIsLeftOut() throws {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    var options = LogOptions()
    options.blockEvents = 2
    let writer = try LogWriter(creating: log, options: options)
    let count = Path(root: .named("s"), components: [.property("count")])
    let text = Path(root: .named("s"), components: [.property("text")])
    for number in 1...8 {
      let body: Event.Body =
        number == 3
        ? .splice(text, offset: 5, delete: 1, insert: "x", sameValue: false)
        : .set(count, .int(Int64(number)), sameValue: false)
      try writer.append(body, time: 0)
    }
    try writer.close()
    let before = try bytes(log)
    #expect(ToolRun("export", log, "--format", "jsonl").status != .done)
    let run = ToolRun("recover", log)
    #expect(run.status == .damaged)
    #expect(run.output.contains("damaged, and untouched; saved what can be read"))
    #expect(run.output.contains("left out: events 3 to 4, at byte "), "\(run.output)")
    #expect(run.output.contains("event 3 does not fit the events before it: s.text: "), "\(run.output)")
    #expect(run.output.contains("lost: events 3 to 4"))
    #expect(run.output.contains("events 5 to 8, to export only"), "\(run.output)")
    #expect(try bytes(log) == before)
    let saved = ToolRun("export", workspace.file("run.recovered.evlog"), "--format", "jsonl")
    #expect(saved.status == .done)
    #expect(saved.lines.count == 2)
    // The state before event 5 is lost, but the events can be read.
    let behind = workspace.file("run.recovered.from-5.evlog")
    for form in ["jsonl", "csv", "perfetto"] {
      #expect(ToolRun("export", behind, "--format", form).status == .done)
    }
    let lines = ToolRun("export", behind, "--format", "jsonl").lines
    #expect(lines.count == 4)
    #expect(
      lines.first == #"{"seq":5,"time_ns":0,"kind":"set","path":"s.count","value":5,"same_value":false}"#)
    #expect(ToolRun("timeline", behind).errors.contains("the state before it is not in it"))
    #expect(ToolRun("recover", workspace.file("run.recovered.evlog")).status == .done)
    let again = ToolRun("recover", log, "--format", "json")
    #expect(again.status == .damaged)
    #expect(again.output.contains(#""has_state":false"#))
    #expect(again.output.contains(#""left_out":[{"byte_offset":"#))
  }

  @Test func withAnOutputTheLogIsLeftAsItIs() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let torn = try bytes(log) + [9, 9, 9]
    try Data(torn).write(to: URL(filePath: log))
    let run = ToolRun("recover", log, "-o", workspace.file("saved.evlog"), "--format", "json")
    #expect(run.status == .damaged)
    #expect(run.output.contains(#""outcome":"salvaged""#))
    #expect(try bytes(log) == torn)
    #expect(ToolRun("export", "--format", "jsonl", workspace.file("saved.evlog")).status == .done)
  }

  /// Neither of a log whose end is torn, nor of one that is damaged, with an output or without.
  @Test(arguments: [true, false]) func noLogIsWrittenWithoutAWholeEvent(isTorn: Bool) throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    var broken = try bytes(log)
    let events = try #require(LogReader(path: log).blocks.first { $0.eventCount > 0 })
    let offset = Int(events.offset) + events.compressedSize / 2
    if isTorn { broken.removeSubrange(offset...) } else { broken[offset] ^= 0xFF }
    try Data(broken).write(to: URL(filePath: log))
    let files = try FileManager.default.contentsOfDirectory(atPath: workspace.file("")).sorted()
    let runs = [["-o", workspace.file("saved.evlog")]] + (isTorn ? [] : [[]])
    for arguments in runs {
      let run = ToolRun(["recover", log] + arguments)
      #expect(run.status == .damaged, "\(run.errors)")
      #expect(run.output.contains("no log was written, because not one whole event"), "\(run.output)")
      #expect(run.output.contains("lost: "), "\(run.output)")
      let json = ToolRun(["recover", log, "--format", "json"] + arguments)
      #expect(json.output.contains(#""logs":[]"#) && json.output.contains(#""outcome":"nothing""#))
    }
    #expect(try bytes(log) == broken)
    #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.file("")).sorted() == files)
  }

  @Test func whatIsMissingIsNullForPrograms() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let whole = try bytes(log)
    try Data(whole.prefix(whole.count / 2)).write(to: URL(filePath: log))
    let first = ToolRun("recover", log, "--format", "json").output
    #expect(first.contains(#""lost":[{"first_seq":1,"last_seq":null}]"#))
    let second = ToolRun("recover", log, "--format", "json").output
    #expect(second.hasPrefix(#"{"byte_offset":null,"left_out":[],"logs":[{"#))
    #expect(second.contains(#""outcome":"whole","reason":null,"#))
    let report = try JSONDecoder().decode(RecoveryReport.self, from: Data(first.utf8))
    #expect(try PrintedJSON(encoding: report).text + "\n" == first)
  }

  @Test func tailPrintsWhatIsThereAndEndsWithTheLog() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun("tail", log, "--from", "1")
    #expect(run.status == .done)
    #expect(run.output == ToolRun("export", "--format", "jsonl", log).output)
    #expect(ToolRun("tail", log, "--from", "20").lines.count == 3)
    #expect(ToolRun("tail", log).output.isEmpty)
    #expect(ToolRun("tail", workspace.file("missing.evlog")).status == .refused)
  }

  /// If import would find a write to change nothing and the app did not, the line says so; that is decided
  /// with the state.
  @Test func tailPrintsTheLinesOfExport() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"a.x","value":1}
      {"kind":"set","path":"a.x","value":1,"same_value":false}
      {"kind":"set","path":"a.x","value":2,"same_value":true}
      {"kind":"remove","path":"a.y","same_value":false}
      {"kind":"set","path":"a.x","value":2}
      {"kind":"set","path":"a.x","value":2,"same_value":false}

      """)
    let lines = ToolRun("export", log).lines
    #expect(lines.count { $0.contains(#""same_value":false"#) } == 3)
    for first in 1...6 {
      #expect(ToolRun("tail", log, "--from", "\(first)").lines == Array(lines[(first - 1)...]))
    }
    let part = workspace.file("part.evlog")
    #expect(ToolRun("cut", log, "-o", part, "--from", "3").status == .done)
    #expect(ToolRun("tail", part, "--from", "1").lines.count == 4)
    #expect(ToolRun("tail", part, "--from", "4").lines == Array(lines[3...]))
  }
}
