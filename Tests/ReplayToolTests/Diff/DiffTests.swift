import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Two runs that differ in a known way, as lines.
@Suite struct DiffTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func diff(_ a: String, _ b: String, _ options: String...) throws -> ToolRun {
    ToolRun(["diff", try workspace.log(a, "a.evlog"), try workspace.log(b, "b.evlog")] + options)
  }

  /// What an app reads of the clock at its start is in the first value of its root.
  @Test func ignoredPathsReachIntoTheValuesThatHoldThem() throws {
    func log(_ started: Int) throws -> String {
      try workspace.log(
        #"""
        {"kind":"set","path":"app","value":{"$object":"App","started":\#(started),"rows":[{"id":1,"at":\#(started)}]}}
        {"kind":"set","path":"app.n","value":2}

        """#, "started-\(started).evlog")
    }
    let (first, second) = (try log(1), try log(2))
    #expect(ToolRun("diff", first, second).status == .found)
    #expect(ToolRun("diff", first, second, "--ignore", "app.started").status == .found)
    let both = ToolRun("diff", first, second, "--ignore", "app.started", "--ignore", "app.rows[*].at")
    #expect(both.status == .done, "\(both.output)")
  }

  @Test func findingsThatAreGoneAreShownBesideWhatTheirChangeSaved() throws {
    let (wide, isolated) = (sample("chat-wide"), sample("chat-isolated"))
    let lines = ToolRun("diff", wide, isolated, "--findings").lines
    let gone = try #require(lines.firstIndex(of: "findings gone"))
    #expect(lines[gone + 1].hasPrefix("  hot-parent: ChatView reads chat.tts.audioLevel, "))
    let price = try #require(lines.first { $0.contains("predicted: 30,401 runs -> 402, ") })
    // The recorded fix has a child that runs 300 times, as predicted.
    #expect(price.contains("; real: 402, "), "\(price)")
    let back = ToolRun("diff", isolated, wide, "--findings", "--format", "json")
    #expect(back.output.contains(#""new":[{"message":"ChatView reads"#), "\(back.output.suffix(2000))")
    #expect(ToolRun("diff", wide, wide, "--findings").lines.last == "the same findings: 1")
  }

  @Test func anInsertionIsToldAndTheRestIsComparedAllTheSame() throws {
    let extra = """
      {"kind":"set","path":"store.extra","value":1}
      {"kind":"set","path":"store.extra","value":2}

      """
    let lines = simple.split(separator: "\n").map(String.init)
    let b = (lines[..<4] + [String(extra.dropLast())] + lines[4...]).joined(separator: "\n") + "\n"
    let run = try diff(simple, b)
    #expect(run.status == .found)
    #expect(
      run.output == """
        first divergence
             projection P, by element
             P reads store.x, store.y
             evaluate P
          a  set store.x = 1
          b  set store.extra = 1
        paths only in b
          store.extra  2 sets
        state at the end
          store.extra  nothing -> 2
        9 events in both, 2 only in b

        """)
  }

  @Test func ofLongValuesTheDivergenceShowsWhereTheyPart() throws {
    let text = String(repeating: "long ", count: 30)
    let lines = try diff(
      #"{"kind":"set","path":"store","value":{"$object":"Store","text":"\#(text)","on":true}}"# + "\n",
      #"{"kind":"set","path":"store","value":{"$object":"Store","text":"\#(text)","on":false}}"# + "\n"
    ).lines
    #expect(lines[1] == #"  a  set store = {"$object":"Store#1","te … long ","on":true}"#)
    #expect(lines[2] == #"  b  set store = {"$object":"Store#1","te … long ","on":false}"#)
  }

  @Test func theFirstDivergenceIsWhatTheAppDidAndNotItsSetUp() throws {
    let other = simple.replacing(#""x":0,"y":0"#, with: #""x":0,"y":0,"z":0"#)
      .replacing(#""path":"store.y","value":1"#, with: #""path":"store.y","value":5"#)
    let lines = try diff(simple, other).lines
    #expect(
      lines.contains("     what is attached or made differs before: event 1 of a, event 1 of b"), "\(lines)")
    #expect(lines.contains("  a  set store.y = 1") && lines.contains("  b  set store.y = 5"))
    // Where nothing else differs, the set-up is the divergence.
    let alone = try diff(simple, simple.replacing(#""x":0,"y":0"#, with: #""x":0,"y":0,"z":0"#)).lines
    #expect(alone.contains { $0.hasPrefix("  a  set store = ") })
    #expect(!alone.contains { $0.contains("what is attached") })
  }

  @Test func aDeletionAndANewOrderOfWhatIsIndependent() throws {
    let swapped = simple.replacing(
      #"{"kind":"set","path":"store.x","value":1}"# + "\n" + #"{"kind":"set","path":"store.y","value":1}"#,
      with: #"{"kind":"set","path":"store.y","value":1}"# + "\n"
        + #"{"kind":"set","path":"store.x","value":1}"#)
    #expect(swapped != simple)
    let run = try diff(simple, swapped)
    #expect(run.status == .done)
    #expect(
      run.output == """
        the runs are identical
        1 event in another order, which nothing depends on
        the writes of store.x and store.y changed places: events 5 and 6 of a, 5 and 6 of b

        """)
    let shorter = simple.replacing(#"{"kind":"set","path":"store.y","value":2}"# + "\n", with: "")
    #expect(try diff(simple, shorter).output.hasSuffix("8 events in both, 1 only in a\n"))
  }

  @Test func theOrderOfWhatDependsIsADifference() throws {
    let swapped = simple.replacing(
      #"{"kind":"set","path":"store.x","value":1}"#, with: #"{"kind":"set","path":"store.x","value":8}"#
    ).replacing(
      #"{"kind":"set","path":"store.x","value":2}"#, with: #"{"kind":"set","path":"store.x","value":1}"#
    )
    .replacing(
      #"{"kind":"set","path":"store.x","value":8}"#, with: #"{"kind":"set","path":"store.x","value":2}"#)
    let run = try diff(simple, swapped)
    #expect(run.status == .found)
    #expect(run.output.contains("8 events in both, 1 only in a, 1 only in b"), "\(run.output)")
  }

  @Test func objectsMayHaveOtherNumbers() throws {
    let a = """
      {"kind":"set","path":"first","value":{"$object":"First","x":1}}
      {"kind":"set","path":"app","value":{"$object":"App","child":{"$object":"Child","n":1},"other":null}}
      {"kind":"set","path":"app.other","value":{"$ref":"app.child"}}

      """
    let b = """
      {"kind":"set","path":"app","value":{"$object":"App","child":{"$object":"Child","n":1},"other":null}}
      {"kind":"set","path":"app.other","value":{"$ref":"app.child"}}
      {"kind":"set","path":"first","value":{"$object":"First","x":1}}

      """
    let run = try diff(a, b)
    #expect(run.status == .done, "\(run.output)")
  }

  /// A program with ids that differ in each run: rows by UUID, a dictionary of them, hashed secrets, names
  /// with ids in them, and identities of values that a log cannot hold.
  private func programWithIDs(extraRow: Bool = false, changes changed: Int = 0) -> String {
    let ids = (0..<3).map { _ in UUID().uuidString }
    let secrets = (0..<2).map { _ in
      #"{"$opaque":"Redacted","identity":\#(UInt64.random(in: 0 ... 1 << 60))}"#
    }
    var lines = [
      #"{"kind":"set","path":"app","value":{"$object":"App","rows":[{"id":"\#(ids[0])","text":"a"},"#
        + #"{"id":"\#(ids[1])","text":"a"}],"token":\#(secrets[0]),"titles":{"\#(ids[1])":"A"},"chosen":null}}"#,
      #"{"kind":"projection","projection":"Row#\#(ids[0])"}"#,
      #"{"kind":"projection","projection":"onChange(app.rows[id: \"\#(ids[1])\"].text)"}"#,
      #"{"kind":"reads","projection":"Row#\#(ids[0])","paths":["app.rows[id: \"\#(ids[0])\"].text"]}"#,
      #"{"kind":"evaluate","projection":"Row#\#(ids[0])","duration_ns":10}"#,
      #"{"kind":"set","path":"app.token","value":\#(secrets[1])}"#,
      #"{"kind":"set","path":"app.token","value":\#(secrets[0])}"#,
    ]
    if extraRow {
      lines.append(
        #"{"kind":"splice","path":"app.rows","offset":0,"delete":0,"insert":["#
          + #"{"id":"\#(UUID().uuidString)","text":"new"}]}"#)
    }
    lines += [
      #"{"kind":"splice","path":"app.rows","offset":2,"delete":0,"insert":[{"id":"\#(ids[2])","text":"c"}]}"#,
      #"{"kind":"set","path":"app.rows[id: \"\#(ids[changed])\"].text","value":"z"}"#,
      #"{"kind":"set","path":"app.titles[\"\#(ids[2])\"]","value":"C"}"#,
      #"{"kind":"set","path":"app.chosen","value":"file:///rows/\#(ids[1])/text"}"#,
      #"{"kind":"mark","label":"chose \#(ids[1])"}"#,
      #"{"kind":"evaluate","projection":"Row#\#(ids[0])","duration_ns":10}"#,
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func idsThatARunMakesAnewAreTheSameInTheNext() throws {
    let run = try diff(programWithIDs(), programWithIDs())
    #expect(run.status == .done)
    #expect(run.output == "the runs are identical\n", "\(run.output)")
  }

  @Test func anInsertionLeavesTheIDsAfterItWhatTheyAre() throws {
    let run = try diff(programWithIDs(), programWithIDs(extraRow: true))
    #expect(run.status == .found)
    #expect(run.output.hasSuffix("13 events in both, 1 only in b\n"), "\(run.output)")
    #expect(run.lines.count { $0.contains("->") } == 2, "the count of splices, and the row: \(run.output)")
  }

  @Test func aChangeOfAnotherRowIsADifferenceThoughIDsAreNew() throws {
    let run = try diff(programWithIDs(), programWithIDs(changes: 1))
    #expect(run.status == .found)
    #expect(run.output.contains("12 events in both, 1 only in a, 1 only in b"), "\(run.output)")
  }

  @Test func eventsAreShownAsAUnifiedDiff() throws {
    let b = simple.replacing(#""path":"store.y","value":1"#, with: #""path":"store.y","value":7"#)
    let run = try diff(simple, b, "--events")
    #expect(
      run.output == """
        @@ a 3, b 3 @@
          P reads store.x, store.y
          evaluate P
          set store.x = 1
        - set store.y = 1
        + set store.y = 7
          evaluate P, same output
          set store.x = 2
          set store.y = 2

        """)
    let json = try diff(simple, b, "--events", "--format", "json").output
    #expect(json.contains(#""hunks":[{"hidden":0,"lines":[{"event":{"seq":3,"#))
    #expect(json.contains(/\{"event":\{"seq":6,[^{}]*\},"in":"a"\}/))
  }

  @Test func whatIsIgnoredDoesNotCount() throws {
    let b =
      simple.replacing(#""path":"store.y","value":1"#, with: #""path":"store.y","value":7"#)
      + #"{"kind":"evaluate","projection":"Q","duration_ns":1}"# + "\n"
    #expect(try diff(simple, b, "--ignore", "store.y").status == .found)
    #expect(try diff(simple, b, "--ignore", "store.*", "--ignore", "Q").status == .done)
    #expect(try diff(simple, b, "--path", "store.x").status == .done)
    #expect(try diff(simple, b, "--projection", "P").status == .done)
    #expect(try diff(simple, b, "--projection", "Q").status == .found)
    #expect(try diff(simple, b, "--projection", "R").errors.contains("there is no projection R"))
    #expect(try diff(simple, b, "--to", "4").status == .done)
  }

  @Test func rulesDecideTheStatus() throws {
    let b = simple + #"{"kind":"evaluate","projection":"P","duration_ns":1}"# + "\n"
    for (rule, status) in [
      ("more-evaluations:10%", ToolStatus.found), ("more-evaluations:50%", .done),
      ("more-evaluations:1", .done),
      ("more-evaluations", .found), ("more-sets", .done), ("state", .done), ("events", .found),
    ] {
      #expect(try diff(simple, b, "--fail-on", rule).status == status, "\(rule)")
    }
    let run = try diff(simple, b, "--fail-on", "more-evaluations:10%")
    #expect(
      run.output.hasSuffix(
        "broken: more-evaluations:10%: 2 -> 3\nbroken: more-evaluations:10% of P: 2 -> 3\n1 rule broken\n"))
    #expect(try diff(simple, b, "--fail-on", "more-sets").output.hasSuffix("no rule is broken\n"))
    #expect(try diff(simple, b, "--fail-on", "more-fun").status == .refused)
  }

  @Test func whatIsSlowerIsTold() throws {
    let b = simple.replacing(#""duration_ns":10,"#, with: #""duration_ns":5000000,"#)
    let run = try diff(simple, b)
    #expect(run.status == .done)
    #expect(
      run.output == """
        projections slower in b
          P  2 evaluations, 20 ns -> 5.0 ms, each run slower
        9 events in both

        """)
    #expect(
      try diff(simple, simple.replacing(#""duration_ns":10,"#, with: #""duration_ns":900,"#)).output
        == "the runs are identical\n")
  }

  @Test func ofRunsWithTheSameEventsABrokenRuleOfTimeIsTold() throws {
    let b = simple.replacing(#""duration_ns":10}"#, with: #""duration_ns":2000}"#)
    let run = try diff(simple, b, "--fail-on", "more-time:10%")
    #expect(run.status == .found)
    #expect(
      run.output == """
        the runs have the same events; 20 ns -> 2.0 us of evaluations
        broken: more-time:10%: 20 ns -> 2.0 us
        broken: more-time:10% of P: 20 ns -> 2.0 us
        1 rule broken

        """)
    #expect(
      try diff(simple, b, "--fail-on", "more-time:1000000%").output
        == "the runs are identical\nno rule is broken\n")
  }

  @Test func ofAProjectionInOneRunOnlyTheCountsOfThatRunAreTold() throws {
    let wasted = #"{"kind":"evaluate","projection":"Q","duration_ns":5,"changed":false}"# + "\n"
    #expect(
      try diff(simple + wasted, simple).output.contains("  Q  1 evaluation, 1 wasted, 5 ns\n"))
    #expect(
      try diff(simple, simple + wasted).output.contains("  Q  1 evaluation, 1 wasted, 5 ns\n"))
  }

  /// Two runs of several lanes: the second has some events more, some fewer, and the lanes interleaved in
  /// another order. Exactly these differences must be found.
  @Test(arguments: 0..<8) func exactlyWhatWasChangedIsFound(trial: Int) throws {
    let seed = testSeed()
    var random = SeededGenerator(seed: seed)
    let lanes = 5
    var a: [[Int]] = (0..<lanes).map { lane in (0..<60).map { lane * 10_000 + $0 } }
    var b = a
    var (deleted, inserted) = (0, 0)
    for lane in 0..<lanes {
      for position in stride(from: 58, through: 0, by: -3) where Bool.random(using: &random) {
        if Bool.random(using: &random) {
          b[lane].remove(at: position)
          deleted += 1
        } else {
          b[lane].insert(lane * 10_000 + 5_000 + position, at: position)
          inserted += 1
        }
      }
    }
    func laid(_ lanes: [[Int]]) -> String {
      var lanes = lanes
      var lines = [#"{"kind":"set","path":"s","value":{"$object":"S"}}"#]
      while let lane = lanes.indices.filter({ !lanes[$0].isEmpty }).randomElement(using: &random) {
        lines.append(#"{"kind":"set","path":"s.p\#(lane)","value":\#(lanes[lane].removeFirst())}"#)
      }
      return lines.joined(separator: "\n") + "\n"
    }
    let (first, second) = (laid(a), laid(b))
    a = []
    let run = try diff(first, second, "--format", "json", "--ignore", "nothing")
    let both = 5 * 60 - deleted + 1
    #expect(
      run.output.contains(#""events":{"both":\#(both),"moved":"#)
        && run.output.contains(#""only_a":\#(deleted),"only_b":\#(inserted)}"#),
      "seed \(seed)")
  }
}

private let simple = """
  {"kind":"set","path":"store","value":{"$object":"Store","x":0,"y":0}}
  {"kind":"projection","projection":"P"}
  {"kind":"reads","projection":"P","paths":["store.x","store.y"]}
  {"kind":"evaluate","projection":"P","duration_ns":10}
  {"kind":"set","path":"store.x","value":1}
  {"kind":"set","path":"store.y","value":1}
  {"kind":"evaluate","projection":"P","duration_ns":10,"changed":false}
  {"kind":"set","path":"store.x","value":2}
  {"kind":"set","path":"store.y","value":2}

  """

/// Random numbers that a seed reproduces.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
