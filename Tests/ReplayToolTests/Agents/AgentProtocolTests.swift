import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// What a server says of itself, in both generations of the protocol.
@Suite struct AgentProtocolTests {
  private let client: AgentClient

  init() throws { client = try AgentClient(samplesFolder) }

  @Test func aNewClientDiscoversTheServerWithoutAHandshake() throws {
    let result = try #require(try client.ask("server/discover")["result"]?.object)
    #expect(result["resultType"] == "complete")
    #expect(result["supportedVersions"] == ["2026-07-28"])
    #expect(result["capabilities"] == ["tools": [:], "resources": [:]])
    #expect(result["cacheScope"] == "public")
    guard case .integer(let time)? = result["ttlMs"] else { throw ToolError("no ttlMs") }
    #expect(time > 0)
    let info = result["_meta"]?.object?["io.modelcontextprotocol/serverInfo"]?.object
    #expect(info?["name"] == "replay" && info?["version"] == .string(ToolVersion.version))
    let instructions = try #require(result["instructions"]?.string)
    #expect(instructions.utf8.count <= 1024)
    for words in ["updates too often", "stale", "re-render", "cascade", "why"] {
      #expect(instructions.contains(words), "clients look for \(words)")
    }
  }

  @Test(arguments: ["2025-11-25", "2025-06-18"]) func anOlderClientIsAnsweredInItsVersion(version: String)
    throws
  {
    let begun = try client.ask(
      "initialize", ["protocolVersion": .string(version), "capabilities": [:]], meta: nil)
    let result = try #require(begun["result"]?.object)
    #expect(result["protocolVersion"] == .string(version))
    #expect(result["serverInfo"]?.object?["name"] == "replay")
    #expect(result["instructions"] != nil && result["resultType"] == nil)
    client.send(["jsonrpc": "2.0", "method": "notifications/initialized"])
    let listed = try #require(try client.ask("tools/list", meta: nil)["result"]?.object)
    #expect(Set(listed.keys) == ["tools"])
    #expect(try client.ask("ping", meta: nil)["result"] == [:])
    let answer = try client.call("overview", ["log": "scopes.evlog"], meta: nil)
    #expect(!answer.isError && !answer.printed.isEmpty)
    // The same connection may be asked in the other way too.
    #expect(try client.ask("tools/list")["result"]?.object?["resultType"] == "complete")
  }

  @Test func anOlderClientOfAnUnknownVersionIsOfferedTheNewestOfItsGeneration() throws {
    for version in ["2024-11-05", "2026-07-28", "x"] {
      let result = try client.ask("initialize", ["protocolVersion": .string(version)], meta: nil)["result"]
      #expect(result?.object?["protocolVersion"] == "2025-11-25")
    }
  }

  @Test func anUnknownVersionIsRefusedWithThoseThatThereAre() throws {
    let meta: JSON = [
      "io.modelcontextprotocol/protocolVersion": "2027-01-01",
      "io.modelcontextprotocol/clientCapabilities": [:],
    ]
    for method in ["server/discover", "tools/list", "tools/call"] {
      let error = try #require(try client.ask(method, meta: meta)["error"]?.object)
      #expect(error["code"] == -32022)
      #expect(error["data"]?.object?["requested"] == "2027-01-01")
      #expect(error["data"]?.object?["supported"] == ["2026-07-28", "2025-11-25", "2025-06-18"])
    }
  }

  @Test func whatARequestLacksIsSaid() throws {
    func error(_ answer: [String: JSON]) -> (JSON?, String) {
      let error = answer["error"]?.object
      return (error?["code"], error?["message"]?.string ?? "")
    }
    let early = error(try client.ask("tools/list", meta: nil))
    #expect(early.0 == -32602 && early.1.contains("initialize"))
    let bare = error(
      try client.ask("tools/list", meta: ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]))
    #expect(bare.0 == -32602 && bare.1.contains("clientCapabilities"))
    #expect(error(try client.ask("prompts/list")).0 == -32601)
    // Of the older generation alone.
    #expect(error(try client.ask("ping")).0 == -32601)
    let tool = error(try client.ask("tools/call", ["name": "overvew"]))
    #expect(tool.0 == -32602 && tool.1.contains("did you mean overview?"))
  }

  @Test func whatIsNoRequestIsAnsweredAsJSONRPCHasIt() {
    for (line, code) in [
      ("{\"x\":", -32700), (String(repeating: "[", count: 100_000), -32700), ("\u{FFFD}", -32700),
      ("[]", -32600), ("1", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
    ] {
      let before = client.received.count
      client.server.receive(Array(line.utf8))
      let answers = client.received.dropFirst(before)
      #expect(answers.count == 1)
      #expect(answers.last?.object?["error"]?.object?["code"] == .integer(code), "\(line.prefix(60))")
    }
    let before = client.received.count
    // Neither an empty line, nor a notice, nor an answer to what was not asked gets any.
    for line in [
      "", " \r", #"{"jsonrpc":"2.0","method":"notifications/x"}"#, #"{"jsonrpc":"2.0","id":7,"result":{}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    ] {
      client.server.receive(Array(line.utf8))
    }
    #expect(client.received.count == before)
  }

  @Test func theListOfToolsIsShortAndAlwaysTheSame() throws {
    let answers = try (0..<3).map { _ in
      try #require(try AgentClient(samplesFolder).ask("tools/list")["result"])
    }
    #expect(Set(answers).count == 1)
    #expect(answers[0].line.count <= 8 << 10)
    guard case .array(let tools)? = answers[0].object?["tools"] else { throw ToolError("no tools") }
    #expect(
      tools.compactMap { $0.object?["name"]?.string } == [
        "recordings", "overview", "finding", "why", "why_not", "cascade", "reads", "events", "state",
        "history", "diff", "what_if", "drive", "check", "more",
      ])
    for tool in tools {
      let schema = tool.object?["inputSchema"]?.object
      #expect(schema?["type"] == "object" && tool.object?["description"] != nil)
      #expect(tool.object?["outputSchema"] == nil)
    }
  }

  @Test func aHandleIsReadAsItWasWritten() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let scalars = Array("ab?&=%[]\"\\ /.\n\t\u{0}é名\u{301}\u{202E}1".unicodeScalars)
    for _ in 0..<300 {
      func text() -> JSON {
        let count = Int.random(in: 0...12, using: &random)
        var view = String.UnicodeScalarView()
        for _ in 0..<count { view.append(scalars.randomElement(using: &random) ?? "a") }
        return .string(String(view))
      }
      var arguments: [String: JSON] = ["log": text(), "from": text()]
      if Bool.random(using: &random) { arguments["program"] = .array([text(), text(), text()]) }
      let output = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      let handle = MoreHandle(tool: "drive", arguments: arguments).moved(
        to: Int.random(in: 0...200, using: &random), of: output)
      let read = MoreHandle(handle.text)
      #expect(read?.tool == "drive" && read?.arguments == arguments, "seed \(seed): \(handle.text)")
      #expect(read?.position == handle.position && read?.fits(output) == true, "seed \(seed)")
      #expect(!handle.text.contains { $0.isNewline || $0 == " " }, "seed \(seed)")
    }
    for text in [
      "", "x", "why?", "why?position=1", "why?position=-1&known=0", "why?log=%4&position=0&known=0",
    ] {
      #expect(MoreHandle(text) == nil, "\(text)")
    }
  }
}

/// The folder of the samples.
let samplesFolder = URL(filePath: sample("scopes")).deletingLastPathComponent().path
