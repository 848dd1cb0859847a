extension Array<UInt8> {
  /// Adds a value as JSON on one line.
  package mutating func appendValue(_ value: Value) {
    switch value {
    case .null: appendText("null")
    case .bool(let value): appendText(value ? "true" : "false")
    case .int(let value): appendText(String(value))
    case .uint(let value): appendText(String(value))
    case .double(let value) where value.isFinite: appendFinite(value)
    case .double(let value): appendSpecial("$double", SpecialDouble.text(value))
    case .string(let value): appendQuoted(value)
    case .bytes(let bytes):
      appendSpecial("$bytes", String(decoding: Base64.encode(bytes), as: UTF8.self))
    case .array(let elements): appendArray(elements) { $0.appendValue($1) }
    case .map(let fields):
      append(0x7B)
      appendFields(fields, isFirst: true)
      append(0x7D)
    case .object(let definition):
      appendText("{\"$object\":")
      appendQuoted("\(definition.type)\(definition.id)")
      appendFields(definition.fields, isFirst: false)
      append(0x7D)
    case .reference(let id): appendSpecial("$ref", id.description)
    case .redacted: appendText("{\"$redacted\":true}")
    case .opaque(let type, let identity):
      appendText("{\"$opaque\":")
      appendQuoted(type)
      appendText(",\"identity\":\(identity)}")
    }
  }

  /// Adds a list in brackets.
  mutating func appendArray<Item>(_ elements: [Item], _ body: (inout [UInt8], Item) -> Void) {
    append(0x5B)
    for (position, element) in elements.enumerated() {
      if position > 0 { append(0x2C) }
      body(&self, element)
    }
    append(0x5D)
  }

  private mutating func appendFields(_ fields: NamedValues<Value>, isFirst: Bool) {
    var isFirst = isFirst
    for (key, value) in fields {
      if !isFirst { append(0x2C) }
      isFirst = false
      appendQuoted(key.utf8.starts(with: "$".utf8) ? "$" + key : key)
      append(0x3A)
      appendValue(value)
    }
  }

  private mutating func appendSpecial(_ key: String, _ text: String) {
    appendText("{\"\(key)\":")
    appendQuoted(text)
    append(0x7D)
  }
}
