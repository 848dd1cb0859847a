import EventLog

/// Writes the fields of a map.
struct KeyedValueContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil(forKey key: Key) { encoder.node.set(.null, forKey: key.stringValue) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
    encoder.node.set(encoder.encode(value), forKey: key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nested(AnyCodingKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: any CodingKey) -> ValueEncoder {
    encoder.nested(key) { encoder.node.set($0, forKey: key.stringValue) }
  }
}
