import ArgumentParser
import Foundation
import ReplayAnalysis

/// The lines around the places that a log names, found in a folder of sources as it is now.
///
/// A log names a place by the module and the file, as `Chat/MessageRow.swift:12`, or by the file alone. The
/// file is the one of that name under the folder; of several, the one of which more of the way agrees. If two
/// agree as much, none is shown.
struct SourceFolder: Sendable {
  /// The lines around a place, as a page shows them.
  struct Excerpt: Encodable {
    /// The whole path of the file; nil unless the page is to open it in an editor.
    var path: String?
    /// The number of the line, and of the first of the lines.
    var line: Int
    var first: Int
    var lines: [String]
  }

  /// The chunk `sources` of a page.
  private struct Chunk: Encodable {
    var editor: Editor?
    var places: [String: Excerpt]

    enum CodingKeys: String, CodingKey {
      case editor = "open_with"
      case places
    }
  }

  let editor: Editor?
  /// The paths by the names of their files.
  private let paths: [String: [String]]

  private static let reach = 6
  private static let columnsMax = 200
  private static let placesMax = 400
  private static let filesMax = 200_000
  private static let fileBytesMax = 8 << 20
  /// Folders of what others wrote, or of what was built.
  private static let foreign: Set<String> = ["Pods", "Carthage", "node_modules", "DerivedData", "checkouts"]

  /// Looks for the sources in a folder. Hidden folders, and those of dependencies, are left out.
  ///
  /// - Throws: `ToolError` if there is no such folder; `CancellationError` if nobody waits for it any more.
  init(_ folder: String, editor: Editor?) throws {
    guard Platform.isFolder(folder) else { throw ToolError("--source \(folder): there is no such folder") }
    let top = URL(filePath: folder).resolvingSymlinksInPath()
    guard
      let files = FileManager.default.enumerator(
        at: top, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
    else { throw ToolError("--source \(folder): it cannot be read") }
    var paths: [String: [String]] = [:]
    var count = 0
    for case let file as URL in files {
      // A folder that is no project's may have millions of files.
      if !Demand.isWanted() { throw CancellationError() }
      if Self.foreign.contains(file.lastPathComponent) { files.skipDescendants() }
      guard file.pathExtension == "swift", count < Self.filesMax,
        (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
      else { continue }
      count += 1
      paths[file.lastPathComponent, default: []].append(file.path)
    }
    self.paths = paths
    self.editor = editor
  }

  /// The lines around a place; nil if its file is not there, or is not the only one that it may be.
  func excerpt(at site: String) -> Excerpt? {
    guard let colon = site.lastIndex(of: ":"), let line = Int(site[site.index(after: colon)...]), line > 0,
      let path = path(of: site[..<colon].split(separator: "/").map(String.init)),
      let text = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe),
      text.count <= Self.fileBytesMax
    else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard line <= lines.count else { return nil }
    let first = max(1, line - Self.reach)
    let last = min(lines.count, line + Self.reach)
    return Excerpt(
      path: editor == nil ? nil : path, line: line, first: first,
      lines: lines[(first - 1)..<last].map { String($0.prefix(Self.columnsMax)) })
  }

  /// The file that the end of a path names.
  private func path(of way: [String]) -> String? {
    guard let name = way.last, let candidates = paths[name] else { return nil }
    let ranked = candidates.map {
      (path: $0, rank: Self.rank(of: $0.split(separator: "/").map(String.init), way))
    }
    guard let best = ranked.map(\.rank).max() else { return nil }
    let found = ranked.filter { $0.rank == best }
    return found.count == 1 ? found[0].path : nil
  }

  /// How many of the last steps agree; and for the name of a module, whether a folder on the way has it.
  private static func rank(of path: [String], _ way: [String]) -> Int {
    let agreeing = zip(path.reversed(), way.reversed()).prefix { $0 == $1 }.count
    return 2 * agreeing + (way.count > 1 && path.contains { moduleName(of: $0) == way[0] } ? 1 : 0)
  }

  /// The name of the module that is made of a target: `mail-app` is `mail_app`.
  private static func moduleName(of target: String) -> String {
    String(target.map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  /// The chunk of a page with some places.
  func chunk(_ sites: some Sequence<String>) throws -> [UInt8] {
    var places: [String: Excerpt] = [:]
    for site in sites where places.count < Self.placesMax { places[site] = excerpt(at: site) }
    return Array(try PrintedJSON(encoding: Chunk(editor: editor, places: places)).text.utf8)
  }
}

/// An editor that a page can lead to.
enum Editor: String, Encodable, ExpressibleByArgument, CaseIterable, Sendable {
  case xcode, vscode
}

/// The options for lines of the source in a page.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Show the lines around each place, from the sources in this folder.", valueName: "folder"),
    completion: .directory)
  var source: String?

  @Option(
    help:
      "Lead from each place to this editor; the page then has the whole paths of the sources. Needs --source."
  )
  var openWith: Editor?

  func validate() throws {
    if openWith != nil, source == nil { throw ValidationError("--open-with needs --source") }
  }

  func folder() throws -> SourceFolder? { try source.map { try SourceFolder($0, editor: openWith) } }
}
