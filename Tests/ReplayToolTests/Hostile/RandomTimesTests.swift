import Foundation
import LogGenerator
import Testing

@testable import EventLog
@testable import ReplayAnalysis
@testable import ReplayTool

/// Random sessions whose times and durations are any numbers, and whose events may have the last numbers there are: no
/// command counts beyond what a number holds.
@Suite struct RandomTimesTests {
  /// Sets of one path at times that go back, reach the maximum and would wrap around.
  @Test func timesThatGoBackEndNoCommand() throws {
    let workspace = try Workspace()
    let max = UInt64.max
    let times: [UInt64] = [
      5, 0, max, 1 << 63, 0, 7, 1 << 63 - 1, max, 0, 1 << 63, 1, max - 1, 3, max, 0, 1, 2,
    ]
    var lines = [#"{"kind":"set","path":"a","value":{"$object":"T","x":0}}"#]
    lines += [#"{"kind":"reads","projection":"P","paths":["a.x"]}"#]
    lines += [#"{"kind":"evaluate","projection":"P","duration_ns":\#(max)}"#]
    for (value, time) in times.enumerated() {
      lines.append(#"{"time_ns":\#(time),"kind":"set","path":"a.x","value":\#(value + 1)}"#)
    }
    let log = try workspace.log(lines.joined(separator: "\n") + "\n", "back.evlog")
    let other = try workspace.log(screen, "other.evlog")
    for command in ["lint", "report", "hot", "cascades", "verify", "timeline"] {
      let run = ToolRun([command, log] + (command == "report" ? ["-o", workspace.file("p.html")] : []))
      #expect(run.status == .done || run.status == .found, "\(command): \(run.errors)")
    }
    // A table has no numbers so large, so this log is a row of failures, and the other one has its rows.
    let run = ToolRun("summarize", log, other, "-o", workspace.file("tables"), "--format", "jsonl")
    #expect(run.status == .damaged && run.output.contains("2 logs"), "\(run.output) \(run.errors)")
    #expect(run.output.contains("1 failure"), "\(run.output)")
  }

  /// Every command that reads a log and ends by itself, with the options that make it count further.
  static let commands: [[String]] =
    [
      ["info", "LOG"], ["timeline", "LOG"], ["timeline", "LOG", "--from", "SEQ"],
      ["events", "LOG", "--limit", "0"], ["state", "LOG", "--at", "SEQ"],
      ["cascades", "LOG"], ["cascades", "LOG", "--by", "waste", "--from", "SEQ"],
      ["cascades", "LOG", "--by", "time", "--limit", "0"],
      ["why", "LOG", "*"], ["why", "LOG", "Row*", "--at", "SEQ"],
      ["why-not", "LOG", "*"], ["why-not", "LOG", "*", "--at", "SEQ"], ["reads", "LOG", "*"],
      ["hot", "LOG", "--limit", "0"], ["hot", "LOG", "--to", "SEQ"], ["hot", "LOG", "--by", "action"],
      ["hot", "LOG", "--by", "transaction"], ["hot", "LOG", "--by", "mark"],
      ["lint", "LOG"], ["lint", "LOG", "--from", "SEQ"], ["lint", "LOG"] + thresholds(0),
      ["lint", "LOG"] + thresholds(100), ["finding", "LOG", "1"],
      ["overview", "LOG"], ["overview", "LOG", "--limit", "0"], ["recordings", "WORK"],
      ["what-if", "LOG", "--tracking", "object"], ["what-if", "LOG", "--no-same-value", "**"],
      ["what-if", "LOG", "--throttle", "**=1s"], ["what-if", "LOG", "--throttle", "**=18446744073s"],
      ["what-if", "LOG", "--debounce", "**=18446744073s"],
      ["what-if", "LOG", "--transaction", "18446744073s"],
      ["what-if", "LOG", "--input", "Row"],
      ["check", "LOG", "--budget", "WORK/b.yaml"],
      ["check", "LOG", "--budget", "WORK/b.yaml", "--baseline", "OTHER"],
      ["diff", "LOG", "OTHER"], ["diff", "LOG", "OTHER", "--slower-than", "0%"],
      ["diff", "LOG", "OTHER", "--fail-on", "more-time:0"], ["verify", "LOG"],
    ].flatMap { [$0, $0 + ["--format", "json"]] }
    + ["jsonl", "csv", "perfetto", "sqlite"].map {
      ["export", "LOG", "--format", $0, "-o", "WORK/out.\($0)"]
    }
    + [
      ["tail", "LOG", "--from", "SEQ"],
      ["lint", "LOG", "--format", "sarif"], ["diff", "LOG", "OTHER", "--events"],
      ["report", "LOG", "-o", "WORK/page.html", "--values"],
      ["diff", "LOG", "OTHER", "--html", "WORK/diff.html"], ["verify", "LOG", "--blocks"],
      ["check", "LOG", "--budget", "WORK/new.yaml", "--update"],
      ["import", "WORK/lines.jsonl", "-o", "WORK/out.evlog"], ["compact", "LOG", "-o", "WORK/out.evlog"],
      ["cut", "LOG", "-o", "WORK/out.evlog", "--from", "SEQ"], ["recover", "LOG", "-o", "WORK/out.evlog"],
      ["merge", "LOG", "OTHER", "-o", "WORK/out.evlog", "--prefix", "a_", "--prefix", "b_"],
      ["summarize", "LOG", "OTHER", "-o", "WORK/tables"],
      ["summarize", "LOG", "OTHER", "-o", "WORK/tables", "--format", "jsonl", "--replace"],
      ["fleet", "top", "WORK/tables"], ["fleet", "diff", "WORK/tables", "WORK/tables", "--least", "2"],
      ["fleet", "check", "WORK/tables", "--baseline", "WORK/tables", "--least", "2"],
      ["fleet", "report", "WORK/tables", "-o", "WORK/fleet.html"],
      ["diff", "LOG", "OTHER", "LOG"], ["diff", "LOG", "OTHER", "LOG", "--html", "WORK/runs.html"],
      ["test", "LOG"], ["test", "LOG", "--finding", "1", "--xctest"],
    ]

  /// The arguments that set every threshold of `lint` to a number.
  private static func thresholds(_ number: Int) -> [String] {
    LintThresholds.names.flatMap { ["--threshold", "\($0.key)=\(number)"] }
  }

  /// What commands read beside the log: a budget and lines.
  static func writeInputs(to workspace: Workspace, lines: String) throws {
    _ = try workspace.write(
      """
      total:
        evaluations: 18446744073709551615
        time: +18446744073s
      projections:
        "*":
          time: +18446744073%

      """, to: "b.yaml")
    _ = try workspace.write(lines, to: "lines.jsonl")
  }

  /// A command that counted too far would end the tests; the seeds are those of the test's line.
  @Test(arguments: 0..<6) func noCommandTrustsTheNumbersOfALog(trial: Int) throws {
    let seed = testSeed(trial: trial)
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    let firstSeqs: [UInt64] = [1, 1, 2, 1 << 63 - 20, .max - 200, 1 << 32]
    let firstSeq = firstSeqs.randomElement(using: &random) ?? 1
    let count = 60 + Int.random(in: 0..<60, using: &random)
    let log = try workspace.wildLog(count, from: firstSeq, &random, "wild.evlog")
    let other = try workspace.wildLog(count, from: firstSeq, &random, "other.evlog")
    let seq = firstSeq + UInt64.random(in: 0..<UInt64(count), using: &random)
    try Self.writeInputs(to: workspace, lines: ToolRun("export", log).output)
    let kept = Set(workspace.files)
    for arguments in Self.commands {
      let arguments = arguments.map {
        $0.replacing("LOG", with: log).replacing("OTHER", with: other).replacing("WORK", with: workspace.path)
          .replacing("SEQ", with: String(seq))
      }
      let run = ToolRun(arguments)
      #expect(run.errors.utf8.count < 10_000, "seed \(seed): \(arguments)")
      if ["info", "lint", "hot", "cascades", "verify", "report"].contains(arguments[0]) {
        #expect(run.status == .done || run.status == .found, "seed \(seed): \(arguments): \(run.errors)")
      }
      for name in workspace.files where !kept.contains(name) && name != "tables" {
        try FileManager.default.removeItem(atPath: workspace.file(name))
      }
    }
  }
}

extension Workspace {
  /// A log of a random session with this first seq and wild times.
  fileprivate func wildLog(
    _ count: Int, from firstSeq: UInt64, _ random: inout SplitMix64, _ name: String
  ) throws -> String {
    var session = ValidSession(seed: random.next())
    let shift = firstSeq - 1
    var start = LogRewriter.Start(firstSeq: firstSeq)
    if shift > 0 { start.fold = StateFold(State(), after: shift) }
    let header = LogHeader(program: "wild", salt: random.next(), created: random.wild(near: 0), metadata: [:])
    var options = LogOptions()
    options.blockEvents = Int.random(in: 1...40, using: &random)
    var writer = try LogRewriter(
      try RewriteFile(file(name), replacing: false, madeOf: []), path: file(name), header: header,
      options: options, from: start, limits: nil)
    var time: UInt64 = 0
    for event in session.events(count) {
      time = random.wild(near: time)
      var body = event.body
      switch body {
      case .evaluate(let projection, let duration, let changed, let input, let comparing):
        let (duration, comparing) = (random.wild(near: duration), random.wild(near: comparing))
        body = .evaluate(
          projection: projection, duration: duration, changed: changed, inputChanged: input,
          comparing: comparing)
      case .invalidate(let projection, let causes):
        body = .invalidate(projection: projection, causes: causes.map { $0 + shift })
      default: break
      }
      try writer.append(body, time: time, cause: event.cause.map { $0 + shift }, site: event.site)
    }
    _ = try writer.finish()
    return file(name)
  }
}

extension SplitMix64 {
  /// A number around another one, or one at which arithmetic goes wrong.
  fileprivate mutating func wild(near number: UInt64) -> UInt64 {
    switch next() % 9 {
    case 8: 1 << 53 &+ next() % 4 &- 2
    case 0: .max - next() % 4
    case 1: next() % 4
    case 2: 1 << 63 &+ next() % 4 &- 2
    case 3: next()
    case 4: number &- next() % 1_000_000_000
    default: number &+ next() % 1_000_000_000
    }
  }
}
