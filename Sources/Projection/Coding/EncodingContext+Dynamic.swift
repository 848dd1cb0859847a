import EventLog

extension EncodingContext {
  /// Encodes a value by what its type is at run time.
  @usableFromInline
  mutating func encodeDynamically<T>(_ value: T) -> Value {
    if let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrappedValue else { return .null }
      return encodeUnwrapped(wrapped)
    }
    return encodeUnwrapped(value)
  }

  private mutating func encodeUnwrapped(_ value: Any) -> Value {
    if let object = value as? any RecordedObject { return objects.value(of: object, in: &self) }
    if depth >= Self.depthLimit { return opaqueUnlessSimple(value) }
    depth += 1
    defer { depth -= 1 }
    if let recordable = value as? any RecordableValue { return recordable.recordedValue(in: &self) }
    if let optional = value as? any OptionalValue {
      return optional.wrappedValue.map { encodeUnwrapped($0) } ?? .null
    }
    if let raw = value as? any RawRepresentable { return encodeRaw(of: raw) }
    if let encodable = value as? any Encodable { return encodeEncodable(encodable) }
    if Sameness.reference(value) != nil { return opaque(value) }
    return encodeReflected(value)
  }

  private mutating func encodeRaw<T: RawRepresentable>(of value: T) -> Value { encode(value.rawValue) }

  /// At the limit a number or a text still fits; what may go deeper does not.
  private mutating func opaqueUnlessSimple(_ value: Any) -> Value {
    if let simple = value as? any SimpleValue { return simple.recordedValue(in: &self) }
    return opaque(value)
  }
}
