import EventLog

/// One encoding of a Swift value into what a log holds.
///
/// In this order a value is: a ``RecordedObject`` (a reference or a definition), a ``RecordableValue``, the
/// raw value of a `RawRepresentable`, what an `Encodable` says of itself, the parts that reflection shows of
/// a struct, tuple or enum, and else `opaque`: its type and an identity. Encoding never fails: a part that
/// cannot be encoded, or lies more than ``depthLimit`` levels down in values, is `opaque` alone. Objects may lead to
/// each other in chains of any length: from ``objectDepthLimit`` on, a session defines each for itself.
public struct EncodingContext {
  /// How many levels of a value are encoded.
  public static let depthLimit = 64

  /// How many levels down an object is defined where it stands.
  public static let objectDepthLimit = 16

  /// Who knows the objects.
  public let objects: any ObjectEncoding

  /// How many levels down the current value is.
  var depth = 0

  /// Whether all objects met are referred to, and defined elsewhere.
  var onlyRefersToObjects = false

  /// The objects that are not recorded and whose encoding is under way.
  var open: [ObjectIdentifier] = []

  /// Creates a context at the top of a value.
  public init(objects: any ObjectEncoding) { self.objects = objects }

  /// Encodes a value.
  ///
  /// Cost: linear in what the value holds; nothing is allocated for numbers and Booleans.
  @inlinable
  public mutating func encode<T>(_ value: T) -> Value {
    // Each comparison folds away where the type is known; the cast then never fails.
    if T.self == Int.self, let value = value as? Int { return .int(Int64(value)) }
    if T.self == Bool.self, let value = value as? Bool { return .bool(value) }
    if T.self == Double.self, let value = value as? Double { return .double(value) }
    if T.self == String.self, let value = value as? String { return .string(value) }
    return encodeDynamically(value)
  }

  /// Encodes an element of a collection: like any value, and with its `id`, by which a path can name it.
  public mutating func encodeElement<T>(_ element: T) -> Value {
    let value = encode(element)
    guard case .map(var fields) = value, fields["id"] == nil,
      let identifiable = element as? any Identifiable, let id = encodeID(of: identifiable)
    else { return value }
    fields.updateValue(id, forKey: "id", insertingAt: 0)
    return .map(fields)
  }

  /// The logged properties of an object in the order of declaration, redacted ones as `.redacted`; also its
  /// `id` where that is computed. Registers no reads.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public mutating func fields(of object: any RecordedObject) -> NamedValues<Value> {
    depth += 1
    defer { depth -= 1 }
    var fields: NamedValues<Value> = [:]
    let reader = PropertyEncoder(context: self)
    for (number, property) in type(of: object)._$properties.enumerated() {
      reader.result = nil
      reader.redaction = property.redaction
      guard object._$read(property: number, into: reader), let value = reader.result else { continue }
      fields[property.name] = value
    }
    if fields["id"] == nil, let identifiable = object as? any Identifiable,
      let id = encodeID(of: identifiable)
    {
      fields.updateValue(id, forKey: "id", insertingAt: 0)
    }
    return fields
  }

  /// The id, unless it is what the standard library gives every object: an address.
  private mutating func encodeID<T: Identifiable>(of element: T) -> Value? {
    if element.id is ObjectIdentifier { return nil }
    return encode(element.id)
  }

  /// A value that cannot be encoded. A reference keeps its identity; anything else is new each time, because
  /// nothing tells it from another.
  mutating func opaque(_ value: Any) -> Value {
    let type = String(describing: Swift.type(of: value))
    if let object = Sameness.reference(value) {
      return .opaque(type: type, identity: objects.identity(of: object))
    }
    return .opaque(type: type, identity: objects.freshIdentity())
  }
}

/// Encodes the property that an object hands out.
private final class PropertyEncoder: RecordedPropertyReader {
  var context: EncodingContext
  var result: Value?
  var redaction: Redaction?

  init(context: EncodingContext) { self.context = context }

  func read<Member>(_ value: Member) {
    result =
      switch redaction {
      case nil: context.encode(value)
      case .hidden: .redacted
      case .hashed: context.objects.hashed(value)
      }
  }
}
