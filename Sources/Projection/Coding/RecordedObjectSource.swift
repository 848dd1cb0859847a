import EventLog

/// What an object is made from: the recorded properties of one object of a log. Used by what ``Recorded()`` writes,
/// and by the app's own factories; see ``RestorableType``.
public final class RecordedObjectSource {
  private let fields: NamedValues<Value>
  private let context: RestoringContext
  private let type: String

  init(type: String, fields: NamedValues<Value>, context: RestoringContext) {
    self.type = type
    self.fields = fields
    self.context = context
  }

  /// The value of a property, for an initializer.
  ///
  /// - Throws: ``RestoreProblem`` if the log does not hold it, or as another type.
  public func argument<T>(_ name: String) throws -> T {
    guard let value = fields[name], value.isRestorable else {
      // What may be absent is.
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

  /// Calls `stored`, a class's maker of objects, without the isolation in its type.
  ///
  /// - Precondition: The caller is in the isolation of the class.
  public func create<Stored>(_ stored: Stored) throws -> (any RecordedObject)? {
    try erasingIsolation(
      of: stored, as: ((RecordedObjectSource) throws -> (any RecordedObject)?).self)(self)
  }
}

/// A class that a log may name and no property does: a subclass, or one that is only met as a protocol; or a class
/// that the app wants to make by itself.
public struct RestorableType {
  let name: String
  let type: any RecordedObject.Type
  let make: ((RecordedObjectSource) throws -> any RecordedObject)?

  /// A class whose objects make themselves.
  public init<Model: RecordedObject>(_ type: Model.Type) {
    name = "\(type)"
    self.type = type
    make = nil
  }

  /// A class whose objects the app makes; variables are restored after that.
  public init<Model: RecordedObject>(
    _ type: Model.Type, _ make: @escaping (RecordedObjectSource) throws -> Model
  ) {
    name = "\(type)"
    self.type = type
    self.make = make
  }
}
