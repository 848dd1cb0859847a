import EventLog

/// Projections by name: `Row#42` is one, `Row` all its instances, and `*` stands for any characters.
struct ProjectionPattern: Sendable {
  let text: String
  private let glob: Glob

  init(_ text: String) {
    self.text = text
    glob = Glob(text)
  }

  /// Whether it names one projection, or the instances of one.
  var isExact: Bool { !glob.hasWildcard }

  func matches(_ name: String) -> Bool {
    glob.matches(name) || (isExact && glob.matches(name.projectionGroup))
  }

  /// Refuses a name without a wildcard that no projection of the log has, with the nearest that one has.
  func check(against names: some Collection<String>, of log: LogSource) throws {
    if !isExact || names.contains(where: matches) { return }
    let known = Set(names: names).union(names.map { ExactString($0.projectionGroup) })
    let suggestion = Suggestion.text(for: text, among: known.sorted().map(\.string))
    throw ToolError(
      "\(log.path): there is no projection \(text)"
        + (suggestion.isEmpty ? "; replay hot lists what there is" : suggestion))
  }
}

extension Event.Body {
  /// The projection that the event is about, if it is about one.
  var projectionName: String? {
    switch self {
    case .projection(let name, _, _), .reads(let name, _), .invalidate(let name, _),
      .evaluate(let name, _, _),
      .dispose(let name):
      name
    default: nil
    }
  }
}
