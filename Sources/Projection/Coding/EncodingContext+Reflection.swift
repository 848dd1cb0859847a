import EventLog

extension EncodingContext {
  /// Encodes what reflection shows of a value that says nothing of itself.
  mutating func encodeReflected(_ value: Any) -> Value {
    if let layout = StructLayout.of(type(of: value)) { return encode(value, by: layout) }
    return encodeMirrored(value)
  }

  /// Encodes what a mirror shows.
  mutating func encodeMirrored(_ value: Any) -> Value {
    if Self.isAddress(type(of: value)) { return opaque(value) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct: return .map(fields(mirror))
    case .tuple: return encodeTuple(mirror)
    case .enum: return encodeEnum(value, mirror)
    case .collection: return .array(mirror.children.map { encodeElement($0.value) })
    case .set: return .array(mirror.children.map { encodeElement($0.value) }.sorted(by: Value.comesFirst))
    case .dictionary: return .array(mirror.children.map { encode($0.value) }.sorted(by: Value.comesFirst))
    // A function, a metatype, or a style of the future.
    default: return opaque(value)
    }
  }

  /// Whether values of the type are made of addresses: they mean nothing in a log, and may lead to freed memory.
  static func isAddress(_ type: Any.Type) -> Bool {
    let name = String(reflecting: type)
    return [
      "Swift.Unsafe", "Swift.Opaque", "Swift.Unmanaged", "Swift.ObjectIdentifier", "Swift.Autoreleasing",
    ]
    .contains { name.hasPrefix($0) }
  }

  private func encode(_ value: Any, by layout: StructLayout) -> Value {
    var context = self
    func encode<T>(_ value: T) -> Value {
      withUnsafePointer(to: value) { .map(layout.encode($0, in: &context)) }
    }
    return _openExistential(value, do: encode)
  }

  private mutating func fields(_ mirror: Mirror) -> NamedValues<Value> {
    var fields: NamedValues<Value> = [:]
    for (position, child) in mirror.children.enumerated() {
      fields[child.label ?? ".\(position)"] = encode(child.value)
    }
    return fields
  }

  /// An array, or a map when every element has a label.
  private mutating func encodeTuple(_ mirror: Mirror) -> Value {
    let isLabelled = mirror.children.allSatisfy { $0.label.map { !$0.hasPrefix(".") } ?? false }
    if isLabelled && !mirror.children.isEmpty { return .map(fields(mirror)) }
    return .array(mirror.children.map { encode($0.value) })
  }

  /// The name of the case, or a map from it to what it carries.
  private mutating func encodeEnum(_ value: Any, _ mirror: Mirror) -> Value {
    guard let payload = mirror.children.first, let name = payload.label else {
      return .string(String(describing: value))
    }
    return .map([name: encode(payload.value)])
  }
}
