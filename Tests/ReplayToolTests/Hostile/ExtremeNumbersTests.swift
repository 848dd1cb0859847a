import Foundation
import LogGenerator
import Testing

@testable import EventLog
@testable import ReplayTool

/// Every command on logs whose times, durations, seqs, numbers of objects and offsets are as large as
/// possible.
@Suite struct ExtremeNumbersTests {
  private static let max = "18446744073709551615"

  /// Times that reach the maximum and go back, sums that overflow, a transaction that ends before it began.
  private static let lines = """
    {"time_ns":\(max),"kind":"set","path":"a","value":{"$object":"T#\(max)","x":0,"y":[1,2],"n":9223372036854775807}}
    {"time_ns":0,"kind":"set","path":"b","value":{"$object":"T#18446744073709551614","x":-9223372036854775808}}
    {"time_ns":\(max),"kind":"projection","projection":"P"}
    {"kind":"projection","projection":"Q#\(max)","parent":"P"}
    {"time_ns":0,"kind":"projection","projection":"R","tracking":"property"}
    {"kind":"reads","projection":"P","paths":["a.x","a.y[#count]","a.y[9223372036854775807]"]}
    {"kind":"reads","projection":"Q#\(max)","paths":["a.x","b.x"]}
    {"kind":"reads","projection":"R","paths":["#\(max).x"]}
    {"time_ns":\(max),"kind":"evaluate","projection":"P","duration_ns":\(max)}
    {"time_ns":0,"kind":"evaluate","projection":"Q#\(max)","duration_ns":\(max),"changed":true}
    {"time_ns":9223372036854775808,"kind":"evaluate","projection":"R","duration_ns":9223372036854775808}
    {"time_ns":\(max),"kind":"begin","label":"t"}
    {"time_ns":0,"kind":"set","path":"a.x","value":9223372036854775807}
    {"time_ns":0,"kind":"end"}
    {"time_ns":\(max),"kind":"evaluate","projection":"P","duration_ns":\(max),"changed":false,"cause":14}
    {"time_ns":1,"kind":"evaluate","projection":"Q#\(max)","duration_ns":\(max),"changed":false,"cause":14}
    {"time_ns":1,"kind":"evaluate","projection":"R","duration_ns":\(max),"changed":false,"cause":14}
    {"time_ns":\(max),"kind":"set","path":"a.x","value":-9223372036854775808,"site":"F.swift:\(max)","cause":15}
    {"time_ns":5,"kind":"evaluate","projection":"P","duration_ns":\(max),"changed":false,"cause":18}
    {"time_ns":\(max),"kind":"evaluate","projection":"Q#\(max)","duration_ns":1,"changed":false,"cause":18}
    {"time_ns":18446744073709551000,"kind":"mark","label":"m"}
    {"time_ns":18446744073709551610,"kind":"splice","path":"a.y","offset":2,"delete":0,"insert":[3]}
    {"time_ns":\(max),"kind":"begin"}
    {"time_ns":0,"kind":"set","path":"a.n","value":1,"same_value":true}
    {"time_ns":0,"kind":"end"}
    {"time_ns":0,"kind":"begin"}
    {"time_ns":\(max),"kind":"end"}
    {"time_ns":0,"kind":"dispose","projection":"P"}

    """

  /// The commands to run in addition to those for hostile names; SEQ is an event in the middle.
  private static let more: [[String]] =
    [
      ["timeline", "LOG", "--from", "SEQ"], ["timeline", "LOG", "--to", "SEQ"],
      ["state", "LOG", "--at", "SEQ"], ["timeline", "LOG", "--from", "18446744073s"],
      ["timeline", "LOG", "--to", "0ms"],
      ["timeline", "LOG", "--path", "a.x"], ["cascades", "LOG", "--from", "mark:m"],
      ["hot", "LOG", "--from", "SEQ"], ["cascades", "LOG", "--from", "SEQ"],
      ["why", "LOG", "R", "--at", "SEQ"],
      ["what-if", "LOG", "--tracking", "property"], ["what-if", "LOG", "--no-same-value", "**"],
      ["what-if", "LOG", "--throttle", "a.x:18446744073s"],
    ].flatMap { [$0, $0 + ["--format", "json"]] }
    + ["jsonl", "csv", "perfetto", "sqlite"].flatMap { form in
      [[], ["--from", "SEQ"], ["--to", "SEQ"]].map {
        ["export", "LOG", "--format", form, "-o", "WORK/out.\(form)"] + $0
      }
    }
    + [
      ["cut", "LOG", "-o", "WORK/part.evlog", "--from", "SEQ"],
      ["cut", "LOG", "-o", "WORK/part.evlog", "--to", "SEQ"],
      ["cut", "LOG", "-o", "WORK/part.evlog", "--path", "a.x"],
      ["cut", "LOG", "-o", "WORK/part.evlog", "--projection", "P", "--from", "mark:m"],
      ["merge", "LOG", "LOG", "-o", "WORK/both.evlog"],
      ["diff", "LOG", "OTHER", "--slower-than", "5%"],
      ["diff", "LOG", "OTHER", "--fail-on", "more-evaluations:9223372036854775807"],
      ["check", "LOG", "--budget", "WORK/b.yaml", "--update"], ["check", "LOG", "--budget", "WORK/b.yaml"],
      ["check", "LOG", "--budget", "WORK/b.yaml", "--baseline", "OTHER"],
    ]

