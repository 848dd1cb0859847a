import EventLog

/// Something that a log holds and that cannot be restored as the app is now.
public struct RestoreProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the value, as the log names it.
  public var path: Path
  /// What the log holds there: `int`, `string`, or the name of an object's type.
  public var recorded: String
  /// The type that the app wants there, or the class that has no such property.
  public var expected: String
  /// What is wrong, and what to do about it.
  public var reason: String

  /// `store.count: recorded as string, and wanted as Int: ...`
  public var description: String {
    "\(path): recorded as \(recorded), and wanted as \(expected): \(reason)"
  }
}

/// Why an object was not restored: all that does not fit.
public struct RestoreError: Error, Sendable, CustomStringConvertible {
  /// What does not fit, at least one.
  public var problems: [RestoreProblem]

  /// One line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension Value {
  /// What it is, for people.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .int, .uint: "int"
    case .double: "double"
    case .string: "string"
    case .bytes: "bytes"
    case .array: "array"
    case .map: "map"
    case .object(let definition): definition.type
    case .reference: "object"
    case .redacted: "redacted"
    case .opaque(let type, _): "the type \(type) alone"
    }
  }
}
