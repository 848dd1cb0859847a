import EventLog
import LogGenerator
import PythonReader
import Testing

@testable import ReplayTool

/// The statements of JSONLINES.md about how the state follows from events, each as a few lines that come
/// after ``setup``.
private struct Statement: CustomTestStringConvertible, Sendable {
  /// The effect of an event.
  enum Outcome { case changes, same, misfit }

  let testDescription: String
  let lines: [(text: String, outcome: Outcome)]

  init(_ what: String, _ lines: (String, Outcome)...) {
    testDescription = what
    self.lines = lines.map { (text: $0.0, outcome: $0.1) }
  }

  static let setup = """
    {"kind":"set","path":"store","value":{"$object":"Store#1","text":"aé","rows":[{"id":7,"n":1},{"$object":"Row#2","id":"x"}],"map":{"k":null},"n":1,"other":{"$ref":"#2"}}}
    """

  private static func set(_ path: String, _ value: String) -> String {
    #"{"kind":"set","path":"\#(path)","value":\#(value)}"#
  }

  private static func remove(_ path: String) -> String { #"{"kind":"remove","path":"\#(path)"}"# }

  private static func splice(_ path: String, _ offset: Int, _ delete: Int, _ insert: String) -> String {
    #"{"kind":"splice","path":"\#(path)","offset":\#(offset),"delete":\#(delete),"insert":\#(insert)}"#
  }

  private static let last = "#18446744073709551615"

  private static func tooLarge(_ number: String) -> String {
    #"{"$opaque":"too large: 9 bytes","identity":\#(number)}"#
  }

  static let all = roots + members + elements + objects + removals + splices + sameness + tooLarge

  private static let roots = [
    Statement(
      "a set of a property makes its root, with the number after the highest", (set("new.a", "1"), .changes),
      (set("#3.a", "1"), .same), (set("new", ##"{"$ref":"#3"}"##), .same)),
    Statement(
      "and one of a key does", (set(##"new[\"a\"]"##, "1"), .changes), (set("new.a", "1"), .same)),
    Statement("nothing deeper makes one", (set("new.a.b", "1"), .misfit)),
    Statement("no element makes one", (set("new[0]", "1"), .misfit)),
    Statement("no splice makes one", (splice("new.a", 0, 0, "\"\""), .misfit)),
    Statement("a root is no number", (set("store", "1"), .misfit)),
    Statement("a root is no list", (set("store", "[]"), .misfit)),
    Statement(
      "a root may be a known object", (set("store", ##"{"$ref":"#2"}"##), .changes),
      (set("store.id", "\"x\""), .same)),
    Statement("and none that is not known", (set("store", ##"{"$ref":"#9"}"##), .misfit)),
    Statement(
      "a map becomes an object", (set("m", ##"{"a":1}"##), .changes), (set("#3.a", "1"), .same),
      (set("m", ##"{"a":1}"##), .changes), (set("m", ##"{"$ref":"#4"}"##), .same)),
    Statement(
      "where no number is left no root is made", (set(last, "{\"$object\":\"A\(last)\"}"), .changes),
      (set("new.a", "1"), .misfit)),
    Statement(
      "and no map becomes an object", (set(last, "{\"$object\":\"A\(last)\"}"), .changes),
      (set("m", "{}"), .misfit)),
  ]

  private static let tooLarge = [
    Statement(
      "a write of a part that is not known changes the whole", (set("store.n", tooLarge("7")), .changes),
      (set("store.n[3].a", "1"), .changes), (set("store.n", tooLarge("8")), .same),
      (set("store.n[id: 4]", "1"), .changes), (set("store.n", tooLarge("9")), .same)),
    Statement(
      "and so does a splice", (set("store.n", tooLarge("7")), .changes),
      (splice("store.n", 5, 5, "[1]"), .changes), (splice("store.n", 5, 5, "\"a\""), .changes),
      (splice("store.n.a", 0, 0, "[]"), .changes), (set("store.n", tooLarge("10")), .same)),
    Statement(
      "the number begins anew behind the last one",
      (set("store.n", tooLarge("18446744073709551615")), .changes),
      (set("store.n.a", "1"), .changes), (set("store.n", tooLarge("0")), .same)),
    Statement(
      "an object in such a part is there", (set("store.n", tooLarge("7")), .changes),
      (set("store.n.a", ##"{"$object":"A#3","x":1}"##), .changes), (set("#3.x", "1"), .same)),
    Statement(
      "and a reference must be to one", (set("store.n", tooLarge("7")), .changes),
      (set("store.n.a", ##"{"$ref":"#9"}"##), .misfit)),
    Statement(
      "the value itself is set and removed like others", (set("store.n", tooLarge("7")), .changes),
      (set("store.n", "1"), .changes), (set("store.n", tooLarge("7")), .changes),
      (remove("store.n"), .changes), (remove("store.n"), .same)),
    Statement(
      "other opaque values have no parts", (set("store.n", ##"{"$opaque":"too","identity":7}"##), .changes),
      (set("store.n.a", "1"), .misfit)),
  ]

  private static let members = [
    Statement(
      "properties and keys are members by either name", (set("store.map.k", "null"), .same),
      (set(##"store.map[\"k\"]"##, "null"), .same), (set(##"store[\"n\"]"##, "1"), .same),
      (set("store.map.j", "1"), .changes), (set("store.j", "1"), .changes)),
    Statement("a scalar has no members", (set("store.n.x", "1"), .misfit)),
    Statement("nor has a list", (set("store.rows.x", "1"), .misfit)),
    Statement("a map has no elements", (set("store.map[0]", "1"), .misfit)),
    Statement("nothing is below what is not there", (set("store.x.y", "1"), .misfit)),
  ]

  private static let elements = [
    Statement(
      "elements are found by offset and id, objects by every way", (set("store.rows[0].n", "1"), .same),
      (set("store.rows[id: 7].n", "1"), .same), (set(##"store.rows[id: \"x\"].id"##, "\"x\""), .same),
      (set("store.rows[1].id", "\"x\""), .same), (set("#2.id", "\"x\""), .same),
      (set("store.other.id", "\"x\""), .same), (set("store.rows[0]", ##"{"n":1,"id":7}"##), .same)),
    Statement("no element is set behind the last", (set("store.rows[2]", "1"), .misfit)),
    Statement("nor by an id that none has", (set("store.rows[id: 8]", "1"), .misfit)),
    Statement("an integer is no double", (set("store.rows[id: 7.0].n", "1"), .misfit)),
    Statement(
      "an id is what it is now", (set("store.rows[0].id", "8"), .changes),
      (set("store.rows[id: 8].n", "1"), .same), (set("store.rows[id: 7].n", "1"), .misfit)),
    Statement(
      "the first with an id counts", (splice("store.rows", 2, 0, ##"[{"id":7,"n":9}]"##), .changes),
      (set("store.rows[id: 7].n", "1"), .same)),
    Statement(
      "only numbers, text and Booleans are ids", (set("store.rows[0].id", "null"), .changes),
      (set("store.rows[id: null].n", "1"), .misfit)),
  ]

  private static let objects = [
    Statement("an object is defined once", (set("store.a", ##"{"$object":"A#2"}"##), .misfit)),
    Statement(
      "an object may lead to itself", (set("store.a", ##"{"$object":"A#3","b":{"$ref":"#3"}}"##), .changes),
      (set("#3.b", ##"{"$ref":"#3"}"##), .same), (set("store.a.b.b", ##"{"$ref":"#3"}"##), .same)),
    Statement("what is referred to is known", (set("store.a", ##"{"$ref":"#3"}"##), .misfit)),
    Statement(
      "and no later within a value",
      (set("store.a", ##"[{"$ref":"#3"},{"$object":"A#3"}]"##), .misfit)),
    Statement(
      "a definition by number may refer to what comes later",
      (set("#3", ##"{"$object":"A#3","next":{"$ref":"#4"}}"##), .changes),
      (set("#4", ##"{"$object":"B#4","x":1}"##), .changes), (set("#3.next.x", "1"), .same)),
    Statement(
      "an object is not defined once it has properties",
      (set("#3", ##"{"$object":"A#3","next":{"$ref":"#4"}}"##), .changes), (set("#4.x", "1"), .changes),
      (set("#4", ##"{"$object":"B#4"}"##), .misfit)),
    Statement(
      "nor once it has a type", (set("#3", ##"{"$object":"A#3"}"##), .changes),
      (set("#3", ##"{"$object":"A#3"}"##), .misfit)),
    Statement(
      "without both it is as if it had only been referred to", (set("#3", ##"{"$object":"#3"}"##), .changes),
      (set("#3", ##"{"$object":"A#3"}"##), .changes)),
    Statement("a number is set to its own definition", (set("#3", ##"{"$object":"A#4"}"##), .misfit)),
    Statement("to nothing else", (set("#2", ##"{"$ref":"#2"}"##), .misfit)),
    Statement("not to a map", (set("#2", ##"{"id":"x"}"##), .misfit)),
    Statement(
      "which defines no other object", (set("#3", ##"{"$object":"A#3","b":{"$object":"B#4"}}"##), .misfit)),
  ]

  private static let removals = [
    Statement(
      "what was removed is not there", (remove("store.n"), .changes), (remove("store.n"), .same),
      (remove("store.map.k"), .changes), (set("store.map", "{}"), .same)),
    Statement(
      "where nothing is nothing is removed", (remove("store.zzz"), .same), (remove("zzz"), .same),
      (remove("zzz.a.b"), .same), (remove("store.rows[5]"), .same), (remove("store.n.x"), .same),
      (remove("#9.x"), .same)),
    Statement(
      "elements move up", (remove("store.rows[id: 7]"), .changes), (set("store.rows[0].id", "\"x\""), .same)),
    Statement(
      "objects stay when their names go", (remove("store"), .changes), (set("#1.n", "1"), .same),
      (set("store.n", "1"), .changes), (set("#3.n", "1"), .same)),
    Statement(
      "an object that nothing refers to is removed by its number", (remove("store"), .changes),
      (remove("#1"), .changes), (remove("#1.n"), .same), (remove("#2"), .changes),
      (set("new.a", ##"{"$ref":"#2"}"##), .misfit)),
    Statement(
      "which is gone then", (remove("store"), .changes), (remove("#1"), .changes), (remove("#1"), .misfit)),
    Statement(
      "its number is not given again", (set("store.a", ##"{"$object":"A#3"}"##), .changes),
      (remove("store.a"), .changes), (remove("#3"), .changes), (set("new.a", "1"), .changes),
      (set("#4.a", "1"), .same)),
    Statement(
      "after that its number is as one that none has had", (remove("store"), .changes),
      (remove("#1"), .changes),
      (remove("#1.n"), .same), (set("#1", ##"{"$object":"A#1","n":2}"##), .changes),
      (set("#1.n", "2"), .same),
      (set("new.a", "1"), .changes), (set("#3.a", "1"), .same)),
    Statement(
      "nothing is written below it", (remove("store"), .changes), (remove("#1"), .changes),
      (set("#1.n", "1"), .misfit)),
    Statement(
      "and an object in a value may have it", (remove("store"), .changes), (remove("#1"), .changes),
      (set("new", ##"{"$object":"A#1","n":2}"##), .changes), (set("#1.n", "2"), .same)),
    Statement("no object is removed that another refers to", (remove("#2"), .misfit)),
    Statement("nor one that is a root", (remove("#1"), .misfit)),
    Statement(
      "nor one that refers to itself", (set("#3", ##"{"$object":"A#3","b":{"$ref":"#3"}}"##), .changes),
      (remove("#3"), .misfit)),
    Statement("nor one that is not there", (remove("#9"), .misfit)),
  ]

  private static let splices = [
    Statement(
      "a splice is the same where it inserts what it deletes", (splice("store.text", 0, 1, "\"a\""), .same),
      (splice("store.text", 1, 2, "\"é\""), .same), (splice("store.text", 3, 0, "\"\""), .same),
      (splice("store.rows", 2, 0, "[]"), .same), (splice("store.rows", 1, 1, ##"[{"$ref":"#2"}]"##), .same),
      (splice("store.text", 3, 0, "\"b\""), .changes), (set("store.text", "\"aéb\""), .same)),
    Statement("none begins within a character", (splice("store.text", 2, 1, "\"x\""), .misfit)),
    Statement("and none ends there", (splice("store.text", 0, 2, "\"x\""), .misfit)),
    Statement("none begins behind the end", (splice("store.text", 4, 0, "\"\""), .misfit)),
    Statement("and none deletes beyond it", (splice("store.text", 3, 1, "\"\""), .misfit)),
    Statement("of a list either", (splice("store.rows", 3, 0, "[]"), .misfit)),
    Statement("in any way", (splice("store.rows", 2, 1, "[]"), .misfit)),
    Statement("text goes into text", (splice("store.text", 0, 0, "[]"), .misfit)),
    Statement("a list into a list", (splice("store.rows", 0, 0, "\"\""), .misfit)),
    Statement("a number has no parts", (splice("store.n", 0, 0, "\"\""), .misfit)),
    Statement("nor has nothing", (splice("store.zzz", 0, 0, "\"\""), .misfit)),
    Statement("nor a root", (splice("store", 0, 0, "[]"), .misfit)),
    Statement("nor an object", (splice("#1", 0, 0, "[]"), .misfit)),
    Statement(
      "what is inserted is defined once", (splice("store.rows", 0, 0, ##"[{"$object":"R#2"}]"##), .misfit)),
  ]

  private static let sameness = [
    Statement(
      "an integer equals no double", (set("store.n", "1.0"), .changes), (set("store.n", "1.0"), .same)),
    Statement(
      "a date equals no number", (set("store.n", ##"{"$date":"2001-01-01T00:00:01Z"}"##), .changes),
      (set("store.n", ##"{"$date":"2001-01-01T00:00:01Z"}"##), .same), (set("store.n", "1.0"), .changes)),
    Statement(
      "all NaN are equal", (set("store.d", ##"{"$double":"nan"}"##), .changes),
      (set("store.d", ##"{"$double":"nan:0x7ff8000000000001"}"##), .same)),
    Statement("zeros are", (set("store.d", "0.0"), .changes), (set("store.d", "-0.0"), .same)),
    Statement(
      "maps are in any order", (set("store.d", ##"{"a":1,"b":2}"##), .changes),
      (set("store.d", ##"{"b":2,"a":1}"##), .same), (set("store.d", ##"{"b":2}"##), .changes)),
    Statement(
      "what is redacted is", (set("store.d", ##"{"$redacted":true}"##), .changes),
      (set("store.d", ##"{"$redacted":true}"##), .same)),
    Statement(
      "an opaque value is by type and identity",
      (set("store.d", ##"{"$opaque":"T","identity":1}"##), .changes),
      (set("store.d", ##"{"$opaque":"T","identity":1}"##), .same),
      (set("store.d", ##"{"$opaque":"T","identity":2}"##), .changes)),
    Statement(
      "text is by its bytes", (set("store.d", "\"é\""), .changes), (set("store.d", ##""e\u0301""##), .changes)
    ),
  ]
}

@Suite struct DocumentedStateTests {
  @Test(arguments: Statement.all) private func importFollowsTheState(statement: Statement) throws {
    let workspace = try Workspace()
    let good = statement.lines.filter { $0.outcome != .misfit }
    let lines = [Statement.setup] + good.map(\.text)
    let log = try workspace.log(lines.joined(separator: "\n"))
    let exported = ToolRun("export", log).lines
    for (line, (_, outcome)) in zip(exported.dropFirst(), good) {
      #expect(line.contains("\"same_value\":true") == (outcome == .same), "\(line)")
    }
    guard let misfit = statement.lines.last, misfit.outcome == .misfit else { return }
    let all = try workspace.write((lines + [misfit.text]).joined(separator: "\n"), to: "misfit.jsonl")
    let run = ToolRun("import", all, "-o", workspace.file("misfit.evlog"))
    #expect(run.status == .refused)
    #expect(run.errors.contains("misfit.jsonl:\(lines.count + 1):1: "), "\(run.errors)")
  }

  /// A reader that only keeps the state reads these events, and one that derives invalidations does not.
  @Test(arguments: [
    #"{"kind":"projection","projection":"P"}"#, #"{"kind":"dispose","projection":"Q"}"#, #"{"kind":"end"}"#,
  ])
  func whatContradictsTheTimelineContradictsNoState(line: String) throws {
    let workspace = try Workspace()
    let lines = [
      Statement.setup, #"{"kind":"projection","projection":"P"}"#, line,
      #"{"kind":"mark","label":"the end"}"#,
    ]
    let run = ToolRun(
      "import", try workspace.write(lines.joined(separator: "\n")), "-o", workspace.file("a.evlog"))
    #expect(run.status == .refused)
    #expect(run.errors.contains("run.jsonl:3:1: "), "\(run.errors)")
    let log = workspace.file("written.evlog")
    let writer = try LogWriter(creating: log)
    for line in lines { try writer.append(try ParsedEvent(parsing: line).body, time: 0) }
    try writer.close()
    for command in ["export", "state", "tail", "compact"] {
      let arguments = command == "tail" ? ["--from", "1"] : []
      #expect(ToolRun([command, log] + arguments).status == .done, "\(command)")
    }
    for command in ["timeline", "verify", "hot"] {
      let run = ToolRun(command, log)
      #expect(run.status == .refused, "\(command)")
      #expect(run.errors.contains("event 3 does not fit the events before it"), "\(run.errors)")
    }
  }

  /// A line cannot name an aspect that it writes, and an event that does fits no state.
  @Test(arguments: [["rows", "#count"], ["rows", "#order"], ["zzz", "a", "#exists"]])
  func noAspectIsWritten(steps: [String]) throws {
    let text = steps.map { $0.hasPrefix("#") ? "[\($0)]" : "." + $0 }.joined()
    #expect(throws: (any Error).self) {
      try ParsedEvent(parsing: #"{"kind":"remove","path":"store\#(text)"}"#)
    }
    let aspect: PathComponent =
      switch steps.last {
      case "#count": .count
      case "#order": .order
      default: .exists
      }
    let path = Path(root: .named("store"), components: steps.dropLast().map { .property($0) } + [aspect])
    var state = State()
    try state.apply(Event(seq: 1, time: 0, body: try ParsedEvent(parsing: Statement.setup).body))
    let bodies: [Event.Body] = [
      .set(path, 1, sameValue: false), .remove(path, sameValue: false),
      .splice(path, offset: 0, delete: 0, insert: [], sameValue: false),
    ]
    for body in bodies {
      #expect(throws: StateError.self, "\(body)") { try state.apply(Event(seq: 2, time: 0, body: body)) }
    }
  }

  /// A log holds all events that a session records, whether or not they fit; both readers print the events
  /// before one that does not fit.
  @Test(.enabled(if: PythonReader.isAvailable, "\(PythonReader.isMissing)"))
  func bothReadersFollowTheStateAsFarAsItGoes() throws {
    let workspace = try Workspace()
    var paths: [String] = []
    for (number, statement) in Statement.all.enumerated() {
      paths.append(workspace.file("\(number).evlog"))
      let writer = try LogWriter(creating: paths[number])
      let end = #"{"kind":"mark","label":"the end"}"#
      for line in [Statement.setup] + statement.lines.map(\.text) + [end] {
        try writer.append(try ParsedEvent(parsing: line).body, time: 0)
      }
      try writer.close()
    }
    let answer = try PythonReader.read(paths)
    for (number, statement) in Statement.all.enumerated() {
      let run = ToolRun("export", paths[number])
      #expect(answer.lines[number] == run.output.split(separator: "\n"), "\(statement.testDescription)")
      let good = statement.lines.filter { $0.outcome != .misfit }
      let isWhole = good.count == statement.lines.count
      #expect(run.lines.count == 1 + good.count + (isWhole ? 1 : 0), "\(statement.testDescription)")
      #expect(run.status == (isWhole ? .done : .refused), "\(statement.testDescription)")
      let complaint = "\(paths[number]): event \(good.count + 2) does not fit the events before it"
      #expect(answer.errors.contains(complaint) == !isWhole, "\(answer.errors)")
      for (line, (_, outcome)) in zip(run.lines.dropFirst(), good) {
        #expect(line.contains("\"same_value\":false") == (outcome == .same), "\(line)")
      }
    }
  }
}
