import EventLog

/// How the app differs from the one that recorded a log.
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
/// Migrations apply to objects, by the name of their type, in the order of declaration: a property is named with the
/// type as the migrations before have left it. Where a log was continued by a newer app, and so holds both forms, the
/// newer one counts. Structs and enums in properties read their own older forms, as `Decodable` lets them.
public struct Migration: Sendable {
  /// Changes an object; the context is that of the object.
  let apply: @Sendable (inout MigratedObject, RestoringContext) throws -> Void

  /// The type has another name now.
  public static func type(_ old: String, to new: String) -> Migration {
    Migration { object, _ in if object.type == old { object.type = new } }
  }

  /// The property has another name now: `.rename("Store.items", to: "rows")`.
  public static func rename(_ property: String, to new: String) -> Migration {
    let (type, name) = split(property)
    return Migration { object, _ in
      guard object.type == type, let value = object.fields.removeValue(forKey: name) else { return }
      if object.fields[new] == nil { object.fields[new] = value }
    }
  }

  /// The property is gone, and is not missed.
  public static func remove(_ property: String) -> Migration {
    let (type, name) = split(property)
    return Migration { object, _ in
      if object.type == type { object.fields[name] = nil }
    }
  }

  /// The property has another type now; `convert` makes the new value of the old, or nil if there is none. A value
  /// that is no `Old` is left as it is.
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

/// An object as a log holds it, on its way to what the app expects.
struct MigratedObject {
  var type: String
  var fields: NamedValues<Value>
}

extension RestoringContext {
  /// A value without objects, as a log holds it.
  fileprivate func encode<T>(_ value: T) -> Value {
    var encoding = EncodingContext(objects: NoObjects())
    return encoding.encode(value)
  }
}

/// For values that hold no objects.
private final class NoObjects: ObjectEncoding {
  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "\(type(of: object))", identity: 0)
  }
  func identity(of object: AnyObject) -> UInt64 { 0 }
  func freshIdentity() -> UInt64 { 0 }
}
