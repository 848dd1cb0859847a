import EventLog
import LogGenerator
import Testing

@testable import ReplayTool

/// The output of commands for reads that are recorded as changes.
@Suite struct ChangedReadsTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// A view of two messages. The second moves to the front, and the view then stops reading it.
  private static let named = """
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

  /// The same in the form that a session records: objects by their numbers, and roots by their names.
  private static let numbered =
    named
    .replacing(
      #""added":["chat.title","chat.messages[0].text"]"#, with: ##""added":["chat.title","#2.text"]"##
    )
    .replacing(
      #""added":["chat.messages[0].text"],"dropped":["chat.messages[1].text"]"#,
      with: ##""added":["#3.text"],"dropped":["#2.text"]"##)

  @Test(arguments: [named, numbered]) func whyNamesWhatIsReadByTheObjectsOfTheTime(lines: String) throws {
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

  @Test(arguments: [named, numbered])
  func anObjectThatMovesWakesNobodyWhoReadsItsProperties(lines: String) throws {
    let run = ToolRun("timeline", try workspace.log(lines), "--format", "json")
    #expect(run.lines.count == 1 && run.lines.first?.contains(#""seq":6"#) == true, "\(run.output)")
  }

  @Test(arguments: [named, numbered]) func eventsSayWhatIsReadBesidesAndNoLonger(lines: String) throws {
    let run = ToolRun("events", try workspace.log(lines), "--kind", "reads")
    #expect(
      run.lines.compactMap { line in line.firstRange(of: "View").map { String(line[$0.lowerBound...]) } } == [
        "View now reads chat.title, chat.messages[0].text",
        "View now reads chat.messages[0].text, and no longer chat.messages[1].text",
        "View reads no longer chat.title", "View reads what it did",
      ], "\(run.output)\(run.errors)")
  }

  @Test(arguments: [named, numbered]) func exportsHaveBothLists(lines: String) throws {
    let log = try workspace.log(lines)
    let csv = ToolRun("export", log, "--format", "csv").output
    #expect(
      csv.contains(
        #""{""added"":[""chat.messages[0].text""],""dropped"":[""chat.messages[1].text""]}""#), "\(csv)")
    #expect(csv.contains(#""{""added"":[],""dropped"":[""chat.title""]}""#), "\(csv)")
    let exported = ToolRun("export", log).lines
    #expect(exported[8].hasSuffix(#""kind":"reads","projection":"View","dropped":["chat.title"]}"#))
    #expect(exported[9].hasSuffix(#""kind":"reads","projection":"View","added":[]}"#))
  }

  @Test func jsonLinesSayWhatTheLogSays() throws {
    let log = try workspace.log(Self.numbered)
    let exported = ToolRun("export", log)
    #expect(
      exported.lines[6].hasSuffix(
        ##""kind":"reads","projection":"View","added":["#3.text"],"dropped":["#2.text"]}"##))
    let again = try workspace.log(exported.output, "again.evlog")
    #expect(ToolRun("export", again).output == exported.output)
  }

  @Test func whatIsReadIsCompletedAndSelectedByItsName() throws {
    let log = try workspace.log(Self.numbered)
    let completion = LogCompletion(["replay", "why", log], for: nil)
    #expect(
      completion.paths("chat.m") == [
        "chat.messages", "chat.messages[*].text", "chat.messages[0].text", "chat.messages[1].text",
      ])
    #expect(completion.paths("#").isEmpty)
    let cut = ToolRun("cut", log, "--path", "chat.messages[*].text", "-o", workspace.file("part.evlog"))
    #expect(cut.status == .done, "\(cut.errors)")
    #expect(ToolRun("export", workspace.file("part.evlog")).output.contains(##""added":["#3.text"]"##))
  }

  @Test func otherRulesNameWhatIsRead() throws {
    let lines = ##"""
      {"kind":"set","path":"app","value":{"$object":"App","rows":[{"$object":"Row","tags":[1,2],"title":"a"}]}}
      {"kind":"projection","projection":"Row#1","tracking":"property"}
      {"kind":"reads","projection":"Row#1","added":["#2.tags","#2.title"]}
      {"kind":"evaluate","projection":"Row#1","duration_ns":1}
      {"kind":"set","path":"app.rows[0].tags[0]","value":3}
      {"kind":"evaluate","projection":"Row#1","duration_ns":1,"cause":5}
      {"kind":"set","path":"app.rows[0].title","value":"b"}
      {"kind":"evaluate","projection":"Row#1","duration_ns":1,"cause":7}

      """##
    let log = try workspace.log(lines)
    let predicted = try Predicted(log, "--tracking", "element")
    #expect(predicted.limits.contains { $0.hasPrefix("Row reads app.rows[0].tags as a whole") })
    let isolated = try Predicted(log, "--isolate", "Row:app.rows[*].title")
    #expect(isolated.before == ["Row": 3])
    #expect(isolated.after == ["Row": 2, "Row:app.rows[*].title": 3])
    let named = lines.replacing("#2.", with: "app.rows[0].")
    let other = try Predicted(workspace.log(named, "named.evlog"), "--isolate", "Row:app.rows[*].title")
    #expect(other.after == isolated.after)
  }

  @Test func whatIsReadOfAnObjectThatNothingHoldsHasItsNumber() throws {
    let lines = ##"""
      {"kind":"set","path":"app","value":{"$object":"App","rows":[{"$object":"Row","title":"a"}]}}
      {"kind":"projection","projection":"Row#1"}
      {"kind":"reads","projection":"Row#1","added":["#2.title"]}
      {"kind":"splice","path":"app.rows","offset":0,"delete":1,"insert":[]}
      {"kind":"reads","projection":"Row#1","dropped":["#2.title"]}

      """##
    let run = ToolRun("events", try workspace.log(lines), "--kind", "reads")
    #expect(run.output.contains("Row#1 now reads app.rows[0].title"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("Row#1 reads no longer #2.title"), "\(run.output)")
  }

  @Test func runsWhoseObjectsHaveOtherNumbersReadTheSame() throws {
    let first = ##"{"kind":"set","path":"other","value":{"$object":"Other"}}"## + "\n"
    // The number of every object is one higher, and so is that of every event.
    let renumbered =
      first
      + Self.numbered.replacing("#3.", with: "#4.").replacing("#2.", with: "#3.")
      .replacing(#""cause":6"#, with: #""cause":7"#)
    let (a, b) = (try workspace.log(Self.numbered, "a.evlog"), try workspace.log(renumbered, "b.evlog"))
    let run = ToolRun("diff", a, b)
    #expect(run.output.contains("10 events in both, 1 only in b"), "\(run.output)\(run.errors)")
    // An older log, too.
    let named = try workspace.log(Self.named, "named.evlog")
    #expect(ToolRun("diff", a, named).status == .done)
    // Another message is another read, and is shown by its name.
    let wrong = Self.numbered.replacing(##""added":["#3.text"],"##, with: ##""added":["#1.messages"],"##)
    let events = ToolRun("diff", a, try workspace.log(wrong, "wrong.evlog"), "--events")
    #expect(
      events.lines.filter { $0.hasPrefix("-") || $0.hasPrefix("+") }.map { $0.dropFirst(2) } == [
        "View now reads chat.messages[0].text, and no longer chat.messages[1].text",
        "View now reads chat.messages, and no longer chat.messages[1].text",
      ], "\(events.output)\(events.errors)")
  }

  /// For any session, the output for a log with objects' numbers equals that for a log with their names.
  @Test func namesAreThoseOfTheMoment() throws {
    let seed = testSeed()
    var numbers = 0
    for number in 0..<8 {
      var session = ValidSession(seed: seed &+ UInt64(number))
      var state = State()
      let (a, b) = (workspace.file("named-\(number).evlog"), workspace.file("numbered-\(number).evlog"))
      let writers = (try LogWriter(creating: a), try LogWriter(creating: b))
      for event in session.events(400) {
        var (named, numbered) = (event, event)
        if case .reads(let name, let reads) = event.body {
          let reads = reads.mapPaths { state.logged(state.bound($0)) }
          numbered.body = .reads(projection: name, reads)
          let names = reads.mapPaths { state.currentName(of: $0) }
          named.body = .reads(projection: name, names)
          if names != reads { numbers += 1 }
        }
        try state.apply(event)
        try writers.0.append(named)
        try writers.1.append(numbered)
      }
      try writers.0.close()
      try writers.1.close()
      let outputs = [a, b].map { ToolRun("export", $0, "--format", "csv") }
      #expect(outputs[0].output == outputs[1].output, "seed \(seed), log \(number)")
      #expect(
        outputs[1].status == .done && outputs[1].output.split(separator: "\r\n").count > 400,
        "\(outputs[1].errors)")
      let diff = ToolRun("diff", a, b)
      #expect(diff.status == .done, "seed \(seed), log \(number): \(diff.output)")
    }
    #expect(numbers > 0, "seed \(seed)")
  }
}
