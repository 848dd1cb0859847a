import EventLog
import Projection
import ReplayAnalysis

extension Session {
  /// Explains why a projection did not run for a write, or shows what was there before: the reasons that the recording
  /// has, the first of which is the one to look at. It is what `replay why-not` prints.
  ///
  ///     try withRecordedSession { session in
  ///       ...
  ///       store.rows[id: 7]?.count += 1
  ///       print(try session.explainWhyNot("Row#7"))
  ///     }
  ///
  /// - Parameters:
  ///   - projection: Its name; the name of a group, `Row`, stands for the instance that was made last.
  ///   - write: Asks about the last write of a path like this, `store.rows[*].count`; nil for the last write of any.
  ///
  /// Cost: the log is written up to here, and read.
  ///
  /// - Throws: ``NotExplained`` outside of `withRecordedSession`, and if the recording has no such projection or
  ///   write; `LogError` if the log cannot be written or read; `TextError` if `write` is no pattern.
  public func explainWhyNot(_ projection: String, write: String? = nil) throws -> String {
    guard let run = RecordedRun.current else {
      throw NotExplained(description: "there is no recording to explain from: use withRecordedSession")
    }
    let pattern = try write.map { try PathPattern(parsing: $0) }
    try sync(.written)
    do {
      let log = try LogSource(path: run.url.path)
      return try WhyNot(projection, write: pattern, in: log).lines.joined(separator: "\n")
    } catch is AnalysisError {
      throw NotExplained(
        description: "the recording has no projection \(projection)"
          + (write.map { ", or no write of \($0)" } ?? ""))
    }
  }
}

/// Why ``Projection/Session/explainWhyNot(_:write:)`` has no answer.
public struct NotExplained: Error, Hashable, CustomStringConvertible {
  /// What there is no answer to, and what would be.
  public let description: String
}

extension MeasureReport {
  /// The causes and effects as an indented tree: each write with the values before and after it, below it the
  /// projections that it woke, and below those their own writes.
  ///
  ///     set store.rows[id: 42].count  0 -> 1
  ///       Row#42
  ///       unread
  ///         set derived.unread  7 -> 8
  ///           Badge
  ///
  /// Four or more similar branches are shown as one, and a long tree is cut.
  public var explanation: String {
    if cascade.entries.isEmpty { return "nothing was written, and nothing ran" }
    let lines = CascadeText(cascade).lines
    var shown = Array(lines.prefix(Self.maximumLines))
    if lines.count > shown.count { shown.append("and \(lines.count - shown.count) more lines") }
    if cascade.omitted > 0 { shown.append("and \(cascade.omitted) more writes and evaluations") }
    return shown.joined(separator: "\n")
  }

  private static let maximumLines = 60
}

/// A cascade as lines of text, in which similar branches are shown as one.
private struct CascadeText {
  private let cascade: MeasuredCascade
  private let children: [Int?: [Int]]
  /// The id of the shape of each entry's branch. The shape ignores instances, and branches with equal ids are
  /// similar.
  private let shapes: [Int]

  /// The least number of similar branches that are shown as one.
  private static let manyAlike = 4
  /// Deeper entries are left out, to keep the text readable.
  private static let maximumDepth = 40

  init(_ cascade: MeasuredCascade) {
    self.cascade = cascade
    children = Dictionary(grouping: cascade.entries.indices) { cascade.entries[$0].parent }
    shapes = Self.shapes(of: cascade, children)
  }

  var lines: [String] { lines(below: [nil], depth: 0) }

  /// Children come after their parents, so a backward pass knows the shapes below each entry.
  private static func shapes(of cascade: MeasuredCascade, _ children: [Int?: [Int]]) -> [Int] {
    struct Shape: Hashable {
      var label: ExactString
      var below: [Int]
    }
    var numbers: [Shape: Int] = [:]
    var shapes = Array(repeating: 0, count: cascade.entries.count)
    for entry in cascade.entries.indices.reversed() {
      let below = (children[entry] ?? []).map { shapes[$0] }
      let shape = Shape(label: ExactString(cascade.entries[entry].kind.label), below: below)
      shapes[entry] = numbers[shape] ?? numbers.count
      numbers[shape] = shapes[entry]
    }
    return shapes
  }

