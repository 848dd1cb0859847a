import EventLog

/// The state after an event, or the value at one path of it.
package struct StateReport: Encodable {
  package let seq: UInt64
  package let path: String?
  package let state: StateTree

  /// - Parameter moment: The last event; nil for the end of the log.
  /// - Throws: `AnalysisError` if there is no such moment, or nothing at the path.
  package init(of path: Path? = nil, at moment: Moment? = nil, in log: LogSource) throws {
    let seq = try moment?.seq(in: log) ?? log.lastSeq
    try self.init(of: path, in: try log.state(at: seq), after: seq, of: log)
  }

  /// The same, if the state is known.
  package init(of path: Path?, in state: State, after seq: UInt64, of log: LogSource) throws {
    self.seq = seq
    self.path = path?.description
    guard let path else {
      self.state = StateTree(rootsOf: state)
      return
    }
    guard let value = state.value(at: path) else { throw Self.missing(path, in: state, seq, of: log) }
    self.state = StateTree(value, at: path, of: state)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(seq, forKey: .seq)
    try container.encodeIfPresent(path, forKey: .path)
    try container.encode(state.json, forKey: .state)
  }

  private enum CodingKeys: String, CodingKey { case seq, path, state }

  /// An error with the beginning of the path that leads nowhere, and the nearest one that exists.
  private static func missing(
    _ path: Path, in state: State, _ seq: UInt64, of log: LogSource
  ) -> AnalysisError {
    var known = Path(root: path.root)
    var candidates: [String] = state.roots.keys.map { Path(root: .named($0)).description }
    for component in path.components {
      guard let value = state.value(at: known) else { break }
      candidates = value.members(in: state).map { known.appending($0).description }
      known = known.appending(component)
    }
    let nearest = Suggestion.nearest(to: known.description, among: candidates)
    return AnalysisError(log, .nothingAt(path: known.description, after: seq, nearest: nearest))
  }
}

extension Value {
  /// The steps to the properties of an object, or to the entries of a map.
  package func members(in state: State) -> [PathComponent] {
    switch self {
    case .reference(let id): (state.objects[id]?.fields ?? [:]).map { .property($0.key) }
    case .map(let fields): fields.keys.map { .property($0) } + fields.keys.map { .key($0) }
    default: []
    }
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
      output.appendArray(elements) { $1.append(to: &$0) }
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

  /// Walks a state, and records the path at which it first reached each object.
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
