import EventLog

/// Matches projections by name: `Row#42` is one, `Row` all its instances, and `*` matches any characters.
package struct ProjectionPattern: Sendable {
  let text: String
  /// Nil if only the projection of this very name matches.
  private let glob: Glob?

  package init(_ text: String) {
    self.text = text
    glob = Glob(text)
  }

  /// Matches the projection of this name alone, even if it is also the name of a group or has a `*`.
  init(exactly name: String) {
    text = name
    glob = nil
  }

  /// Whether it has no wildcard, and so names one projection or the instances of one.
  var isExact: Bool { !(glob?.hasWildcard ?? false) }

  package func matches(_ name: String) -> Bool {
    guard let glob else { return name.hasSameBytes(as: text) }
    return glob.matches(name) || (isExact && glob.matches(name.projectionGroup))
  }

  /// Throws if the pattern has no wildcard and matches none of the log's projections; the error suggests the
  /// nearest name.
  func check(against names: some Collection<String>, of log: LogSource) throws {
    if !isExact || names.contains(where: matches) { return }
    let known = Set(names: names).union(names.map { ExactString($0.projectionGroup) })
    let nearest = Suggestion.nearest(to: text, among: known.sorted().map(\.string))
    throw AnalysisError(log, .noProjection(text, nearest: nearest))
  }
}
