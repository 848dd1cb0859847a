import EventLog

/// Writes one value.
struct SingleValueContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.node.set(.null) }

  mutating func encode<T: Encodable>(_ value: T) { encoder.node.set(encoder.encode(value)) }
}
