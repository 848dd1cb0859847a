import Testing

/// One run of the tool whose whole output is kept in a file.
struct GoldenCase: CustomTestStringConvertible, Sendable {
  /// The file, without its extension.
  let name: String
  /// `SampleLogs/NAME.evlog` is a sample, `WORK/NAME` a temporary file of this run.
  let arguments: [String]
  /// The columns of the terminal; nil if the output is not a terminal.
  var width: Int?
  /// Whether sizes in bytes, which depend on the version of zstd, are left out.
  var hidesSizes = false

  var testDescription: String { name }
  var isJSON: Bool { arguments.contains("json") || arguments.contains("jsonl") }
  var file: String { name + (isJSON ? ".json" : ".txt") }

  init(_ name: String, _ arguments: String..., width: Int? = nil, hidesSizes: Bool = false) {
    (self.name, self.arguments, self.width, self.hidesSizes) = (name, arguments, width, hidesSizes)
  }

  /// A command as text, at 80 columns, and as JSON.
  private static func all(_ name: String, _ arguments: String...) -> [GoldenCase] {
    [
      GoldenCase(name, list: arguments), GoldenCase(name + ".80", list: arguments, width: 80),
      GoldenCase(name, list: arguments + ["--format", "json"]),
    ]
  }

  private init(_ name: String, list: [String], width: Int? = nil) {
    (self.name, arguments, self.width) = (name, list, width)
  }

  private static func log(_ name: String) -> String { "SampleLogs/\(name).evlog" }

  static let cases: [GoldenCase] =
    [
      GoldenCase("overview"), GoldenCase("overview.80", width: 80), GoldenCase("help", "--help"),
      GoldenCase("help-hot", "hot", "--help"), GoldenCase("help-mcp", "mcp", "--help"),
      GoldenCase("help-skill", "skill", "--help"), GoldenCase("no-such-command", "cascade"),
      GoldenCase("export", "export", log("scopes"), "--format", "jsonl"),
      GoldenCase("tail", "tail", log("catalog-split"), "--from", "170"),
      GoldenCase(
        "tail-filtered", "tail", log("scopes"), "--from", "1", "--projection", "DetailView", "--path",
        "navigation.*"),
      GoldenCase(
        "cut", "cut", log("chat-wide"), "-o", "WORK/part.evlog", "--from", "2s", "--to", "3500ms",
        hidesSizes: true),
      GoldenCase(
        "merge", "merge", log("chat-wide"), log("scopes"), "-o", "WORK/both.evlog", "--prefix", "chat_",
        "--prefix", "scopes_", hidesSizes: true),
      GoldenCase("compact", "compact", log("scopes"), "-o", "WORK/small.evlog", hidesSizes: true),
      GoldenCase("recover", "recover", log("scopes"), "-o", "WORK/saved.evlog"),
      GoldenCase("recover", "recover", log("scopes"), "-o", "WORK/saved.evlog", "--format", "json"),
      GoldenCase("import", "import", "WORK/lines.jsonl", "-o", "WORK/lines.evlog"),
      GoldenCase("verify-blocks", "verify", log("scopes"), "--blocks"),
      GoldenCase("verify-blocks", "verify", log("scopes"), "--blocks", "--format", "json"),
      GoldenCase(
        "diff-events", "diff", log("catalog-single"), log("catalog-split"), "--events", "--limit", "2"),
      GoldenCase(
        "diff-rules", "diff", log("catalog-single"), log("catalog-split"), "--fail-on",
        "more-evaluations:10%", "--from", "mark:load ten times"),
    ]
    + all("info", "info", log("chat-wide"))
    + all("recordings", "recordings", "SampleLogs", "--limit", "4")
    + all("overview-log", "overview", log("chat-wide"))
    + all("overview-actions", "overview", log("feed-stale"))
    + all("finding", "finding", log("chat-wide"), "1")
    + all("finding-source", "finding", log("chat-wide"), "1", "--source", "Examples")
    + all("state-since", "state", log("list-element"), "--since", "mark:bump row 7")
    + all("timeline", "timeline", log("scopes"))
    + all(
      "timeline-filtered", "timeline", log("list-trap"), "--projection", "Row#7", "--from", "mark:bump row 7")
    + all("state", "state", log("scopes"))
    + all("state-at", "state", log("list-element"), "store.rows[id: 42]", "--at", "mark:bump row 7")
    + all("cascades", "cascades", log("chat-wide"))
    + all("cascades-by-time", "cascades", log("scopes"), "--by", "time", "--limit", "4")
    + all("cascades-actions", "cascades", log("feed-stale"))
    + all("cascades-by-write", "cascades", log("feed-stale"), "--by-write")
    + all("hot-actions", "hot", log("feed-stale"), "--by", "action")
    + all("hot-marks", "hot", log("episodes-struct"), "--by", "mark")
    + all("lint-stale", "lint", log("feed-stale"))
    + all("why-action", "why", log("feed-stale"), "FeedList")
    + all("timeline-action", "timeline", log("feed-stale"), "--action", "Search")
    + all("why", "why", log("chat-wide"), "MarkdownText#7")
    + all("why-first", "why", log("scopes"), "DetailView", "--at", "mark:another detail appears")
    + all("why-callback", "why", log("scopes"), "onReceive(legacyViewModel.count)")
    + all("why-not", "why-not", log("list-element"), "Row#42")
    + all("reads", "reads", log("chat-wide"), "ChatView")
    + all("events", "events", log("scopes"), "--from", "mark:another detail appears")
    + all("hot", "hot", log("episodes-struct"))
    + all("hot-range", "hot", log("scopes"), "--from", "mark:legacy count changes", "--path", "legacy*.**")
    + all("diff", "diff", log("chat-wide"), log("chat-isolated"))
    + all("diff-state", "diff", log("episodes-struct"), log("episodes-identity"))
    + all(
      "check", "check", log("chat-wide"), "--budget", "SampleLogs/chat.budget.yaml", "--baseline",
      log("chat-isolated"))
    + all("verify", "verify", log("scopes"), log("list-trap"))
    + all("lint", "lint", log("chat-wide"))
    + all("what-if", "what-if", log("chat-wide"), "--isolate", "ChatView:chat.tts.audioLevel")
}
