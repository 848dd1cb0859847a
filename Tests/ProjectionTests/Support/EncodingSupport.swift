import EventLog

@testable import Projection

/// Knows objects like a session, without a log.
final class AttachedObjects: ObjectEncoding {
  private var known: [ObjectIdentifier: (object: AnyObject, id: ObjectID)] = [:]
  private var identities = ObjectIdentities()

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    if let (_, id) = known[ObjectIdentifier(object)] { return .reference(id) }
    let id = ObjectID(UInt64(known.count + 1))
    known[ObjectIdentifier(object)] = (object, id)
    let fields = context.fields(of: object)
    return .object(ObjectDefinition(id: id, type: String(describing: type(of: object)), fields: fields))
  }

  func identity(of object: AnyObject) -> UInt64 { identities.identity(of: object) }
  func freshIdentity() -> UInt64 { identities.freshIdentity() }

  func encode<T>(_ value: T) -> Value {
    var context = EncodingContext(objects: self)
    return context.encode(value)
  }
}

/// Encodes with no objects known.
func encoded<T>(_ value: T) -> Value { AttachedObjects().encode(value) }
