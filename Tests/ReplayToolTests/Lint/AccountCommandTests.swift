import Foundation
import LogGenerator
import Testing

@testable import EventLog
@testable import ReplayAnalysis
@testable import ReplayTool

/// The command that a line of the account offers shows the events of that line, and no others.
@Suite struct AccountCommandTests {
  private func account(_ log: String, _ options: String...) throws -> RunAccount {
    let run = ToolRun(["lint", log, "--format", "json"] + options)
    return try #require(try JSONDecoder().decode(LintReport.self, from: Data(run.output.utf8)).account)
  }

  private func hot(_ command: String) throws -> HotReport {
    let words = command.split(separator: " ").map(String.init)
    #expect(words.prefix(2) == ["replay", "hot"])
    let run = ToolRun(words.dropFirst() + ["--format", "json"])
    return try JSONDecoder().decode(HotReport.self, from: Data(run.output.utf8))
  }

  private func check(_ account: RunAccount, _ log: String, _ range: [String], _ name: String) throws {
    for line in account.lines {
      let report = try hot(line.command)
      #expect(report.projections.reduce(0) { $0 + $1.evaluations } == line.runs, "\(line.command): \(name)")
      #expect(report.projections.reduce(0) { $0 + $1.time } == line.time, "\(line.command): \(name)")
      #expect(report.paths.isEmpty, "\(line.command): \(name)")
      let events = ToolRun(["events", log, "--line", line.line.rawValue, "--limit", "0"] + range)
      #expect(events.lines.count == line.runs, "\(line.line.rawValue): \(name)")
    }
    for line in account.writeLines {
      let report = try hot(line.command)
      #expect(report.paths.reduce(0) { $0 + $1.sets } == line.writes, "\(line.command): \(name)")
      #expect(report.projections.isEmpty, "\(line.command): \(name)")
      let events = ToolRun(["events", log, "--line", line.line.rawValue, "--limit", "0"] + range)
      #expect(events.lines.count == line.writes, "\(line.line.rawValue): \(name)")
    }
  }

  @Test func theCommandOfALineShowsAsManyEventsAsTheLineHas() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for number in 0..<6 {
      let workspace = try Workspace()
      var session = ValidSession(seed: random.next())
      let log = workspace.file("run.evlog")
      let writer = try LogWriter(creating: log)
      for event in session.events(Int.random(in: 100...400, using: &random)) { try writer.append(event) }
      try writer.close()
      let name = "session \(number), seed \(seed)"
      try check(account(log), log, [], name)
      let range = ["--from", "20", "--to", "\(Int.random(in: 40...99, using: &random))"]
      try check(account(log, range[0], range[1], range[2], range[3]), log, range, name)
    }
  }

  @Test(arguments: ["catalog-single", "mailbox", "feed-stale", "list-trap"])
  func theCommandOfALineOfASampleShowsItsRuns(name: String) throws {
    let log = sample(name)
    try check(account(log), log, [], name)
  }

  @Test func aLineThatDoesNotExistIsRefusedWithTheNearest() {
    let run = ToolRun("hot", sample("scopes"), "--line", "draw-same")
    #expect(run.status == .refused)
    #expect(run.errors.contains("drew-same"))
  }

  /// Runs that callbacks made, of all that happened.
  @Test func whatCallbacksTakeIsSaidWhereItMatters() throws {
    let workspace = try Workspace()
    func summary(_ ofCallback: Int) throws -> String {
      let log = try workspace.log(
        """
        {"kind":"set","path":"app","value":{"$object":"App","x":0}}
        {"kind":"projection","projection":"onChange(x)","tracking":"element"}
        {"kind":"reads","projection":"onChange(x)","paths":["app.x"]}
        {"kind":"projection","projection":"View","tracking":"element"}
        {"kind":"reads","projection":"View","paths":["app.x"]}
        {"kind":"evaluate","projection":"View","duration_ns":1000000}
        {"kind":"set","path":"app.x","value":1}
        {"kind":"evaluate","projection":"onChange(x)","duration_ns":\(ofCallback),"changed":true,"cause":7}
        {"kind":"evaluate","projection":"View","duration_ns":8000000,"changed":true,"cause":7}

        """)
      return try account(log).summary
    }
    #expect(try summary(1_000_000) == "3 runs, 10.0 ms, 1.0 ms of it in callbacks: all needed")
    #expect(try summary(900_000) == "3 runs, 9.9 ms: all needed")
  }
}
