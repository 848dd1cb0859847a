import EventLog
import ReplayAnalysis

/// The page as a single HTML file that loads nothing else and makes no network requests.
///
/// Its policy names its script and its style by their hashes; nothing else may run or be loaded. Data of a
/// log appears only in base64, and escaped in the title, so it cannot end an HTML element.
struct PageFile: Sendable {
  /// The body of the page, which is inserted into the frame that all pages share.
  private let contents: [UInt8]
  /// The modules of the script, each after those that it imports.
  private let modules: [(name: String, source: [UInt8])]
  /// Permissions besides running the script, in the form of the policy.
  private var more = ""

  static let run = PageFile(
    contents: PackageResources.page_html,
    modules: shared + ofRun + [("embedded", PackageResources.embedded_mjs)])

  /// The page of one run, which requests its data from the tool that serves it.
  static let served = PageFile(
    contents: PackageResources.page_html,
    modules: shared + ofRun + [
      ("tiles", PackageResources.tiles_mjs), ("served", PackageResources.served_mjs),
      ("questions", PackageResources.questions_mjs), ("live", PackageResources.live_mjs),
    ], more: "; connect-src 'self'")

  /// The page that compares two runs.
  static let diff = PageFile(
    contents: PackageResources.diff_html,
    modules: shared + [
      ("runpages", PackageResources.runpages_mjs),
      ("stretches", PackageResources.stretches_mjs), ("changes", PackageResources.changes_mjs),
      ("hunks", PackageResources.hunks_mjs), ("sides", PackageResources.sides_mjs),
      ("union", PackageResources.union_mjs), ("verdict", PackageResources.verdict_mjs),
      ("difffind", PackageResources.difffind_mjs),
      ("diff", PackageResources.diff_mjs),
    ])

  /// The page of more than two runs.
  static let runs = PageFile(
    contents: PackageResources.runs_html,
    modules: shared + [
      ("runpages", PackageResources.runpages_mjs), ("verdict", PackageResources.verdict_mjs),
      ("runs", PackageResources.runs_mjs),
    ])

  /// The page of many sessions.
  static let fleet = PageFile(
    contents: PackageResources.fleet_html, modules: shared + [("fleet", PackageResources.fleet_mjs)])

  private static let ofRun: [(name: String, source: [UInt8])] = [
    ("bins", PackageResources.bins_mjs), ("rows", PackageResources.rows_mjs),
    ("states", PackageResources.states_mjs), ("chains", PackageResources.chains_mjs),
    ("holding", PackageResources.holding_mjs),
    ("range", PackageResources.range_mjs), ("reads", PackageResources.reads_mjs),
    ("notes", PackageResources.notes_mjs),
    ("findings", PackageResources.findings_mjs), ("account", PackageResources.account_mjs),
    ("tables", PackageResources.tables_mjs),
    ("eventtable", PackageResources.eventtable_mjs), ("actions", PackageResources.actions_mjs),
    ("actionlist", PackageResources.actionlist_mjs),
    ("lanes", PackageResources.lanes_mjs),
    ("histories", PackageResources.histories_mjs), ("curve", PackageResources.curve_mjs),
    ("drawing", PackageResources.drawing_mjs), ("timeline", PackageResources.timeline_mjs),
    ("search", PackageResources.search_mjs),
    ("find", PackageResources.find_mjs),
    ("icicle", PackageResources.icicle_mjs), ("why", PackageResources.why_mjs),
    ("effects", PackageResources.effects_mjs), ("places", PackageResources.places_mjs),
    ("subject", PackageResources.subject_mjs),
    ("state", PackageResources.state_mjs), ("screen", PackageResources.screen_mjs),
    ("main", PackageResources.main_mjs),
  ]

  private static let shared: [(name: String, source: [UInt8])] = [
    ("text", PackageResources.text_mjs), ("columns", PackageResources.columns_mjs),
    ("data", PackageResources.data_mjs), ("trees", PackageResources.trees_mjs),
    ("kinds", PackageResources.kinds_mjs), ("paint", PackageResources.paint_mjs),
    ("dom", PackageResources.dom_mjs), ("terms", PackageResources.terms_mjs),
    ("sources", PackageResources.sources_mjs),
    ("selection", PackageResources.selection_mjs),
    ("axis", PackageResources.axis_mjs), ("ink", PackageResources.ink_mjs),
    ("boxes", PackageResources.boxes_mjs), ("grid", PackageResources.grid_mjs),
    ("findbox", PackageResources.findbox_mjs),
  ]

  /// Returns the whole page.
  ///
  /// - Parameter title: The name of what the page shows.
  func html(_ chunks: [ReportChunk], title: String) -> [UInt8] {
    let (script, style, policy) = (script, Self.style, policy)
    var output: [UInt8] = []
    for part in String(decoding: PackageResources.frame_html, as: UTF8.self).parts {
      switch part {
      case .text(let text): output.appendText(String(text))
      case .slot("policy"): output.appendText(policy)
      case .slot("title"): output.appendText(title.shown(most: 200).escapedForMarkup)
      case .slot("contents"): output += contents
      case .slot("style"): output.appendText(style)
      case .slot("script"): output.appendText(script)
      case .slot("data"): for chunk in chunks { Self.append(chunk, to: &output) }
      case .slot(let name): preconditionFailure("the page has no \(name)")
      }
    }
    return output
  }

  private static var style: String { String(decoding: PackageResources.page_css, as: UTF8.self) }

  /// The page's content security policy.
  var policy: String {
    "default-src 'none'; script-src '\(Self.source(script))'; style-src '\(Self.source(Self.style))'; "
      + "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'" + more
  }

  /// The approximate size of the page without data of a log, in bytes.
  var size: Int { script.utf8.count + PackageResources.page_css.count + 4096 }

  /// Compresses a chunk into the text that is embedded in the page.
  static func pack(_ bytes: [UInt8]) throws -> [UInt8] { Base64.encode(try Packing.deflate(bytes)) }

  private static func append(_ chunk: ReportChunk, to output: inout [UInt8]) {
    output.appendText(#"<script type="application/octet-stream" id="data-\#(chunk.name)">"#)
    output += chunk.packed
    output.appendText("</script>\n")
  }

  private static func source(_ text: String) -> String {
    "sha256-" + String(decoding: Base64.encode(SHA256.hash(Array(text.utf8))), as: UTF8.self)
  }

  /// The modules as one script. A page on disk cannot import modules that it contains itself, so all are in
  /// one scope. Therefore their names must differ, and each import must be on one line.
  var script: String {
    var text = ""
    for module in modules {
      text += "\n// \(module.name)\n"
      for line in String(decoding: module.source, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      where !line.hasPrefix("import ") {
        text += (line.hasPrefix("export ") ? line.dropFirst(7) : line) + "\n"
      }
    }
    return text
  }
}

extension String {
  fileprivate enum Part {
    case text(Substring)
    /// The name between `{{` and `}}`.
    case slot(String)
  }

  /// Splits the text into literal parts and slots.
  fileprivate var parts: [Part] {
    var parts: [Part] = []
    for (index, piece) in split(separator: "{{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = piece.firstRange(of: "}}") else {
        parts.append(.text(piece))
        continue
      }
      parts.append(.slot(String(piece[..<end.lowerBound])))
      parts.append(.text(piece[end.upperBound...]))
    }
    return parts
  }

  /// The text with the characters escaped that have a meaning in HTML and XML.
  var escapedForMarkup: String {
    var output = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "&": output += "&amp;"
      case "\"": output += "&quot;"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
