import EventLog

/// Projections by name: `Row#42` is one, `Row` all its instances, and `*` stands for any characters.
struct ProjectionPattern: Sendable {
  let text: String
  private let pieces: [Substring]

  init(_ text: String) {
    self.text = text
    pieces = text.split(separator: "*", omittingEmptySubsequences: false)
  }

  /// Whether it names one projection, or the instances of one.
  var isExact: Bool { pieces.count == 1 }

  func matches(_ name: String) -> Bool {
    if pieces.count == 1 { return name == text || name.projectionGroup == text }
    return matchesWildcards(name)
  }

  private func matchesWildcards(_ name: String) -> Bool {
    guard let first = pieces.first, let last = pieces.last, name.hasPrefix(first) else { return false }
    var rest = name.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  /// Refuses a name without a wildcard that no projection of the log has, with the nearest that one has.
  func check(against names: Set<String>, of log: LogSource) throws {
    if pieces.count > 1 || names.contains(where: { $0 == text || $0.projectionGroup == text }) { return }
    let known = names.union(names.map(\.projectionGroup))
    let suggestion = Suggestion.text(for: text, among: known.sorted())
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
