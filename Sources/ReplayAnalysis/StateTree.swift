import EventLog

/// The state after an event, or the value at one path of it.
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

/// A state as a tree: an object's contents appear where it is first reached, and `{"$ref":"path"}` at other
/// paths to it.
package indirect enum StateTree {
  /// The properties of an object, or the entries of a map.
  case fields([(key: String, value: StateTree)])
  case elements([StateTree])
  /// A value without parts, as JSON.
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
  /// Creates the tree of all roots, by name.
  package init(rootsOf state: State) {
    var walk = Walk(state: state)
    self = .fields(
      state.roots.map { name, id in (name, walk.tree(.reference(id), at: Path(root: .named(name)))) })
  }

  /// Creates the tree of one value, with the objects in it.
  package init(_ value: Value, at path: Path, of state: State) {
    var walk = Walk(state: state)
    self = walk.tree(value, at: path)
  }

  /// Walks a state, and notes the path at which it first reached each object.
  private struct Walk {
    let state: State
    var met: [ObjectID: Path] = [:]

    mutating func tree(_ value: Value, at path: Path) -> StateTree {
      switch value {
      case .reference(let id):
        if let home = met[id] { return .leaf(#"{"$ref":\#(Value.string(home.description).json)}"#) }
        // Objects may refer to each other in longer chains than a path may have; deeper ones are written by
        // id.
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

    /// A key of the app that begins with `$` gets another `$`, so that it cannot be taken for `$ref`.
    private mutating func fields(_ fields: NamedValues<Value>, at path: Path) -> StateTree {
      .fields(
        fields.map { key, value in
          (key.utf8.first == 0x24 ? "$" + key : key, tree(value, at: path.appending(.property(key))))
        })
    }
  }
}
