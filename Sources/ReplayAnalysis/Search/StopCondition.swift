import EventLog

/// A condition on events that a search looks for and a breakpoint stops at.
package enum StopCondition {
  /// A projection is invalidated.
  case woken(ProjectionPattern)
  /// A projection runs.
  case run(ProjectionPattern)
  /// A projection is created, and has not only moved to another parent.
  case created(ProjectionPattern)
  /// A projection is invalidated or runs.
  case woke(ProjectionPattern)
  /// A path that matches is written by that name, to any value.
  case write(PathPattern)
  /// The value at a path changes, whatever name the write uses.
  case change(Path)
  /// The app sets a mark with this label, or any mark if nil.
  case mark(String?)

  package static let kinds = ["woken", "run", "write", "change", "mark"]

  /// Parses what was typed: `woken Row`, `change store.a`, or only a projection or a path.
  ///
  /// - Parameters:
  ///   - isRoot: Returns whether a name without a dot or a bracket names a root, and not a projection.
  ///   - breaks: Whether the condition is for a breakpoint: then a path alone stops at any write.
  package init(parsing text: String, isRoot: (String) -> Bool, breaks: Bool) throws(StepError) {
    let (kind, rest) = text.firstWord
    switch kind {
    case "woken" where !rest.isEmpty: self = .woken(ProjectionPattern(rest))
    case "run" where !rest.isEmpty: self = .run(ProjectionPattern(rest))
    case "write" where !rest.isEmpty: self = .write(try Self.pattern(rest))
    case "change" where !rest.isEmpty: self = .change(try Self.path(rest))
    case "mark": self = .mark(rest.isEmpty ? nil : Moment.label(rest))
    case "": throw StepError("say what to look for: a projection, a path, or mark")
    default:
      if !Self.looksLikePath(text), !isRoot(text) {
        self = breaks ? .woke(ProjectionPattern(text)) : .woken(ProjectionPattern(text))
      } else if breaks || text.contains("*") {
        self = .write(try Self.pattern(text))
      } else {
        self = .change(try Self.path(text))
      }
    }
  }

  package static func path(_ text: String) throws(StepError) -> Path {
    do { return try Path(parsing: text) } catch {
      throw StepError("\(text): \(error.reason), at column \(error.column)")
    }
  }

  private static func pattern(_ text: String) throws(StepError) -> PathPattern {
    do { return try PathPattern(parsing: text) } catch {
      throw StepError("\(text): \(error.reason), at column \(error.column)")
    }
  }

  /// Whether a text is a path: `store.a` and `store[0]` are; `Row#a.b` is an instance of `Row`.
  private static func looksLikePath(_ text: String) -> Bool {
    guard let step = text.firstIndex(where: { $0 == "." || $0 == "[" }) else { return text.hasPrefix("#") }
    guard let mark = text.firstIndex(of: "#") else { return true }
    return mark == text.startIndex || step < mark
  }
}

extension StopCondition: CustomStringConvertible {
  package var description: String {
    switch self {
    case .woken(let pattern): "woken \(pattern.text)"
    case .run(let pattern): "run \(pattern.text)"
    case .created(let pattern): "created \(pattern.text)"
    case .woke(let pattern): "\(pattern.text) woken or run"
    case .write(let pattern): "write \(pattern)"
    case .change(let path): "change \(path)"
    case .mark(let label): label.map { "mark \($0)" } ?? "mark"
    }
  }

  /// The projections that the condition is about; nil if it is about none.
  var projection: ProjectionPattern? {
    switch self {
    case .woken(let pattern), .run(let pattern), .created(let pattern), .woke(let pattern): pattern
    case .write, .change, .mark: nil
    }
  }

  /// Whether invalidations must be derived to test the condition.
  var needsTimeline: Bool {
    switch self {
    case .woken, .woke: true
    case .run, .created, .write, .change, .mark: false
    }
  }

  /// The path whose value is compared; nil for other conditions.
  var watched: Path? { if case .change(let path) = self { path } else { nil } }

  /// The offsets of the blocks that may contain a matching event; nil if any may.
  func blocks(of log: LogSource) -> Set<UInt64>? {
    switch self {
    case .run(let pattern), .created(let pattern): offsets(log.reader.blocks(naming: pattern.matches))
    case .woken(let pattern), .woke(let pattern):
      // Without recorded invalidations, any block may contain one.
      log.recordsTimeline ? offsets(log.reader.blocks(naming: pattern.matches)) : nil
    case .write(let pattern): offsets(log.reader.blocks(writing: pattern))
    case .change, .mark: nil
    }
  }

  private func offsets(_ blocks: [BlockInfo]) -> Set<UInt64> { Set(blocks.map(\.offset)) }
}

extension LogSource {
  /// Whether the session recorded its invalidations.
  fileprivate var recordsTimeline: Bool { (reader.totals()?.events["invalidate"] ?? 0) > 0 }
}

/// Why a step through a log, or a search for a stop, is not possible: a sentence.
package struct StepError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
