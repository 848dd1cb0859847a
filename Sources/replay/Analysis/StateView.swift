import EventLog

/// The state after an event, or what is at one place of it.
struct StateReport: Codable, Sendable {
  var seq: UInt64
  var path: String?
  var state: JSON
}

/// A state as a tree: each object where it is first met, and `{"$ref":"path"}` wherever it is met again.
struct StateView {
  let state: State
  private var met: [ObjectID: Path] = [:]

  init(_ state: State) { self.state = state }

  /// Every root, by name.
  static func roots(of state: State) -> JSON {
    var view = StateView(state)
    return .object(
      state.roots.map { name, id in
        (name, view.json(.reference(id), at: Path(root: .named(name))))
      })
  }

  /// One value, objects in it as trees.
  static func value(_ value: Value, at path: Path, of state: State) -> JSON {
    var view = StateView(state)
    return view.json(value, at: path)
  }

  private mutating func json(_ value: Value, at path: Path) -> JSON {
    switch value {
    case .reference(let id):
      if let home = met[id] { return ["$ref": .text(home.description)] }
      // Chains of objects may be longer than any path; where one is, the rest is named by number.
      guard let object = state.objects[id], path.components.count < Path.maximumDepth else {
        return .raw(value.json)
      }
      met[id] = path
      return .object(object.fields.map { ($0.escapedKey, json($1, at: path.appending(.property($0)))) })
    case .array(let elements):
      return .array(elements.enumerated().map { json($1, at: path.appending(.index($0))) })
    case .map(let fields):
      return .object(fields.map { ($0.escapedKey, json($1, at: path.appending(.property($0)))) })
    default:
      return .raw(value.json)
    }
  }
}

extension String {
  /// A user's key that begins with `$` gets one more, so that it is no key of ours.
  fileprivate var escapedKey: String { utf8.first == 0x24 ? "$" + self : self }
}
