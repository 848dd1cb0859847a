import EventLog

/// One restoring of a value: where it is in the log, and who knows the objects it refers to.
public struct RestoringContext {
  let objects: any ObjectRestoring
  /// The object that holds the value, and the steps from there.
  let owner: ObjectID
  let components: [PathComponent]

  init(objects: any ObjectRestoring, owner: ObjectID, components: [PathComponent]) {
    self.objects = objects
    self.owner = owner
    self.components = components
  }

  /// The same for a part of the value.
  func below(_ component: PathComponent) -> RestoringContext {
    RestoringContext(objects: objects, owner: owner, components: components + [component])
  }

  /// A value of a type, from what was recorded of it.
  ///
  /// In this order a type is restored: as a ``RecordedObject``, as a ``RestorableValue``, from its raw value, as
  /// `Decodable`, and as the case of a `CaseIterable` enum. Cost: linear in what the value holds.
  ///
  /// - Throws: ``RestoreProblem``.
  public func restore<T>(_ type: T.Type = T.self, from value: Value) throws(RestoreProblem) -> T {
    // Numbers and texts by far outnumber the rest; the cast never fails where the type is known.
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

  /// A part of the value, which problems are told of by the step that leads to it.
  public func restore<T>(
    _ type: T.Type = T.self, from part: Value, at step: PathComponent
  ) throws(RestoreProblem) -> T {
    try below(step).restore(type, from: part)
  }

  /// That a value is nothing of a type.
  public func mismatch(_ value: Value, _ type: Any.Type, _ reason: String? = nil) -> RestoreProblem {
    RestoreProblem(
      path: objects.path(of: owner, components), recorded: objects.kind(of: value), expected: "\(type)",
      reason: reason ?? "declare a migration, `.retype`, or give it a type that reads both")
  }

  /// What the app's own code threw.
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

  /// The case that describes itself as the text: what is recorded of an enum that says nothing of itself.
  private func namedCase<E: CaseIterable>(_ type: E.Type, _ value: Value) -> E? {
    guard case .string(let name) = value else { return nil }
    return type.allCases.first { String(describing: $0) == name }
  }

  private func decode<D: Decodable>(_ type: D.Type, _ value: Value) throws -> D {
    try D(from: ValueDecoder(value: value, context: self, codingPath: []))
  }
}

/// Who knows the objects of a log while values are restored.
protocol ObjectRestoring: AnyObject {
  /// The object with a number, which a value of type `wanted` refers to.
  func object(_ id: ObjectID, _ wanted: Any.Type, in context: RestoringContext) throws -> any RecordedObject

  /// The place that is so many steps from an object, as the log names it.
  func path(of owner: ObjectID, _ components: [PathComponent]) -> Path

  /// What a value is, for people: the name of its type for an object.
  func kind(of value: Value) -> String
}