  @Test(arguments: [1, 1 << 63 - 5, .max - 28] as [UInt64])
  func noCommandCountsBeyondItsNumbers(firstSeq: UInt64) throws {
    let workspace = try Workspace()
    let lines = Self.lines.split(separator: "\n").map(String.init)
    let log = try workspace.log(lines, from: firstSeq, "extreme.evlog")
    let other = try workspace.log(
      lines.map { $0.replacing("-9223372036854775808", with: "2") }, from: firstSeq, "other.evlog")
    let seq = firstSeq + 14
    for arguments in HostileLogTests.runs.filter({ $0.first != "import" }) + Self.more {
      let arguments = arguments.map {
        $0.replacing("LOG", with: log).replacing("OTHER", with: other).replacing("WORK", with: workspace.path)
          .replacing("SEQ", with: String(seq))
      }
      let run = ToolRun(arguments)
      #expect(run.errors.utf8.count < 10_000, "\(arguments)")
      if ["cascades", "verify", "hot", "info"].contains(arguments[0]), arguments.dropFirst() == [log] {
        #expect(run.status == .done || run.status == .found, "\(arguments): \(run.errors)")
      }
      for name in workspace.files where !["extreme.evlog", "other.evlog", "b.yaml"].contains(name) {
        try? FileManager.default.removeItem(atPath: workspace.file(name))
      }
    }
    // Sums stop at the largest number instead of wrapping around.
    let hot = ToolRun("hot", log, "--format", "json")
    #expect(hot.output.contains(#""time_ns":\#(Self.max)"#), "\(hot.output)")
    let database = ToolRun("export", log, "--format", "sqlite", "-o", workspace.file("out.db"))
    #expect(database.status == (firstSeq == 1 ? .done : .refused), "\(database.errors)")
    #expect(workspace.files.contains("out.db") == (firstSeq == 1))
  }

  @Test func noLogGoesOnBehindTheLastNumbers() throws {
    let workspace = try Workspace()
    let log = try workspace.log([#"{"kind":"mark","label":"x"}"#], from: .max - 1, "last.evlog")
    #expect(try LogReader(path: log).nextSeq == .max)
    let error = #expect(throws: LogError.self) { try LogWriter(appendingTo: log) }
    #expect(error?.code == .tooLarge)
  }

  @Test func aFileOfTheLastNumberIsNoSegment() throws {
    let workspace = try Workspace()
    let log = try workspace.marks(3, to: "run.evlog")
    let copy = workspace.file("run.\(Int.max).evlog")
    try FileManager.default.copyItem(atPath: log, toPath: copy)
    #expect(ToolRun("recover", log).status == .done)
    #expect(ToolRun("info", log, "--format", "json").output.contains(#""events":3,"#))
  }
}

extension Workspace {
  /// A log made of lines whose first event has this number, after an empty state; causes count from 1.
  fileprivate func log(_ lines: [String], from firstSeq: UInt64, _ name: String) throws -> String {
    let shift = firstSeq - 1
    var start = LogRewriter.Start(firstSeq: firstSeq)
    if shift > 0 { start.fold = StateFold(State(), after: shift) }
    let path = file(name)
    let header = LogHeader(program: "extreme", salt: 7, created: .max, metadata: [:])
    var writer = try LogRewriter(
      try RewriteFile(path, replacing: false, madeOf: []), path: path, header: header, options: LogOptions(),
      from: start)
    var time: UInt64 = 0
    for line in lines {
      let event = try ParsedEvent(parsing: line)
      time = event.time ?? time
      try writer.append(
        event.body.settingSameValue(event.sameValue ?? false), time: time,
        cause: event.cause.map { $0 + shift }, site: event.site)
    }
    _ = try writer.finish()
    return path
  }
}
