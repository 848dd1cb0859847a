import Foundation
import LogGenerator
import Testing

@testable import EventLog
@testable import ReplayAnalysis
@testable import ReplayTool

/// Logs in which every number may be at an end of what its type holds: a sum or a product that is left to trap ends these
/// tests.
@Suite struct NumbersAtTheEndsTests {
  private static let ends: [UInt64] = [0, 1 << 53, 1 << 63, .max]

  /// Two projections that run in vain after each set of what they read, which `lint` prices: what they took, nothing else,
  /// decides what it compares.
  private static func wastedRuns(_ sets: Int, taking durations: (first: UInt64, last: UInt64)) -> String {
    var lines = [
      #"{"kind":"set","path":"a","value":{"$object":"T","x":0,"y":1}}"#,
      #"{"kind":"projection","projection":"P","tracking":"element"}"#,
      #"{"kind":"reads","projection":"P","paths":["a.x"]}"#,
      #"{"kind":"evaluate","projection":"P","duration_ns":1000}"#,
      #"{"kind":"projection","projection":"Q","tracking":"element"}"#,
      #"{"kind":"reads","projection":"Q","paths":["a.x"]}"#,
      #"{"kind":"evaluate","projection":"Q","duration_ns":1000}"#,
    ]
    for number in 1...sets {
      let seq = lines.count + 1
      let time = #""time_ns":\#(33_000_000 * number)"#
      lines.append(#"{\#(time),"kind":"set","path":"a.x","value":\#(number)}"#)
      for name in ["P", "Q"] {
        lines.append(
          #"{\#(time),"kind":"invalidate","projection":"\#(name)","causes":[\#(seq)],"cause":\#(seq)}"#)
      }
      for name in ["P", "Q"] {
        let duration =
          number == 1 && name == "P" ? durations.first : number == sets && name == "Q" ? durations.last : 1000
        lines.append(
          #"{\#(time),"kind":"evaluate","projection":"\#(name)","duration_ns":\#(duration),"changed":false,"#
            + #""cause":\#(seq)}"#)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(arguments: [1 << 63 - 1, 1 << 63, 1 << 63 + 1, .max - 1, .max] as [UInt64])
  func lintPricesRunsOfAnyDuration(_ duration: UInt64) throws {
    let workspace = try Workspace()
    let both = try workspace.log(Self.wastedRuns(20, taking: (duration, duration)), "both.evlog")
    let one = try workspace.log(Self.wastedRuns(300, taking: (duration, 1000)), "one.evlog")
    let usual = try workspace.log(Self.wastedRuns(20, taking: (1000, 1000)), "usual.evlog")
    for log in [both, one] {
      for arguments in [
        ["lint", log], ["lint", log, "--format", "json"],
        ["lint", log, "--threshold", "count=0", "--threshold", "fan-out=0"],
        ["report", log, "-o", workspace.file("page.html"), "--replace"],
        ["diff", log, usual, "--html", workspace.file("diff.html"), "--replace"],
        ["diff", usual, log, "--html", workspace.file("diff.html"), "--replace"],
        ["diff", usual, log, "--fail-on", "more-time:0"],
      ] {
        let run = ToolRun(arguments)
        #expect(run.status == .done || run.status == .found, "\(arguments): \(run.errors)")
      }
    }
  }

  /// A write that saves nothing is not worth a change, however much the runs took.
  @Test func whatIsSavedIsComparedAlsoAtTheEnd() {
    typealias Price = LintReport.Price
    let all = Price(runs: 2, time: .max)
    #expect(Price.zero.saved(over: all) == .max)
    #expect(all.saved(over: all) == 0)
    #expect(all.saved(over: Price(runs: 0, time: 1)) == 1 - .max)
    #expect(Price(runs: 5, time: 0).saved(over: Price(runs: 2, time: 0)) == -3)
  }

  // MARK: The arithmetic

  private func expect<Number: FixedWidthInteger>(
    _ a: Number, _ b: Number, _ found: (sum: Number, difference: Number, product: Number)
  ) {
    func clamped(_ exact: (partialValue: Number, overflow: Bool), isNegative: Bool) -> Number {
      exact.overflow ? (isNegative ? .min : .max) : exact.partialValue
    }
    #expect(found.sum == clamped(a.addingReportingOverflow(b), isNegative: a < 0), "\(a) + \(b)")
    #expect(found.difference == clamped(a.subtractingReportingOverflow(b), isNegative: a < b), "\(a) - \(b)")
    let isNegative = (a < 0) != (b < 0)
    #expect(
      found.product == clamped(a.multipliedReportingOverflow(by: b), isNegative: isNegative), "\(a) * \(b)")
  }

  @Test func sumsDifferencesAndProductsEndAtTheBounds() {
    let unsigned = Self.ends.flatMap { end in (0...4).map { end &+ $0 &- 2 } }
    for a in unsigned {
      for b in unsigned {
        var changed = a
        changed += b
        #expect(changed == a + b)
        changed = a
        changed -= b
        #expect(changed == a - b)
        changed = a
        changed *= b
        #expect(changed == a * b)
        expect(a, b, (a + b, a - b, a * b))
        let (x, y) = (Int(truncatingIfNeeded: a), Int(truncatingIfNeeded: b))
        expect(x, y, (x + y, x - y, x * y))
        let (p, q) = (Int64(x), Int64(y))
        expect(p, q, (p + q, p - q, p * q))
        let (s, t) = (UInt32(truncatingIfNeeded: a), UInt32(truncatingIfNeeded: b))
        expect(s, t, (s + t, s - t, s * t))
      }
      #expect(Int(a) == Int(clamping: a) && Int64(a) == Int64(clamping: a))
      #expect(UInt64(Int(truncatingIfNeeded: a)) == UInt64(clamping: Int(truncatingIfNeeded: a)))
    }
    let numbers: [UInt64] = [.max, 1, 2]
    #expect(numbers.reduce(0, +) == .max)
    #expect(
      UInt64(1e300) == .max && UInt64(-1.5) == 0 && UInt64(Double.nan) == 0 && UInt64(-Double.infinity) == 0)
    #expect(UInt64(2.9) == 2 && UInt64(-0.5) == 0 && UInt64(18_446_744_073_709_551_616.0) == .max)
    #expect(Int(1e300) == .max && Int(-1e300) == .min && Int(Double.nan) == 0 && Int(-2.9) == -2)
  }

  // MARK: Every column

  /// Writes what no session writes: the numbers of each event are at the ends.
  private func writeLog(_ path: String, _ count: Int, _ random: inout SplitMix64) throws {
    var options = LogOptions()
    options.timeUnit = .nanoseconds
    options.checkpoints = Bool.random(using: &random)
    options.blockEvents = Int.random(in: 1...40, using: &random)
    let writer = try LogWriter(creating: path, options: options)
    let names = ["P", "Row#1", "Row#18446744073709551615"]
    func append(_ line: String, cause: UInt64? = nil) throws {
      try writer.append(ParsedEvent(parsing: line).body, time: random.end(), cause: cause)
    }
    try append(
      #"{"kind":"set","path":"a","value":{"$object":"T#1","x":0,"t":"text","rows":[{"id":1,"n":0},{"id":2,"n":0}]}}"#
    )
    for name in names {
      let parent = name == "P" ? "" : #","parent":"P""#
      try append(#"{"kind":"projection","projection":"\#(name)"\#(parent),"tracking":"element"}"#)
      try append(
        #"{"kind":"reads","projection":"\#(name)","paths":["a.x","a.t","a.rows[\#(random.end() >> 1)].n","a.rows[#count]"]}"#
      )
    }
    var open: [UInt64] = []
    for seq in UInt64(8)..<UInt64(8 + count) {
      let cause = seq - min(seq - 1, random.next() % 8)
      let before: UInt64? = cause == seq ? nil : cause
      let name = names[Int(random.next() % 3)]
      switch random.next() % 12 {
      case 0, 1, 2: try append(#"{"kind":"set","path":"a.x","value":\#(random.end())}"#, cause: before)
      case 3:
        try append(#"{"kind":"set","path":"a.rows[0].n","value":-\#(random.end() >> 1)}"#, cause: before)
      case 4, 5:
        // Some fit, so that the state goes on.
        let fits = random.next() % 4 > 0
        let (offset, delete) = fits ? (0, random.next() % 2) : (random.end() >> 1, random.end() >> 1)
        let (path, insert) =
          random.next() % 2 == 0 ? ("a.t", #""é""#) : ("a.rows", #"[{"id":\#(seq),"n":1}]"#)
        try append(
          #"{"kind":"splice","path":"\#(path)","offset":\#(offset),"delete":\#(delete),"insert":\#(insert)}"#,
          cause: before)
      case 6, 7, 8:
        try append(
          #"{"kind":"evaluate","projection":"\#(name)","duration_ns":\#(random.end()),"changed":\#(random.next() % 3 == 0)}"#,
          cause: before)
      case 9:
        try append(
          #"{"kind":"invalidate","projection":"\#(name)","causes":[\#(before ?? 1)]}"#, cause: before ?? 1)
      case 10:
        open.append(seq)
        try append(#"{"kind":"action","label":"tap"}"#, cause: before)
      default:
        guard let action = open.popLast() else {
          try append(#"{"kind":"mark","label":"m"}"#)
          continue
        }
        let outcome = ["returned", "threw", "cancelled"][Int(random.next() % 3)]
        try append(#"{"kind":"finish","outcome":"\#(outcome)"}"#, cause: action)
      }
    }
    try writer.close()
  }

  @Test func everyCommandIsTried() {
    let tried = Set(RandomTimesTests.commands.map { $0[0] })
    // A page that is served, and an agent, ask the same questions; the next two need a program; the others read no log.
    let others: Set = ["serve", "mcp", "drive", "bisect", "manual", "skill"]
    #expect(tried.union(others) == Set(Replay.configuration.subcommands.map { $0._commandName }))
  }

  @Test(arguments: 0..<6) func noCommandTrapsAtTheEnds(trial: Int) throws {
    let seed = testSeed(trial: trial)
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    let count = Int.random(in: 20...150, using: &random)
    let (log, other) = (workspace.file("log.evlog"), workspace.file("other.evlog"))
    try writeLog(log, count, &random)
    try writeLog(other, count, &random)
    try RandomTimesTests.writeInputs(to: workspace, lines: ToolRun("export", log).output)
    let kept = Set(workspace.files)
    for arguments in RandomTimesTests.commands {
      let arguments = arguments.map {
        $0.replacing("LOG", with: log).replacing("OTHER", with: other).replacing("WORK", with: workspace.path)
          .replacing("SEQ", with: String(count / 2))
      }
      let run = ToolRun(arguments)
      // It may be refused for what it says, but not because it was asked wrongly.
      #expect(run.errors.utf8.count < 10_000 && !run.errors.contains("Usage:"), "seed \(seed): \(arguments)")
      for name in workspace.files where !kept.contains(name) && name != "tables" {
        try FileManager.default.removeItem(atPath: workspace.file(name))
      }
    }
  }
}

extension SplitMix64 {
  /// A number at an end of what a type holds, or next to it.
  fileprivate mutating func end() -> UInt64 {
    let ends: [UInt64] = [0, 1, 1 << 53, 1 << 63, .max]
    return ends[Int(next() % 5)] &+ next() % 5 &- 2
  }
}
