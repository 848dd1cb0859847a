/// A version of the Model Context Protocol.
enum ProtocolVersion: String, CaseIterable {
  case v2026_07_28 = "2026-07-28"
  case v2025_11_25 = "2025-11-25"
  case v2025_06_18 = "2025-06-18"

  /// Whether a connection begins with `initialize`; later each request says by itself what it is.
  var hasHandshake: Bool { self != .v2026_07_28 }

  /// A whole result, with what results of this version must have.
  func complete(_ result: [String: JSON]) -> JSON {
    if hasHandshake { return .object(result) }
    var result = result
    result["resultType"] = "complete"
    result["_meta"] = ["io.modelcontextprotocol/serverInfo": ProtocolState.serverInfo]
    return .object(result)
  }

  /// The same for a result that a client may keep: it depends on nothing but the version of this tool.
  func completeLasting(_ result: [String: JSON]) -> JSON {
    if hasHandshake { return .object(result) }
    return complete(result.merging(["ttlMs": 3_600_000, "cacheScope": "public"]) { $1 })
  }
}

/// What the server does with a request, in either generation of the protocol.
///
/// The client chooses: a request whose `_meta` has a version is of that version, and depends on nothing before it; any other is
/// of the version on which `initialize` agreed.
struct ProtocolState {
  enum Response {
    case result(JSON)
    /// A tool is called.
    case call(Call)
    /// A resource is read.
    case read(uri: String, version: ProtocolVersion)
  }

  struct Call {
    var tool: String
    var arguments: [String: JSON]
    /// Under which name the client wants to hear of progress; nil if it does not.
    var progressToken: JSON?
    var version: ProtocolVersion
  }

  static let serverInfo: JSON = [
    "name": "replay", "title": "Replay: why views update", "version": .string(ToolVersion.version),
  ]

  private static let versionKey = "io.modelcontextprotocol/protocolVersion"
  private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

  let instructions: String
  /// What the server has. Clients that can show pages find them by what the tools name.
  private static let capabilities: JSON = ["tools": [:], "resources": [:]]

  /// The definitions of all tools, in a fixed order.
  let tools: [JSON]
  /// The version on which `initialize` agreed.
  private var negotiated: ProtocolVersion?

  init(instructions: String, tools: [JSON]) { (self.instructions, self.tools) = (instructions, tools) }

  /// The result of reading a resource.
  static func contents(_ text: String, at uri: String, isLasting: Bool, _ version: ProtocolVersion) -> JSON {
    let contents: JSON = [
      "uri": .string(uri), "mimeType": .string(AgentPage.mimeType), "text": .string(text),
    ]
    let result: [String: JSON] = ["contents": [contents]]
    if isLasting { return version.completeLasting(result) }
    // A log may change.
    let brief: [String: JSON] = version.hasHandshake ? [:] : ["ttlMs": 0, "cacheScope": "private"]
    return version.complete(result.merging(brief) { $1 })
  }

  /// What a request gets.
  mutating func respond(to request: RPC.Request) throws(RPC.Failure) -> Response {
    if request.method == "initialize" { return .result(initialize(request)) }
    let version = try version(of: request)
    switch request.method {
    case "server/discover" where !version.hasHandshake:
      return .result(
        version.completeLasting([
          "supportedVersions": [.string(version.rawValue)], "capabilities": Self.capabilities,
          "instructions": .string(instructions),
        ]))
    case "ping" where version.hasHandshake: return .result([:])
    case "tools/list":
      if let cursor = request.params["cursor"], cursor != .null {
        throw RPC.Failure(code: .invalidParams, "there is one page of tools, and no cursor")
      }
      return .result(version.completeLasting(["tools": .array(tools)]))
    case "resources/list":
      return .result(version.completeLasting(["resources": AgentPage.resources]))
    case "resources/templates/list":
      return .result(version.completeLasting(["resourceTemplates": []]))
    case "resources/read":
      guard let uri = request.params["uri"]?.string else {
        throw RPC.Failure(code: .invalidParams, "uri is the address of a resource")
      }
      return .read(uri: uri, version: version)
    case "tools/call":
      guard let tool = request.params["name"]?.string else {
        throw RPC.Failure(code: .invalidParams, "name is the name of a tool")
      }
      let given = request.params["arguments"] ?? .null
      guard let arguments = given == .null ? [:] : given.object else {
        throw RPC.Failure(code: .invalidParams, "arguments is an object")
      }
      let token = request.params["_meta"]?.object?["progressToken"]
      return .call(Call(tool: tool, arguments: arguments, progressToken: token, version: version))
    default: throw RPC.Failure(code: .noMethod, "there is no method \(request.method.shown(most: 80))")
    }
  }

  /// Agrees on the version that the client asks for, or on the newest that has a handshake.
  private mutating func initialize(_ request: RPC.Request) -> JSON {
    let asked = request.params["protocolVersion"]?.string.flatMap { ProtocolVersion(rawValue: $0) }
    let version = asked.flatMap { $0.hasHandshake ? $0 : nil } ?? .v2025_11_25
    negotiated = version
    return [
      "protocolVersion": .string(version.rawValue), "capabilities": Self.capabilities,
      "serverInfo": Self.serverInfo, "instructions": .string(instructions),
    ]
  }

  private func version(of request: RPC.Request) throws(RPC.Failure) -> ProtocolVersion {
    let meta = request.params["_meta"]?.object ?? [:]
    guard let asked = meta[Self.versionKey] else {
      if let negotiated { return negotiated }
      // Whether somebody is there may be asked at any time.
      if request.method == "ping" { return .v2025_11_25 }
      throw RPC.Failure(
        code: .invalidParams, "send initialize first, or the version in _meta as \(Self.versionKey)")
    }
    guard let version = asked.string.flatMap({ ProtocolVersion(rawValue: $0) }) else {
      throw RPC.Failure(
        code: .unsupportedVersion, "this version of the protocol is not supported",
        data: [
          "requested": asked, "supported": .array(ProtocolVersion.allCases.map { .string($0.rawValue) }),
        ])
    }
    if !version.hasHandshake, meta[Self.capabilitiesKey]?.object == nil {
      throw RPC.Failure(code: .invalidParams, "_meta lacks \(Self.capabilitiesKey), which may be {}")
    }
    return version
  }
}
