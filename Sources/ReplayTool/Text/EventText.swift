import EventLog

extension Event {
  /// What happened, in one line for people: `set store.rows[0].count = 1`. Nothing in it can move the cursor.
  var line: String { line { $0.line } }

  /// The same for people who look for what differs from another event: of long values that begin alike, the part where
  /// they part.
  func line(beside other: Event?) -> String {
    guard let other = other?.body.writtenValue else { return line }
    return line { $0.line(beside: other) }
  }

  private func line(_ line: (Value) -> String) -> String {
    let text: String
    switch body {
    case .set(let path, let value, let sameValue):
      text = "set \(path.description.shown) = \(line(value))" + (sameValue ? " (same value)" : "")
    case .splice(let path, let offset, let delete, let insert, _):
      text = "splice \(path.description.shown) at \(offset): \(delete) out, \(line(insert)) in"
    case .remove(let path, _): text = "remove \(path.description.shown)"
    case .projection(let name, let parent, let tracking):
      text =
        "projection \(name.shown)" + (parent.map { " in \($0.shown)" } ?? "") + ", by \(tracking.rawValue)"
    case .reads(let name, let paths):
      let shown = paths.prefix(5).map(\.description.shown).joined(separator: ", ")
      text = "\(name.shown) reads \(shown)" + (paths.count > 5 ? " and \(paths.count - 5) more" : "")
    case .invalidate(let name, _): text = "invalidate \(name.shown)"
    case .evaluate(let name, _, let changed):
      text = "evaluate \(name.shown)" + (changed.map { $0 ? ", output changed" : ", same output" } ?? "")
    case .dispose(let name): text = "dispose \(name.shown)"
    case .begin(let label): text = "begin" + (label.map { " \(Value.string($0).json.shown)" } ?? "")
    case .end: text = "end"
    case .mark(let label): text = "mark \(Value.string(label).json.shown)"
    }
    return text
  }
}

extension Event.Body {
  fileprivate var writtenValue: Value? {
    switch self {
    case .set(_, let value, _), .splice(_, _, _, let value, _): value
    default: nil
    }
  }
}

extension Value {
  /// The value in a few words: its beginning, where it is long.
  fileprivate var line: String { json.shown(most: 120) }

  fileprivate func line(beside other: Value) -> String {
    let (own, others) = (Array(json), Array(other.json))
    let common = zip(own, others).prefix { $0 == $1 }.count
    // What fits a terminal differs to the eye.
    guard common > 48, common < own.count || common < others.count else { return line }
    return String(own.prefix(24)).shown + " … " + String(own.dropFirst(common - 12)).shown(most: 90)
  }
}
