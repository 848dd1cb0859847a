import EventLog

/// A difference between the app and the version of it that recorded a log.
///
///     let recording = try Recording(
///       url,
///       migrations: [
///         .type("OldStore", to: "Store"),
///         .rename("Store.items", to: "rows"),
///         .remove("Store.draft"),
///         .retype("Store.count") { (old: String) in Int(old) },
///       ])
///
/// Migrations apply to objects by the name of their type, in the order of declaration: a property is named
/// with the type that results from earlier migrations. If a newer version of the app has continued the log,
/// so that it contains both forms, the newer one counts. Structs and enums in properties must read their
/// older forms themselves, as `Decodable` allows.
public struct Migration: Sendable {
  /// Changes an object, given its context.
  let apply: @Sendable (inout MigratedObject, RestoringContext) throws -> Void

  /// A type was renamed.
  public static func type(_ old: String, to new: String) -> Migration {
    Migration { object, _ in if object.type == old { object.type = new } }
  }

  /// A property was renamed: `.rename("Store.items", to: "rows")`.
  public static func rename(_ property: String, to new: String) -> Migration {
    let (type, name) = split(property)
    return Migration { object, _ in
      guard object.type == type, let value = object.fields.removeValue(forKey: name) else { return }
      if object.fields[new] == nil { object.fields[new] = value }
    }
  }

  /// A property was removed; its values are dropped.
  public static func remove(_ property: String) -> Migration {
    let (type, name) = split(property)
    return Migration { object, _ in
      if object.type == type { object.fields[name] = nil }
    }
  }

  /// The type of a property was changed. `convert` returns the new value for an old one, or nil if there is
  /// none; an error that it throws becomes a ``RestoreProblem``. A value that cannot be read as `Old` is
  /// kept.
  public static func retype<Old, New>(
    _ property: String, _ convert: @escaping @Sendable (_ old: Old) throws -> New?
  ) -> Migration {
    let (type, name) = split(property)
    return Migration { object, context in
      guard object.type == type, let value = object.fields[name] else { return }
      guard let old = try? context.restore(Old.self, from: value) else { return }
      guard let new = try convert(old) else {
        throw context.below(.property(name)).mismatch(value, New.self, "its migration has no value for it")
      }
      object.fields[name] = context.encode(new)
    }
  }

  private static func split(_ property: String) -> (type: String, name: String) {
    guard let dot = property.lastIndex(of: ".") else {
      preconditionFailure("a migration names a property with its type, as in Store.items; not \(property)")
    }
    return (String(property[..<dot]), String(property[property.index(after: dot)...]))
  }
}

/// An object of a log with the changes of the migrations applied so far.
struct MigratedObject {
  var type: String
  var fields: NamedValues<Value>
}

extension RestoringContext {
  /// Encodes a value that holds no objects.
  fileprivate func encode<T>(_ value: T) -> Value {
    var encoding = EncodingContext(objects: NoObjects())
    return encoding.encode(value)
  }
}

/// Encodes values that hold no objects.
private final class NoObjects: ObjectEncoding {
  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "\(type(of: object))", identity: 0)
  }
  func identity(of object: AnyObject) -> UInt64 { 0 }
  func freshIdentity() -> UInt64 { 0 }
}

/// A class that cannot be found from the types of properties, because it is a subclass or only used through a
/// protocol; or a class whose objects the app creates itself.
public struct RestorableType {
  let name: String
  let type: any RecordedObject.Type
  let make: ((RecordedObjectSource) throws -> any RecordedObject)?

  /// A class whose objects are created by its own initializers.
  public init<Model: RecordedObject>(_ type: Model.Type) {
    name = "\(type)"
    self.type = type
    make = nil
  }

  /// A class whose objects are created by `make`; their variables are restored after that.
  public init<Model: RecordedObject>(
    _ type: Model.Type, _ make: @escaping (RecordedObjectSource) throws -> Model
  ) {
    name = "\(type)"
    self.type = type
    self.make = make
  }
}

/// The rules for restoring the objects of a log as objects of the app.
struct RestoringRules {
  /// The salt of the log, which identifies it.
  let log: UInt64
  /// The migrations, in the order in which they are applied.
  let migrations: [Migration]
  /// The classes that cannot be found from the types of properties, and those whose objects the app creates
  /// itself.
  let types: [RestorableType]
}
