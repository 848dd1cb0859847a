import EventLog

/// Writes the elements of an array.
struct UnkeyedValueContainer: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  mutating func encodeNil() { encoder.node.append(.null) }

  mutating func encode<T: Encodable>(_ value: T) { encoder.node.append(encoder.encode(value)) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { nested() }

  private func nested() -> ValueEncoder {
    encoder.nested(AnyCodingKey(count)) { encoder.node.append($0) }
  }
}
