import EventLog

extension EncodingContext {
  /// Encodes what the value encodes by itself; `opaque` if it throws, or is an object that is met within itself.
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

/// The encoder that `Encodable` values write to: each container adds to one ``ValueNode``.
private struct ValueEncoder: Encoder {
  let node: ValueNode
  var context: EncodingContext
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeKeyed()
    return KeyedEncodingContainer(KeyedValueContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeUnkeyed()
    return UnkeyedValueContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueContainer(encoder: self) }

  /// An encoder one level down; `attach` adds its node to this one.
  ///
  /// At the limit of depth an `opaque` value is added instead, and what is written deeper is dropped.
  func nested(_ key: any CodingKey, attach: (ValueNode) -> Void) -> ValueEncoder {
    var inner = context
    inner.depth += 1
    let child = ValueNode()
    if inner.depth < EncodingContext.depthLimit {
      attach(child)
    } else if inner.depth == EncodingContext.depthLimit {
      let end = ValueNode()
      end.set(.opaque(type: "Encoder", identity: context.objects.freshIdentity()))
      attach(end)
    }
    return ValueEncoder(node: child, context: inner, codingPath: codingPath + [key])
  }

  /// Encodes a part by the rules for any value.
  func encode<T>(_ value: T) -> Value {
    var context = context
    return context.encode(value)
  }
}

/// Writes the fields of a map.
private struct KeyedValueContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
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

/// Writes the elements of an array.
private struct UnkeyedValueContainer: UnkeyedEncodingContainer {
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

/// Writes one value.
private struct SingleValueContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.node.set(.null) }

  mutating func encode<T: Encodable>(_ value: T) { encoder.node.set(encoder.encode(value)) }
}

/// A value that is being encoded: the containers made for it may add to it until the encoding ends.
private final class ValueNode {
  private enum Form {
    case empty
    case value(Value)
    case keyed(NamedValues<ValueNode>)
    case unkeyed([ValueNode])
  }

  private var content = Form.empty

  init() {}

  private init(_ value: Value) { content = .value(value) }

  /// What was encoded; an empty map if nothing was. Cost: linear in its size; recurses once a level.
  var value: Value {
    switch content {
    case .empty: .map([:])
    case .value(let value): value
    case .keyed(let nodes): .map(nodes.mapValues(\.value))
    case .unkeyed(let nodes): .array(nodes.map(\.value))
    }
  }

  /// The number of elements of an array; 0 for anything else.
  var count: Int {
    if case .unkeyed(let nodes) = content { nodes.count } else { 0 }
  }

  /// Makes this a map. A value that asks for containers of two kinds loses what it wrote to the first.
  func becomeKeyed() {
    if case .keyed = content { return }
    content = .keyed([:])
  }

  /// Makes this an array, likewise.
  func becomeUnkeyed() {
    if case .unkeyed = content { return }
    content = .unkeyed([])
  }

  func set(_ value: Value) { content = .value(value) }

  func set(_ value: Value, forKey key: String) { set(ValueNode(value), forKey: key) }

  func set(_ node: ValueNode, forKey key: String) {
    becomeKeyed()
    guard case .keyed(var nodes) = content else { return }
    content = .empty
    nodes[key] = node
    content = .keyed(nodes)
  }

  func append(_ value: Value) { append(ValueNode(value)) }

  func append(_ node: ValueNode) {
    becomeUnkeyed()
    guard case .unkeyed(var nodes) = content else { return }
    // The array has one owner while it grows, so that appending does not copy it.
    content = .empty
    nodes.append(node)
    content = .unkeyed(nodes)
  }
}

/// A coding key for an index, or `super`.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) { self.init(intValue) }

  static let `super` = AnyCodingKey(stringValue: "super")
}
