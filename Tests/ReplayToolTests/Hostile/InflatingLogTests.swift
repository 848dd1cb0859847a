import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// A small log that stands for much: what it makes a reader hold, or do, is thousands of times its size.
struct InflatingLog: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Adds the events.
  let write: @Sendable (LogWriter) throws -> Void

  /// The metadata of its header.
  var metadata: [String: String] = [:]

  private init(
    _ what: String, metadata: [String: String] = [:], _ write: @escaping @Sendable (LogWriter) throws -> Void
  ) {
    testDescription = what
    self.metadata = metadata
    self.write = write
  }

  static let all = [
    InflatingLog("each of many sets invalidates everything that lives") { writer in
      try add(#"{"kind":"set","path":"a.x","value":-1}"#, to: writer)
      for number in 0..<2_000 {
        try add(#"{"kind":"projection","projection":"P\#(number)"}"#, to: writer)
        try add(#"{"kind":"reads","projection":"P\#(number)","added":["a.x"]}"#, to: writer)
      }
      for number in 0..<2_000 { try add(#"{"kind":"set","path":"a.x","value":\#(number)}"#, to: writer) }
    },
    InflatingLog("a transaction has many causes for everything that lives") { writer in
      try add(#"{"kind":"set","path":"a","value":{"x":0,"y":0}}"#, to: writer)
      for number in 0..<1_000 {
        try add(#"{"kind":"projection","projection":"P\#(number)"}"#, to: writer)
        try add(#"{"kind":"reads","projection":"P\#(number)","added":["a.x","a.y"]}"#, to: writer)
      }
      try add(#"{"kind":"begin"}"#, to: writer)
      for number in 0..<2_000 {
        try add(
          #"{"kind":"set","path":"a.\#(number % 2 == 0 ? "x" : "y")","value":\#(number + 1)}"#, to: writer)
      }
      try add(#"{"kind":"end"}"#, to: writer)
    },
    InflatingLog("properties with long texts") { writer in
      for number in 0..<20 { try set("a.k\(number)", longText, to: writer) }
    },
    InflatingLog("long texts in place of numbers") { writer in
      for number in 0..<20 { try set("a.k\(number)", 1, to: writer) }
      for number in 0..<20 { try set("a.k\(number)", longText, to: writer) }
    },
    InflatingLog("properties with long arrays") { writer in
      for number in 0..<20 { try set("a.k\(number)", longArray, to: writer) }
    },
    InflatingLog("splices at the front of a long array") { writer in
      try set("a.x", longArray, to: writer)
      for _ in 0..<1_000 {
        try add(#"{"kind":"splice","path":"a.x","offset":0,"delete":0,"insert":[1]}"#, to: writer)
      }
    },
    InflatingLog("splices at the front of a long text") { writer in
      try set("a.x", longText, to: writer)
      for _ in 0..<3_000 {
        try add(#"{"kind":"splice","path":"a.x","offset":0,"delete":0,"insert":"y"}"#, to: writer)
      }
    },
    InflatingLog("events that take no bytes") { writer in
      for _ in 0..<2_000_000 { try writer.append(.mark(label: "m"), time: 0) }
    },
    InflatingLog(
      "metadata of many keys",
      metadata: Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("key\($0)", "") })
    ) { writer in try add(#"{"kind":"mark","label":"m"}"#, to: writer) },
    InflatingLog("projections with long names") { writer in
      for number in 0..<200 {
        let name = String(repeating: "p", count: 60_000) + "\(number)"
        try writer.append(.projection(name: name, parent: nil, tracking: .element), time: 0)
      }
    },
  ]

  private static let longText = Value.string(String(repeating: "z", count: 1 << 20))
  private static let longArray = Value.array(Array(repeating: .null, count: 100_000))

  private static func add(_ line: String, to writer: LogWriter) throws {
    try writer.append(try ParsedEvent(parsing: line).body, time: 0)
  }

  private static func set(_ path: String, _ value: Value, to writer: LogWriter) throws {
    try writer.append(.set(Path(parsing: path), value, sameValue: false), time: 0)
  }
}

/// The tool as a process of its own, under limits of memory and time, on logs that would exceed them.
@Suite(.enabled(if: ToolShell.isPossible)) struct InflatingLogTests {
  private static let commands = [
    "info log.evlog", "timeline log.evlog", "state log.evlog", "tail log.evlog --from 1",
    "cascades log.evlog",
    "why log.evlog P5", "hot log.evlog", "diff log.evlog log.evlog", "lint log.evlog",
    "what-if log.evlog --tracking element", "check log.evlog --budget budget.yml",
    "report log.evlog -o page.html", "summarize log.evlog -o tables", "verify log.evlog", "export log.evlog",
    "export log.evlog --format csv", "export log.evlog --format perfetto",
    "export log.evlog --format sqlite -o a.db",
    "compact log.evlog -o b.evlog", "cut log.evlog -o c.evlog", "cut log.evlog -o d.evlog --path a.x",
    "merge log.evlog -o e.evlog", "recover log.evlog -o f.evlog",
  ]

  @Test(arguments: InflatingLog.all) func everyCommandEndsWithinItsLimits(log: InflatingLog) throws {
    let workspace = try Workspace()
    var options = LogOptions()
    options.checkpoints = false
    options.blockEvents = 1 << 16
    options.metadata = log.metadata
    let writer = try LogWriter(creating: workspace.file("log.evlog"), options: options)
    try log.write(writer)
    try writer.close()
    _ = try workspace.write("total:\n  evaluations: 1\n", to: "budget.yml")
    let shell = ToolShell(folder: workspace.path)
    func run(_ command: String, _ limit: String) throws -> ToolShell.Result {
      try shell.run("ulimit -v 1500000; replay \(command) --limit-memory \(limit) > /dev/null")
    }
    for command in Self.commands {
      let run = try run(command, "16M")
      #expect(run.status <= 3, "\(command): \(run.errors.suffix(1000))")
    }
    let verify = try run("verify log.evlog", "16M")
    #expect(verify.status == 2 && verify.errors.contains("--limit-memory"), "\(verify.errors)")
    #expect(try run("verify log.evlog", "1G").status == 0)
  }
}
