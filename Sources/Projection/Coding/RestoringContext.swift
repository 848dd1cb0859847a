import EventLog

/// Restores Swift values from recorded ones, and reports values that do not fit with their path in the log.
public struct RestoringContext {
  let objects: any ObjectRestoring
  /// The object that holds the value.
  let owner: ObjectID
  /// The path of the value within that object.
  let components: [PathComponent]

  init(objects: any ObjectRestoring, owner: ObjectID, components: [PathComponent]) {
    self.objects = objects
    self.owner = owner
    self.components = components
  }

  /// The context of a part of the value.
  func below(_ component: PathComponent) -> RestoringContext {
    RestoringContext(objects: objects, owner: owner, components: components + [component])
  }

  /// Restores a value of a type from its recorded form.
  ///
  /// The first of these that applies decides: a ``RestorableValue``, a reference to a ``RecordedObject``, a
  /// raw value, `Decodable`, or the name of a case of a `CaseIterable` enum. Cost: linear in the size of the
  /// value.
  ///
  /// - Throws: ``RestoreProblem`` if the recorded value does not fit the type.
  public func restore<T>(_ type: T.Type = T.self, from value: Value) throws(RestoreProblem) -> T {
    // Most values are numbers and strings, which are handled without a cast to a protocol.
    switch value {
    case .int(let number) where T.self == Int.self:
      if let number = Int(exactly: number) as? T { return number }
    case .string(let text) where T.self == String.self: if let text = text as? T { return text }
    case .double(let number) where T.self == Double.self: if let number = number as? T { return number }
    case .bool(let flag) where T.self == Bool.self: if let flag = flag as? T { return flag }
    default: break
    }
    do { return try restoreDynamically(value) } catch {
      throw error as? RestoreProblem ?? problem(of: error, value, type)
    }
  }

  /// Restores a value from a part of the recorded one. Problems report it by the path of the value followed
  /// by `step`.
  ///
  /// - Throws: ``RestoreProblem`` if the part does not fit the type.
  public func restore<T>(
    _ type: T.Type = T.self, from part: Value, at step: PathComponent
  ) throws(RestoreProblem) -> T {
    try below(step).restore(type, from: part)
  }

  /// Creates the problem that a recorded value does not fit a type.
  ///
  /// - Parameters:
  ///   - value: The recorded value.
  ///   - type: The type that was expected.
  ///   - reason: What is wrong, and what to do about it; by default advice to declare a migration.
  public func mismatch(_ value: Value, _ type: Any.Type, _ reason: String? = nil) -> RestoreProblem {
    RestoreProblem(
      path: objects.path(of: owner, components), recorded: objects.kind(of: value), expected: "\(type)",
      reason: reason ?? "declare a migration, `.retype`, or give it a type that reads both")
  }

  /// The problem that reports an error thrown by the app's own code.
  private func problem(of error: any Error, _ value: Value, _ type: Any.Type) -> RestoreProblem {
    switch error {
    case DecodingError.keyNotFound(let key, _):
      var problem = mismatch(
        value, type, "it needs a field \(key.stringValue), which the log does not have there")
      problem.recorded = "\(value.kind) without it"
      return problem
    case DecodingError.dataCorrupted(let context): return mismatch(value, type, context.debugDescription)
    default: return mismatch(value, type, "\(error)")
    }
  }

  private func restoreDynamically<T>(_ value: Value) throws -> T {
    if let type = T.self as? any RestorableValue.Type, let result = try restore(as: type, value) as? T {
      return result
    }
    switch value {
    case .reference(let id):
      let object = try objects.object(id, T.self, in: self)
      guard let result = object as? T else { throw mismatch(value, T.self, "its class is no \(T.self)") }
      return result
    case .redacted: throw mismatch(value, T.self, "the app asked never to record it")
    case _ where value.isTooLarge: throw mismatch(value, T.self, "it was too large for an event of the log")
    case .opaque: throw mismatch(value, T.self, "it could not be recorded; make it Codable")
    default: break
    }
    if let type = T.self as? any RawRepresentable.Type, let result = try restoreRaw(type, value) as? T {
      return result
    }
    if let type = T.self as? any Decodable.Type, let result = try decode(type, value) as? T { return result }
    if let type = T.self as? any CaseIterable.Type, let result = namedCase(type, value) as? T {
      return result
    }
    if let result = try restoreParts(of: T.self, from: value) { return result }
    throw mismatch(value, T.self, T.self is any Decodable.Type ? nil : "make \(T.self) Codable")
  }

