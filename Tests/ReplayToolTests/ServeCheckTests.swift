import FlyingSocks
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Which requests are answered, and which bytes are passed on to the parser.
@Suite struct ServeCheckTests {
  private static let token = AccessToken("0123456789abcdef_-Z")!
  private static let own = ["host": "127.0.0.1:4000", "replay-token": token.text]

  private func refusal(_ headers: [String: String], _ method: String = "GET", _ path: String = "/report")
    -> Int?
  {
    do throws(RequestCheck.Refusal) {
      try RequestCheck(port: 4000, token: Self.token).check(
        .init(method: method, path: path) { headers[$0.lowercased()] })
      return nil
    } catch { return error.status }
  }

  @Test func ownRequestsAreAnswered() {
    #expect(refusal(Self.own) == nil)
    #expect(refusal(Self.own.merging(["origin": "http://127.0.0.1:4000"]) { $1 }) == nil)
    #expect(refusal(Self.own.merging(["sec-fetch-site": "same-origin"]) { $1 }) == nil)
    #expect(refusal(["host": "127.0.0.1:4000"], "GET", "/") == nil)
    // Links to the page may be on any other page.
    #expect(refusal(["host": "127.0.0.1:4000", "sec-fetch-site": "cross-site"], "GET", "/") == nil)
  }

  @Test func thePortOfAllPagesIsNotNamed() throws {
    let check = RequestCheck(port: 80, token: Self.token)
    #expect(check.origin == "http://127.0.0.1")
    var headers = ["host": "127.0.0.1", "origin": "http://127.0.0.1", "replay-token": Self.token.text]
    try check.check(.init(method: "GET", path: "/report") { [headers] in headers[$0.lowercased()] })
    headers["host"] = "127.0.0.1:4000"
    #expect(throws: RequestCheck.Refusal.self) {
      try check.check(.init(method: "GET", path: "/report") { [headers] in headers[$0.lowercased()] })
    }
  }

  @Test(arguments: [
    nil, "", "127.0.0.1", "127.0.0.1:4001", "localhost:4000", "evil.example:4000",
    "127.0.0.1:4000.evil.example",
    "127.0.0.1:4000 ", "[::1]:4000", "127.1:4000",
  ])
  func anotherHostIsRefusedEverywhere(host: String?) {
    for path in ["/", "/report", "/events"] {
      var headers = Self.own
      headers["host"] = host
      #expect(refusal(headers, "GET", path) == 403)
    }
  }

  @Test(arguments: [
    "http://evil.example", "https://127.0.0.1:4000", "http://127.0.0.1:4001", "null", "http://localhost:4000",
  ])
  func anotherOriginIsRefusedEverywhere(origin: String) {
    for path in ["/", "/report"] {
      #expect(refusal(Self.own.merging(["origin": origin]) { $1 }, "GET", path) == 403)
    }
  }

  @Test func whatABrowserSaysIsOfAnotherSiteGetsNoData() {
    for site in ["cross-site", "same-site", "none"] {
      #expect(refusal(Self.own.merging(["sec-fetch-site": site]) { $1 }) == 403)
    }
  }

  @Test func withoutTheTokenThereAreNoData() {
    for path in ["/report", "/events", "/why", "/nothing"] {
      #expect(refusal(["host": "127.0.0.1:4000"], "GET", path) == 401)
      #expect(refusal(["host": "127.0.0.1:4000", "replay-token": ""], "GET", path) == 401)
      #expect(refusal(["host": "127.0.0.1:4000", "replay-token": Self.token.text + "x"], "GET", path) == 401)
      #expect(
        refusal(["host": "127.0.0.1:4000", "replay-token": Self.token.text.lowercased()], "GET", path) == 401)
    }
  }

  @Test func thereAreNoOtherProtocolsAndMethods() {
    #expect(refusal(Self.own.merging(["upgrade": "websocket"]) { $1 }) == 400)
    for method in ["POST", "OPTIONS", "HEAD", "DELETE", ""] { #expect(refusal(Self.own, method) == 405) }
  }

  @Test func tokensAreLongAndFitIntoAnAddress() {
    #expect(AccessToken("short") == nil)
    #expect(AccessToken("0123456789abcdef") != nil)
    #expect(AccessToken("0123456789abcde&") == nil)
    #expect(AccessToken(String(repeating: "a", count: 129)) == nil)
    let tokens = Set((0..<200).map { _ in AccessToken().text })
    #expect(tokens.count == 200)
    #expect(tokens.allSatisfy { AccessToken($0) != nil })
  }

  @Test func aHeadIsMadeThatOfTheOnlyRequest() throws {
    func only(_ text: String) -> String? {
      ConnectionGate.onlyRequest(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    let end = "Content-Length: 0\r\nConnection: close\r\n\r\n"
    #expect(only("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == "GET / HTTP/1.1\r\nHost: a\r\n" + end)
    // Later bytes are not passed on, and the server must not interpret them.
    #expect(
      only("GET / HTTP/1.1\nHost: a\n\nGET /more HTTP/1.1\r\n\r\n") == "GET / HTTP/1.1\nHost: a\n" + end)
    for text in [
      "", "\n", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\n\r", "\r\n\r",
    ] {
      #expect(only(text) == nil, "\(text)")
    }
  }

  @Test func halfARequestIsToldThatItIsSlow() async throws {
    let listener = try ConnectionGate.listen(at: 0)
    var gate = ConnectionGate(listener: listener, inside: "/nowhere")
    gate.headTime = .seconds(1)
    let pool = HTTPPool()
    let running = Task { [gate] in try await gate.run(pool: pool.pool) }
    let turning = Task { try await pool.run() }
    defer {
      running.cancel()
      turning.cancel()
    }
    // Not on one of the gate's own threads.
    let answers: [String] = await withCheckedContinuation { continuation in
      Thread {
        let clients = (0..<2).compactMap { _ in try? RawClient(port: listener.port) }
        clients.first?.send("GET / HTTP/1.1\r\nHost: 127")
        // A gate with no server behind it, as when the server has ended.
        clients.last?.send("GET / HTTP/1.1\r\n\r\n")
        continuation.resume(returning: clients.map { String(decoding: $0.all().prefix(12), as: UTF8.self) })
      }.start()
    }
    #expect(answers == ["HTTP/1.1 408", "HTTP/1.1 503"])
  }

  @Test func whoReadsNothingIsLetGo() async throws {
    // The response fills all buffers on the way, and the client does not read it.
    let gated = try await GatedSocket(writeTime: .milliseconds(300))
    defer { gated.close() }
    let client = try RawClient(port: gated.port)
    client.send("GET / HTTP/1.1\r\n\r\n")
    let connection = try await gated.server.accept()
    defer { try? connection.close() }
    // It continues until the gate closes its end.
    await #expect(throws: (any Error).self) {
      while true { try await connection.write(Data(repeating: 0x78, count: 1 << 20)) }
    }
    withExtendedLifetime(client) {}
  }
}
