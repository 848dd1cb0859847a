import EventLog

extension EncodingContext {
  /// Encodes a value by its own `encode(to:)`. The result is `opaque` if that throws, or for an object that
  /// occurs within itself.
  mutating func encodeEncodable<T: Encodable>(_ value: T) -> Value {
    let object = T.self is AnyClass ? Sameness.reference(value).map(ObjectIdentifier.init) : nil
    if let object {
      if open.contains(object) { return opaque(value) }
      open.append(object)
    }
    defer { if object != nil { open.removeLast() } }
    let encoder = ValueEncoder(context: self)
    do {
      try value.encode(to: encoder)
      return encoder.value
    } catch {
      return opaque(value)
    }
  }
}

/// The encoder for an `Encodable` value. The containers made for it may be written to until the encoding
/// ends.
private final class ValueEncoder: Encoder {
  private enum Form { case empty, value, keyed, unkeyed }

  /// The keys that lead to an encoder, from the last to the first.
  indirect enum KeyList {
    case top
    case below(KeyList, any CodingKey)
  }

  private let context: EncodingContext
  private let keys: KeyList

  private var form = Form.empty
  private var single = Value.null
  private var fields: NamedValues<Value> = [:]
  private var elements: [Value] = []
  /// The encoders of parts that may be incomplete; `null` holds their position among the fields or elements.
  private var nestedFields: [(key: String, encoder: ValueEncoder)] = []
  private var nestedElements: [(index: Int, encoder: ValueEncoder)] = []

  init(context: EncodingContext, at keys: KeyList = .top) {
    self.context = context
    self.keys = keys
  }

  /// The keys that lead here. They are collected only when a value asks, which few do.
  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var next = keys
    while case .below(let outer, let key) = next {
      path.append(key)
      next = outer
    }
    return path.reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    becomeKeyed()
    return KeyedEncodingContainer(KeyedValueContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    becomeUnkeyed()
    return UnkeyedValueContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueContainer(encoder: self) }

  /// The encoded value; an empty map if nothing was encoded. Cost: linear in the nested parts; recurses once
  /// a level.
  var value: Value {
    switch form {
    case .empty: return .map([:])
    case .value: return single
    case .keyed:
      for (key, encoder) in nestedFields { fields[key] = encoder.value }
      return .map(fields)
    case .unkeyed:
      for (index, encoder) in nestedElements { elements[index] = encoder.value }
      return .array(elements)
    }
  }

  /// The number of elements of an array; 0 for other values.
  var count: Int { form == .unkeyed ? elements.count : 0 }

  /// Makes this a map. If a value requests containers of two kinds, what it wrote to the first is lost.
  private func becomeKeyed() {
    if form == .keyed { return }
    form = .keyed
    (fields, nestedFields) = ([:], [])
  }

  /// Makes this an array, with the same rule.
  private func becomeUnkeyed() {
    if form == .unkeyed { return }
    form = .unkeyed
    (elements, nestedElements) = ([], [])
  }

  func set(_ value: Value) {
    form = .value
    single = value
  }

  func set(_ value: Value, forKey key: String) {
    becomeKeyed()
    if !nestedFields.isEmpty { nestedFields.removeAll { $0.key.hasSameBytes(as: key) } }
    fields[key] = value
  }

  func append(_ value: Value) {
    becomeUnkeyed()
    elements.append(value)
  }

  /// Encodes a part by the rules for any value.
  func encode<T>(_ value: T) -> Value {
    // The context is copied, because the value may write to this encoder as well.
    var context = context
    return context.encode(value)
  }

  // MARK: Encoders one level down

  /// An encoder of a field.
  func nested(_ key: any CodingKey) -> ValueEncoder {
    let name = key.stringValue.asName
    return nested(key) { encoder in
      set(.null, forKey: name)
      nestedFields.append((name, encoder))
    }
  }

  func nestedElement() -> ValueEncoder {
    nested(AnyCodingKey(count)) { encoder in
      append(.null)
      nestedElements.append((elements.count - 1, encoder))
    }
  }

  /// Makes an encoder one level down. At the depth limit an `opaque` value is added instead, and deeper
  /// values are dropped.
  private func nested(_ key: any CodingKey, attach: (ValueEncoder) -> Void) -> ValueEncoder {
    var inner = context
    inner.depth += 1
    let child = ValueEncoder(context: inner, at: .below(keys, key))
    if inner.depth < EncodingContext.depthLimit {
      attach(child)
    } else if inner.depth == EncodingContext.depthLimit {
      let end = ValueEncoder(context: inner)
      end.set(.opaque(type: "Encoder", identity: context.objects.freshIdentity()))
      attach(end)
    }
    return child
  }
}

/// Writes the fields of a map.
private struct KeyedValueContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil(forKey key: Key) { encoder.set(.null, forKey: key.stringValue) }

  mutating func encode(_ value: Bool, forKey key: Key) { encoder.set(.bool(value), forKey: key.stringValue) }

  mutating func encode(_ value: Int, forKey key: Key) {
    encoder.set(.int(Int64(value)), forKey: key.stringValue)
  }

  mutating func encode(_ value: Double, forKey key: Key) {
    encoder.set(.double(value), forKey: key.stringValue)
  }

  mutating func encode(_ value: String, forKey key: Key) {
    encoder.set(.string(value), forKey: key.stringValue)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
    encoder.set(encoder.encode(value), forKey: key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.nested(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder.nested(AnyCodingKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}

/// Writes the elements of an array.
private struct UnkeyedValueContainer: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  mutating func encodeNil() { encoder.append(.null) }

  mutating func encode<T: Encodable>(_ value: T) { encoder.append(encoder.encode(value)) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.nestedElement().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.nestedElement().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder.nestedElement() }
}

/// Writes one value.
private struct SingleValueContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.set(.null) }

  mutating func encode<T: Encodable>(_ value: T) { encoder.set(encoder.encode(value)) }
}

/// A coding key for an index, or `super`.
struct AnyCodingKey: CodingKey {
  private let text: String?
  let intValue: Int?

  init(_ index: Int) { (text, intValue) = (nil, index) }

  init(stringValue: String) { (text, intValue) = (stringValue, nil) }

  init(intValue: Int) { self.init(intValue) }

  var stringValue: String { text ?? intValue.map(String.init) ?? "" }

  static let `super` = AnyCodingKey(stringValue: "super")
}
