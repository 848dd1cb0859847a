import EventLog

/// The state after an event, or what is at one place of it.
package struct StateReport: Encodable, Sendable {
  var seq: UInt64
  var path: String?
  var state: PrintedJSON

  package init(seq: UInt64, path: String?, state: PrintedJSON) {
    self.seq = seq
    self.path = path
    self.state = state
  }
}

/// A state as a tree: each object where it is first met, and `{"$ref":"path"}` wherever it is met again.
package indirect enum StateTree {
  /// The properties of an object, or the entries of a map.
  case fields([(key: String, value: StateTree)])
  case elements([StateTree])
  /// What has no parts, as JSON.
  case leaf(String)

  /// The tree as JSON.
  package var json: PrintedJSON {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return PrintedJSON(String(decoding: bytes, as: UTF8.self))
  }

  private func append(to output: inout [UInt8]) {
    switch self {
    case .fields(let fields):
      output.append(0x7B)
      for (position, (key, value)) in fields.enumerated() {
        if position > 0 { output.append(0x2C) }
        output.appendQuoted(key)
        output.append(0x3A)
        value.append(to: &output)
      }
      output.append(0x7D)
    case .elements(let elements):
      output.append(0x5B)
      for (position, element) in elements.enumerated() {
        if position > 0 { output.append(0x2C) }
        element.append(to: &output)
      }
      output.append(0x5D)
    case .leaf(let json): output.appendText(json)
    }
  }
}

extension StateTree {
  /// Every root, by name.
  package init(rootsOf state: State) {
    var walk = Walk(state: state)
    self = .fields(
      state.roots.map { name, id in (name, walk.tree(.reference(id), at: Path(root: .named(name)))) })
  }

  /// One value, objects in it as trees.
  package init(_ value: Value, at path: Path, of state: State) {
    var walk = Walk(state: state)
    self = walk.tree(value, at: path)
  }

  /// Goes through a state, and knows where it has met each object.
  private struct Walk {
    let state: State
    var met: [ObjectID: Path] = [:]

    mutating func tree(_ value: Value, at path: Path) -> StateTree {
      switch value {
      case .reference(let id):
        if let home = met[id] { return .leaf(#"{"$ref":\#(Value.string(home.description).json)}"#) }
        // Chains of objects may be longer than any path; where one is, the rest is named by number.
        guard let object = state.objects[id], path.components.count < Path.maximumDepth else {
          return .leaf(value.json)
        }
        met[id] = path
        return fields(object.fields, at: path)
      case .array(let elements):
        return .elements(elements.enumerated().map { tree($1, at: path.appending(.index($0))) })
      case .map(let entries): return fields(entries, at: path)
      default: return .leaf(value.json)
      }
    }

    /// A user's key that begins with `$` gets one more, so that it is no key of ours.
    private mutating func fields(_ fields: NamedValues<Value>, at path: Path) -> StateTree {
      .fields(
        fields.map { key, value in
          (key.utf8.first == 0x24 ? "$" + key : key, tree(value, at: path.appending(.property(key))))
        })
    }
  }
}
