import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// The answers of the tools, beside what the commands print.
@Suite struct AgentToolTests {
  private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: samplesFolder)) ?? [])
    .filter { $0.hasSuffix(".evlog") }.sorted()

  /// Questions about a log, and the commands that answer them.
  private static func questions(_ name: String) throws -> [(tool: String, [String: JSON], command: [String])]
  {
    let path = try #require(Platform.realPath("\(samplesFolder)/\(name)"))
    let log: JSON = .string(name)
    let names = LogNames(try LogSource(path: path))
    let projection = try #require(names.projections.map(\.projectionGroup).min())
    let written = try #require(names.writtenPaths.map(\.description).min())
    return [
      ("overview", ["log": log], ["overview", path]),
      ("why", ["log": log, "projection": .string(projection)], ["why", path, projection]),
      ("why_not", ["log": log, "projection": .string(projection)], ["why-not", path, projection]),
      (
        "cascade", ["log": log, "by": "time", "limit": 3], ["cascades", path, "--by", "time", "--limit", "3"]
      ),
      ("reads", ["log": log, "projection": .string(projection)], ["reads", path, projection]),
      ("events", ["log": log, "limit": 150], ["events", path, "--limit", "150"]),
      ("state", ["log": log], ["state", path]),
      ("state", ["log": log, "since": 20], ["state", path, "--since", "20"]),
      (
        "history", ["log": log, "path": .string(written)],
        ["events", path, "--path", written, "--kind", "set,splice,remove,invalidate,evaluate"]
      ),
      ("diff", ["a": log, "b": log], ["diff", path, path, "--findings"]),
      (
        "what_if", ["log": log, "changes": ["--tracking", "object"]],
        ["what-if", path, "--tracking", "object"]
      ),
    ]
  }

  @Test(arguments: names) func anAnswerIsWhatTheCommandPrints(name: String) throws {
    let client = try AgentClient(samplesFolder)
    for (tool, arguments, command) in try Self.questions(name) {
      for format in ["text", "json"] {
        let run = ToolRun(command + ["--format", format])
        let what: Comment = "\(name), \(tool), \(format)"
        if run.status == .refused {
          // Not each view of each sample has an answer to each question.
          let answer = try client.call(tool, arguments.merging(["format": .string(format)]) { $1 })
          #expect(answer.isError && answer.texts.joined() + "\n" == run.errors, what)
          continue
        }
        let answer = try client.whole(tool, arguments.merging(["format": .string(format)]) { $1 })
        #expect(answer == run.output, what)
      }
    }
  }

  @Test(arguments: ["chat-wide", "list-trap", "feed-stale"]) func eachFindingIsExplained(name: String) throws
  {
    let client = try AgentClient(samplesFolder)
    let path = try #require(Platform.realPath(sample(name)))
    let root = try #require(Platform.realPath(samplesFolder))
    let report = ToolRun("lint", path)
    let count = report.lines.filter { LintRule(rawValue: $0.replacing(" note", with: "")) != nil }.count
    try #require(count > 0)
    for number in 1...count {
      let answer = try client.whole("finding", ["log": .string("\(name).evlog"), "number": .integer(number)])
      #expect(answer == ToolRun("finding", path, "\(number)", "--source", root).output)
      // As lint says it, and then why.
      #expect(report.output.contains(answer.split(separator: "\n").prefix(3).joined(separator: "\n")))
    }
    let none = try client.call("finding", ["log": .string("\(name).evlog"), "number": .integer(count + 1)])
    #expect(none.isError && none.texts[0].contains("there is no finding \(count + 1)"))
  }

  @Test func recordingsAreThoseOfTheRoot() throws {
    let workspace = try Workspace()
    try FileManager.default.createDirectory(atPath: workspace.file("sub"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: sample("scopes"), toPath: workspace.file("sub/a.evlog"))
    _ = try workspace.write("no log", to: "b.evlog")
    // What links lead to outside is not there.
    try FileManager.default.createSymbolicLink(
      atPath: workspace.file("c.evlog"), withDestinationPath: sample("chat-wide"))
    try FileManager.default.createSymbolicLink(
      atPath: workspace.file("d"), withDestinationPath: samplesFolder)
    try FileManager.default.createSymbolicLink(
      atPath: workspace.file("e.evlog"), withDestinationPath: "sub/a.evlog")
    let answer = try AgentClient(workspace.path).whole("recordings")
    #expect(answer == ToolRun("recordings", try #require(Platform.realPath(workspace.path))).output)
    let logs = answer.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
    #expect(logs == ["b.evlog", "e.evlog", "sub/a.evlog"])
    #expect(answer.contains("record-sample scopes") && answer.contains("unreadable"))
  }

  @Test func whatIsWrongSaysHowItWouldBeRight() throws {
    let client = try AgentClient(samplesFolder)
    let log: JSON = "chat-wide.evlog"
    for (tool, arguments, words): (String, [String: JSON], String) in [
      ("overview", [:], "overview needs log"), ("overview", ["lg": log], "did you mean log?"),
      ("overview", ["log": "chat-wid.evlog"], "did you mean"), ("overview", ["log": 7], "log is the path"),
      ("overview", ["log": "."], "a folder, not a log"), ("why", ["log": log], "needs projection"),
      ("why", ["log": log, "projection": "MarkdownTex"], "did you mean MarkdownText"),
      ("why", ["log": log, "projection": "ChatView", "at": "soon"], "expected 17, 1.5s"),
      ("why", ["log": log, "projection": "--help"], "there is no projection"),
      ("cascade", ["log": log, "by": "size"], "by is one of evaluations, time, waste"),
      ("cascade", ["log": log, "limit": "x"], "limit is a whole number"),
      ("cascade", ["log": log, "limit": -1], "--limit must be 0 or more"),
      ("overview", ["log": log, "format": "xml"], "format is one of text, json"),
      ("what_if", ["log": log, "changes": []], "changes are as"),
      ("what_if", ["log": log, "changes": ["--limit-memory", "900G"]], "changes are as"),
      ("what_if", ["log": log, "changes": ["--isolate"]], "changes are as"),
      ("check", ["log": log, "budget": "none.yaml"], "none.yaml"),
      ("more", ["handle": "why"], "this handle is not one"), ("more", [:], "more needs handle"),
      ("more", ["handle": "more?handle=x&position=0&known=0"], "this handle is not one"),
      ("state", ["log": log, "path": .string(String(repeating: "x", count: 2000))], "at most"),
    ] {
      let answer = try client.call(tool, arguments)
      #expect(answer.isError && answer.texts.count == 1, "\(tool) \(arguments)")
      #expect(answer.texts[0].contains(words), "\(tool) \(arguments): \(answer.texts)")
      #expect(answer.bytes < 2000 && !answer.texts[0].contains("Usage: "))
    }
  }

  @Test func changesMayBeGivenAsAFindingPrintsThem() throws {
    let client = try AgentClient(samplesFolder)
    let answers = try [
      ["--isolate", "ChatView:chat.tts.audioLevel"], ["--isolate ChatView:chat.tts.audioLevel"],
      ["isolate", "ChatView:chat.tts.audioLevel"], ["--isolate 'ChatView:chat.tts.audioLevel'"],
    ].map { words in
      try client.whole("what_if", ["log": "chat-wide.evlog", "changes": .array(words.map { .string($0) })])
    }
    #expect(Set(answers).count == 1 && answers[0].contains("-99.7 %"))
  }

  @Test func pagesMayBeLargerAndStartAgainWhenTheLogHasChanged() throws {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    try FileManager.default.copyItem(atPath: sample("chat-wide"), toPath: log)
    let client = try AgentClient(workspace.path)
    let first = try client.call("events", ["log": "run.evlog", "limit": 400])
    let handle = try #require(first.handle)
    let large = try client.call("more", ["handle": .string(handle), "bytes": 65_536])
    #expect(large.bytes > 10_000 && large.handle == nil)
    #expect(first.printed + large.printed == ToolRun("events", sample("chat-wide"), "--limit", "400").output)
    // Another process has only the handle.
    let other = try AgentClient(workspace.path).call("more", ["handle": .string(handle)])
    #expect(large.printed.hasPrefix(other.printed) && !other.printed.isEmpty)
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.copyItem(atPath: sample("scopes"), toPath: log)
    let again = try client.call("more", ["handle": .string(handle)])
    #expect(again.texts.last?.contains("another one by now") == true)
    #expect(ToolRun("events", sample("scopes"), "--limit", "400").output.hasPrefix(again.printed))
  }
}
