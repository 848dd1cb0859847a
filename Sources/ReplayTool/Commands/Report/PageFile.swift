import EventLog
import ReplayAnalysis

/// The page as one HTML file that needs nothing beside it, and asks nothing of any network.
///
/// Its script and its style are named in its policy by their hashes, and nothing else may run or be loaded. What is of a
/// log is packed, as letters and digits, and in the title, where it is escaped: nothing of it can end an element.
struct PageFile: Sendable {
  /// What stands in the frame that all pages have.
  private let contents: [UInt8]
  /// The modules of the script, each behind those that it imports.
  private let modules: [(name: String, source: [UInt8])]
  /// What it may do besides running its script.
  private var more = ""

  /// Of one run.
  static let run = PageFile(
    contents: PackageResources.page_html,
    modules: shared + ofRun + [("embedded", PackageResources.embedded_mjs)])

  /// Of one run, which asks the tool that serves it for all that it shows.
  static let served = PageFile(
    contents: PackageResources.page_html,
    modules: shared + ofRun + [
      ("tiles", PackageResources.tiles_mjs), ("served", PackageResources.served_mjs),
      ("live", PackageResources.live_mjs),
    ], more: "; connect-src 'self'")

  /// Of two runs that are compared.
  static let diff = PageFile(
    contents: PackageResources.diff_html,
    modules: shared + [
      ("stretches", PackageResources.stretches_mjs), ("changes", PackageResources.changes_mjs),
      ("hunks", PackageResources.hunks_mjs), ("sides", PackageResources.sides_mjs),
      ("union", PackageResources.union_mjs), ("diff", PackageResources.diff_mjs),
    ])

  private static let ofRun: [(name: String, source: [UInt8])] = [
    ("bins", PackageResources.bins_mjs), ("rows", PackageResources.rows_mjs),
    ("holding", PackageResources.holding_mjs),
    ("findings", PackageResources.findings_mjs), ("tables", PackageResources.tables_mjs),
    ("eventtable", PackageResources.eventtable_mjs), ("timeline", PackageResources.timeline_mjs),
    ("icicle", PackageResources.icicle_mjs),
    ("why", PackageResources.why_mjs), ("state", PackageResources.state_mjs),
    ("main", PackageResources.main_mjs),
  ]

  private static let shared: [(name: String, source: [UInt8])] = [
    ("text", PackageResources.text_mjs), ("columns", PackageResources.columns_mjs),
    ("data", PackageResources.data_mjs), ("trees", PackageResources.trees_mjs),
    ("kinds", PackageResources.kinds_mjs), ("paint", PackageResources.paint_mjs),
    ("dom", PackageResources.dom_mjs), ("selection", PackageResources.selection_mjs),
    ("axis", PackageResources.axis_mjs), ("ink", PackageResources.ink_mjs),
    ("boxes", PackageResources.boxes_mjs), ("grid", PackageResources.grid_mjs),
  ]

  /// The page.
  ///
  /// - Parameter title: What it is of.
  func html(_ chunks: [ReportChunk], title: String) -> [UInt8] {
    let (script, style, policy) = (script, Self.style, policy)
    var output: [UInt8] = []
    for part in String(decoding: PackageResources.frame_html, as: UTF8.self).parts {
      switch part {
      case .text(let text): output.appendText(text)
      case .slot("policy"): output.appendText(policy)
      case .slot("title"): output.appendText(title.escapedForHTML)
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

  /// What it may do.
  var policy: String {
    "default-src 'none'; script-src '\(Self.source(script))'; style-src '\(Self.source(Self.style))'; "
      + "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'" + more
  }

  /// About how many bytes are not of a log.
  var size: Int { script.utf8.count + PackageResources.page_css.count + 4096 }

  /// What is written of a chunk, without the element around it.
  static func pack(_ bytes: [UInt8]) throws -> [UInt8] { Packing.base64(try Packing.deflate(bytes)) }

  private static func append(_ chunk: ReportChunk, to output: inout [UInt8]) {
    output.appendText(#"<script type="application/octet-stream" id="data-\#(chunk.name)">"#)
    output += chunk.packed
    output.appendText("</script>\n")
  }

  private static func source(_ text: String) -> String {
    "sha256-" + String(decoding: Packing.base64(SHA256.hash(Array(text.utf8))), as: UTF8.self)
  }

  /// The modules as one. A page on disk cannot import what stands in it, so what they import of each other is in one scope:
  /// their names differ, and each import stands in one line.
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
    /// What stands between `{{` and `}}`.
    case slot(String)
  }

  /// The text, and the names in it where something is to be put in.
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

  /// The text as HTML shows it, what could reorder a line escaped.
  fileprivate var escapedForHTML: String {
    var output = ""
    for scalar in shown(most: 200).unicodeScalars {
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

extension [UInt8] {
  fileprivate mutating func appendText(_ text: some StringProtocol) { append(contentsOf: text.utf8) }
}
