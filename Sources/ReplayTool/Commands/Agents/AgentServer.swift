import Foundation
import ReplayAnalysis

/// Answers the lines of a client. Each call waits on a thread of its own, so that another can be answered or cancelled meanwhile.
final class AgentServer: @unchecked Sendable {
  /// A call that is being answered.
  private final class Call: @unchecked Sendable {
    let id: JSON
    /// Guarded by the server's lock.
    var isCancelled = false

    init(_ id: JSON) { self.id = id }
  }

  private let root: AgentRoot
  private let allowsRuns: Bool
  /// After what time a call gets what there is.
  private let patience: Duration
  private let write: @Sendable ([UInt8]) -> Void
  private let jobs = AgentJobs()
  private let condition = NSCondition()
  // The following are guarded by the condition's lock.
  private var calls: [Call] = []
  private var isEnded = false
  /// Used only by the thread that receives.
  private var state = ProtocolState(
    instructions: AgentTool.instructions, tools: AgentTool.all.map(\.definition))

  /// More calls than these at a time are refused.
  private static let callsMost = 64
  /// How often a client that asks for it hears of progress.
  private static let progressTime = Duration.seconds(1)

  /// - Parameters:
  ///   - allowsRuns: Whether `drive` may run programs.
  ///   - write: Writes a message, with its line break; called by one thread at a time.
  init(
    root: AgentRoot, allowsRuns: Bool = false, patience: Duration = .seconds(10),
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    (self.root, self.allowsRuns, self.patience, self.write) = (root, allowsRuns, patience, write)
  }

