/// Encodes one value as ``JSON``. Foundation's encoder would not keep the order of fields.
final class JSONEncoding: Encoder {
  private enum Content {
    case single(JSON)
    case fields([(String, JSONEncoding)])
    case elements([JSONEncoding])
  }

  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.single(.null)

  init(codingPath: [any CodingKey] = []) { self.codingPath = codingPath }

  /// What was encoded.
  var result: JSON {
    get {
      switch content {
      case .single(let json): json
      case .fields(let fields): .object(fields.map { ($0, $1.result) })
      case .elements(let elements): .array(elements.map(\.result))
      }
    }
    set { content = .single(newValue) }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .fields = content {} else { content = .fields([]) }
    return KeyedEncodingContainer(JSONFields(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    content = .elements([])
    return JSONElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingle(encoder: self) }

  fileprivate func field(_ key: any CodingKey) -> JSONEncoding {
    let part = JSONEncoding(codingPath: codingPath + [key])
    guard case .fields(var fields) = content else { return part }
    content = .single(.null)
    fields.append((key.stringValue, part))
    content = .fields(fields)
    return part
  }

  fileprivate func element() -> JSONEncoding {
    let part = JSONEncoding(codingPath: codingPath)
    guard case .elements(var elements) = content else { return part }
    content = .single(.null)
    elements.append(part)
    content = .elements(elements)
    return part
  }

  fileprivate var elementCount: Int {
    if case .elements(let elements) = content { elements.count } else { 0 }
  }

  fileprivate func take(_ value: some Encodable) throws {
    if let json = value as? JSON { result = json } else { try value.encode(to: self) }
  }
}

/// One number, text or truth.
private struct JSONSingle: SingleValueEncodingContainer {
  let encoder: JSONEncoding
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.result = .null }
  func encode(_ value: Bool) { encoder.result = .bool(value) }
  func encode(_ value: String) { encoder.result = .text(value) }
  func encode(_ value: Double) { encoder.result = .real(value) }
  func encode(_ value: Float) { encoder.result = .real(Double(value)) }
  func encode(_ value: Int) { integer(value) }
  func encode(_ value: Int8) { integer(value) }
  func encode(_ value: Int16) { integer(value) }
  func encode(_ value: Int32) { integer(value) }
  func encode(_ value: Int64) { integer(value) }
  func encode(_ value: UInt) { integer(value) }
  func encode(_ value: UInt8) { integer(value) }
  func encode(_ value: UInt16) { integer(value) }
  func encode(_ value: UInt32) { integer(value) }
  func encode(_ value: UInt64) { integer(value) }
  func encode(_ value: some Encodable) throws { try encoder.take(value) }

  private func integer(_ value: some BinaryInteger) {
    encoder.result = value < 0 ? .negative(Int64(clamping: value)) : .number(UInt64(clamping: value))
  }
}

/// The fields of an object.
private struct JSONFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONEncoding
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.field(key).result = .null }
  func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.field(key).take(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { encoder.field(key).container(keyedBy: keyedBy) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.field(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.field(key) }
}

/// The elements of a list.
private struct JSONElements: UnkeyedEncodingContainer {
  let encoder: JSONEncoding
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.elementCount }

  func encodeNil() { encoder.element().result = .null }
  func encode(_ value: some Encodable) throws { try encoder.element().take(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.element().container(keyedBy: keyedBy)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder }
}
