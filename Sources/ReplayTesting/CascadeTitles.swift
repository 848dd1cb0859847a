import EventLog
import Projection

extension Cascade.Kind {
  /// What alike entries have in common.
  var label: String {
    switch self {
    case .transaction(let label, let site): "transaction \(label ?? "") \(site)"
    case .write(let body, _): "\(body.kind) \(body.writtenPath?.pattern ?? "") \(body.sameValue == true)"
    case .projection(let name, _, let run): "\(name.projectionGroup) \(run)"
    }
  }

  /// Whether it is a write of the app's own code, and not the result of a derived value.
  var isAppWrite: Bool {
    if case .write(let body, _) = self { body.writtenPath?.root != .named("derived") } else { false }
  }
}

extension Cascade {
  /// The line for entries that are alike.
  ///
  /// - Parameter isWriter: Whether they wrote something, so that it matters where they are in the source.
  static func title(of alike: [Kind], isWriter: Bool) -> String {
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

  private static func note(of run: Run) -> String {
    switch run {
    case .none: " (woken, not evaluated)"
    case .ended(false): " (same output)"
    case .ended: ""
    }
  }

  /// `set chat.level  0.25 -> 0.5`; of several writes from the value before the first to that after the last.
  private static func write(_ first: Event.Body, _ old: Value?, last: Kind?) -> String {
    guard let path = first.writtenPath, case .write(let last, _)? = last, let lastPath = last.writtenPath
    else {
      return first.kind
    }
    if path != lastPath { return "\(first.kind) \(path.pattern)" }
    let title = "\(first.kind) \(path)  "
    switch last {
    case .set(_, let new, true): return title + "\(new.brief), same value"
    case .set(_, let new, _): return title + "\(old.brief) -> \(new.brief)"
    case .splice(_, let offset, let delete, let insert, _):
      return title + "at \(offset): \(delete) out, \(insert.brief) in"
    default: return title + "\(old.brief)"
    }
  }
}

extension Path {
  /// The path with any element in place of one.
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
  /// The value as JSON, cut where it is long.
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