  /// Takes a line of the client's. Called by one thread.
  func receive(_ line: [UInt8]) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    var id: JSON?
    do throws(RPC.Failure) {
      guard let request = try RPC.Request(line) else { return }
      id = request.id
      guard let id else { return notice(request) }
      switch try state.respond(to: request) {
      case .result(let result): send(RPC.result(result, for: id))
      case .call(let call): try begin(call, id)
      case .read(let uri, let version): read(uri, id, version)
      }
    } catch {
      var failure = error
      failure.id = failure.id ?? id
      send(RPC.failure(failure))
    }
  }

  /// Takes that the client sends nothing more: what is nearly done is still answered, and all ends within a second.
  func finish() {
    let deadline = ContinuousClock.now + .milliseconds(600)
    condition.lock()
    while !calls.isEmpty, ContinuousClock.now < deadline {
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
    }
    isEnded = true
    condition.unlock()
    jobs.stop(until: .now + .milliseconds(200))
  }

  private func send(_ message: [UInt8]) {
    condition.withLock { if !isEnded { write(message + [0x0A]) } }
  }

  /// A cancelled call is answered by nothing; other notices are of no interest here.
  private func notice(_ request: RPC.Request) {
    guard request.method == "notifications/cancelled", let id = request.params["requestId"] else { return }
    condition.withLock {
      for call in calls where call.id == id { call.isCancelled = true }
    }
  }

  private func begin(_ asked: ProtocolState.Call, _ id: JSON) throws(RPC.Failure) {
    guard AgentTool.all.contains(where: { $0.name == asked.tool }) else {
      let names = AgentTool.all.map(\.name)
      throw RPC.Failure(
        code: .invalidParams,
        "there is no tool \(asked.tool.shown(most: 60))\(Suggestion.text(for: asked.tool, among: names))")
    }
    let isBegun = begin(id) { [self] call in
      answer(asked, call).map { RPC.result(asked.version.complete($0.result), for: id) }
    }
    if isBegun { return }
    let refusal = AgentAnswer.refusal("\(Self.callsMost) calls are being answered; ask again later")
    send(RPC.result(asked.version.complete(refusal.result), for: id))
  }

  /// Answers on a thread of its own; false if too much is being answered. Whoever is cancelled gets nothing.
  private func begin(_ id: JSON, _ answer: @escaping @Sendable (Call) -> [UInt8]?) -> Bool {
    let call = Call(id)
    let isTooMuch = condition.withLock {
      if calls.count >= Self.callsMost { return true }
      calls.append(call)
      return false
    }
    if isTooMuch { return false }
    let thread = Thread { [self] in
      let message = answer(call)
      condition.withLock {
        calls.removeAll { $0 === call }
        if let message, !call.isCancelled, !isEnded { write(message + [0x0A]) }
        condition.broadcast()
      }
    }
    // The size of a main thread's stack, since values may be nested deeply.
    thread.stackSize = 8 << 20
    thread.start()
    return true
  }

  /// Answers with a resource. A page is made as long as its client waits for it.
  private func read(_ uri: String, _ id: JSON, _ version: ProtocolVersion) {
    let isBegun = begin(id) { [self] call in
      Demand.$isWanted.withValue({ [self] in condition.withLock { !call.isCancelled && !isEnded } }) {
        do {
          let page = try AgentPage(at: uri, in: root)
          let text = try page.html()
          return RPC.result(
            ProtocolState.contents(text, at: uri, isLasting: page.isLasting, version), for: id)
        } catch {
          return RPC.failure(RPC.Failure(code: .invalidParams, "\(error)".shown(most: 1500), id: id))
        }
      }
    }
    if isBegun { return }
    send(
      RPC.failure(RPC.Failure(code: .invalidParams, "too much is being answered; ask again later", id: id)))
  }

  /// The answer to a call; nil if it was cancelled.
  private func answer(_ asked: ProtocolState.Call, _ call: Call) -> AgentAnswer? {
    let query: AgentQuery
    var most = AgentAnswer.bytesMost
    do { query = try self.query(asked.tool, asked.arguments, &most) } catch {
      return .refusal("\(error)")
    }
    if query.tool.name == "drive", !allowsRuns {
      return .refusal("drive runs programs, which this server may not: start it as replay mcp --allow-run")
    }
    let job = jobs.job(query.words, reading: query.files, isFresh: asked.tool != "more")
    let start = ContinuousClock.now
    var toldAt = start
    let state = job.wait(until: start + patience) { state in
      let isCancelled = condition.withLock { call.isCancelled || isEnded }
      if let token = asked.progressToken, !isCancelled, ContinuousClock.now - toldAt >= Self.progressTime {
        toldAt = .now
        tell(token, toldAt - start, state.progress)
      }
      return !isCancelled
    }
    if condition.withLock({ call.isCancelled }) {
      job.leave()
      return nil
    }
    var errors = String(decoding: state.errors, as: UTF8.self)
    if errors.utf8.last == 0x0A { errors.removeLast() }
    if state.status == .refused, state.output.isEmpty {
      // The usage is that of the command, and not of the tool.
      return .refusal(errors.firstRange(of: "\nUsage: ").map { String(errors[..<$0.lowerBound]) } ?? errors)
    }
    var answer = AgentAnswer(
      state.output, warnings: errors, from: query.handle, most: most, isOver: state.status != nil,
      isCut: state.isCut, next: query.tool.next)
    answer.isError = state.status == .refused
    return answer
  }

  private static let noHandle = ToolError(
    "this handle is not one of an answer; copy all that stands behind \"\(AgentAnswer.handleTitle)\"")

  private func query(_ name: String, _ arguments: [String: JSON], _ most: inout Int) throws -> AgentQuery {
    guard let tool = AgentTool.all.first(where: { $0.name == name }) else {
      throw Self.noHandle
    }
    if tool.name != "more" { return try AgentQuery(tool, arguments, in: root) }
    try AgentQuery.check(arguments, of: tool)
    for argument in tool.arguments where argument.name == "bytes" {
      if let value = arguments["bytes"], value != .null, let bytes = Int(try argument.texts(value)[0]) {
        most = min(AgentAnswer.bytesMax, max(1024, bytes))
      }
    }
    guard let text = arguments["handle"]?.string, let handle = MoreHandle(text), handle.tool != "more" else {
      throw Self.noHandle
    }
    return try self.query(handle)
  }

  private func query(_ handle: MoreHandle) throws -> AgentQuery {
    guard let tool = AgentTool.all.first(where: { $0.name == handle.tool }) else {
      throw Self.noHandle
    }
    return try AgentQuery(tool, handle.arguments, in: root, handle: handle)
  }

  /// Progress is the time that has passed, which always grows.
  private func tell(_ token: JSON, _ passed: Duration, _ progress: String?) {
    var params: [String: JSON] = ["progressToken": token, "progress": .number(passed / .seconds(1))]
    params["message"] = progress.map { .string($0) }
    send(RPC.notification("notifications/progress", .object(params)))
  }
}
