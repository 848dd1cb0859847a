import EventLog

/// Encodes objects while values are encoded, and knows which objects the log has.
public protocol ObjectEncoding: ReferenceEncoding {
  /// The recorded form of an object: `.reference` if the log has the object; otherwise `.object` with a new
  /// id and the result of ``EncodingContext/fields(of:)``.
  ///
  /// The object must count as known before its fields are encoded, because they may refer back to it. Fields
  /// may lead to any number of other objects, so an object that is nested deep should be encoded as a
  /// reference, and defined later.
  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value
}

extension ObjectEncoding {
  /// The recorded form of a value that is a recorded object; nil for other values.
  public func reference(to value: Any, in context: inout EncodingContext) -> Value? {
    (value as? any RecordedObject).map { self.value(of: $0, in: &context) }
  }
}

extension EncodingContext {
  /// The logged properties of an object in the order of declaration, redacted ones as `.redacted` or a hash.
  /// Includes the object's `id` if that is computed. Registers no reads.
  ///
  /// Cost: linear in the values of the properties.
  ///
  /// - Precondition: The caller is in the isolation of the object's class.
  public mutating func fields(of object: any RecordedObject) -> NamedValues<Value> {
    fields(of: object, by: ObjectForm.of(object))
  }

  mutating func fields(of object: any RecordedObject, by form: ObjectForm) -> NamedValues<Value> {
    depth += 1
    defer { depth -= 1 }
    var fields = form.layout ?? NamedValues<Value>(minimumCapacity: form.properties.count)
    var missing: [String] = []
    let reader = PropertyEncoder(context: self)
    for number in form.properties.indices {
      reader.redaction = form.properties[number].redaction
      guard object._$read(property: number, into: reader), let value = reader.result.take() else {
        missing.append(form.properties[number].name)
        continue
      }
      if form.layout == nil {
        fields[form.properties[number].name] = value
      } else {
        fields.values[number] = value
      }
    }
    if form.layout != nil { for name in missing { fields.removeValue(forKey: name) } }
    if form.isIdentifiable, !form.hasID || !missing.isEmpty, fields["id"] == nil,
      let identifiable = object as? any Identifiable, let id = encodeID(of: identifiable)
    {
      fields.updateValue(id, forKey: "id", insertingAt: 0)
    }
    return fields
  }
}

/// Encodes the property that an object passes to it.
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

/// Identifies objects by their addresses, to compare values that are in memory at the same time.
final class ObjectAddresses: ObjectEncoding {
  private var last: UInt64 = 0

  func value(of object: any RecordedObject, in context: inout EncodingContext) -> Value {
    .opaque(type: "", identity: identity(of: object))
  }

  func identity(of object: AnyObject) -> UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(object))) }

  func freshIdentity() -> UInt64 {
    last += 1
    return last
  }
}
