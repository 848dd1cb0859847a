import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// A client of a server in this process.
final class AgentClient: @unchecked Sendable {
  /// What a call of a tool was answered.
  struct Answer {
    var texts: [String]
    var isError: Bool

    init(_ result: JSON?) throws {
      let fields = try #require(result?.object)
      guard case .array(let content)? = fields["content"] else {
        throw ToolError("a result without content: \(fields)")
      }
      texts = content.compactMap { $0.object?["text"]?.string }
      isError = fields["isError"] == true
      try #require(texts.count == content.count)
    }

    /// What the command printed, without what the server adds.
    var printed: String { texts.first == AgentAnswer.header ? texts[1] : "" }

    var handle: String? {
      texts.last?.split(separator: "\n").last.flatMap { line in
        line.hasPrefix(AgentAnswer.handleTitle) ? String(line.dropFirst(AgentAnswer.handleTitle.count)) : nil
      }
    }

    var bytes: Int { texts.reduce(0) { $0 + $1.utf8.count } }
  }

  private let condition = NSCondition()
  /// Guarded by the condition's lock.
  private var lines: [JSON] = []
  private var next = 1
  private(set) var server: AgentServer!

  init(_ root: String, allowsRuns: Bool = false, patience: Duration = .seconds(10)) throws {
    server = AgentServer(root: try AgentRoot(root), allowsRuns: allowsRuns, patience: patience) {
      [weak self] bytes in self?.take(bytes)
    }
  }

  private func take(_ bytes: [UInt8]) {
    condition.withLock {
      #expect(bytes.last == 0x0A && !bytes.dropLast().contains(0x0A), "a message is a line")
      do { lines.append(try JSONDecoder().decode(JSON.self, from: Data(bytes))) } catch {
        Issue.record("no JSON: \(error)")
      }
      condition.broadcast()
    }
  }

  /// All messages so far.
  var received: [JSON] { condition.withLock { lines } }

  func send(_ message: JSON) { server.receive(message.line) }

  /// What every request of the newer generation has.
  static let meta: JSON = [
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": [:],
  ]

  /// Sends a request, and returns its id.
  func post(_ method: String, _ params: [String: JSON] = [:], meta: JSON? = meta) -> JSON {
    let id = condition.withLock { () -> JSON in
      defer { next += 1 }
      return .integer(next)
    }
    var params = params
    params["_meta"] = meta
    send(["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params)])
    return id
  }

  /// Waits for the answer to a request.
  func answer(to id: JSON) throws -> [String: JSON] {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let line = lines.first(where: { $0.object?["id"] == id }) { return try #require(line.object) }
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.5))
    }
  }

  func ask(_ method: String, _ params: [String: JSON] = [:], meta: JSON? = meta) throws -> [String: JSON] {
    try answer(to: post(method, params, meta: meta))
  }

  func call(_ tool: String, _ arguments: [String: JSON] = [:], meta: JSON? = meta) throws -> Answer {
    let answer = try ask("tools/call", ["name": .string(tool), "arguments": .object(arguments)], meta: meta)
    return try Answer(answer["result"])
  }

  /// All that a tool answers, page by page.
  func whole(_ tool: String, _ arguments: [String: JSON] = [:]) throws -> String {
    var answer = try call(tool, arguments)
    var whole = ""
    // JSON may be long.
    let pages = arguments["format"] == "json" ? AgentAnswer.bytesMax : AgentAnswer.bytesMost
    #expect(answer.bytes <= AgentAnswer.bytesMost, "\(tool) \(arguments)")
    while true {
      #expect(answer.bytes <= pages, "\(tool) \(arguments)")
      if answer.isError { throw ToolError(answer.texts.joined()) }
      whole += answer.printed
      guard let handle = answer.handle else { return whole }
      answer = try call("more", ["handle": .string(handle), "bytes": .integer(pages)])
    }
  }
}

/// `replay mcp` as a process.
final class AgentProcess {
  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  init(_ root: String, _ options: [String] = []) throws {
    process.executableURL = builtTool
    process.arguments = ["mcp", "--root", root] + options
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  func send(_ message: JSON) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(message.line + [0x0A]))
  }

  /// The next message; nil at the end of the output.
  func next() throws -> JSON? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = buffer[..<end]
        buffer = Data(buffer[(end + 1)...])
        return try JSONDecoder().decode(JSON.self, from: Data(line))
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        #expect(buffer.isEmpty, "half a message")
        return nil
      }
      buffer += more
    }
  }

  func request(_ id: Int, _ method: String, _ params: [String: JSON] = [:]) throws {
    let params = params.merging(["_meta": AgentClient.meta]) { $1 }
    try send(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": .object(params)])
  }

  func endInput() throws { try input.fileHandleForWriting.close() }
}
