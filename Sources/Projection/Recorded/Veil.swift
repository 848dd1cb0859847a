import EventLog

/// Turns redacted values into what the log may hold of them.
///
/// Values are encoded here as the log would hold them and then hashed. Objects within get numbers of the veil's own:
/// they are not attached, and the log's numbers must not have gaps that tell how many there are.
final class Veil: ObjectEncoding {
  private let hash = SipHash()
  private var identities = ObjectIdentities()

  /// What the log holds of a value that is to be hashed.
  func hashed<T>(_ value: T) -> Value {
    var context = EncodingContext(objects: self)
    return hashed(encoded: context.encode(value))
  }

  /// What the log holds of an encoded value that is to be hashed.
  func hashed(encoded value: Value) -> Value {
    .opaque(type: Self.typeName, identity: hash.hash(value.json.utf8))
  }

  /// How hashed values are named in the log, whatever their type.
  static let typeName = "Redacted"

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "object", identity: identity(of: object))
  }

  func identity(of object: AnyObject) -> UInt64 { identities.identity(of: object) }

  func freshIdentity() -> UInt64 { identities.freshIdentity() }
}
