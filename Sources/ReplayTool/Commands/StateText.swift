import EventLog
import ReplayAnalysis

/// A state as an outline, two columns further in for each level.
enum StateText {
  static func print(_ tree: StateTree, named name: String?, to console: Console) throws {
    if let name { return try print(name.shown, tree, depth: 0, to: console) }
    guard case .fields(let roots) = tree else { return }
    if roots.isEmpty { return try console.print("there is no state yet") }
    for (root, value) in roots { try print(root.shown, value, depth: 0, to: console) }
  }

  private static func print(_ name: String, _ tree: StateTree, depth: Int, to console: Console) throws {
    let margin = String(repeating: "  ", count: depth) + name
    switch tree {
    case .fields(let fields) where !fields.isEmpty:
      try console.print("\(margin):")
      for (key, value) in fields { try print(key.shown, value, depth: depth + 1, to: console) }
    case .elements(let elements) where !elements.isEmpty:
      try console.print("\(margin): \(console.style.dim(Units.count(elements.count, "element")))")
      for (index, value) in elements.enumerated() {
        try print("[\(index)]", value, depth: depth + 1, to: console)
      }
    default:
      let text = tree.json.text.shown
      let room = console.width.map { max(10, $0 - margin.columns - 2) }
      try console.print("\(margin): \(room.map { text.cut(to: $0) } ?? text)")
    }
  }
}
