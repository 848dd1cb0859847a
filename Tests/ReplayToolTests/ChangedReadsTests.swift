import LogGenerator
import Testing

@testable import ReplayTool

/// What commands say of reads that are recorded as what changed of them.
@Suite struct ChangedReadsTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// A view of two messages, the second of which comes to the front and is then dropped from what is read.
  private let lines = """
    {"kind":"set","path":"chat","value":{"$object":"Chat","title":"t","messages":[{"$object":"Message","text":"a"}]}}
    {"kind":"projection","projection":"View"}
    {"kind":"reads","projection":"View","added":["chat.title","chat.messages[0].text"]}
    {"kind":"evaluate","projection":"View","duration_ns":1}
    {"kind":"splice","path":"chat.messages","offset":0,"delete":0,"insert":[{"$object":"Message","text":"b"}]}
    {"kind":"set","path":"chat.messages[1].text","value":"c"}
    {"kind":"reads","projection":"View","added":["chat.messages[0].text"],"dropped":["chat.messages[1].text"]}
    {"kind":"evaluate","projection":"View","duration_ns":1,"cause":6}
    {"kind":"reads","projection":"View","dropped":["chat.title"]}
    {"kind":"reads","projection":"View","added":[]}

    """

  @Test func whyNamesWhatIsReadByTheObjectsOfTheTime() throws {
    let log = try workspace.log(lines)
    #expect(
      ToolRun("why", log, "View", "--at", "8").output == """
        View evaluated at 0.000 ms in 1 ns  event 8
             read for the first time: chat.messages[0].text
             read no more: chat.messages[1].text
          <- View invalidated at 0.000 ms  event 6
          <- set chat.messages[1].text  "a" -> "c"  event 6
             at 0.000 ms, read as chat.messages[1].text

        """)
  }

  @Test func anObjectThatMovesWakesNobodyWhoReadsItsProperties() throws {
    let run = ToolRun("timeline", try workspace.log(lines), "--format", "json")
    #expect(run.lines.count == 1 && run.lines.first?.contains(#""seq":6"#) == true, "\(run.output)")
  }

  @Test func aStepSaysWhatIsReadBesidesAndNoLonger() throws {
    let commands = try workspace.write("go 3\ngo 7\ngo 9\ngo 10\n", to: "commands.txt")
    let run = ToolRun("step", try workspace.log(lines), "--commands", commands)
    #expect(
      run.output.split(separator: "\n").filter { $0.contains("View") }.map { String($0.dropFirst(2)) } == [
        "View now reads chat.title, chat.messages[0].text",
        "View now reads chat.messages[0].text, and no longer chat.messages[1].text",
        "View reads no longer chat.title", "View reads what it did",
      ], "\(run.output)\(run.errors)")
  }

  @Test func exportsHaveBothLists() throws {
    let log = try workspace.log(lines)
    let csv = ToolRun("export", log, "--to", "csv").output
    #expect(
      csv.contains(
        #""{""added"":[""chat.messages[0].text""],""dropped"":[""chat.messages[1].text""]}""#), "\(csv)")
    #expect(csv.contains(#""{""added"":[],""dropped"":[""chat.title""]}""#), "\(csv)")
    let exported = ToolRun("export", log).lines
    #expect(exported[8].hasSuffix(#""kind":"reads","projection":"View","dropped":["chat.title"]}"#))
    #expect(exported[9].hasSuffix(#""kind":"reads","projection":"View","added":[]}"#))
  }
}
