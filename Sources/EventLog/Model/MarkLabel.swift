/// The label of a mark: of the app's own, or of what the session and its tools report to readers of the log.
///
/// Sessions and readers share these texts. If they change, readers must still understand the earlier ones.
package enum MarkLabel: Hashable, Sendable {
  /// The app's own words.
  case own(String)
  case diagnostic(ReportedDiagnostic)
  /// A hosted projection did not run with its parent, because its input was the same.
  case skipped(projection: String)
  /// The input of a child is of a type without `==`, so it was compared by its parts, and many times by now.
  case comparedByParts(child: String, type: String)
  /// A host runs a projection for a reason of its own, and the body writes.
  case hostRun(projection: String)
  /// A line of the app's log, which begins with its level.
  case logLine(level: String, text: String)
  /// What a drive could not do.
  case driveProblem(String)

  package init(_ label: String) {
    if let diagnostic = ReportedDiagnostic(label: label) {
      self = .diagnostic(diagnostic)
    } else if let projection = label.after(Self.skipStart) {
      self = .skipped(projection: projection)
    } else if let pair = label.after(Self.comparedStart),
      let middle = pair.firstRange(of: Self.comparedMiddle)
    {
      self = .comparedByParts(
        child: String(pair[middle.upperBound...]), type: String(pair[..<middle.lowerBound]))
    } else if let projection = label.after(Self.runStart) {
      self = .hostRun(projection: projection)
    } else if let problem = label.after(Self.problemStart) {
      self = .driveProblem(problem)
    } else if let line = label.after(Self.lineStart), let space = line.firstIndex(of: " "),
      Self.levels.contains(String(line[..<space]))
    {
      self = .logLine(level: String(line[..<space]), text: String(line[line.index(after: space)...]))
    } else {
      self = .own(label)
    }
  }

  package var text: String {
    switch self {
    case .own(let label): label
    case .diagnostic(let diagnostic): diagnostic.label
    case .skipped(let projection): Self.skipStart + projection
    case .comparedByParts(let child, let type): Self.comparedStart + type + Self.comparedMiddle + child
    case .hostRun(let projection): Self.runStart + projection
    case .logLine(let level, let text): Self.lineStart + level + " " + text
    case .driveProblem(let problem): Self.problemStart + problem
    }
  }

  /// Whether the app's code wrote the mark, so that it is part of what the app did.
  package var isOfApp: Bool {
    switch self {
    case .own, .logLine: true
    case .diagnostic, .skipped, .comparedByParts, .hostRun, .driveProblem: false
    }
  }

  private static let skipStart = "not run, same input: "
  private static let comparedStart = "compared by parts: "
  private static let comparedMiddle = " as the input of "
  private static let runStart = "run by its host: "
  private static let lineStart = "log "
  private static let problemStart = "drive: "
  /// Those of swift-log.
  private static let levels: Set<String> = [
    "trace", "debug", "info", "notice", "warning", "error", "critical",
  ]
}

extension String {
  /// What follows a prefix; nil if it is not there.
  fileprivate func after(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
