/// How the objects in a text get their numbers: what a value alone cannot say.
///
/// A log being imported answers from the state so far; see ``FixedNumbers`` for texts that must say all
/// themselves.
public protocol ObjectNaming {
  /// The object at a place, for `{"$ref":"app.a"}`; nil when there is none.
  mutating func object(at path: Path) -> ObjectID?
  /// The number for a definition that gives none, as `{"$object":"Row"}`; nil to refuse it.
  mutating func nextObject() -> ObjectID?
  /// Told of the number of each definition that gives one.
  mutating func define(_ object: ObjectID)
}

/// Takes only the numbers that the text itself gives: `{"$object":"Row#5"}` and `{"$ref":"#5"}`.
public struct FixedNumbers: ObjectNaming {
  /// Creates the naming.
  public init() {}
  /// Only a path that is an object's number is known.
  public func object(at path: Path) -> ObjectID? {
    if case .object(let id) = path.root, path.components.isEmpty { return id }
    return nil
  }
  /// Always nil.
  public func nextObject() -> ObjectID? { nil }
  /// Does nothing.
  public func define(_ object: ObjectID) {}
}
