import EventLog
import ReplayAnalysis

/// The page of a run, or of two, as the answer to a call: an MCP App, which clients show that can.
///
/// A tool names a resource that is the same for all calls (`ui://replay/overview`). It is told the call's arguments by its host, and reads
/// by these the page itself (`ui://replay/overview?log=run.evlog`), which is that of `report` or of `diff --html`.
struct AgentPage {
  static let mimeType = "text/html;profile=mcp-app"
  /// The tools that have one.
  static let tools = ["overview", "cascade", "diff"]
  private static let scheme = "ui://replay/"
  /// A message is no file: less than a page on disk may take.
  private static let bytesMost = 2_000_000

  private let tool: String
  /// Nil for what asks for the page.
  private let query: AgentQuery?
  private let ignored: [String]

  static func uri(of tool: String) -> String { scheme + tool }

  /// The resources as clients list them.
  static var resources: JSON {
    .array(
      tools.map {
        ["uri": .string(uri(of: $0)), "name": .string("\($0) page"), "mimeType": .string(mimeType)]
      })
  }

  /// - Throws: `ToolError` if there is no such page, or its log is outside of the root.
  init(at uri: String, in root: AgentRoot) throws {
    let known = Self.tools.map(Self.uri(of:)).joined(separator: ", ")
    let unknown = ToolError("there is no resource \(uri.shown(most: 120)); there are \(known)")
    guard uri.hasPrefix(Self.scheme) else { throw unknown }
    let name = String(uri.dropFirst(Self.scheme.count))
    if Self.tools.contains(name) {
      (tool, query, ignored) = (name, nil, [])
      return
    }
    guard let asked = MoreHandle(name + "&position=0&known=0"), Self.tools.contains(asked.tool),
      let tool = AgentTool.all.first(where: { $0.name == asked.tool })
    else { throw unknown }
    self.tool = tool.name
    query = try AgentQuery(tool, asked.arguments, in: root)
    ignored = try tool.arguments.filter { $0.name == "ignore" }.flatMap { argument in
      try asked.arguments[argument.name].map { try argument.texts($0) } ?? []
    }
  }

  /// Whether it is the same for all, and may be kept.
  var isLasting: Bool { query == nil }

  /// The whole page.
  func html() throws -> String {
    guard let query else {
      return String(decoding: PackageResources.app_html, as: UTF8.self).replacing("{{tool}}", with: tool)
    }
    let logs = try query.files.map { try LogSource(named: $0) }
    let bytes = logs.count == 2 ? try Self.page(of: logs[0], logs[1], ignored) : try Self.page(of: logs[0])
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func page(of log: LogSource) throws -> [UInt8] {
    let options = ReportOptions(hasValues: false, hasNames: true, budget: bytesMost - PageFile.run.size)
    let report = try RunReport(log, options, sources: nil, pack: PageFile.pack)
    return PageFile.run.html(report.chunks, title: log.path.lastComponent)
  }

  private static func page(of a: LogSource, _ b: LogSource, _ ignored: [String]) throws -> [UInt8] {
    let options = ReportOptions(hasValues: false, hasNames: true, budget: bytesMost - PageFile.diff.size)
    let (inA, inB) = (try Selection(in: a), try Selection(in: b))
    var draft = DiffReport.Draft(a, b, of: (inA, inB))
    let diff = try RunComparison(ignored: ignored).compare(a, inA, b, inB) { draft.add($0) }
    let findings = try FindingChanges(a, in: inA.seqs, b, in: inB.seqs)
    let report = try draft.report(
      diff, findings: findings, ignoring: ignored, options, sources: nil, pack: PageFile.pack)
    return PageFile.diff.html(report.chunks, title: "\(a.path.lastComponent) and \(b.path.lastComponent)")
  }
}
