import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// `replay serve` as a process, with requests over sockets from clients that may make them and clients that
/// may not.
@Suite(.enabled(if: builtTool != nil, "replay is beside the tests")) struct ServeTests {
  private static func sample(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../SampleLogs/\(name).evlog")
      .standardized.path
  }

  private func object(_ answer: ServedTool.Answer) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer)")
  }

  // MARK: Who is answered

  @Test func thePageIsForEveryoneAndHoldsNothing() throws {
    let served = try ServedTool(Self.sample("chat-wide"))
    let page = try served.get("/", ["Replay-Token": nil])
    #expect(page.status == 200)
    #expect(page.text.contains("connect-src 'self'") && page.headers.contains("frame-ancestors 'none'"))
    #expect(
      !page.text.contains("chat-wide") && !page.text.contains("tts.audioLevel")
        && !page.text.contains(served.token))
    #expect(!page.text.contains(/id="data-[a-z]/))
    #expect(!page.headers.lowercased().contains("access-control"))
  }

  @Test func othersGetNothing() throws {
    let served = try ServedTool(Self.sample("scopes"))
    #expect(try served.wait(for: "/report") { $0.status == 200 }.text.contains("\"cascades\""))
    let refused: [([String: String?], Int)] = [
      (["Replay-Token": nil], 401), (["Replay-Token": String(served.token.reversed())], 401),
      (["Host": "localhost:\(served.port)"], 403), (["Host": "evil.example"], 403), (["Host": nil], 403),
      (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
      (["Sec-Fetch-Site": "cross-site"], 403),
      (
        [
          "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "x",
          "Sec-WebSocket-Version": "13",
        ], 400
      ),
    ]
    for (changes, status) in refused {
      for target in [
        "/report", "/overview", "/tile", "/events", "/rows?from=1&to=9", "/state", "/states?from=1&to=9",
        "/source?site=a:1", "/why?at=9",
      ] {
        let answer = try served.get(target, changes)
        #expect(answer.status == status, "\(target) \(changes): \(answer)")
        #expect(answer.body.count < 200 && !answer.headers.lowercased().contains("access-control"))
      }
    }
    for method in ["POST", "PUT", "OPTIONS", "HEAD"] {
      #expect(try served.get("/report", method: method).status == 405)
    }
    #expect(try served.get("/nothing").status == 404)
    #expect(try served.get("/../report").status != 500)
    #expect(try served.get("/report", ["Origin": "http://127.0.0.1:\(served.port)"]).status == 200)
  }

  @Test func aSessionInAFolderOfLogsIsServed() throws {
    let workspace = try Workspace()
    for name in ["chat-wide", "scopes"] {
      var options = LogOptions()
      options.metadata = ["session_id": "of-\(name)"]
      let writer = try LogWriter(creating: workspace.file("\(name).evlog"), options: options)
      try LogReader(path: Self.sample(name)).forEachEvent { try writer.append($0) }
      try writer.close()
    }
    func events(_ log: String) throws -> String {
      let served = try ServedTool(log)
      _ = try served.wait(for: "/report") { $0.status == 200 }
      let answer = try served.get("/rows?from=1&to=9")
      try #require(answer.status == 200, "\(answer)")
      return answer.text
    }
    let found = try events("\(workspace.path)#of-scopes")
    #expect(try found == events(workspace.file("scopes.evlog")))
    #expect(try found != events(workspace.file("chat-wide.evlog")))
    #expect(ToolRun("serve", "\(workspace.path)#of-scope", "--no-open").errors.contains("of-scopes"))
  }

  // MARK: Clients that are broken

  @Test func whatIsNoRequestIsToldSoAndHarmsNobody() throws {
    let served = try ServedTool(Self.sample("scopes"))
    var random = SplitMix64(seed: testSeed())
    let long = String(repeating: "x", count: 1 << 20)
    let broken: [(String, Set<Int>)] = [
      ("\n\n", [400]), ("GET\r\n\r\n", [400]), ("\u{0}\u{1}\u{2}\r\n\r\n", [400]),
      ("GET / HTTP/1.1\r\n\r\n", [403]),
      ("GET / HTTP/1.1\r\nX: \(long)\r\n\r\n", [431]), ("GET /\(long) HTTP/1.1\r\n\r\n", [431]),
      (long, [431]),
      ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 5000) + "\r\n", [431]),
      ("GET /%zz?%ff=%zz& HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\n\r\n", [400, 401, 404]),
      (
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        [400]
      ),
      (
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\nContent-Length: 99999999999999999999\r\n\r\n",
        [200]
      ),
    ]
    for (text, statuses) in broken {
      let client = try served.client()
      client.send(text)
      let answer = ServedTool.answer(client.all())
      #expect(statuses.contains(answer.status), "\(text.prefix(60)): \(answer.headers)")
    }
    for _ in 0..<40 {
      let client = try served.client()
      client.send(
        (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      // Half of them disconnect without sending anything.
      if Bool.random(using: &random) { client.send("\r\n\r\n") }
    }
    // Connections that are not yet closed may occupy all places for some seconds.
    var status = try served.get("/").status
    for _ in 0..<300 where status != 200 {
      Thread.sleep(forTimeInterval: 0.1)
      status = try served.get("/").status
    }
    #expect(status == 200)
    #expect(served.process.isRunning)
  }

  @Test func aHundredConnectionsKeepNobodyOutForLong() throws {
    let served = try ServedTool(Self.sample("scopes"))
    var clients: [RawClient] = []
    for _ in 0..<100 {
      clients.append(try served.client())
      clients.last?.send("GET / HTTP/1.1\r\n")
    }
    // A connection is served, refused with a message, or closed; there is no other answer.
    let crowded = ServedTool.answer(try served.client().all())
    #expect(crowded.status == 503 || crowded.headers.isEmpty, "\(crowded)")
    // The last of those that get an answer, while the others wait for the rest of a request.
    #expect(ServedTool.answer(clients[ConnectionGate.connectionsMax + 32].all()).status == 503)
    clients = []
    #expect(try served.wait(for: "/") { $0.status == 200 }.status == 200)
    // A client that never reads its response takes one place and no more.
    let idle = try served.client()
    idle.send(served.head("/overview"))
    #expect(try served.get("/").status == 200)
  }

  // MARK: Questions

  @Test func answersAreThoseOfTheCommands() throws {
    let log = Self.sample("chat-wide")
    let served = try ServedTool(log)
    func command(_ arguments: String...) -> String { ToolRun(arguments + ["--format", "json"]).output }
    #expect(
      try served.get("/why", words: [("projection", "MessageRow#49"), ("at", "20000")]).text + "\n"
        == command("why", log, "MessageRow#49", "--at", "20000"))
    #expect(
      try served.get("/state", words: [("at", "300")]).text + "\n" == command("state", log, "--at", "300"))
    #expect(try served.get("/state").text + "\n" == command("state", log))
    #expect(
      try served.get("/state", words: [("path", "chat.tts"), ("at", "1s")]).text + "\n"
        == command("state", log, "chat.tts", "--at", "1s"))
    #expect(
      try served.get("/why-not", words: [("projection", "MessageRow#49"), ("path", "chat.tts.*")]).text + "\n"
        == command("why-not", log, "MessageRow#49", "--write", "chat.tts.*"))
    let rules = ["--isolate", "ChatView:chat.tts.audioLevel", "--tracking", "element"]
    #expect(
      try served.get("/what-if", words: rules.map { ("argument", $0) }).text + "\n"
        == ToolRun(["what-if", log] + rules + ["--format", "json"]).output)
  }

  @Test func whyIsAnsweredOfARunWhoseNameIsTooLongForAPage() throws {
    let workspace = try Workspace()
    // A long address, and one with characters of a pattern.
    let name = String(repeating: "Äb[", count: 1000)
    let path = try workspace.log(
      screen.split(separator: "\n").map { $0.replacing("\"Spinner\"", with: "\"\(name)\"") }.joined(
        separator: "\n"))
    let served = try ServedTool(path)
    let answer = try served.get("/why?at=19")
    #expect(answer.text + "\n" == ToolRun("why", path, name, "--at", "19", "--format", "json").output)
    #expect(try object(answer)["projection"] as? String == name)
    let write = try served.get("/why?at=11")
    #expect(write.status == 422 && write.text.contains("event 11 is no run"), "\(write)")
    #expect(try served.get("/why?at=99").status == 422)
    #expect(try served.get("/why?at=1s").status == 400)
    #expect(try served.get("/why").status == 400)
  }

  @Test func whatCannotBeAnsweredSaysWhy() throws {
    let log = Self.sample("chat-wide")
    let served = try ServedTool(log)
    func reason(_ answer: ServedTool.Answer, _ status: Int) throws -> String {
      #expect(answer.status == status)
      return try #require(try object(answer)["error"] as? String)
    }
    let unknown = try reason(try served.get("/why", words: [("projection", "MesageRow")]), 422)
    #expect(ToolRun("why", log, "MesageRow").errors == "replay: \(unknown)\n")
    #expect(
      try reason(try served.get("/why", words: [("projection", "ChatView"), ("at", "999999999")]), 422)
        .contains("no event"))
    #expect(try reason(try served.get("/state", words: [("at", "soon")]), 400).contains("mark:LABEL"))
    #expect(
      try reason(try served.get("/state", words: [("path", "chat.nothing")]), 422).contains(
        "there is nothing at"))
    #expect(try reason(try served.get("/state", words: [("path", "a[")]), 422).contains("column"))
    #expect(try reason(try served.get("/what-if"), 422).contains("--tracking"))
    #expect(
      try reason(try served.get("/what-if", words: [("argument", "--isolate"), ("argument", "x")]), 422)
        .contains("x"))
    #expect(
      try reason(try served.get("/what-if", words: [("argument", "--help")]), 422).contains("--isolate"))
    #expect(try reason(try served.get("/rows?from=9&to=1"), 400).contains("less than"))
    #expect(try reason(try served.get("/rows?from=1&to=99999999999"), 400).contains("8192"))
    #expect(try reason(try served.get("/rows?from=-1&to=x"), 400).contains("number of an event"))
    #expect(try served.get("/rows?from=18446744073709551614&to=18446744073709551615").status == 200)
  }

  @Test func pagesDoNotTakeEachOthersAnswers() throws {
    let served = try ServedTool(Self.sample("chat-wide"))
    // Each request goes through the log, so most wait for the first.
    for target in ["/what-if?argument=--tracking&argument=element", "/why?at=20000", "/state?at=20000"] {
      let clients = try (0..<6).map { number in
        let client = try served.client()
        client.send(served.head(target, ["Replay-Page": "page \(number)"]))
        return client
      }
      let answers = clients.map { ServedTool.answer($0.all()) }
      #expect(!answers.contains { $0.status != 200 }, "\(target): \(answers.map(\.status))")
      #expect(Set(answers.map(\.body)).count == 1)
    }
  }

  // MARK: A log that grows

  /// The status in the next matching message of a stream.
  private func status(
    _ stream: RawClient, _ seen: inout String, until isRight: ([String: Any]) -> Bool
  ) throws -> [String: Any] {
    while true {
      while let end = seen.firstRange(of: "\n\n") {
        let message = seen[..<end.lowerBound]
        seen = String(seen[end.upperBound...])
        guard let start = message.firstRange(of: "data: ") else { continue }
        let text = message[start.upperBound...].prefix { $0 != "\n" && $0 != "\r" }
        let status = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let number = try #require(status["seq"] as? Int)
        #expect(message.contains("id: \(number)\n"))
        if isRight(status) { return status }
      }
      let more = stream.some()
      try #require(!more.isEmpty, "the stream ended")
      seen += String(decoding: more, as: UTF8.self)
    }
  }

  @Test func aLogThatGrowsIsFollowedUntilAnotherTakesItsName() throws {
    let workspace = try Workspace()
    let path = workspace.file("live.evlog")
    let writer = try LogWriter(creating: path)
    try writer.append(.mark(label: "begin"), time: 1)
    try writer.ensure(.written)
    let served = try ServedTool(path)
    let stream = try served.client()
    stream.send(served.head("/events"))
    var seen = ""
    let first = try status(stream, &seen) { $0["seq"] as? Int == 1 && $0["generation"] as? Int ?? 0 > 0 }
    for number in 2...300 {
      try writer.append(.mark(label: "tap \(number)"), time: UInt64(number))
      if number % 60 == 0 {
        try writer.ensure(.written)
        _ = try status(stream, &seen) { $0["seq"] as? Int == number }
      }
    }
    let report = try object(
      try served.wait(for: "/report") { String(decoding: $0.body, as: UTF8.self).contains("tap 300") })
    #expect(report["last_seq"] as? Int == 300 && report["mark_count"] as? Int == 300)
    #expect(try object(try served.get("/state"))["seq"] as? Int == 300)
    try writer.close()
    let closed = try status(stream, &seen) { $0["phase"] as? String == "closed" }
    #expect(closed["run"] as? String == first["run"] as? String)
    // It is recorded again.
    let next = try LogWriter(creating: workspace.file("next.evlog"))
    try next.append(.mark(label: "another"), time: 1)
    try next.close()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: workspace.file("next.evlog"), toPath: path)
    let another = try status(stream, &seen) {
      $0["run"] as? String != first["run"] as? String && $0["generation"] as? Int ?? 0 > 0
    }
    #expect(another["seq"] as? Int == 1)
    #expect(try served.get("/report").text.contains("another"))
  }

  @Test func aRecordingThatGetsItsFinalNameIsServedOn() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog.part")
    let writer = try LogWriter(creating: path)
    for number in 1...50 { try writer.append(.mark(label: "tap \(number)"), time: UInt64(number)) }
    try writer.ensure(.written)
    let served = try ServedTool(path)
    let stream = try served.client()
    stream.send(served.head("/events"))
    var seen = ""
    let first = try status(stream, &seen) { $0["seq"] as? Int == 50 && $0["generation"] as? Int ?? 0 > 0 }
    try FileManager.default.moveItem(atPath: path, toPath: workspace.file("run.evlog"))
    // Nothing was asked before, so that nothing has the log open but what follows it.
    for target in ["/state", "/rows?from=1&to=9", "/why?at=9", "/report"] {
      let answer = try served.get(target)
      #expect(answer.status == 200 || answer.text.contains("no run of a projection"), "\(target): \(answer)")
    }
    for number in 51...60 { try writer.append(.mark(label: "tap \(number)"), time: UInt64(number)) }
    try writer.close()
    let closed = try status(stream, &seen) { $0["phase"] as? String == "closed" }
    #expect(closed["run"] as? String == first["run"] as? String && closed["seq"] as? Int == 60)
    #expect(try object(try served.get("/state"))["seq"] as? Int == 60)
    // Its commands name it as it is named now.
    _ = try served.wait(for: "/report") { $0.text.contains("run.evlog\"") }
    #expect(served.interrupt() == 0)
    #expect(served.said.contains("now named \(workspace.file("run.evlog"))"))
  }

  @Test func linesOfTheSourceAreServedOnlyFromTheFolderThatWasGiven() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples")
      .standardized
    let served = try ServedTool(Self.sample("chat-wide"), ["--source", folder.path])
    let site = "SampleApps/ChatWide.swift:12"
    let place = try #require(
      (try object(served.get("/source", words: [("site", site)]))["places"] as? [String: [String: Any]])?[
        site])
    let text = try String(contentsOf: folder.appending(path: "SampleApps/ChatWide.swift"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(place["lines"] as? [String] == Array(lines[5...17]) && place["first"] as? Int == 6)
    #expect(place["path"] == nil)
    for other in ["../../../etc/passwd:1", "passwd:1", ""] {
      #expect(try served.get("/source", words: [("site", other)]).text == #"{"places":{}}"#)
    }
    let without = try ServedTool(Self.sample("chat-wide"))
    #expect(try without.get("/source", words: [("site", site)]).text == "null")
  }

  @Test func theStatesOfARangeAreServedToo() throws {
    let served = try ServedTool(Self.sample("chat-wide"))
    let states = try object(served.get("/states", words: [("from", "200"), ("to", "320")]))
    #expect(states["first"] as? Int == 200 && states["end"] as? Int == 320 && states["start"] != nil)
    let edits = try #require(states["edits"] as? [[Any]])
    #expect(edits.allSatisfy { (200..<320).contains($0[0] as? Int ?? 0) } && !edits.isEmpty)
    #expect(try served.get("/states", words: [("from", "1"), ("to", "99999999")]).text.contains("8192"))
  }

  @Test func aRecordingThatIsNotThereYetIsWaitedFor() throws {
    let workspace = try Workspace()
    _ = try workspace.write("", to: "runs.evlog")
    let path = workspace.file("run.evlog")
    let served = try ServedTool(path)
    let stream = try served.client()
    stream.send(served.head("/events"))
    var seen = ""
    _ = try status(stream, &seen) { $0["phase"] as? String == "waiting" }
    #expect(try served.get("/why?at=3").status == 422)
    let writer = try LogWriter(creating: path)
    for number in 1...20 { try writer.append(.mark(label: "tap \(number)"), time: UInt64(number)) }
    try writer.ensure(.written)
    _ = try status(stream, &seen) { $0["phase"] as? String == "following" && $0["seq"] as? Int == 20 }
    try writer.close()
    _ = try status(stream, &seen) { $0["phase"] as? String == "closed" }
    #expect(try object(try served.get("/state"))["seq"] as? Int == 20)
    #expect(served.interrupt() == 0)
    let said = served.said
    #expect(
      said.contains("there is no such file yet; did you mean") && said.contains("runs.evlog?"), "\(said)")
  }

  @Test func aRecordingWhoseProgramIsGoneIsSaidToBe() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path)
    for number in 1...50 { try writer.append(.mark(label: "tap \(number)"), time: UInt64(number)) }
    try writer.close()
    let bytes = try Data(contentsOf: URL(filePath: path))
    let end = try #require(LogReader(path: path).blocks.last { $0.kind == 2 }).endOffset
    try bytes.prefix(Int(end)).write(to: URL(filePath: path))
    let served = try ServedTool(path)
    let stream = try served.client()
    stream.send(served.head("/events"))
    var seen = ""
    let left = try status(stream, &seen) { $0["phase"] as? String == "left" }
    #expect(left["seq"] as? Int == 50)
    // A program that goes on with it is followed.
    let next = try LogWriter(appendingTo: path)
    try next.append(.mark(label: "more"), time: 100)
    try next.ensure(.written)
    _ = try status(stream, &seen) { $0["phase"] as? String == "following" && $0["seq"] as? Int == 51 }
    try next.close()
    _ = try status(stream, &seen) { $0["phase"] as? String == "closed" }
  }

  @Test func aLogThatIsOnlyBegunIsWaitedFor() throws {
    let workspace = try Workspace()
    let path = workspace.file("live.evlog")
    try Data().write(to: URL(filePath: path))
    let served = try ServedTool(path)
    #expect(try served.get("/report").status == 204)
    var options = LogOptions()
    options.replacesExisting = true
    let writer = try LogWriter(creating: path, options: options)
    try writer.append(.mark(label: "begin"), time: 1)
    try writer.close()
    #expect(try served.wait(for: "/report") { $0.text.contains("begin") }.status == 200)
  }

  // MARK: The process

  @Test func anInterruptEndsItCleanlyAndLeavesNothing() throws {
    let workspace = try Workspace()
    // Sockets are used only if a folder has a short name.
    let folder = "/tmp/rs-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = workspace.file("live.evlog")
    let writer = try LogWriter(creating: path)
    try writer.append(.mark(label: "begin"), time: 1)
    try writer.ensure(.written)
    let served = try ServedTool(path, environment: ["TMPDIR": folder])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    let stream = try served.client()
    stream.send(served.head("/events"))
    #expect(!stream.some().isEmpty)
    #expect(served.interrupt() == 0)
    #expect(served.said == "replay: serving \(path); Ctrl-C ends it\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    try writer.close()
  }

  @Test func anInterruptEndsItWhateverIsAskedAndFreesThePort() throws {
    let served = try ServedTool(Self.sample("chat-wide"))
    let stream = try served.client()
    stream.send(served.head("/events"))
    #expect(!stream.some().isEmpty)
    // More questions than are answered meanwhile, half a request, and answers that nobody reads.
    let targets = [
      "/what-if?argument=--tracking&argument=element", "/why?at=20000", "/state?at=20000", "/overview",
    ]
    let clients = try (0..<20).map { number in
      let client = try served.client()
      client.send(served.head(targets[number % targets.count], ["Replay-Page": "page \(number)"]))
      return client
    }
    let half = try served.client()
    half.send("GET /report HTTP/1.1\r\nHost:")
    // Those before it were let in when this is answered.
    #expect(try served.get("/").status == 200)
    #expect(served.interrupt() == 0)
    #expect(served.said.hasSuffix("Ctrl-C ends it\n"), "\(served.said)")
    // To each of them the connection is over.
    for client in clients + [stream, half] { _ = client.all() }
    let next = try ServedTool(Self.sample("scopes"), ["--port", "\(served.port)"])
    #expect(next.port == served.port)
  }

  @Test func mistakesNameWhatToDo() throws {
    let served = try ServedTool(Self.sample("scopes"))
    func serve(_ arguments: String..., token: String? = nil) throws -> (Int32, String) {
      let process = Process()
      process.executableURL = builtTool
      process.arguments = ["serve"] + arguments
      if let token { process.environment = ["REPLAY_SERVE_TOKEN": token] }
      let errors = Pipe()
      process.standardError = errors
      process.standardOutput = Pipe()
      try process.run()
      process.waitUntilExit()
      return (
        process.terminationStatus,
        String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      )
    }
    let busy = try serve(Self.sample("scopes"), "--port", "\(served.port)")
    #expect(busy.0 == 2 && busy.1.contains("port \(served.port) is in use; give another"), "\(busy)")
    let unnamed = try serve(Self.sample("scopes").replacing("scopes.evlog", with: "scope"))
    #expect(unnamed.0 == 2 && unnamed.1.contains("scopes.evlog"), "\(unnamed)")
    let missing = try serve("/no/such/folder/run.evlog")
    #expect(missing.0 == 2 && missing.1.contains("/no/such/folder/run.evlog"), "\(missing)")
    let noLog = try serve(#filePath)
    #expect(noLog.0 == 2 && noLog.1.contains("not an event log"), "\(noLog)")
    let short = try serve(Self.sample("scopes"), token: "short")
    #expect(short.0 == 2 && short.1.contains("16 to 128"), "\(short)")
    #expect(try serve("/dev/null").1.contains("from a device"))
  }

  @Test func aTokenOfOnesOwnIsTaken() throws {
    let served = try ServedTool(
      Self.sample("scopes"), environment: ["REPLAY_SERVE_TOKEN": "my-own-token_0123456789"])
    #expect(served.token == "my-own-token_0123456789")
    #expect(try served.wait(for: "/report") { $0.status == 200 }.status == 200)
  }
}
