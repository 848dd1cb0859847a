import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// The pages that clients show which can. `Tests/Page/test_app.py` opens one as such a client does.
@Suite struct AgentPageTests {
  private let client: AgentClient

  init() throws { client = try AgentClient(samplesFolder) }

  private func read(_ uri: String, meta: JSON? = AgentClient.meta) throws -> (
    text: String, result: [String: JSON]
  ) {
    let result = try #require(
      try client.ask("resources/read", ["uri": .string(uri)], meta: meta)["result"]?.object)
    guard case .array(let contents)? = result["contents"] else { throw ToolError("no contents") }
    let content = try #require(contents.first?.object)
    #expect(contents.count == 1 && content["uri"] == .string(uri))
    #expect(content["mimeType"] == "text/html;profile=mcp-app")
    return (try #require(content["text"]?.string), result)
  }

  private func refusal(_ uri: String) throws -> String {
    let error = try #require(try client.ask("resources/read", ["uri": .string(uri)])["error"]?.object)
    #expect(error["code"] == -32602)
    return error["message"]?.string ?? ""
  }

  @Test func threeToolsNameAPageThatIsTheSameForAllCalls() throws {
    guard case .array(let tools)? = try client.ask("tools/list")["result"]?.object?["tools"],
      case .array(let resources)? = try client.ask("resources/list")["result"]?.object?["resources"]
    else { throw ToolError("no lists") }
    let named = tools.compactMap { $0.object?["_meta"]?.object?["ui"]?.object?["resourceUri"] }
    #expect(named == ["ui://replay/overview", "ui://replay/cascade", "ui://replay/diff"])
    #expect(resources.compactMap { $0.object?["uri"] } == named)
    for uri in named.compactMap(\.string) {
      let (text, result) = try read(uri)
      #expect(text.utf8.count < 4096 && text.contains("\"\(uri.split(separator: "/").last ?? "")\""))
      #expect(!text.contains("{{") && result["cacheScope"] == "public")
    }
    #expect(try client.ask("resources/templates/list")["result"]?.object?["resourceTemplates"] == [])
  }

  @Test(arguments: ["overview", "cascade"]) func theRunIsThePageOfReport(tool: String) throws {
    let workspace = try Workspace()
    let log = try #require(Platform.realPath(sample("chat-wide")))
    let run = ToolRun("report", log, "-o", workspace.file("run.html"), "--budget", "2")
    #expect(run.status == .done, "\(run.errors)")
    let (text, result) = try read("ui://replay/\(tool)?log=chat-wide.evlog&limit=3")
    #expect(text == (try String(contentsOfFile: workspace.file("run.html"), encoding: .utf8)))
    #expect(result["cacheScope"] == "private" && result["ttlMs"] == 0 && result["resultType"] == "complete")
  }

  @Test func twoRunsAreThePageOfDiff() throws {
    let workspace = try Workspace()
    let (a, b) = (
      try #require(Platform.realPath(sample("chat-wide"))),
      try #require(Platform.realPath(sample("chat-isolated")))
    )
    let run = ToolRun(
      "diff", a, b, "--html", workspace.file("diff.html"), "--budget", "2", "--ignore", "ChatHeader",
      "--ignore", "Message*")
    #expect(run.status == .found, "\(run.errors)")
    let uri =
      "ui://replay/diff?a=chat-wide.evlog&b=chat-isolated%2Eevlog&ignore[]=ChatHeader&ignore[]=Message*"
    #expect(try read(uri).text == String(contentsOfFile: workspace.file("diff.html"), encoding: .utf8))
  }

  @Test func anOlderClientReadsItToo() throws {
    _ = try client.ask("initialize", ["protocolVersion": "2025-11-25", "capabilities": [:]], meta: nil)
    let (text, result) = try read("ui://replay/overview?log=scopes.evlog", meta: nil)
    #expect(text.hasPrefix("<!doctype html>") && Set(result.keys) == ["contents"])
  }

  @Test func whatIsNoPageIsRefused() throws {
    for (uri, words) in [
      ("ui://replay/nothing", "there is no resource"), ("file:///etc/passwd", "there is no resource"),
      ("ui://replay/why?log=scopes.evlog&projection=A", "there is no resource"), ("", "there is no resource"),
      ("ui://replay/overview?log=..%2F..%2Fetc%2Fpasswd", "outside of the root"),
      ("ui://replay/overview?log=%2Fetc%2Fpasswd", "outside of the root"),
      ("ui://replay/overview?", "needs log"),
      ("ui://replay/overview?limit=3", "needs log"), ("ui://replay/overview?lg=x", "did you mean log?"),
      ("ui://replay/overview?log=none.evlog", "none.evlog"), ("ui://replay/diff?a=scopes.evlog", "needs b"),
      ("ui://replay/\u{1B}[31m\u{202E}", "there is no resource"),
    ] {
      let said = try refusal(uri)
      #expect(said.contains(words), "\(uri): \(said)")
      #expect(
        !said.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.value == 0x202E })
    }
    #expect(try client.ask("resources/read")["error"]?.object?["code"] == -32602)
  }

  @Test func aNameInALogEndsNothing() throws {
    let workspace = try Workspace()
    let mark = #"{"kind":"mark","label":"</script><script>alert(1)</script>"}"#
    _ = try workspace.log("\(mark)\n\(screen.split(separator: "\n")[0])\n")
    let client = try AgentClient(workspace.path)
    let answer = try client.ask("resources/read", ["uri": "ui://replay/overview?log=run.evlog"])
    guard case .array(let contents)? = answer["result"]?.object?["contents"] else {
      throw ToolError("\(answer)")
    }
    #expect(contents[0].object?["text"]?.string?.contains("alert(1)") == false)
  }
}
