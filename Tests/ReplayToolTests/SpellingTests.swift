import EventLog
import LogGenerator
import PythonReader
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Names that are equal in Swift but have different bytes are different names everywhere in the tool.
@Suite struct SpellingTests {
  /// Spellings that Swift considers equal, and some texts that look alike and are not equal.
  static let spellings: [[String]] = [
    ["\u{E9}", "e\u{301}"],
    ["\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{AC00}\u{11A8}"],
    ["\u{1EAD}", "a\u{323}\u{302}", "a\u{302}\u{323}", "\u{E2}\u{323}"],
    ["\u{212B}", "\u{C5}", "A\u{30A}"],
    ["K", "\u{212A}"],
    ["\u{FB01}", "fi"],
    ["\r\n", "\n", "\n\r"],
    ["\u{F900}", "\u{8C48}"],
    ["$", "$\u{301}"],
    ["#", "#\u{301}"],
  ]

  /// Texts of which many are spellings of each other.
  private static func name(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in
      spellings.randomElement(using: &random)?.randomElement(using: &random) ?? ""
    }.joined()
  }

  private static func names(_ count: Int, _ random: inout SplitMix64) -> [String] {
    var names: [[UInt8]] = []
    while names.count < count {
      let name = Array(name(&random).utf8)
      if !names.contains(name) { names.append(name) }
    }
    return names.map { String(decoding: $0, as: UTF8.self) }
  }

  /// A log in which every kind of name has many spellings.
  private static func record(_ names: [String], to path: String) throws {
    var options = LogOptions()
    options.blockEvents = 16
    let writer = try LogWriter(creating: path, options: options)
    var time: UInt64 = 0
    func append(_ body: Event.Body, site: String? = nil, origin: Origin? = nil) throws {
      time += 1
      try writer.append(body, time: time, site: site, origin: origin)
    }
    func set(_ path: Path, _ value: Value) throws { try append(.set(path, value, sameValue: false)) }
    var number: UInt64 = 0
    for name in names {
      number += 1
      var fields: NamedValues<Value> = ["map": .map([:]), "rows": .array([])]
      for name in names { fields[name] = .string(name) }
      let root = Path(root: .named(name))
      try set(root, .object(ObjectDefinition(id: ObjectID(number), type: name, fields: fields)))
      let map = root.appending(.property("map"))
      let rows = root.appending(.property("rows"))
      for (index, name) in names.enumerated() {
        try set(map.appending(.key(name)), .int(Int64(index)))
        let row = Value.map(["id": .string(name), "is": .opaque(type: name, identity: 1)])
        try append(.splice(rows, offset: index, delete: 0, insert: .array([row]), sameValue: false))
      }
      for (index, name) in names.enumerated() {
        try set(root.appending(.member(name)), .int(Int64(index)))
        try set(rows.appending(.id(.string(name))).appending(.member(name)), .string(name))
      }
      let projection = "\(name)#\(name)"
      try append(.projection(name: projection, parent: name, tracking: .element))
      try append(.reads(projection: projection, .paths(names.map { map.appending(.key($0)) })))
      try append(.evaluate(projection: projection, duration: 1, changed: true))
      try append(.begin(label: name), site: name, origin: Origin(thread: name, task: name, stack: name))
      try append(.end)
      try append(.mark(label: name))
    }
    try writer.close()
  }

  @Test func exportAndImportAreInverseForEverySpelling() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var paths: [String] = []
    for number in 0..<12 {
      let names = Self.names(6, &random)
      let path = workspace.file("\(number).evlog")
      try Self.record(names, to: path)
      paths.append(path)
      let first = ToolRun("export", path, "--format", "jsonl")
      #expect(first.status == .done, "seed \(seed): \(first.errors)")
      let copy = try workspace.log(first.output, "copy.\(number).evlog")
      let second = ToolRun("export", copy, "--format", "jsonl")
      #expect(second.output.utf8.elementsEqual(first.output.utf8), "seed \(seed), log \(number)")

      // Each spelling has a separate value, with its own bytes.
      for path in [path, copy] {
        let state = try LogReader(path: path).state(at: .max)
        #expect(state.roots.count == names.count, "seed \(seed)")
        for name in names {
          let root = Path(root: .named(name))
          for (index, name) in names.enumerated() {
            let map = root.appending(.property("map")).appending(.key(name))
            let row = root.appending(.property("rows")).appending(.id(.string(name)))
            #expect(state.value(at: map) == .int(Int64(index)), "seed \(seed)")
            #expect(state.value(at: root.appending(.property(name))) == .int(Int64(index)), "seed \(seed)")
            #expect(state.value(at: row.appending(.property(name))) == .string(name), "seed \(seed)")
          }
        }
      }
      let totals = try LogSummary(LogSource(path: copy)).projections
      #expect(totals == names.count, "seed \(seed)")
      #expect(ToolRun("verify", copy).status == .done, "seed \(seed)")
      let same = ToolRun("diff", path, copy, "--format", "json").output
      #expect(same.contains(#""identical":true"#), "seed \(seed): \(same.prefix(600))")
    }
    if PythonReader.isAvailable {
      let answer = try PythonReader.read(paths)
      #expect(answer.status == 0, "seed \(seed): \(answer.errors)")
      for (path, lines) in zip(paths, answer.lines) {
        let exported = ToolRun("export", path, "--format", "jsonl").output.utf8.split(separator: 0x0A)
        #expect(zip(lines, exported).allSatisfy { $0.utf8.elementsEqual($1) }, "seed \(seed): \(path)")
      }
    }
  }

  private func screen(_ name: String) -> String {
    """
    {"kind":"set","path":"s","value":{"$object":"S#1","\(name)":0}}
    {"kind":"projection","projection":"\(name)#1"}
    {"kind":"reads","projection":"\(name)#1","paths":["s.\(name)"]}
    {"kind":"evaluate","projection":"\(name)#1","duration_ns":5,"changed":true}
    {"kind":"set","path":"s.\(name)","value":1}
    {"kind":"invalidate","projection":"\(name)#1","cause":5,"causes":[5]}
    {"kind":"evaluate","projection":"\(name)#1","duration_ns":5,"changed":true,"cause":5}
    {"kind":"mark","label":"\(name)"}

    """
  }

  /// A run with both spellings, of which only the first is written.
  private let both = """
    {"kind":"set","path":"s","value":{"$object":"S#1","\u{E9}":0,"e\u{301}":0}}
    {"kind":"projection","projection":"\u{E9}#1"}
    {"kind":"reads","projection":"\u{E9}#1","paths":["s.\u{E9}"]}
    {"kind":"evaluate","projection":"\u{E9}#1","duration_ns":5,"changed":true}
    {"kind":"projection","projection":"e\u{301}#1"}
    {"kind":"reads","projection":"e\u{301}#1","paths":["s.e\u{301}"]}
    {"kind":"evaluate","projection":"e\u{301}#1","duration_ns":5,"changed":true}
    {"kind":"set","path":"s.\u{E9}","value":1}
    {"kind":"set","path":"s.e\u{301}","value":1}

    """

  @Test func twoRunsWhoseNamesAreSpelledDifferentlyAreDifferent() throws {
    let workspace = try Workspace()
    let a = try workspace.log(screen("\u{E9}"), "a.evlog")
    let b = try workspace.log(screen("e\u{301}"), "b.evlog")
    let diff = ToolRun("diff", a, b, "--format", "json").output
    #expect(diff.contains(#""identical":false"#))
    #expect(diff.contains(#""events":{"both":0,"moved":0,"only_a":8,"only_b":8}"#), "\(diff)")
    #expect(diff.utf8.split(separator: 0x0A).count == 1)
    let gone =
      diff.unicodeScalars.contains { $0.value == 0x301 } && diff.unicodeScalars.contains { $0.value == 0xE9 }
    #expect(gone, "both spellings are shown")
  }

  @Test func eachSpellingIsCountedByItself() throws {
    let workspace = try Workspace()
    let log = try workspace.log(both)
    let names = try HotReport(LogSource(path: log), Selection(in: LogSource(path: log)), progress: .hidden)
      .projections.map { Array($0.name.utf8) }
    #expect(Set(names) == [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
    let timeline = ToolRun("timeline", log, "--format", "json").lines
    #expect(timeline.count == 2)
    #expect(timeline.filter { $0.unicodeScalars.contains { $0.value == 0x301 } }.count == 1)
    let budget = ToolRun("check", log, "--budget", workspace.file("b.yaml"), "--update")
    #expect(budget.status == .done, "\(budget.errors)")
    #expect(ToolRun("check", log, "--budget", workspace.file("b.yaml")).status == .done)
  }

  @Test func eachSpellingIsAKeyInJSON() throws {
    let workspace = try Workspace()
    let log = try workspace.log(both)
    let state = ToolRun("state", log, "--format", "json").output
    #expect(state.utf8.elementsEqual("{\"seq\":9,\"state\":{\"s\":{\"\u{E9}\":1,\"e\u{301}\":1}}}\n".utf8))
    let predicted = ToolRun("what-if", log, "--tracking", "property", "--format", "json").output
    for name in ["\u{E9}", "e\u{301}"] {
      let keys = predicted.utf8.ranges(of: Array("\"\(name)\":{".utf8))
      #expect(keys.count == 2, "before and after: \(predicted)")
    }
  }

  @Test(arguments: [("\u{E9}", "e\u{301}"), ("e\u{301}", "\u{E9}")])
  func aPatternMeansTheSpellingThatIsTyped(name: String, other: String) throws {
    let workspace = try Workspace()
    let log = try workspace.log(both)
    for pattern in [["--projection", name], ["--projection", "*\(name)#*"], ["--path", "s.\(name)"]] {
      let lines = ToolRun(["timeline", log, "--format", "json"] + pattern).lines
      #expect(lines.count == 1, "\(pattern)")
      #expect(lines.allSatisfy { $0.utf8.contains(Array("\"\(name)#1\"".utf8)) }, "\(pattern)")
    }
    #expect(ToolRun("state", log, "s.\(name)", "--format", "json").output.hasSuffix(#""state":1}"# + "\n"))
    let cut = workspace.file("cut.evlog")
    #expect(ToolRun("cut", log, "-o", cut, "--projection", name).status == .done)
    let kept = ToolRun("export", cut, "--format", "jsonl").output
    #expect(kept.utf8.contains(Array("\"\(name)#1\"".utf8)))
    #expect(!kept.utf8.contains(Array("\"\(other)#1\"".utf8)))
  }

  @Test func zeroAndMinusZeroAsIdsKeepTheirBits() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"seq":1,"time_ns":0,"kind":"set","path":"s","value":{"$object":"S#1","rows":[{"id":0.0,"n":1}]}}
      {"seq":2,"time_ns":0,"kind":"set","path":"s.rows[id: -0.0].n","value":2}
      {"seq":3,"time_ns":0,"kind":"set","path":"s.rows[id: 0.0].n","value":3}

      """)
    let lines = ToolRun("export", log, "--format", "jsonl").lines
    #expect(lines[1].contains("[id: -0.0]"))
    #expect(lines[2].contains("[id: 0.0]"))
  }
}
