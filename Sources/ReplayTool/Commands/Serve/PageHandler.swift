import EventLog
import FlyingFox
import Foundation
import ReplayAnalysis

/// Answers the requests of pages: the page itself, the results about the run, and questions about the log.
struct PageHandler: HTTPHandler {
  /// One queue for each kind of question. Short ones do not wait for those that take a pass over the log, and
  /// `why` does not wait for predictions, which take longest.
  struct Asked: Sendable {
    let short: Questions
    let why: Questions
    let whatIf: Questions

    init(path: String, limits: ReadLimits, feed: LiveFeed) {
      func questions() -> Questions { Questions(path: path, limits: limits, feed: feed) }
      (short, why, whatIf) = (questions(), questions(), questions())
    }

    func stop() { for questions in [short, why, whatIf] { questions.stop() } }
  }

  /// The header by which a page identifies itself among the open pages.
  static let pageHeader = "Replay-Page"

  let check: RequestCheck
  let feed: LiveFeed
  let asked: Asked
  let connections: OpenConnections
  let sources: SourceFolder?

  private static let rowsMax: UInt64 = 1 << 13
  private static let answerMax = 32 << 20

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      try check.check(
        .init(method: request.method.rawValue, path: request.path) { request.headers[HTTPHeader($0)] })
      return try await answer(request)
    } catch let error as RequestCheck.Refusal {
      return Self.refusal(error)
    }
  }

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let words = Words(request)
    let page = String(request.headers[HTTPHeader(Self.pageHeader)]?.prefix(40) ?? "")
    let number = request.headers[HTTPHeader(ConnectionGate.numberHeader)].flatMap(UInt64.init)
    let isWanted: @Sendable () -> Bool = { [connections] in number.map { connections.has($0) } ?? true }
    switch request.path {
    case "/": return Self.response(ServedPage.bytes, "text/html; charset=utf-8", policy: ServedPage.policy)
    case "/events":
      // The stream never ends. It shares the server with other answers, since it is written only when there
      // is something new.
      let body = HTTPBodySequence(from: StatusStream(feed: feed))
      return Self.response(body, "text/event-stream")
    case "/report": return Self.part(feed.contents, \.report)
    case "/overview": return Self.part(feed.contents, \.overview)
    case "/tile": return Self.part(feed.contents, \.tile)
    case "/rows":
      let seqs = try words.range
      return try Self.response(
        await asked.short.ask("rows \(seqs.lowerBound) \(page)", while: isWanted) {
          try $0.columns(of: seqs)
        },
        "application/octet-stream")
    case "/states":
      let seqs = try words.range
      return try Self.response(
        await asked.short.ask("states \(seqs.lowerBound) \(page)", while: isWanted) {
          try $0.states(of: seqs, bytesMax: Self.answerMax)
        })
    case "/state":
      let (path, at) = (words["path"], try words.moment("at"))
      return try Self.response(
        await asked.short.ask("state \(page)", while: isWanted) { log in
          let wanted = try path.map { try StateCommand.parse($0) }
          return try Self.json(StateReport(of: wanted, at: at, in: log))
        })
    case "/source":
      let site = words["site"] ?? ""
      return try Self.response(sources?.chunk([site]) ?? Array("null".utf8), "application/json")
    case "/why":
      let (projection, at) = (words["projection"], try words.moment("at"))
      let run = try projection == nil ? words.number("at") : 0
      return try Self.response(
        await asked.why.ask("why \(page)", while: isWanted) { log in
          let projection = try projection ?? Self.projection(runningAt: run, in: log)
          return try Self.json(WhyChain(of: projection, at: at, in: log, keeping: .page))
        })
    case "/why-not":
      guard let projection = words["projection"] else {
        throw RequestCheck.Refusal(status: 400, reason: "projection must be the name of one")
      }
      let (path, at) = (words["path"], try words.moment("at"))
      return try Self.response(
        await asked.why.ask("why \(page)", while: isWanted) { log in
          let write = try path.map { text in
            do throws(TextError) { return try PathPattern(parsing: text) } catch {
              throw ToolError("\(text): \(error.reason)")
            }
          }
          return try Self.json(WhyNot(projection, write: write, at: at, in: log))
        })
    case "/what-if":
      let arguments = words.all("argument")
      return try Self.response(
        await asked.whatIf.ask("what-if \(page)", while: isWanted) { log in
          let changes: [Change]
          do throws(Change.Malformed) { changes = try Change.parse(arguments) } catch {
            throw ToolError(error.message)
          }
          if changes.isEmpty { throw ToolError("say what would be different: \(Change.Kind.options)") }
          return try Self.json(WhatIfReport(WhatIf(log, WhatIfRules(changes), counting: 0..<(.max))))
        })
    default: throw RequestCheck.Refusal(status: 404, reason: "there is nothing here")
    }
  }

  private static func json(_ value: some Encodable) throws -> [UInt8] {
    let bytes = Array(try PrintedJSON(encoding: value).text.utf8)
    guard bytes.count <= answerMax else {
      throw ToolError(
        "the answer is too large for a page: \(Units.bytes(UInt64(bytes.count))); ask the command")
    }
    return bytes
  }

  /// The projection of a run. A page cannot send it, as it may know only the beginning of a long name.
  private static func projection(runningAt seq: UInt64, in log: LogSource) throws -> String {
    guard let projection = log.projection(runningAt: seq) else {
      throw ToolError("event \(seq) is no run of a projection")
    }
    return projection
  }

  /// The query of a request.
  private struct Words {
    let items: [HTTPRequest.QueryItem]

    init(_ request: HTTPRequest) { items = request.query }

    subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    func number(_ name: String) throws(RequestCheck.Refusal) -> UInt64 {
      guard let number = self[name].flatMap(UInt64.init) else {
        throw RequestCheck.Refusal(status: 400, reason: "\(name) must be the number of an event")
      }
      return number
    }

    /// The range of events that is asked for.
    var range: Range<UInt64> {
      get throws(RequestCheck.Refusal) {
        let (from, to) = (try number("from"), try number("to"))
        guard from < to, to - from <= PageHandler.rowsMax else {
          throw RequestCheck.Refusal(
            status: 400, reason: "from must be less than to, and not by more than \(PageHandler.rowsMax)")
        }
        return from..<to
      }
    }

    func moment(_ name: String) throws(RequestCheck.Refusal) -> Moment? {
      guard let text = self[name] else { return nil }
      guard let moment = Moment(argument: text) else {
        throw RequestCheck.Refusal(status: 400, reason: "\(name) must be \(Moment.form)")
      }
      return moment
    }
  }
}

