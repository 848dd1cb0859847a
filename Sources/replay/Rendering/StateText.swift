import EventLog

/// A state as an outline, two columns further in for each level.
enum StateText {
  static func print(_ json: JSON, named name: String?, to console: Console) throws {
    if let name { return try print(name.shown, json, depth: 0, to: console) }
    guard case .object(let roots) = json else { return }
    if roots.isEmpty { return try console.print("there is no state yet") }
    for (root, value) in roots { try print(root.shown, value, depth: 0, to: console) }
  }

  private static func print(_ name: String, _ json: JSON, depth: Int, to console: Console) throws {
    let margin = String(repeating: "  ", count: depth) + name
    switch json {
    case .object(let fields) where isPlain(fields):
      try console.print("\(margin):")
      for (key, value) in fields { try print(key.shown, value, depth: depth + 1, to: console) }
    case .array(let elements) where !elements.isEmpty:
      try console.print("\(margin): \(console.style.dim(Units.count(elements.count, "element")))")
      for (index, value) in elements.enumerated() {
        try print("[\(index)]", value, depth: depth + 1, to: console)
      }
    default:
      var bytes: [UInt8] = []
      json.append(to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self).shown
      let room = console.width.map { max(10, $0 - margin.columns - 2) }
      try console.print("\(margin): \(room.map { text.cut(to: $0) } ?? text)")
    }
  }

  /// Whether these are fields of the app's, rather than a stand-in such as `{"$ref":"app.a"}`.
  private static func isPlain(_ fields: [(String, JSON)]) -> Bool {
    guard let first = fields.first else { return false }
    return !first.0.hasPrefix("$") || first.0.hasPrefix("$$")
  }
}
