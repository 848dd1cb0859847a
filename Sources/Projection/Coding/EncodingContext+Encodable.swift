import EventLog

extension EncodingContext {
  /// Encodes what the value says of itself; `opaque` when it throws, or is an object met within itself.
  mutating func encodeEncodable<T: Encodable>(_ value: T) -> Value {
    let object = Sameness.reference(value).map(ObjectIdentifier.init)
    if let object {
      if open.contains(object) { return opaque(value) }
      open.append(object)
    }
    defer { if object != nil { open.removeLast() } }
    let node = ValueNode()
    do {
      try value.encode(to: ValueEncoder(node: node, context: self, codingPath: []))
      return node.value
    } catch {
      return opaque(value)
    }
  }
}