extension PageHandler {
  private static func response(
    _ body: HTTPBodySequence, _ type: String, policy: String? = nil, status: HTTPStatusCode = .ok
  ) -> HTTPResponse {
    HTTPResponse(
      statusCode: status, headers: headers(type, policy: policy ?? "default-src 'none'"), body: body)
  }

  private static func response(
    _ bytes: [UInt8], _ type: String, policy: String? = nil, status: HTTPStatusCode = .ok
  ) -> HTTPResponse {
    let body = HTTPBodySequence(data: Data(bytes), suggestedBufferSize: 1 << 16)
    return response(body, type, policy: policy, status: status)
  }

  private static func response(
    _ answer: Questions.Answer, _ type: String = "application/json"
  ) throws(RequestCheck.Refusal) -> HTTPResponse {
    switch answer {
    case .found(let bytes): return response(bytes, type)
    case .refused(let reason): throw RequestCheck.Refusal(status: 422, reason: reason)
    case .outdated: return response([], type, status: .noContent)
    }
  }

  /// A part of the results, with its generation. Answers with no content if there is none yet: a newer report
  /// has no tile at first, for example, which is not an error of the client.
  private static func part(
    _ contents: LiveFeed.Contents, _ bytes: KeyPath<LiveFeed.Contents, [UInt8]>
  ) -> HTTPResponse {
    let bytes = contents[keyPath: bytes]
    var response = response(bytes, "application/octet-stream", status: bytes.isEmpty ? .noContent : .ok)
    response.headers[HTTPHeader("Replay-Generation")] = String(contents.status.generation)
    return response
  }

  private static func refusal(_ refusal: RequestCheck.Refusal) -> HTTPResponse {
    let text = (try? PrintedJSON(encoding: ["error": refusal.reason]).text) ?? "{}"
    return HTTPResponse(
      statusCode: HTTPStatusCode(refusal.status, phrase: "Refused"),
      headers: headers("application/json", policy: "default-src 'none'"), body: Data(text.utf8))
  }

  private static func headers(_ type: String, policy: String) -> HTTPHeaders {
    [
      .contentType: type, .cacheControl: "no-store", .connection: "close",
      HTTPHeader("Content-Security-Policy"): policy,
      HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
      HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
      HTTPHeader("Referrer-Policy"): "no-referrer", HTTPHeader("X-Content-Type-Options"): "nosniff",
    ]
  }
}

/// The page without any data of the log, which it requests with the token.
enum ServedPage {
  static let bytes = PageFile.served.html([], title: "Run")
  /// Also says where the page may be embedded, which a page cannot state in its own HTML.
  static let policy = PageFile.served.policy + "; frame-ancestors 'none'"
}