  private func restore<R: RestorableValue>(as type: R.Type, _ value: Value) throws -> R {
    try type.restored(from: value, in: self)
  }

  private func restoreRaw<R: RawRepresentable>(_ type: R.Type, _ value: Value) throws -> R {
    guard let result = R(rawValue: try restore(R.RawValue.self, from: value)) else {
      throw mismatch(value, type, "the raw value is none of the type's")
    }
    return result
  }

  /// The case with a name, because reflection records an enum without associated values by its case name.
  private func namedCase<E: CaseIterable>(_ type: E.Type, _ value: Value) -> E? {
    guard case .string(let name) = value else { return nil }
    return type.allCases.first { String(describing: $0) == name }
  }

  private func decode<D: Decodable>(_ type: D.Type, _ value: Value) throws -> D {
    try D(from: ValueDecoder(value: value, context: self, codingPath: []))
  }
}

/// Creates the objects to which restored values refer, and describes recorded values in messages.
protocol ObjectRestoring: AnyObject {
  /// The object with an id, to which a value of type `wanted` refers.
  ///
  /// - Throws: ``RestoreProblem`` if it cannot be created, or its class is not `wanted`.
  func object(_ id: ObjectID, _ wanted: Any.Type, in context: RestoringContext) throws -> AnyObject

  /// The path of a part of an object in the log.
  func path(of owner: ObjectID, _ components: [PathComponent]) -> Path

  /// The kind of a value in messages; for a reference, the name of the object's type.
  func kind(of value: Value) -> String
}

/// A value in a log that does not fit the app's current types.
public struct RestoreProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the value in the log.
  public var path: Path
  /// The kind of the recorded value: `int`, `string`, or the name of an object's type.
  public var recorded: String
  /// The type at this path in the app, or the class that lacks the property.
  public var expected: String
  /// What is wrong, and what to do about it.
  public var reason: String

  /// `store.count: recorded as string, and wanted as Int: ...`
  public var description: String {
    "\(path): recorded as \(recorded), and wanted as \(expected): \(reason)"
  }
}

/// An error that reports all values of an object that do not fit, so that the object was not restored.
public struct RestoreError: Error, Sendable, CustomStringConvertible {
  /// The values that do not fit, at least one.
  public var problems: [RestoreProblem]

  /// One line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The recorded properties of one object of a log, from which a new object is created: by the initializer
/// call that ``Recorded()`` adds, or by the app's own closure in a ``RestorableType``.
public final class RecordedObjectSource {
  private let fields: NamedValues<Value>
  private let context: RestoringContext
  private let type: String

  init(type: String, fields: NamedValues<Value>, context: RestoringContext) {
    self.type = type
    self.fields = fields
    self.context = context
  }

  /// The value of a property, for an initializer's parameter; nil for an optional property that the log does
  /// not hold.
  ///
  /// - Throws: ``RestoreProblem`` if the log does not hold the property, or if its value does not fit the
  ///   type.
  public func argument<T>(_ name: String) throws -> T {
    guard let value = fields[name], value.isRestorable else {
      if let none = (T.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? T { return none }
      throw RestoreProblem(
        path: context.objects.path(of: context.owner, [.property(name)]),
        recorded: fields[name]?.kind ?? "nothing",
        expected: "\(T.self)",
        reason:
          "an initializer of \(type) needs it; declare a migration, or a `RestorableType` that goes without")
    }
    return try context.restore(T.self, from: value, at: .property(name))
  }
}

extension Value {
  /// The kind of the value in messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .int, .uint: "int"
    case .double: "double"
    case .date: "date"
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

  /// Whether the log holds the value itself, as opposed to a mark that it was redacted or could not be
  /// recorded.
  var isRestorable: Bool {
    switch self {
    case .redacted, .opaque: false
    default: true
    }
  }
}
