import EventLog

/// The decoder for `Decodable` values: the inverse of the encoder for `Encodable` values.
struct ValueDecoder: Decoder {
  let value: Value
  let context: RestoringContext
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let fields) = value else { throw mismatch("map") }
    return KeyedDecodingContainer(KeyedValueDecoding<Key>(decoder: self, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let elements): return UnkeyedValueDecoding(decoder: self, elements: elements)
    // A value that encoded nothing was recorded as an empty map.
    case .map(let fields) where fields.isEmpty: return UnkeyedValueDecoding(decoder: self, elements: [])
    default: throw mismatch("array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueDecoding(decoder: self) }

  func nested(_ part: Value, _ key: any CodingKey, at step: PathComponent) -> ValueDecoder {
    ValueDecoder(value: part, context: context.below(step), codingPath: codingPath + [key])
  }

  private func mismatch(_ wanted: String) -> RestoreProblem {
    var problem = context.mismatch(value, Any.self)
    problem.expected = wanted
    return problem
  }
}

/// Reads one value.
private struct SingleValueDecoding: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { if case .null = decoder.value { true } else { false } }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try decoder.context.restore(type, from: decoder.value)
  }
}

/// Reads the fields of a map.
private struct KeyedValueDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let fields: NamedValues<Value>

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { fields.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { if case .null = try field(key) { true } else { false } }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.context.restore(type, from: try field(key), at: .property(key.stringValue))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = AnyCodingKey.super
    return decoder.nested(fields[key.stringValue] ?? .null, key, at: .property(key.stringValue))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

  private func nested(_ key: Key) throws -> ValueDecoder {
    decoder.nested(try field(key), key, at: .property(key.stringValue))
  }

  private func field(_ key: Key) throws -> Value {
    if let field = fields[key.stringValue] { return field }
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: "the log has no such field"))
  }
}

/// Reads the elements of an array.
private struct UnkeyedValueDecoding: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let elements: [Value]
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  init(decoder: ValueDecoder, elements: [Value]) {
    self.decoder = decoder
    self.elements = elements
  }

  mutating func decodeNil() throws -> Bool {
    guard case .null = try next() else {
      currentIndex -= 1
      return false
    }
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let step = PathComponent.index(currentIndex)
    return try decoder.context.restore(type, from: try next(), at: step)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  private mutating func nested() throws -> ValueDecoder {
    let index = currentIndex
    return decoder.nested(try next(), AnyCodingKey(index), at: .index(index))
  }

  private mutating func next() throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self, DecodingError.Context(codingPath: codingPath, debugDescription: "no more elements"))
    }
    defer { currentIndex += 1 }
    return elements[currentIndex]
  }
}
