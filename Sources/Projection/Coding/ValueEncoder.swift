import EventLog

/// The encoder that `Encodable` values write themselves into.
struct ValueEncoder: Encoder {
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

  /// An encoder one level down for `child`, which `attach` puts in its place.
  ///
  /// Below the limit of depth the child is `opaque`, and what is written there goes nowhere.
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

/// A key for what has none: a position or `super`.
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
