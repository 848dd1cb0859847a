import ReplayAnalysis

/// The folder in which a server reads and writes.
struct AgentRoot: Sendable {
  /// Its absolute path, without links and dots.
  let path: String

  /// - Throws: `ToolError` if there is no such folder.
  init(_ folder: String) throws {
    guard let path = Platform.realPath(folder), Platform.isFolder(path) else {
      throw ToolError("--root \(folder): there is no such folder")
    }
    self.path = path
  }

  /// The absolute path of a file within the root, which may not exist yet, without links: so that a link that is changed
  /// meanwhile leads nowhere else.
  ///
  /// - Parameter name: A path from the root on, or an absolute one.
  /// - Throws: `ToolError` for what is outside, be it by dots or by links.
  func file(_ name: String) throws -> String {
    if name.isEmpty || name.utf8.contains(0) { throw ToolError("a path is not empty, and has no NUL in it") }
    let absolute = name.utf8.first == Self.slash ? name : "\(path)/\(name)"
    if let real = Platform.realPath(absolute) {
      guard real.isPath(within: path) else { throw outside(name) }
      return real
    }
    let steps = Self.steps(of: absolute)
    guard Self.withoutDots(steps).isPath(within: path) else { throw outside(name) }
    // What is not there may be a name in a folder that is; a link that leads nowhere could lead outside once.
    guard let last = steps.last, last != ".", last != "..", !Platform.isLink(absolute),
      let folder = Platform.realPath("/" + steps.dropLast().joined(separator: "/"))
    else {
      throw ToolError("\(name.shown(most: 120)): there is no such folder, or a link that leads nowhere")
    }
    guard folder.isPath(within: path) else { throw outside(name) }
    return folder == "/" ? "/\(last)" : "\(folder)/\(last)"
  }

  private func outside(_ name: String) -> ToolError {
    ToolError("\(name.shown(most: 120)) is outside of the root, \(path); give a path within it")
  }

  private static let slash = UInt8(ascii: "/")

  /// The names in a path. They are split as bytes: to a `String`, a slash with an accent is another character.
  private static func steps(of path: String) -> [String] {
    path.utf8.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path as its text alone has it, whatever is a link.
  private static func withoutDots(_ steps: [String]) -> String {
    var kept: [String] = []
    for step in steps where step != "." {
      if step == ".." { _ = kept.popLast() } else { kept.append(step) }
    }
    return "/" + kept.joined(separator: "/")
  }
}