  /// The lines for everything below some similar entries.
  private func lines(below parents: [Int?], depth: Int) -> [String] {
    let entries = parents.flatMap { children[$0] ?? [] }
    if entries.isEmpty { return [] }
    if depth == Self.maximumDepth { return ["and more below"] }
    let many = Dictionary(grouping: entries) { shapes[$0] }.filter { $0.value.count >= Self.manyAlike }
    return entries.flatMap { entry in
      guard let alike = many[shapes[entry]] else { return branch(of: [entry], depth) }
      return entry == alike[0] ? branch(of: alike, depth) : []
    }
  }

  private func branch(of alike: [Int], _ depth: Int) -> [String] {
    let below = lines(below: alike.map { $0 }, depth: depth + 1)
    let isWriter = alike.contains { (children[$0] ?? []).contains { cascade.entries[$0].kind.isAppWrite } }
    return [Self.title(of: alike.map { cascade.entries[$0].kind }, isWriter: isWriter)]
      + below.map { "  " + $0 }
  }

  /// The line for similar entries.
  ///
  /// - Parameter isWriter: Whether they wrote something; then the line includes their source location.
  private static func title(of alike: [MeasuredCascade.Kind], isWriter: Bool) -> String {
    switch alike[0] {
    case .transaction(let label, let site):
      return times(alike.count) + "transaction" + (label.map { " " + Value.string($0).json } ?? "")
        + "  at \(site)"
    case .write(let body, let old): return times(alike.count) + write(body, old, last: alike.last)
    case .projection(let name, let site, let run):
      let group = name.projectionGroup
      let title = alike.count == 1 ? name : "\(group) x \(alike.count)"
      return title + note(of: run) + (isWriter ? site.map { "  at \($0)" } ?? "" : "")
    }
  }

  private static func times(_ count: Int) -> String { count == 1 ? "" : "\(count) x " }

  private static func note(of run: MeasuredCascade.Run) -> String {
    switch run {
    case .none: " (woken, not evaluated)"
    case .superseded: " (superseded: ran with another write)"
    case .ended(false): " (same output)"
    case .ended: ""
    }
  }

  /// `set chat.level  0.25 -> 0.5`; for several writes, from the value before the first to the value after
  /// the last.
  private static func write(_ first: Event.Body, _ old: Value?, last: MeasuredCascade.Kind?) -> String {
    guard let path = first.writtenPath, case .write(let last, _)? = last, let lastPath = last.writtenPath
    else {
      return first.kind.name
    }
    if path != lastPath { return "\(first.kind.name) \(path.pattern)" }
    let title = "\(first.kind.name) \(path)  "
    switch last {
    case .set(_, let new, true): return title + "\(new.brief), same value"
    case .set(_, let new, _): return title + "\(old.brief) -> \(new.brief)"
    case .splice(_, let offset, let delete, let insert, _):
      return title + "at \(offset): \(delete) out, \(insert.brief) in"
    default: return title + "\(old.brief)"
    }
  }
}

extension MeasuredCascade.Kind {
  /// The part that similar entries have in common.
  fileprivate var label: String {
    switch self {
    case .transaction(let label, let site): "transaction \(label ?? "") \(site)"
    case .write(let body, _): "\(body.kind.name) \(body.writtenPath?.pattern ?? "") \(body.sameValue == true)"
    case .projection(let name, _, let run): "\(name.projectionGroup) \(run)"
    }
  }

  /// Whether it is a write of the app's own code, as opposed to the result of a derived value.
  fileprivate var isAppWrite: Bool {
    if case .write(let body, _) = self { body.writtenPath?.root != .named("derived") } else { false }
  }
}

extension Path {
  /// The path with a wildcard in place of each element.
  fileprivate var pattern: String {
    var pattern = self
    for (index, component) in components.enumerated() {
      switch component {
      case .index, .id, .key: pattern.components[index] = .key("*")
      default: continue
      }
    }
    return "\(pattern)".replacing(#"["*"]"#, with: "[*]")
  }
}

extension Value {
  /// The value as JSON, cut if it is long.
  fileprivate var brief: String {
    switch self {
    case .array(let elements) where elements.count > 8: return "[\(elements.count) elements]"
    case .map(let entries) where entries.count > 8: return "{\(entries.count) entries}"
    default: return json.count > 40 ? json.prefix(39) + "…" : json
    }
  }
}

extension Value? {
  fileprivate var brief: String { self?.brief ?? "nothing" }
}
