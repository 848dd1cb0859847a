import EventLog

extension Event {
  /// What happened, in one line for people: `set store.rows[0].count = 1`. Nothing in it can move the cursor.
  var line: String {
    let text: String
    switch body {
    case .set(let path, let value, let sameValue):
      text = "set \(path.description.shown) = \(value.line)" + (sameValue ? " (same value)" : "")
    case .splice(let path, let offset, let delete, let insert, _):
      text = "splice \(path.description.shown) at \(offset): \(delete) out, \(insert.line) in"
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

extension Value {
  /// The value in a few words: its beginning, where it is long.
  fileprivate var line: String { json.shown(most: 120) }
}
